//! The ways to send a conversation that are compared, each as the prompts that the provider gets.

use offcut::Offcut;
use offcut_retain::plan::{Piece, RequestShape, Rules, UsagePattern, plan};
use offcut_retain::prices::Price;
use offcut_retain::{CacheMarks, Mode, RecallChannel, RequestFacts, RetainOptions, Retainer};

use super::bill::{Block, Counter, Prompt};
use super::bodies::{Bodies, prompt, results};
use super::talks::Talk;
use crate::failure::Failure;

/// What stands in the place of a result that was cleared.
const CLEARED: &str = "[Old tool result content cleared]";

/// How many tool results Anthropic's clearing keeps.
const CLEARING_KEEPS: usize = 3;

/// For how many turns a result is whole.
const WINDOW: usize = 2;

/// A result in all the forms in which it may be sent.
#[derive(Debug, Clone, Copy)]
struct Forms {
    raw: Block,
    cut: Block,
    short: Block,
    /// Shortened without having been cut.
    strict: Block,
    /// The request that first carries it.
    request: usize,
}

/// A part of the conversation: a block that never changes, or one of the results.
#[derive(Debug, Clone, Copy)]
enum Part {
    Said(Block),
    Result(usize),
}

/// A conversation that can be sent in all ways.
#[derive(Debug)]
pub(super) struct Replay {
    bodies: Bodies,
    times: [Vec<u64>; 2],
    forms: Vec<Forms>,
    parts: Vec<Part>,
    /// How many parts each request has.
    ends: Vec<usize>,
}

fn retainer(mode: Mode, cut: bool, strict: bool, price: Option<&str>) -> Retainer {
    let mut options =
        RetainOptions { mode, cut, channel: RecallChannel::Declared(String::new()), ..RetainOptions::default() };
    options.retention.strict = strict;
    options.price = price.map(str::to_owned);
    Retainer::new(options)
}

fn offcut() -> Result<Offcut, Failure> {
    let built = Offcut::builder().in_memory().build().map_err(|error| Failure::other(error.to_string()))?;
    Ok(built.keeping_once())
}

impl Replay {
    pub(super) fn of(talk: &Talk, counter: &mut Counter) -> Result<Replay, Failure> {
        let bodies = Bodies::of(talk);
        let offcut = offcut()?;
        let last = bodies.body(bodies.count() - 1);
        // Far enough in the future every result is old.
        let later = RequestFacts { turn: Some(u64::MAX), ..RequestFacts::default() };
        let mut texts = |mode, cut, strict| -> Result<Vec<Block>, Failure> {
            let rewritten = retainer(mode, cut, strict, None).rewrite(&offcut, last.as_bytes(), &later);
            let rewritten = rewritten.map_err(|error| Failure::other(error.to_string()))?;
            let texts = results(rewritten.body.as_deref().unwrap_or(&last));
            Ok(texts.iter().map(|text| counter.block(text)).collect())
        };
        let (raw, cut) = (texts(Mode::Off, false, false)?, texts(Mode::Off, true, false)?);
        let (short, strict) = (texts(Mode::Window, true, false)?, texts(Mode::Window, false, true)?);
        let requests =
            talk.turns.iter().enumerate().flat_map(|(turn, said)| said.results.iter().map(move |_| turn + 1));
        let forms = raw.iter().zip(&cut).zip(short.iter().zip(&strict)).zip(requests);
        let forms = forms.map(|(((raw, cut), (short, strict)), request)| Forms {
            raw: *raw,
            cut: *cut,
            short: *short,
            strict: *strict,
            request,
        });
        let (parts, ends) = parts(&bodies, talk, counter);
        let times = [talk.times(false), talk.times(true)];
        Ok(Replay { forms: forms.collect(), bodies, times, parts, ends })
    }

