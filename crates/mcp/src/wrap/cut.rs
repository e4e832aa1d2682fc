//! Cutting one result: each text by its own kind, all of them within one limit, everything else as it came.

use std::io::{self, Write};
use std::ops::Range;

use offcut::options::RedactionMode;
use offcut::{Call, Offcut, Outcome, Reply};
use offcut_core::limit::{Limit, Limits, Unit};
use offcut_core::report::Report;
use offcut_core::text;
use serde::de::IgnoredAny;

use super::blob::{self, Decoder};
use super::sameness::{Said, Structured};
use super::share::{self, Size};
use crate::wire::outgoing::{Edit, remove_items};
use crate::wire::outline::{Shape, Value};
use crate::wire::raw_message::RawMessage;
use crate::wire::unescape::Unescaper;

/// The key of the report in a result's `_meta`.
const REPORT: &str = "offcut/report";

/// How many characters of an error's first line must not be lost.
const MESSAGE: u64 = 300;

/// Cuts the results in one message.
pub(crate) struct Cutter<'a> {
    pub(crate) raw_message: &'a RawMessage,
    pub(crate) offcut: &'a Offcut,
    /// Whose result it is.
    pub(crate) call: Call,
    /// The limit of an ordinary result.
    pub(crate) limits: Limits,
    /// The limit of one that tells of an error.
    pub(crate) error_limits: Limits,
    /// Whether the client counts a text as it is written in JSON.
    pub(crate) escapes_count: bool,
    /// Whether the client shows its model what is meant for programs.
    pub(crate) shows_meta: bool,
}

/// A text in a result.
#[derive(Debug, Clone)]
struct TextOfResult {
    source: Source,
    place: Destination,
    /// What stands before it where it is joined with others.
    title: Option<String>,
}

/// Where the bytes of a text are.
#[derive(Debug, Clone)]
enum Source {
    /// In a JSON string, between its quotes.
    Text(Range<u64>),
    /// As JSON.
    Json(Range<u64>),
}

/// Where a text leaves.
#[derive(Debug, Clone)]
enum Destination {
    /// As this string, in the item with this number.
    Item { at: usize, text: Range<u64> },
    /// As an item of its own, in the place of several.
    Rest(Range<u64>),
    /// As an item of its own, behind the others.
    Behind,
}

impl Source {
    fn len(&self) -> u64 {
        let (Source::Text(range) | Source::Json(range)) = self;
        range.end.saturating_sub(range.start)
    }
}

