//! The place where a conversation is looked at on its way to a model.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::Arc;

use offcut_core::retention::Retention;
use offcut_core::text;
use offcut_core::tokens::Tokenizer;

use super::channel::{Calls, RecallChannel, reads_back};
use super::conversation::{Conversation, ConversationError, Format, ResultText};
use super::count::{FRAME, TokenCounts};
use super::excerpt;
use super::gaps::{Gaps, RequestTimes};
use super::json::quoted;
use super::memo::{Key, Memo, ShownResult};
use super::plan::{Piece, Plan, RequestShape, Rules, UsagePattern, plan};
use super::prices::{Price, PriceList};
use super::report::{Action, Change, Cost, RetainReport, Skipped};
use offcut::{Call, Offcut, Outcome};

/// The largest file that is kept for an excerpt of it, in bytes.
const LARGEST_FILE: u64 = 16 * 1024 * 1024;

/// An id like every id, for measuring: as long, and as many tokens.
const SOME_ID: &str = "art_1794913556393_v1900t272f3944wd8";

/// A result of more bytes wants room.
const LARGE: usize = 8000;

/// Calls of one turn have room for so many whole replies in all; more of them share it.
const REPLIES_A_TURN: u64 = 4;

/// How many pages' worth of characters a result that was read back may have before it is cut after all.
const PAGES: u64 = 2;

/// When old results are shortened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Never.
    Off,
    /// As soon as they have left the window.
    Window,
    /// When that pays, the provider's cache and its prices considered.
    Pays,
}

/// How conversations are treated.
#[derive(Debug, Clone, PartialEq)]
pub struct RetainOptions {
    /// The rule by which a result is shortened.
    pub retention: Retention,
    /// When.
    pub mode: Mode,
    /// Whether results that are too large are cut when they first come by.
    pub cut: bool,
    /// Who reads the notices.
    pub channel: RecallChannel,
    /// The newest so many results are whole in any case; for [`Mode::Pays`].
    pub newest: u64,
    /// Tools whose results are never shortened, by name or by its ending behind a separator.
    pub protected: Vec<String>,
    /// The prices.
    pub prices: PriceList,
    /// The name of the price that holds, whatever the model.
    pub price: Option<String>,
    /// How much may ever be spent ahead of what shortening saves, in ten-thousandths of what the conversation would
    /// have cost with large results cut and nothing shortened; for [`Mode::Pays`].
    pub ahead: u64,
}

impl Default for RetainOptions {
    fn default() -> RetainOptions {
        RetainOptions {
            retention: Retention::default(),
            mode: Mode::Window,
            cut: false,
            channel: RecallChannel::Trace,
            newest: 2,
            protected: Vec::new(),
            prices: PriceList::built_in(),
            price: None,
            ahead: 50,
        }
    }
}

/// What is known about one request beside its body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestFacts {
    /// The shape of the body; without it, it is recognised.
    pub format: Option<Format>,
    /// The turn that is going on; without it, the body says.
    pub turn: Option<u64>,
    /// The time, in milliseconds since 1970, where this request reaches the model and its cache.
    pub now_ms: Option<u64>,
}

/// What became of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct Rewritten {
    /// The new body; none where nothing was changed.
    pub body: Option<String>,
    /// What was changed.
    pub report: RetainReport,
}

/// Treats conversations. Any number of threads may use one at once.
///
/// The same body is always rewritten to the same bytes, and so is every beginning of a conversation: with an
/// [`Offcut::keeping_once`] also by a later process.
#[derive(Debug, Default)]
pub struct Retainer {
    options: RetainOptions,
    memo: Memo,
    counts: TokenCounts,
    gaps: Gaps,
}

impl Retainer {
    /// One that treats conversations like this.
    pub fn new(options: RetainOptions) -> Retainer {
        // Only where a decision hangs on it is it worth the tokenizer's table.
        let tokenizer = if options.mode == Mode::Pays { Tokenizer::nearest() } else { Tokenizer::Estimate };
        Retainer { options, counts: TokenCounts::by(tokenizer), ..Retainer::default() }
    }

    /// Loads what deciding needs, which takes a fifth of a second. Without it the first request waits for that.
    pub fn prepare(&self) {
        self.counts.prepare();
    }