    pub(super) fn requests(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn tokens(&self) -> u64 {
        let parts = self.parts.iter().map(|part| match part {
            Part::Said(block) => block.tokens,
            Part::Result(index) => self.forms.get(*index).map_or(0, |forms| forms.raw.tokens),
        });
        parts.sum()
    }

    /// The prompts where `form` says how result `index` is sent in request `request`.
    fn prompts(&self, pauses: bool, form: impl Fn(usize, &Forms, usize) -> Block) -> Vec<Prompt> {
        let times = &self.times[usize::from(pauses)];
        let prompt = |(request, end): (usize, &usize)| {
            let parts = self.parts.iter().take(*end);
            let blocks = parts.filter_map(|part| match part {
                Part::Said(block) => Some(*block),
                Part::Result(index) => self.forms.get(*index).map(|forms| form(*index, forms, request)),
            });
            let before = request.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
            let marks = [Some(1), before, Some(*end)].into_iter().flatten().collect();
            Prompt { blocks: blocks.collect(), marks, at_s: times.get(request).copied().unwrap_or_default() }
        };
        self.ends.iter().enumerate().map(prompt).collect()
    }

    /// Everything as it came.
    pub(super) fn never(&self, pauses: bool) -> Vec<Prompt> {
        self.prompts(pauses, |_, forms, _| forms.raw)
    }

    /// Large results cut when they come, and nothing else.
    pub(super) fn cut(&self, pauses: bool) -> Vec<Prompt> {
        self.prompts(pauses, |_, forms, _| forms.cut)
    }

    /// The window's rule to the letter.
    pub(super) fn strict(&self, pauses: bool) -> Vec<Prompt> {
        self.prompts(pauses, |_, forms, now| if now >= forms.request + WINDOW { forms.strict } else { forms.raw })
    }

    /// All but the newest `keep` results cleared, in every request.
    pub(super) fn keep_last(&self, keep: usize, pauses: bool, counter: &mut Counter) -> Vec<Prompt> {
        let cleared = counter.block(CLEARED);
        let count = |now: usize| self.forms.iter().filter(|forms| forms.request <= now).count();
        let counts: Vec<usize> = (0..self.requests()).map(count).collect();
        self.prompts(pauses, |index, forms, now| {
            let old = index + keep < counts.get(now).copied().unwrap_or_default();
            if old && cleared.tokens < forms.raw.tokens { cleared } else { forms.raw }
        })
    }

    /// Anthropic's clearing: once a prompt has more than `trigger` tokens, all but the newest three results go.
    pub(super) fn clearing(&self, trigger: u64, is_cut: bool, pauses: bool, counter: &mut Counter) -> Vec<Prompt> {
        let cleared = counter.block(CLEARED);
        let whole = |forms: &Forms| if is_cut { forms.cut } else { forms.raw };
        let mut gone: Vec<usize> = vec![usize::MAX; self.forms.len()];
        for (now, end) in self.ends.iter().enumerate() {
            let tokens = self.parts.iter().take(*end).map(|part| match part {
                Part::Said(block) => block.tokens,
                Part::Result(index) if gone.get(*index).is_some_and(|at| *at <= now) => cleared.tokens,
                Part::Result(index) => self.forms.get(*index).map_or(0, |forms| whole(forms).tokens),
            });
            if tokens.sum::<u64>() > trigger {
                let count = self.forms.iter().filter(|forms| forms.request <= now).count();
                let old = gone.iter_mut().take(count.saturating_sub(CLEARING_KEEPS));
                old.for_each(|at| *at = now.min(*at));
            }
        }
        self.prompts(
            pauses,
            |index, forms, now| {
                if gone.get(index).is_some_and(|at| *at <= now) { cleared } else { whole(forms) }
            },
        )
    }

    /// Ours on the same cut, knowing with which request the conversation ends, and allowed to spend ahead.
    pub(super) fn oracle(&self, price: &Price, pauses: bool) -> Vec<Prompt> {
        let (mut pieces, mut requests) = (Vec::new(), Vec::new());
        let mut at = 0;
        for (request, (end, at_s)) in (0u64..).zip(self.ends.iter().zip(&self.times[usize::from(pauses)])) {
            pieces.extend(self.parts.iter().take(*end).skip(at).map(|part| self.piece(*part, request)));
            at = *end;
            requests.push(RequestShape { turn: request, blocks: at as u64, at_ms: Some(at_s * 1000) });
        }
        let ends = Some(self.requests() as u64 - 1);
        let tariff = price.tariff(CacheMarks::of_agents());
        let rules = Rules { ends, bound: 1_000_000, ..Rules::new(tariff) };
        let planned = plan(&pieces, &requests, &rules, UsagePattern::Pays);
        let results = pieces.iter().zip(planned.shortened).filter(|(piece, _)| piece.result);
        let shortened: Vec<Option<u64>> = results.map(|(_, at)| at).collect();
        self.prompts(pauses, |index, forms, now| {
            let at = shortened.get(index).copied().flatten();
            if at.is_some_and(|at| at <= now as u64) { forms.short } else { forms.cut }
        })
    }

    fn piece(&self, part: Part, request: u64) -> Piece {
        match part {
            Part::Said(Block { tokens, .. }) => {
                Piece { raw: tokens, tokens, short: None, request, turn: request, result: false }
            }
            Part::Result(index) => {
                let tokens = |block: fn(&Forms) -> Block| self.forms.get(index).map_or(0, |forms| block(forms).tokens);
                let (raw, cut, short) =
                    (tokens(|forms| forms.raw), tokens(|forms| forms.cut), tokens(|forms| forms.short));
                Piece { raw, tokens: cut, short: Some(short), request, turn: request, result: true }
            }
        }
    }

    /// Ours: every request through the library, as the proxy sends it.
    pub(super) fn ours(
        &self,
        options: RetainOptions,
        pauses: bool,
        counter: &mut Counter,
    ) -> Result<Vec<Prompt>, Failure> {
        let offcut = offcut()?;
        let retainer = Retainer::new(options);
        let mut prompts = Vec::new();
        for (request, at_s) in self.times[usize::from(pauses)].iter().enumerate() {
            let body = self.bodies.body(request);
            // A clock that starts anywhere but at zero.
            let now_ms = Some(1_000_000_000 + at_s * 1000);
            let facts = RequestFacts { now_ms, ..RequestFacts::default() };
            let rewritten = retainer.rewrite(&offcut, body.as_bytes(), &facts);
            let rewritten = rewritten.map_err(|error| Failure::other(error.to_string()))?;
            prompts.push(prompt(rewritten.body.as_deref().unwrap_or(&body), *at_s, counter));
        }
        Ok(prompts)
    }
}

/// The parts of the last request in order, and how many each request has.
fn parts(bodies: &Bodies, talk: &Talk, counter: &mut Counter) -> (Vec<Part>, Vec<usize>) {
    let whole = prompt(&bodies.body(bodies.count() - 1), 0, counter);
    let (mut parts, mut ends) = (Vec::new(), Vec::new());
    let mut blocks = whole.blocks.iter();
    let mut result = 0;
    // Instructions and the task.
    parts.extend(blocks.by_ref().take(2).map(|block| Part::Said(*block)));
    ends.push(parts.len());
    for turn in &talk.turns {
        let count = turn.results.len();
        parts.extend(blocks.by_ref().take(1 + count).map(|block| Part::Said(*block)));
        if count == 0 {
            parts.extend(blocks.by_ref().take(1).map(|block| Part::Said(*block)));
        }
        for _ in blocks.by_ref().take(count) {
            parts.push(Part::Result(result));
            result += 1;
        }
        ends.push(parts.len());
    }
    (parts, ends)
}