impl Cutter<'_> {
    /// The changes to a tool's result, or to a resource that was read; none where it passes as it came.
    pub(crate) fn result(&self, result: &Value) -> Vec<Edit> {
        let list = result.get("content").or_else(|| result.get("contents"));
        let failed = self.is_true(result.get("isError"));
        let limits = if failed { &self.error_limits } else { &self.limits };
        let mut parts = list.map(|list| self.parts(list)).unwrap_or_default();
        let structured = result.get("structuredContent").filter(|value| value.shape == Shape::ClosedObject);
        let heavy = structured.filter(|value| !surely_fits(value.len(), limits));
        let texts: u64 = parts.iter().map(|part| part.source.len()).sum();

        let mut sizes = vec![Size::default(); parts.len()];
        let mut over = heavy.is_some();
        let mut drop_structured = over;
        if !surely_fits(texts, limits) && (parts.len() > 1 || structured.is_some() || self.escapes_count) {
            sizes = parts.iter().map(|part| self.measure(part, &mut |_| {})).collect();
            over |= !share::fit(&sizes, limits);
            drop_structured |= over;
        } else if parts.len() == 1 {
            over = true;
        }
        if drop_structured
            && let Some(value) = structured
            && !self.is_said(&parts, value)
        {
            let part =
                TextOfResult { source: Source::Json(value.range.clone()), place: Destination::Behind, title: None };
            sizes = parts.iter().chain([&part]).map(|part| self.measure(part, &mut |_| {})).collect();
            parts.push(part);
        }

        let mut cutting = Cutting::default();
        let shares = if over && parts.len() > 1 { share::shares(&sizes, limits) } else { Some(Vec::new()) };
        match shares {
            Some(shares) => {
                for (at, part) in parts.iter().enumerate() {
                    let share = shares.get(at).unwrap_or(limits);
                    let taken = self.take(&[part], self.scaled(share, sizes.get(at), part), failed);
                    cutting.put(part, taken, list, result);
                }
            }
            None => self.join(&parts, list, limits, failed, &mut cutting),
        }
        if let Some(value) = structured
            && !drop_structured
            && !cutting.edits.is_empty()
        {
            // A text was cut or redacted by itself: what says the same again must not say more.
            drop_structured = true;
            if !self.is_said(&parts, value) {
                let part =
                    TextOfResult { source: Source::Json(value.range.clone()), place: Destination::Behind, title: None };
                let taken = self.take(&[&part], limits.clone(), failed);
                cutting.put(&part, taken, list, result);
            }
        }
        if drop_structured && structured.is_some() {
            let members: Vec<Range<u64>> = result.members().iter().map(|member| member.range()).collect();
            let gone = |at: usize| result.members().get(at).is_some_and(|member| &*member.key == "structuredContent");
            cutting.edits.extend(remove_items(&members, gone));
        }
        if self.shows_meta { cutting.edits } else { cutting.told(result) }
    }

    /// The texts of a list of blocks or of a resource's contents.
    fn parts(&self, list: &Value) -> Vec<TextOfResult> {
        let mut parts = Vec::new();
        for (at, item) in list.elements().iter().enumerate() {
            let holder = item.get("resource").unwrap_or(item);
            let Some(text) = holder.get("text").filter(|text| text.is_text()) else { continue };
            let title = holder.get("uri").filter(|uri| uri.is_text() && uri.len() < 2000);
            let title = title.and_then(|uri| self.raw_message.read(uri.range.clone()).ok());
            parts.push(TextOfResult {
                source: Source::Text(text.inner()),
                place: Destination::Item { at, text: text.range.clone() },
                title: title.and_then(|uri| serde_json::from_slice(&uri).ok()),
            });
        }
        if let Shape::Array { rest: Some(rest), .. } = &list.shape {
            parts.push(TextOfResult {
                source: Source::Json(rest.clone()),
                place: Destination::Rest(rest.clone()),
                title: None,
            });
        }
        parts
    }

    fn is_true(&self, value: Option<&Value>) -> bool {
        let read =
            value.filter(|value| value.len() == 4).and_then(|value| self.raw_message.read(value.range.clone()).ok());
        read.is_some_and(|read| *read == *b"true")
    }

    /// Whether the texts hold what `structured` says.
    fn is_said(&self, parts: &[TextOfResult], structured: &Value) -> bool {
        let mut said = Said::default();
        for part in parts {
            if self
                .feed(part, &mut |bytes| {
                    said.push(bytes);
                    Ok(())
                })
                .is_err()
            {
                return false;
            }
            said.end_text();
        }
        let mut other = Structured::default();
        let read = self.raw_message.chunks(structured.range.clone(), |chunk| {
            other.push(chunk);
            Ok(())
        });
        read.is_ok() && other.same_as(&said)
    }

    /// How big a text is; `see` is shown its bytes.
    fn measure(&self, part: &TextOfResult, see: &mut dyn FnMut(&[u8])) -> Size {
        let mut size = Size::default();
        let mut half = Vec::new();
        let measured = self.feed(part, &mut |bytes| {
            see(bytes);
            half.extend_from_slice(bytes);
            let whole = match std::str::from_utf8(&half) {
                Ok(_) => half.len(),
                // An incomplete character waits for its rest; a wrong one is counted as it will be replaced.
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                Err(_) => half.len(),
            };
            let rest = half.split_off(whole);
            size.add(&String::from_utf8_lossy(&half));
            half = rest;
            Ok(())
        });
        // What cannot be measured is taken for as large as it can be.
        if measured.is_err() { Size { chars: part.source.len(), bytes: part.source.len(), lines: 0 } } else { size }
    }

    /// Hands the text of a part to `take`, in chunks.
    fn feed(&self, part: &TextOfResult, take: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        match &part.source {
            Source::Json(range) => self.raw_message.chunks(range.clone(), take),
            Source::Text(range) => {
                let (mut unescaper, mut text) = (Unescaper::default(), Vec::new());
                self.raw_message.chunks(range.clone(), |chunk| {
                    text.clear();
                    unescaper.push(chunk, &mut text);
                    take(&text)
                })?;
                text.clear();
                unescaper.finish(&mut text);
                take(&text)
            }
        }
    }

    /// `limits` for a client that counts escapes: smaller, as far as this text has them.
    fn scaled(&self, limits: &Limits, size: Option<&Size>, part: &TextOfResult) -> Limits {
        let Some(size) = size.filter(|size| self.escapes_count && size.bytes > 0) else { return limits.clone() };
        let raw = part.source.len().max(size.bytes);
        let each = limits.each().iter().map(|limit| match limit.unit() {
            Unit::Chars | Unit::Bytes => {
                let scaled = u128::from(limit.amount()) * u128::from(size.bytes) / u128::from(raw);
                let scaled = u64::try_from(scaled).unwrap_or(limit.amount()).max(offcut::policy::SMALLEST_LIMIT);
                Limit::new(scaled, limit.unit()).unwrap_or(*limit)
            }
            Unit::Lines | Unit::Tokens => *limit,
        });
        Limits::new(each).unwrap_or_else(|| limits.clone())
    }

    /// Takes texts in, as one output; the reply where it is not what came.
    fn take(&self, parts: &[&TextOfResult], limits: Limits, failed: bool) -> Option<Reply> {
        let picture = match parts {
            [part] => self.picture(part),
            _ => None,
        };
        let reply = self.reply(parts, &limits, failed, picture, None)?;
        let redacts = {
            let options = self.offcut.policy().options().for_tool(&self.call.tool);
            options.redaction.mode.unwrap_or_default() == RedactionMode::On
        };
        let report = &reply.report;
        let changed = !report.is_as_it_came()
            || picture.is_some()
            || parts.len() > 1
            || (redacts && !report.redactions.is_empty());
        if !changed {
            return None;
        }
        if failed && report.was_truncated && picture.is_none() && !self.tells(parts, &reply.text) {
            return self.reply(parts, &limits, failed, None, Some("head_tail"));
        }
        Some(reply)
    }

    fn reply(
        &self,
        parts: &[&TextOfResult],
        limits: &Limits,
        failed: bool,
        picture: Option<usize>,
        strategy: Option<&str>,
    ) -> Option<Reply> {
        let mut call = self.call.clone().limits(limits.clone());
        call.strategy = strategy.map(str::to_owned);
        // Limits that the policy refuses leave its own ones to hold.
        let mut intake = self.offcut.intake(call).or_else(|_| self.offcut.intake(self.call.clone())).ok()?;
        if failed {
            intake.ended(Outcome::Failed);
        }
        // An output over the maximum size stops being taken in, and its reply says so.
        let _ = match (parts, picture) {
            ([part], Some(skip)) => {
                let mut decoder = Decoder::new(&mut intake, skip);
                let fed = self.feed(part, &mut |bytes| decoder.write_all(bytes));
                fed.and_then(|()| decoder.finish())
            }
            _ => parts.iter().enumerate().try_for_each(|(at, part)| {
                if at > 0 {
                    intake.write_all(b"\n")?;
                }
                if let Some(title) = part.title.as_ref().filter(|_| parts.len() > 1) {
                    intake.write_all(format!("[{title}]\n").as_bytes())?;
                }
                self.feed(part, &mut |bytes| intake.write_all(bytes))
            }),
        };
        Some(intake.finish())
    }

    /// Where the base64 of a picture begins, if the text is that.
    fn picture(&self, part: &TextOfResult) -> Option<usize> {
        let Source::Text(range) = &part.source else { return None };
        let head = range.start..range.end.min(range.start + blob::LOOKED_AT as u64);
        let raw = self.raw_message.read(head).ok()?;
        let (mut unescaper, mut text) = (Unescaper::default(), Vec::new());
        unescaper.push(&raw, &mut text);
        blob::encoded(&text, part.source.len())
    }

    /// Whether `shown` still has the first line of the texts, which tells what went wrong.
    fn tells(&self, parts: &[&TextOfResult], shown: &str) -> bool {
        let Some(part) = parts.first() else { return true };
        let mut head: Vec<u8> = Vec::new();
        // Enough was read when this stops.
        let _ = self.feed(part, &mut |bytes| {
            head.extend(bytes.iter().take(8192_usize.saturating_sub(head.len())));
            if head.len() < 8192 { Ok(()) } else { Err(io::ErrorKind::Other.into()) }
        });
        let head = String::from_utf8_lossy(&head);
        let first = head.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        shown.contains(text::first_chars(first, MESSAGE))
    }

    /// Cuts texts that are too many to be cut one by one as a single output.
    fn join(&self, parts: &[TextOfResult], list: Option<&Value>, limits: &Limits, failed: bool, cutting: &mut Cutting) {
        let all: Vec<&TextOfResult> = parts.iter().collect();
        let (Some(list), Some(reply)) = (list, self.take(&all, limits.clone(), failed)) else { return };
        let items: Vec<Range<u64>> = list.elements().iter().map(|item| item.range.clone()).collect();
        let rest = parts.iter().find_map(|part| match &part.place {
            Destination::Rest(range) => Some(range.clone()),
            _ => None,
        });
        let items: Vec<Range<u64>> = items.into_iter().chain(rest).collect();
        let joined: Vec<usize> = parts
            .iter()
            .filter_map(|part| match &part.place {
                Destination::Item { at, .. } => Some(*at),
                Destination::Rest(_) => Some(items.len() - 1),
                Destination::Behind => None,
            })
            .collect();
        let Some(first) = joined.first().copied() else { return };
        cutting.edits.extend(remove_items(&items, |at| at != first && joined.contains(&at)));
        if let Some(item) = items.get(first) {
            cutting.edits.push(Edit::new(item.clone(), item_of(&shown(&reply), list, self.raw_message)));
        }
        cutting.reports.push(reply.report);
    }
}