    /// With a record of the gaps between requests.
    #[must_use]
    pub fn gaps(mut self, gaps: Gaps) -> Retainer {
        self.gaps = gaps;
        self
    }

    /// Rewrites one body. An error means that it is to be left as it is, and why.
    pub fn rewrite(&self, offcut: &Offcut, body: &[u8], asked: &RequestFacts) -> Result<Rewritten, ConversationError> {
        let conversation = Conversation::read(body, asked.format)?;
        let turn = asked.turn.unwrap_or(conversation.turn);
        let calls = self.options.channel.calls(&conversation.tools, offcut.session().as_str());
        let offcut = offcut.worded(calls.recall.clone());
        let mut report = RetainReport::new(conversation.format, turn, conversation.results.len());
        report.conversation = name(&offcut, &conversation);
        report.model = conversation.model.clone().unwrap_or_default();
        report.requests = conversation.requests;
        let mut work = Work {
            retainer: self,
            options: &self.options,
            offcut,
            calls,
            conversation: &conversation,
            turn,
            large: large_results(&conversation),
            edits: BTreeMap::new(),
            report,
        };
        work.run(asked);
        let Work { edits, report, .. } = work;
        let body = (!edits.is_empty()).then(|| conversation.edited(&edits));
        Ok(Rewritten { body, report })
    }
}

/// One body in work.
struct Work<'w, 't> {
    retainer: &'w Retainer,
    options: &'w RetainOptions,
    offcut: Offcut,
    calls: Calls,
    conversation: &'w Conversation<'t>,
    turn: u64,
    /// How many large results each turn has: they were called side by side. All of them come with one request, so that the
    /// number does not change from turn to turn.
    large: BTreeMap<u64, u64>,
    edits: BTreeMap<usize, Arc<str>>,
    report: RetainReport,
}

impl Work<'_, '_> {
    fn run(&mut self, asked: &RequestFacts) {
        let all: Vec<Option<Arc<ShownResult>>> = self
            .conversation
            .results
            .iter()
            .map(|result| self.is_looked_at(result).then(|| self.shown(result)))
            .collect();
        let pieces = self.pieces(&all);
        let old = self.old(&pieces, asked);
        let mut shortened = BTreeSet::new();
        for (index, shown) in all.iter().enumerate() {
            let Some(shown) = shown else { continue };
            if old.contains(&index) && self.shorten(index, shown) {
                shortened.insert(index);
                continue;
            }
            self.show(index, shown);
        }
        let mut results = 0..;
        for piece in &pieces {
            let is_short = piece.result && results.next().is_some_and(|index| shortened.contains(&index));
            self.report.tokens_before += piece.raw;
            self.report.tokens_after += piece.short.filter(|_| is_short).unwrap_or(piece.tokens);
        }
    }

    /// Whether anything may become of a result.
    fn is_looked_at(&self, result: &ResultText<'_>) -> bool {
        let old = !self.options.retention.covers(result.turn, self.turn);
        self.options.cut || (self.options.mode != Mode::Off && old)
    }

    fn shown(&self, result: &ResultText<'_>) -> Arc<ShownResult> {
        self.retainer.memo.get(&self.key(result), || self.make(result))
    }

    /// Everything that a result's text depends on.
    fn key(&self, result: &ResultText<'_>) -> Key {
        let mut hasher = blake3::Hasher::new();
        let trace_id = result.trace_id.as_deref().unwrap_or_default();
        let calls = self.calls.name();
        hasher.update(&[u8::from(result.failed)]);
        hasher.update(&self.sharers(result).to_le_bytes());
        hasher.update(&result.hash);
        for part in [&result.tool, result.arguments.as_ref(), trace_id, &calls, self.offcut.session().as_str()] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }

    /// How many results of the same turn want room.
    fn sharers(&self, result: &ResultText<'_>) -> u64 {
        self.large.get(&result.turn).copied().unwrap_or(0)
    }

