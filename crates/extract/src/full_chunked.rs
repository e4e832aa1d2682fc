//! A model reads the whole document, chunk by chunk, and then puts together what it found.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use offcut_core::tokens::TokenCounter;
use offcut_core::{notice, text};
use parking_lot::Mutex;

use super::chunks::{self, Chunk, Plan};
use super::context::{Answer, ExtractContext};
use super::error::ExtractError;
use super::model::{Message, Model, ModelError};
use super::model_session::Request;
use super::prompts::{self, Subject};
use super::wrapper::Report;
use super::{Mode, verbatim, wrapper};

/// How often chunks are made smaller because the model found them too long.
const SHRINKS: usize = 4;

/// What a request takes beside its texts, in tokens.
const FRAME: u64 = 64;

/// What became of a chunk.
type Outcome = Result<Report, ExtractError>;

/// Reads the whole document.
pub(super) fn run(context: &ExtractContext<'_>) -> Result<Answer, ExtractError> {
    let model = context.session.model(Mode::FullChunked)?;
    let mut plan = plan(context, model, context.settings.max_chunks)?;
    for _ in 0..SHRINKS {
        let chunks = plan.chunks(&context.document())?;
        within_budget(context, &chunks)?;
        context.session.note(|account| account.chunks = chunks.len() as u64);
        match read(context, model, &chunks) {
            Err(ExtractError::Model(ModelError::TooLong(why))) => {
                tracing::debug!(why, size = plan.size, "chunks are too long for the model");
                plan.size = plan.size * 6 / 10;
                if plan.size < chunks::SMALLEST {
                    return Err(ExtractError::TooSmall(model.context_tokens()));
                }
            }
            other => return other,
        }
    }
    Err(ExtractError::TooSmall(model.context_tokens()))
}

