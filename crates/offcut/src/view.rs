//! Choosing a strategy and making its cut fit.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use offcut_core::budget::{Budget, Marks};
use offcut_core::condensed::Condensed;
use offcut_core::cut::Cut;
use offcut_core::document::Document;
use offcut_core::kind::{Classification, Kind};
use offcut_core::limit::{Limits, Unit};
use offcut_core::render::{self, Markers, Rendered};
use offcut_core::strategy::ends::HeadTail;
use offcut_core::strategy::lines::Lines;
use offcut_core::strategy::registry::{AUTO, Registry};
use offcut_core::strategy::{CutContext, CutError, Cutter, Strategy};
use offcut_core::text;
use offcut_core::tokens::{TokenCounter, Tokenizer};

use crate::executor::Threads;
use crate::policy::Plan;
use crate::spool::Prescanned;

/// How sure the classifier must be before `auto` trusts it.
const CONFIDENT: f32 = 0.5;

/// How often a cut that came out too large is made again, smaller.
const TRIES: usize = 8;

/// How often the room of the last resort is halved.
const HALVINGS: u32 = 6;

/// What is shown of a document.
#[derive(Debug, Clone)]
pub(crate) struct View {
    pub(crate) cut: Cut,
    pub(crate) rendered: Rendered,
    /// Why the strategy that was asked for did not serve, where it did not.
    pub(crate) degraded: Vec<String>,
}

/// What a view is made from. What a strategy has read of the document serves every view.
pub(crate) struct Selection<'a> {
    document: &'a dyn Document,
    /// The parts of it that can be read, where that is not all of it.
    condensed: Option<&'a Condensed>,
    /// Whether the cut is all that a reply holds, and has to parse as the data that it is of.
    alone: bool,
    plan: &'a Plan,
    registry: &'a Registry,
    context: CutContext<'a>,
    cutters: RefCell<BTreeMap<&'a str, Box<dyn Cutter + 'a>>>,
}