    /// What becomes of a result that was not seen before.
    fn make(&self, result: &ResultText<'_>) -> ShownResult {
        let Some(full) = result.text() else {
            return ShownResult { skipped: Some("its text cannot be read".to_owned()), ..ShownResult::default() };
        };
        let chars = text::chars(&full);
        let head = |cleaned: &str| self.options.retention.head(cleaned).into_owned();
        let whole = || {
            let cleaned = self.offcut.cleaned(&result.tool, &full);
            ShownResult { head: head(&cleaned), chars: (chars, chars), ..ShownResult::default() }
        };
        let most = self.offcut.policy().retrieval_chars().saturating_mul(PAGES);
        if !self.options.cut || (reads_back(&result.tool, &result.arguments) && chars <= most) {
            return whole();
        }
        if let Some(excerpt) = excerpt::find(&full) {
            let cleaned = self.offcut.cleaned(&result.tool, &full);
            let artifact = excerpt.full_output(LARGEST_FILE).and_then(|output| self.kept(result, &output));
            return ShownResult {
                whole: (cleaned != *full).then(|| quoted(&cleaned).into()),
                artifact,
                chars: (chars, text::chars(&cleaned)),
                head: head(&cleaned),
                ..ShownResult::default()
            };
        }
        let mut call = Call::new(&result.tool).arguments(result.arguments.as_ref());
        call.call_id = result.call_id.clone();
        let sharers = self.sharers(result);
        if sharers > REPLIES_A_TURN
            && let Ok(plan) = self.offcut.policy().plan(&call)
        {
            call.limits = Some(plan.limits.shared(REPLIES_A_TURN, sharers));
        }
        let mut intake = match self.offcut.intake(call) {
            Ok(intake) => intake,
            Err(error) => return ShownResult { skipped: Some(error.to_string()), ..whole() },
        };
        if result.failed {
            intake.ended(Outcome::Failed);
        }
        // One over the maximum size stops being taken in; its reply says so.
        let taken = intake.write_all(full.as_bytes());
        let explained = intake.finish_explained();
        // What was cut is cleaned already, where it is text, whole and still at hand.
        let cleaned = explained.document.text().filter(|text| taken.is_ok() && !text.is_empty());
        let head = cleaned.map_or_else(|| whole().head, head);
        let reply = explained.reply;
        if reply.report.was_truncated && reply.report.artifact_id.is_none() {
            let why = reply.report.degraded.join("; ");
            let skipped = Some(format!("it is too large, but it could not be kept: {why}"));
            return ShownResult { skipped, head, chars: (chars, chars), ..ShownResult::default() };
        }
        ShownResult {
            whole: (reply.text != *full).then(|| quoted(&reply.text).into()),
            artifact: reply.report.artifact_id.clone(),
            chars: (chars, text::chars(&reply.text)),
            head,
            ..ShownResult::default()
        }
    }

    /// Keeps the output that an agent has shown an excerpt of; none where the store does not take it.
    fn kept(&self, result: &ResultText<'_>, output: &str) -> Option<String> {
        let output = self.offcut.cleaned(&result.tool, output);
        self.offcut.keep(&output, &result.tool, &result.arguments, None).ok().map(|id| id.to_string())
    }