/// Whether the document has at most `most` chunks.
pub(super) fn fits(context: &ExtractContext<'_>, most: u64) -> Result<bool, ExtractError> {
    let planned = plan(context, context.session.model(Mode::FullChunked)?, most)
        .and_then(|plan| plan.chunks(&context.document()));
    match planned {
        Ok(_) => Ok(true),
        Err(ExtractError::TooManyChunks { .. } | ExtractError::TooSmall(_)) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Chunks have the room that the model's context leaves beside its answer and the instructions.
fn plan(context: &ExtractContext<'_>, model: &dyn Model, most: u64) -> Result<Plan, ExtractError> {
    let tokenizer = model.tokenizer();
    let nonce = wrapper::nonce();
    let subject = Subject { info: context.artifact.info(), extract: &context.question.extract, nonce: &nonce };
    let prompt = subject.chunk(most, most, context.settings.overlap_percent) + &subject.document("");
    let taken = model.output_tokens().saturating_add(tokenizer.count(&prompt)).saturating_add(FRAME);
    let size = model.context_tokens().saturating_sub(taken);
    if size < chunks::SMALLEST {
        return Err(ExtractError::TooSmall(model.context_tokens()));
    }
    Ok(Plan { tokenizer, size, overlap_percent: context.settings.overlap_percent, most })
}

/// Refuses what would take more tokens than one extraction may.
fn within_budget(context: &ExtractContext<'_>, chunks: &[Chunk]) -> Result<(), ExtractError> {
    let tokens: u64 = chunks.iter().map(|chunk| chunk.tokens).sum();
    let (tokens, most) = (tokens.saturating_add(context.session.spent()), context.settings.max_tokens);
    if tokens > most { Err(ExtractError::OverBudget { tokens, most }) } else { Ok(()) }
}

fn read(context: &ExtractContext<'_>, model: &dyn Model, chunks: &[Chunk]) -> Result<Answer, ExtractError> {
    let outcomes = map(context, chunks);
    let mut reports = Vec::new();
    let mut missing = Vec::new();
    for (chunk, outcome) in chunks.iter().zip(outcomes) {
        match outcome {
            Ok(report) => reports.push((chunk, report)),
            // Nothing else would go better.
            Err(error @ (ExtractError::Cancelled | ExtractError::Recall(_))) => return Err(error),
            Err(error @ ExtractError::Model(ModelError::TooLong(_) | ModelError::Denied(_))) => return Err(error),
            Err(error) => missing.push((chunk, error)),
        }
    }
    let warning = unread(&missing, chunks.len());
    match (reports.as_slice(), missing.pop()) {
        ([], Some((_, error))) => Err(error),
        ([], None) => Err(ExtractError::NoReport("the output has no chunks".to_owned())),
        ([(_, report)], _) if chunks.len() == 1 => finish(context, &warning, report.clone()),
        (reports, _) => {
            let parts: Vec<(String, String)> = reports
                .iter()
                .map(|(chunk, report)| {
                    let place = chunks.iter().position(|known| known == *chunk).unwrap_or(0) + 1;
                    let name = format!("chunk {place} of {}, lines {}-{}", chunks.len(), chunk.lines.0, chunk.lines.1);
                    (name, said(report))
                })
                .collect();
            match reduce(context, model, parts.clone(), chunks.len() as u64) {
                Ok(report) => finish(context, &warning, report),
                Err(error @ (ExtractError::Cancelled | ExtractError::Recall(_))) => Err(error),
                // What the chunks said is there, and better than nothing.
                Err(error) => {
                    context.session.fell_back(Mode::FullChunked, Mode::FullChunked, &error);
                    let why = notice::one_line(&error.to_string(), 300);
                    let joined: Vec<String> = parts.iter().map(|(name, said)| format!("[{name}]\n{said}")).collect();
                    let warning = format!(
                        "{warning}WARNING: the chunks' reports could not be put together ({why}); they follow as they are.\n\n"
                    );
                    finish(context, &warning, Report { text: joined.join("\n\n"), ..Report::default() })
                }
            }
        }
    }
}

/// A report as the next model reads it.
fn said(report: &Report) -> String {
    if report.nothing {
        format!("{}\n{}", wrapper::NOTHING, report.text).trim_end().to_owned()
    } else {
        report.text.clone()
    }
}

/// What is said of chunks that could not be read.
fn unread(missing: &[(&Chunk, ExtractError)], chunks: usize) -> String {
    let Some((_, why)) = missing.first() else { return String::new() };
    let places: Vec<String> = missing.iter().map(|(chunk, _)| format!("{}-{}", chunk.lines.0, chunk.lines.1)).collect();
    format!(
        "WARNING: {} of {chunks} chunks could not be read ({}); nothing below comes from lines {}.\n\n",
        missing.len(),
        notice::one_line(&why.to_string(), 300),
        notice::one_line(&places.join(", "), 200)
    )
}

fn finish(context: &ExtractContext<'_>, warning: &str, report: Report) -> Result<Answer, ExtractError> {
    if report.nothing {
        let text = notice::nothing_found(&context.question.extract, &report.text);
        return Ok(Answer { text: format!("{warning}{text}"), nothing: true });
    }
    let mut text = verbatim::checked(context, &report.text)?;
    if report.cut_off {
        text.push_str("\n\n[The report stopped at the model's longest answer.]");
    }
    Ok(Answer { text: format!("{warning}{text}"), nothing: false })
}

/// Asks about every chunk, several at once; the outcomes are in the order of the chunks. After an error that every other
/// call would meet too, no further call is made.
fn map(context: &ExtractContext<'_>, chunks: &[Chunk]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let hopeless = AtomicBool::new(false);
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(chunks.iter().map(|_| None).collect());
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = chunks.get(at) else { return };
            if hopeless.load(Ordering::Relaxed) {
                return;
            }
            let outcome = ask(context, chunk, at + 1, chunks.len());
            let ends_all = matches!(
                outcome,
                Err(ExtractError::Cancelled
                    | ExtractError::Recall(_)
                    | ExtractError::Model(ModelError::Denied(_) | ModelError::TooLong(_)))
            );
            hopeless.fetch_or(ends_all, Ordering::Relaxed);
            let mut outcomes = outcomes.lock();
            if let Some(place) = outcomes.get_mut(at) {
                *place = Some(outcome);
            }
        }
    };
    let workers = usize::try_from(context.settings.parallel).unwrap_or(1).clamp(1, chunks.len().max(1));
    if workers == 1 {
        work();
    } else {
        std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(work))));
    }
    let outcomes = outcomes.into_inner();
    let mut outcomes: Vec<Option<Outcome>> = outcomes;
    // The error that ended it all stands for the chunks that were not asked about.
    if hopeless.load(Ordering::Relaxed)
        && let Some(at) = outcomes.iter().position(|outcome| matches!(outcome, Some(Err(_))))
    {
        outcomes.swap(0, at);
    }
    outcomes
        .into_iter()
        .map(|outcome| outcome.unwrap_or(Err(ExtractError::NoReport("it was not asked".to_owned()))))
        .collect()
}