impl<'a> Selection<'a> {
    /// What views of `document` are made from, none of them for more room than `budget`.
    pub(crate) fn new(
        document: &'a dyn Document,
        plan: &'a Plan,
        registry: &'a Registry,
        classification: &'a Classification,
        prescanned: &'a Prescanned,
        budget: Budget,
    ) -> Selection<'a> {
        let context = CutContext {
            candidates: prescanned.candidates.as_ref(),
            structure: prescanned.structure.as_ref(),
            executor: &Threads,
            ..CutContext::new(budget, &plan.settings, classification)
        };
        Selection { document, condensed: None, alone: false, plan, registry, context, cutters: RefCell::default() }
    }

    /// The same where only these parts of the document can be read.
    #[must_use]
    pub(crate) fn among(self, condensed: Option<&'a Condensed>) -> Selection<'a> {
        Selection { condensed, ..self }
    }

    /// The same where a reply is `alone` its cut of data, and nothing but a strategy for data leaves one that parses.
    #[must_use]
    pub(crate) fn parsing(self, alone: bool) -> Selection<'a> {
        Selection { alone, ..self }
    }

    /// Prepares a strategy. Lines can be chosen among those that are left; data that is cut by its elements must be whole.
    fn prepare(&self, name: &str, strategy: &'a dyn Strategy) -> Result<Box<dyn Cutter + 'a>, CutError> {
        let Some(condensed) = self.condensed.filter(|_| name == "smart") else {
            return strategy.prepare(self.document, &self.context);
        };
        let mut cutter = strategy.prepare(condensed.text(), &self.context)?;
        let extent = *self.document.extent();
        Ok(Box::new(move |budget: &Budget| Ok(condensed.restored(&cutter.cut(budget)?, &extent)?)))
    }

    /// The strategies to try, in order; the last one always serves.
    fn strategies(&self) -> Vec<&'a str> {
        let mut chain: Vec<&'a str> = Vec::new();
        if self.alone {
            chain.push("element");
        }
        if self.plan.strategy == AUTO {
            chain.extend(self.by_content());
            // What is nearly data is text with lines.
            if chain.ends_with(&["element"]) && self.plan.smart {
                chain.push("smart");
            }
        } else {
            chain.push(&self.plan.strategy);
        }
        chain.push(&self.plan.fallback);
        chain.retain(|name| self.registry.get(name).is_some());
        chain.push("head_tail");
        chain.dedup();
        chain
    }

    /// What `auto` picks: `element` for structured data, `smart` where the content is known with confidence.
    fn by_content(&self) -> Option<&'static str> {
        if self.context.classification.confidence < CONFIDENT {
            return (self.plan.smart && self.context.classification.kind != Kind::Binary).then_some("smart");
        }
        match self.context.classification.kind {
            kind if self.plan.smart && Lines::knows(self.document, kind) => Some("smart"),
            kind if kind.is_data() => Some("element"),
            Kind::Binary => None,
            _ => self.plan.smart.then_some("smart"),
        }
    }

    /// The view that `fits` accepts, cut for `room` characters at first and for less while it does not.
    ///
    /// `fits` returns by how many characters the whole reply is too long, or `None` if it is not.
    pub(crate) fn view(
        &self,
        room: Budget,
        markers: Markers<'_>,
        fits: impl Fn(&View) -> Option<u64>,
    ) -> Result<View, CutError> {
        let mut degraded = Vec::new();
        for name in self.strategies() {
            let fitted = match self.cutters.borrow_mut().entry(name) {
                Entry::Occupied(prepared) => self.fit(prepared.into_mut().as_mut(), room, markers, &degraded, &fits),
                Entry::Vacant(place) => match self.registry.get(name) {
                    Some(strategy) => self
                        .prepare(name, strategy.as_ref())
                        .and_then(|cutter| self.fit(place.insert(cutter).as_mut(), room, markers, &degraded, &fits)),
                    None => continue,
                },
            };
            match fitted {
                Ok(Some(view)) => return Ok(view),
                Ok(None) => degraded.push(format!("strategy `{name}` did not stay within the limit")),
                Err(CutError::Shape(why)) if self.plan.strategy == AUTO && self.quiet(name) => {
                    tracing::debug!(strategy = name, why, "strategy does not apply");
                }
                Err(error) => degraded.push(format!("strategy `{name}` could not be used: {error}")),
            }
        }
        let mut ends = HeadTail.prepare(self.document, &self.context)?;
        // Where no guess of the room came near enough, half of it will.
        for halvings in 1..HALVINGS {
            let half = |size: u64| size >> halvings;
            let room = Budget { chars: half(room.chars), bytes: room.bytes.map(half), ..room };
            if let Some(view) = self.fit(ends.as_mut(), room, markers, &degraded, &fits)? {
                return Ok(view);
            }
        }
        self.fit(ends.as_mut(), room, markers, &degraded, &|_| None)?
            .ok_or_else(|| CutError::Shape("nothing of the output could be shown".to_owned()))
    }

    /// Whether it is no shortfall that `name` does not apply: nobody was promised it.
    fn quiet(&self, name: &str) -> bool {
        name == "smart" || name == self.plan.fallback
    }

    fn fit(
        &self,
        cutter: &mut dyn Cutter,
        room: Budget,
        markers: Markers<'_>,
        degraded: &[String],
        fits: &impl Fn(&View) -> Option<u64>,
    ) -> Result<Option<View>, CutError> {
        let mut budget = room;
        for _ in 0..TRIES {
            let cut = render::bridged(self.document, cutter.cut(&budget)?, markers)?;
            let rendered = render::render(self.document, &cut, markers)?;
            let view = View { cut, rendered, degraded: degraded.to_vec() };
            let Some(over) = fits(&view) else { return Ok(Some(view)) };
            if budget.chars == 0 {
                break;
            }
            let less = over.max(budget.chars / 64).max(1);
            budget.chars = budget.chars.saturating_sub(less);
            budget.bytes = budget.bytes.map(|bytes| bytes.saturating_sub(less));
            budget.lines = budget.lines.map(|lines| lines.saturating_sub(1));
        }
        Ok(None)
    }
}