    /// The prompt, as the price model sees it, in the provider's tokens.
    fn pieces(&self, all: &[Option<Arc<ShownResult>>]) -> Vec<Piece> {
        let counts = &self.retainer.counts;
        let mut pieces: Vec<Piece> = Vec::new();
        let mut words = self.conversation.words.iter();
        for segment in &self.conversation.segments {
            let request = segment.request;
            let said: u64 = words.by_ref().take(segment.words).map(|words| counts.words(words)).sum();
            let Some(index) = segment.result else {
                match pieces.last_mut() {
                    // Instructions and tools stay a piece of their own: they have a mark of their own.
                    Some(last) if !last.result && last.request == request && request > 0 => {
                        (last.raw, last.tokens) = (last.raw + said, last.tokens + said);
                    }
                    _ => pieces.push(Piece { raw: said, tokens: said, short: None, request, turn: 0, result: false }),
                }
                continue;
            };
            let shown = all.get(index).and_then(Option::as_ref);
            let result = self.conversation.results.get(index);
            let cut = shown.and_then(|shown| shown.whole.as_ref()).map(|whole| counts.json(whole) + FRAME);
            // What a result that is cut would take is only reported: a large one is not counted for that.
            let count = |result: &ResultText<'_>| match cut {
                Some(_) => counts.about(result.hash, result.raw),
                None => counts.json_of(result.hash, result.raw),
            };
            let raw = result.map_or(0, count) + FRAME;
            let whole = cut.unwrap_or(raw);
            let short = shown.filter(|_| self.may_be_shortened(index)).and_then(|shown| self.short_tokens(shown));
            let turn = result.map_or(0, |result| result.turn);
            pieces.push(Piece { raw, tokens: whole, short, request, turn, result: true });
        }
        pieces
    }

    /// The results that are to be shortened.
    fn old(&mut self, pieces: &[Piece], asked: &RequestFacts) -> BTreeSet<usize> {
        if self.options.mode == Mode::Off || self.conversation.results.is_empty() {
            return BTreeSet::new();
        }
        let prices = &self.options.prices;
        let named = self.options.price.as_deref().and_then(|name| prices.named(name));
        let price = named.or_else(|| prices.of(self.conversation.model.as_deref(), self.conversation.format));
        let planned = price.map(|price| self.planned(pieces, price, asked));
        match self.options.mode {
            Mode::Off => BTreeSet::new(),
            Mode::Window => {
                let results = self.conversation.results.iter().enumerate();
                let old = results.filter(|(_, result)| !self.options.retention.covers(result.turn, self.turn));
                old.map(|(index, _)| index).filter(|index| self.may_be_shortened(*index)).collect()
            }
            Mode::Pays => {
                let shortened = planned.map(|plan| plan.shortened).unwrap_or_default();
                let results = pieces.iter().zip(shortened).filter(|(piece, _)| piece.result);
                results.enumerate().filter(|(_, (_, at))| at.is_some()).map(|(index, _)| index).collect()
            }
        }
    }

    fn planned(&mut self, pieces: &[Piece], price: &Price, asked: &RequestFacts) -> Plan {
        let tariff = price.tariff(self.conversation.cache);
        let mut rules = Rules::new(tariff);
        (rules.window, rules.newest) = (self.options.retention.window, self.options.newest);
        rules.bound = self.options.ahead;
        let usage = if self.options.mode == Mode::Pays { UsagePattern::Pays } else { UsagePattern::Window };
        let requests = self.requests(&self.times(asked));
        let planned = plan(pieces, &requests, &rules, usage);
        self.report.cost = Some(Cost::of(&price.name, &self.options.prices.as_of, &tariff, &planned));
        planned
    }

    /// When the requests of the conversation were sent.
    fn times(&self, asked: &RequestFacts) -> RequestTimes {
        let gaps = &self.retainer.gaps;
        match (asked.now_ms, self.options.mode) {
            (Some(now), Mode::Pays) => gaps.request(&self.report.conversation, self.conversation.requests, now),
            (None, Mode::Pays) => gaps.times(&self.report.conversation),
            (_, Mode::Window | Mode::Off) => RequestTimes::new(),
        }
    }

    /// All requests of the conversation, this one last.
    fn requests(&self, times: &RequestTimes) -> Vec<RequestShape> {
        let shapes = (0..).zip(self.conversation.turn_at.iter().zip(&self.conversation.blocks_at));
        let mut requests: Vec<RequestShape> = shapes
            .map(|(number, (turn, blocks))| RequestShape {
                turn: *turn,
                blocks: *blocks,
                at_ms: times.get(&number).copied(),
            })
            .collect();
        if let Some(last) = requests.last_mut() {
            last.turn = self.turn;
        }
        requests
    }

    /// Whether a result may ever be shortened: its tool is not protected, and the model can get it back.
    fn may_be_shortened(&self, index: usize) -> bool {
        let Some(result) = self.conversation.results.get(index) else { return false };
        let is_protected = |name: &String| {
            result
                .tool
                .strip_suffix(name.as_str())
                .is_some_and(|before| before.is_empty() || before.ends_with(['_', '-', '.', '/']))
        };
        self.calls.trace(SOME_ID).is_some() && !self.options.protected.iter().any(is_protected)
    }

    fn short_tokens(&self, shown: &ShownResult) -> Option<u64> {
        let notice = offcut_core::notice::retained(&self.calls.trace(SOME_ID)?);
        Some(self.retainer.counts.text(&format!("{}\n{notice}", shown.head)) + FRAME)
    }

    /// Shows a result as it is in its first turns.
    fn show(&mut self, index: usize, shown: &ShownResult) {
        if let Some(why) = &shown.skipped {
            self.report.skipped.push(Skipped { result: index, why: why.clone() });
        }
        let Some(whole) = &shown.whole else { return };
        let action = if shown.artifact.is_some() { Action::Cut } else { Action::Cleaned };
        self.edits.insert(index, whole.clone());
        self.change(index, action, shown.artifact.clone(), shown.chars);
    }

    /// Shortens a result; says whether that was done.
    fn shorten(&mut self, index: usize, shown: &ShownResult) -> bool {
        let made = match shown.short.get() {
            Some(made) => Ok(Some(made.clone())),
            None => self.make_short(index, shown),
        };
        match made {
            Ok(Some((short, trace_id))) => {
                let _ = shown.short.set((short.clone(), trace_id.clone()));
                let after = serde_json::from_str::<String>(&short).map_or(0, |short| text::chars(&short));
                self.edits.insert(index, short);
                self.change(index, Action::Shortened, Some(trace_id), (shown.chars.0, after));
                true
            }
            Ok(None) => false,
            Err(why) => {
                self.report.skipped.push(Skipped { result: index, why });
                false
            }
        }
    }

    /// The shortened result as a JSON string, and its trace; none where it stays.
    fn make_short(&self, index: usize, shown: &ShownResult) -> Result<Option<(Arc<str>, String)>, String> {
        let rule = &self.options.retention;
        let Some(result) = self.conversation.results.get(index) else { return Ok(None) };
        let Some(full) = result.text() else { return Ok(None) };
        let cleaned = self.offcut.cleaned(&result.tool, &full);
        let source = if rule.strict { full.as_ref() } else { cleaned.as_str() };
        let keep = |trace_id: Option<&str>| {
            let kept = self.offcut.keep(&cleaned, &result.tool, &result.arguments, trace_id);
            kept.map(|id| id.to_string()).map_err(|error| format!("it is old, but it could not be kept: {error}"))
        };
        if let Some(trace_id) = &result.trace_id {
            let Some(short) = rule.shortened(source, trace_id) else { return Ok(None) };
            let kept = keep(Some(trace_id));
            if !rule.strict {
                kept?;
            }
            return Ok(Some((quoted(&short).into(), trace_id.clone())));
        }
        let shortened = |id: &str| self.calls.trace(id).and_then(|call| rule.shortened_to(source, &call));
        if shortened(SOME_ID).is_none() {
            return Ok(None);
        }
        let id = match shown.artifact.clone().or_else(|| self.named_in(&full)) {
            Some(id) => id,
            None => keep(None)?,
        };
        Ok(shortened(&id).map(|short| (quoted(&short).into(), id)))
    }

    /// The artifact that a result names in its first line as its own whole, if it is there: no trace leads to another.
    fn named_in(&self, full: &str) -> Option<String> {
        let first = full.lines().next().filter(|line| line.starts_with('['))?;
        let named = ["[offcut ", "[Artifact: "].iter().find_map(|start| first.strip_prefix(start));
        let rest = named.or_else(|| Some(first.split_once("Full output: ")?.1))?;
        let handle: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        self.offcut.recall().open(&handle).ok().map(|artifact| artifact.info().id.to_string())
    }

    fn change(&mut self, index: usize, action: Action, trace_id: Option<String>, chars: (u64, u64)) {
        let Some(result) = self.conversation.results.get(index) else { return };
        self.report.changes.push(Change {
            result: index,
            tool: result.tool.clone(),
            turn: result.turn,
            action,
            trace_id,
            chars_before: chars.0,
            chars_after: chars.1,
        });
    }
}

/// A conversation's name: its first result, which every later request repeats.
fn name(offcut: &Offcut, conversation: &Conversation<'_>) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(offcut.session().as_str().as_bytes());
    if let Some(first) = conversation.results.first() {
        hasher.update(first.call_id.as_deref().unwrap_or_default().as_bytes());
        hasher.update(first.raw.as_bytes());
    }
    hasher.finalize().to_hex().chars().take(32).collect()
}

/// How many results of each turn are large.
fn large_results(conversation: &Conversation<'_>) -> BTreeMap<u64, u64> {
    let mut large = BTreeMap::new();
    for result in conversation.results.iter().filter(|result| result.raw.len() > LARGE) {
        *large.entry(result.turn).or_insert(0) += 1;
    }
    large
}

#[cfg(test)]
mod tests;