fn ask(context: &ExtractContext<'_>, chunk: &Chunk, index: usize, chunks: usize) -> Outcome {
    context.session.check()?;
    let text = chunks::read(context.artifact, chunk)?;
    let request = |nonce: &str| {
        let subject = Subject { info: context.artifact.info(), extract: &context.question.extract, nonce };
        let system = subject.chunk(index as u64, chunks as u64, context.settings.overlap_percent);
        Ok(Request { system, messages: vec![Message::User(subject.document(&text))] })
    };
    // What is put together later is checked then.
    let usable = |report: &Report| if chunks == 1 { verbatim::usable(context, report) } else { Ok(()) };
    context.session.report(&format!("chunk {index} of {chunks}"), &request, &usable)
}

/// Puts reports together, in several rounds where one request could not hold them all.
fn reduce(
    context: &ExtractContext<'_>,
    model: &dyn Model,
    mut parts: Vec<(String, String)>,
    chunks: u64,
) -> Result<Report, ExtractError> {
    let tokenizer = model.tokenizer();
    let nonce = wrapper::nonce();
    let subject = Subject { info: context.artifact.info(), extract: &context.question.extract, nonce: &nonce };
    let prompt = tokenizer.count(&subject.reduce(chunks)) + FRAME;
    let room = model.context_tokens().saturating_sub(model.output_tokens() + prompt).max(chunks::SMALLEST);
    // A single report never takes more than half of a request, so that each round has fewer parts than the one before.
    for (name, report) in &mut parts {
        let most = (room / 2).saturating_sub(tokenizer.count(name) + 8);
        while tokenizer.count(report) > most {
            let shorter = text::chars(report) * 8 / 10;
            if shorter < 100 {
                break;
            }
            *report = format!("{}\n[cut off]", text::first_chars(report, shorter));
        }
    }
    loop {
        let mut groups: Vec<Vec<(String, String)>> = Vec::new();
        let mut taken = u64::MAX;
        for (name, report) in parts {
            let cost = tokenizer.count(&name) + tokenizer.count(&report) + 8;
            taken = taken.saturating_add(cost);
            match groups.last_mut() {
                Some(group) if taken <= room => group.push((name, report)),
                _ => {
                    taken = cost;
                    groups.push(vec![(name, report)]);
                }
            }
        }
        let last = groups.len() <= 1;
        let mut reports = Vec::new();
        for (at, group) in groups.iter().enumerate() {
            let purpose = if last { "reduce".to_owned() } else { format!("reduce {} of {}", at + 1, groups.len()) };
            let report = join(context, &purpose, group, chunks, last)?;
            let name = group.first().zip(group.last()).map(|(first, last)| format!("{} to {}", first.0, last.0));
            reports.push((name.unwrap_or_default(), report));
        }
        match reports.as_slice() {
            [(_, report)] => return Ok(report.clone()),
            [] => return Err(ExtractError::NoReport("there was nothing to put together".to_owned())),
            _ => parts = reports.into_iter().map(|(name, report)| (name, said(&report))).collect(),
        }
    }
}

fn join(
    context: &ExtractContext<'_>,
    purpose: &str,
    parts: &[(String, String)],
    chunks: u64,
    last: bool,
) -> Result<Report, ExtractError> {
    context.session.check()?;
    let request = |nonce: &str| {
        let subject = Subject { info: context.artifact.info(), extract: &context.question.extract, nonce };
        let messages = vec![Message::User(subject.document(&prompts::parts(parts)))];
        Ok(Request { system: subject.reduce(chunks), messages })
    };
    let usable = |report: &Report| if last { verbatim::usable(context, report) } else { Ok(()) };
    context.session.report(purpose, &request, &usable)
}