/// The room that `limits` leave for a document's own text once `reserved` characters of notices are taken off.
pub(crate) fn room(
    document: &dyn Document,
    limits: &Limits,
    tokenizer: Tokenizer,
    reserved: &Reserved,
    marks: Marks,
) -> Budget {
    let extent = document.extent();
    let mut chars = extent.chars;
    let mut budget = Budget { chars, bytes: None, lines: None, marks };
    for limit in limits.each() {
        match limit.unit() {
            Unit::Chars => chars = chars.min(limit.amount().saturating_sub(reserved.chars)),
            Unit::Bytes => {
                let bytes = limit.amount().saturating_sub(reserved.chars);
                budget.bytes = Some(bytes);
                chars = chars.min(bytes);
            }
            Unit::Lines => budget.lines = Some(limit.amount().saturating_sub(reserved.lines).max(1)),
            Unit::Tokens => {
                let tokens = limit.amount().saturating_sub(reserved.chars.div_ceil(4));
                chars = chars.min((tokens as f64 * chars_per_token(document, tokenizer)) as u64);
            }
        }
    }
    budget.chars = chars;
    budget
}

/// What the notices around a view take.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reserved {
    pub(crate) chars: u64,
    pub(crate) lines: u64,
}

fn chars_per_token(document: &dyn Document, tokenizer: Tokenizer) -> f64 {
    if tokenizer == Tokenizer::Estimate {
        return 4.0;
    }
    let end = document.extent().bytes.min(64 * 1024);
    let Ok(sample) = document.read_around(0..end) else { return 2.0 };
    let tokens = tokenizer.count(&sample).max(1);
    (text::chars(&sample) as f64 / tokens as f64).max(0.2)
}

/// By how many characters `reply` is over `limits` and what may come `on_top` of them, if it is. In tokens each of the
/// random `names` in it counts as many as it can have at most: what is shown must not depend on them.
pub(crate) fn over(reply: &str, limits: &Limits, tokenizer: Tokenizer, on_top: u64, names: &[String]) -> Option<u64> {
    let over = limits.each().iter().map(|limit| match limit.unit() {
        Unit::Chars => text::chars(reply).saturating_sub(limit.amount() + on_top),
        Unit::Bytes => (reply.len() as u64).saturating_sub(limit.amount() + on_top),
        Unit::Lines if on_top > 0 => 0,
        Unit::Lines => text::lines(reply).saturating_sub(limit.amount()).saturating_mul(40),
        Unit::Tokens => {
            most_tokens(reply, tokenizer, names).saturating_sub(limit.amount() + on_top / 4).saturating_mul(4)
        }
    });
    over.max().filter(|over| *over > 0)
}

/// The most tokens that `reply` has whatever the random `names` in it are: they are ASCII, and a token has a character
/// at least.
fn most_tokens(reply: &str, tokenizer: Tokenizer, names: &[String]) -> u64 {
    let Some((name, others)) = names.split_first().filter(|_| tokenizer != Tokenizer::Estimate) else {
        return tokenizer.count(reply);
    };
    if name.is_empty() {
        return most_tokens(reply, tokenizer, others);
    }
    let parts: Vec<&str> = reply.split(name.as_str()).collect();
    let named = (parts.len() as u64 - 1) * name.len() as u64;
    named + parts.iter().map(|part| most_tokens(part, tokenizer, others)).sum::<u64>()
}

/// Whether an output is within `limits`; the first limit that it is over, if any.
pub(crate) fn exceeded<'l>(document: &dyn Document, plan: &'l Plan) -> Option<&'l offcut_core::limit::Limit> {
    let extent = document.extent();
    plan.limits.each().iter().find(|limit| match limit.unit() {
        Unit::Chars => extent.chars > limit.amount(),
        Unit::Bytes => extent.bytes > limit.amount(),
        Unit::Lines => extent.lines > limit.amount(),
        // What cannot be read counts by its estimate.
        Unit::Tokens => plan
            .limit_tokenizer
            .exceeds(document, limit.amount())
            .unwrap_or_else(|_| extent.estimated_tokens() > limit.amount()),
    })
}