/// The changes to one result, and what they were.
#[derive(Debug, Default)]
struct Cutting {
    edits: Vec<Edit>,
    reports: Vec<Report>,
}

impl Cutting {
    /// Puts the reply to a part where the part was.
    fn put(&mut self, part: &TextOfResult, reply: Option<Reply>, list: Option<&Value>, result: &Value) {
        let Some(reply) = reply else { return };
        let text = shown(&reply);
        let block = format!("{{\"type\":\"text\",\"text\":{}}}", json(&text));
        self.edits.push(match (&part.place, list) {
            (Destination::Item { text: range, .. }, _) => Edit::new(range.clone(), json(&text)),
            (Destination::Rest(range), _) => Edit::new(range.clone(), block),
            (Destination::Behind, Some(list)) => {
                let comma = if list.elements().is_empty() { "" } else { "," };
                Edit::insert(list.range.end - 1, format!("{comma}{block}"))
            }
            (Destination::Behind, None) => Edit::insert(result.range.start + 1, format!("\"content\":[{block}],")),
        });
        self.reports.push(reply.report);
    }

    /// The changes, with the report of them. Where things are on this machine is nobody's business but ours.
    fn told(mut self, result: &Value) -> Vec<Edit> {
        self.reports.iter_mut().for_each(|report| report.artifact_path = None);
        let report = match self.reports.as_slice() {
            [] => return self.edits,
            [one] => serde_json::to_string(one),
            several => serde_json::to_string(several),
        };
        let Ok(report) = report else { return self.edits };
        self.edits.push(with_meta(result, &format!("{}:{report}", json(REPORT))));
        self.edits
    }
}

