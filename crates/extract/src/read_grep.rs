//! A model looks around in the document with two tools, Read and Grep, and then reports.
//!
//! The tools read this one artifact, and no other path exists for them. A report counts only if the model wrote one.

mod tools;

use offcut_core::kind::Kind;
use offcut_core::notice;
use offcut_core::tokens::TokenCounter;

use super::context::{Answer, ExtractContext};
use super::error::ExtractError;
use super::model::{Completion, Message, ToolCall, ToolResult};
use super::model_session::PromptText;
use super::prompts::{self, Subject};
use super::view::View;
use super::{Mode, verbatim, wrapper};

use tools::Tools;

/// How often a model is told that it neither called a tool nor reported.
const NUDGES: u64 = 2;

/// The most characters that one tool call returns.
const MOST_CHARS: u64 = 16_000;

/// Lets the model look around.
pub(super) fn run(context: &ExtractContext<'_>) -> Result<Answer, ExtractError> {
    let model = context.session.model(Mode::ReadGrep)?;
    if !model.takes_tools() {
        return Err(ExtractError::NoTools);
    }
    let info = context.artifact.info();
    let nonce = wrapper::nonce();
    let kind: Kind = info.kind.parse().unwrap_or(Kind::Text);
    let long = info.extent.bytes > context.settings.max_average_line_bytes.saturating_mul(info.extent.lines.max(1));
    let view = View::new(context.document(), long && matches!(kind, Kind::Json | Kind::Ndjson));
    let subject = Subject { info, extract: &context.question.extract, nonce: &nonce };
    let system = subject.look_around(view.about());
    let tools = Tools { view: &view, id: info.id.as_str(), handle: &context.question.handle };
    let definitions = tools::definitions();
    let tokenizer = model.tokenizer();
    let room = model.context_tokens().saturating_sub(model.output_tokens());
    let mut used = tokenizer.count(&system) + 500;
    let mut messages = vec![Message::User("Look for what is to be extracted, then report.".to_owned())];
    let mut nudges = 0;
    for turn in 1..=context.settings.max_turns {
        context.session.check()?;
        // The last answer must be a report: when no turn, no context or no token is left for another one.
        let left = room.saturating_sub(used);
        let last = turn == context.settings.max_turns
            || left < room / 8
            || context.session.spent() >= context.settings.max_tokens;
        if last && turn > 1 {
            messages.push(Message::User(prompts::last_turn(&nonce)));
        }
        let purpose = format!("turn {turn}");
        let words = PromptText { purpose: &purpose, system: &system, messages: &messages, tools: &definitions };
        let Completion { text, calls, cut_off, .. } = context.session.ask(&words)?;
        let report = wrapper::report(&text, &nonce);
        let mut wrong = report.as_ref().err().map_or(String::new(), |why| (*why).to_owned());
        if let Ok(report) = report
            && calls.is_empty()
        {
            if report.open && cut_off {
                return Err(ExtractError::no_report("it is cut off"));
            }
            match finish(context, &report) {
                Err(ExtractError::NoReport(why)) => wrong = why,
                other => return other,
            }
        }
        if last && !calls.is_empty() {
            return Err(ExtractError::no_report("it called tools to the last"));
        }
        used += tokenizer.count(&text);
        if calls.is_empty() {
            nudges += 1;
            if last || nudges > NUDGES {
                return Err(ExtractError::NoReport(wrong));
            }
            let nudge = prompts::nudge(&wrong, &nonce);
            used += tokenizer.count(&nudge);
            messages.push(Message::Assistant { text, calls });
            messages.push(Message::User(nudge));
            continue;
        }
        let carried = calls.len().min(usize::try_from(context.settings.max_calls_per_turn).unwrap_or(usize::MAX));
        // All results of a turn together must leave room for the report.
        let chars = (left.saturating_sub(room / 8) * 2 / carried.max(1) as u64).min(MOST_CHARS);
        let mut results = Vec::new();
        for (at, call) in calls.iter().enumerate() {
            context.session.check()?;
            let result = if at < carried { tools.call(call, chars, &subject)? } else { refused(call, carried) };
            used += tokenizer.count(&result.text) + tokenizer.count(&call.arguments.to_string()) + 20;
            results.push(result);
        }
        messages.push(Message::Assistant { text, calls });
        messages.push(Message::Results(results));
    }
    Err(ExtractError::NoReport("it had no turn left".to_owned()))
}

fn refused(call: &ToolCall, most: usize) -> ToolResult {
    let text = format!("Not carried out: at most {most} calls are made in a turn. Call it again in the next.");
    ToolResult { id: call.id.clone(), text, failed: true }
}

fn finish(context: &ExtractContext<'_>, report: &wrapper::Report) -> Result<Answer, ExtractError> {
    if report.nothing {
        return Ok(Answer { text: notice::nothing_found(&context.question.extract, &report.text), nothing: true });
    }
    Ok(Answer { text: verbatim::checked(context, &report.text)?, nothing: false })
}