/// Puts a member into the `_meta` of a result.
fn with_meta(result: &Value, member: &str) -> Edit {
    match result.get("_meta") {
        Some(meta) if matches!(meta.shape, Shape::Object(_)) => {
            let comma = if meta.members().is_empty() { "" } else { "," };
            Edit::insert(meta.range.start + 1, format!("{member}{comma}"))
        }
        Some(other) => Edit::new(other.range.clone(), format!("{{{member}}}")),
        None => {
            let comma = if result.members().is_empty() { "" } else { "," };
            Edit::insert(result.range.start + 1, format!("\"_meta\":{{{member}}}{comma}"))
        }
    }
}

/// An item that holds a text, for a list of blocks or for a resource's contents.
fn item_of(text: &str, list: &Value, raw_message: &RawMessage) -> String {
    let first = list.elements().first();
    match first.filter(|item| item.get("type").is_none()).and_then(|item| item.get("uri")) {
        None => format!("{{\"type\":\"text\",\"text\":{}}}", json(text)),
        Some(uri) => {
            let uri = raw_message.read(uri.range.clone()).map(|raw| String::from_utf8_lossy(&raw).into_owned());
            format!("{{\"uri\":{},\"text\":{}}}", uri.unwrap_or_else(|_| "\"\"".to_owned()), json(text))
        }
    }
}

/// The text of a reply. It names the artifact whatever the profile, since many clients show nothing but the text; and it
/// is never a bare JSON array, which one client takes for an error.
fn shown(reply: &Reply) -> String {
    let Reply { text, report } = reply;
    let handle = report.artifact_handle.as_ref().or(report.artifact_id.as_ref());
    let unnamed = handle.is_some_and(|handle| !text.contains(handle.as_str()));
    let bare = || text.trim_start().starts_with('[') && serde_json::from_str::<Vec<IgnoredAny>>(text).is_ok();
    if !unnamed && !bare() {
        return text.clone();
    }
    match report.notice.as_deref().map(|notice| notice.split_once('\n').unwrap_or((notice, ""))) {
        Some((header, footer)) => format!("{header}\n{}\n{footer}", text.trim_end()).trim_end().to_owned(),
        None => match &report.artifact_id {
            Some(id) => format!("[Output cut. Full output: {id}]\n{text}"),
            None => format!("[Output cut.]\n{text}"),
        },
    }
}

/// Whether a text that takes so many bytes in JSON is within the limits whatever it says.
fn surely_fits(bytes: u64, limits: &Limits) -> bool {
    limits.each().iter().all(|limit| match limit.unit() {
        Unit::Chars | Unit::Bytes | Unit::Tokens => bytes <= limit.amount(),
        // An escaped line end takes two bytes.
        Unit::Lines => bytes / 2 < limit.amount(),
    })
}

fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
