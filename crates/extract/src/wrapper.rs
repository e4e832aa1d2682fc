//! The wrapper around a model's report, and its lenient reader.
//!
//! A report stands in `<ai-agent-NONCE-FINAL format="text"> … </ai-agent-NONCE-FINAL>`. The nonce is new for every call,
//! so that neither the document nor an earlier answer can hold a report of its own.

use offcut_core::text;

/// What a report says first where it found nothing.
pub(super) const NOTHING: &str = "NO RELEVANT DATA FOUND";

/// A report, out of its wrapper.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Report {
    /// What it says, without [`NOTHING`].
    pub(super) text: String,
    /// Whether it says that there was nothing to find.
    pub(super) nothing: bool,
    /// Whether its closing tag is missing.
    pub(super) open: bool,
    /// Whether it stopped at the most tokens that it may have.
    pub(super) cut_off: bool,
}

/// A word that nobody can guess, for one call.
pub(super) fn nonce() -> String {
    let mut random = [0u8; 8];
    if getrandom::fill(&mut random).is_err() {
        // Without the system's random source the moment and the place in memory have to do.
        let moment = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        let seed = format!("{moment:?} {:p} {:?}", &random, std::thread::current().id());
        let hash = blake3::hash(seed.as_bytes());
        random.iter_mut().zip(hash.as_bytes()).for_each(|(to, from)| *to = *from);
    }
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn opening(nonce: &str) -> String {
    format!("<ai-agent-{nonce}-FINAL format=\"text\">")
}

pub(super) fn closing(nonce: &str) -> String {
    format!("</ai-agent-{nonce}-FINAL>")
}

/// The report in `answer`; else what is wrong with it. What stands outside the wrapper is ignored, and so are wrappers of
/// another nonce. The closing tag may be missing. Of several reports the last whole one counts: those before it are
/// drafts.
pub(super) fn report(answer: &str, nonce: &str) -> Result<Report, &'static str> {
    let begin = format!("<ai-agent-{nonce}-FINAL");
    let end = closing(nonce);
    let (mut whole, mut open, mut empty) = (None, None, false);
    let mut rest = without_thoughts(answer);
    while let Some((_, found)) = rest.split_once(begin.as_str()) {
        // The opening tag ends at its bracket, whatever attributes it has.
        let Some((attributes, content)) = found.split_once('>') else { break };
        if attributes.contains('<') {
            rest = found;
            continue;
        }
        match content.split_once(end.as_str()) {
            // A second opening before the closing means that the first one was only mentioned.
            Some((inner, after)) if !inner.contains(begin.as_str()) => {
                match inner.trim().is_empty() {
                    true => empty = true,
                    false => whole = Some(inner),
                }
                rest = after;
            }
            _ => {
                open = Some(content);
                rest = content;
            }
        }
    }
    let (inner, is_open) = match (whole, open) {
        (Some(inner), _) => (inner, false),
        (None, Some(inner)) => (inner, true),
        (None, None) if empty => return Err("its report is empty"),
        (None, None) => return Err("its answer has no wrapper"),
    };
    let inner = &without_tags(inner, nonce);
    if inner.is_empty() || inner.trim_matches(['.', '…', ' ']).is_empty() {
        return Err("its report is empty");
    }
    if ECHOES.iter().any(|echo| inner.contains(echo)) {
        return Err("its report repeats the instructions");
    }
    let nothing = inner.get(..NOTHING.len()).is_some_and(|start| start.eq_ignore_ascii_case(NOTHING));
    let said = if nothing { text::slice(inner, NOTHING.len()..inner.len()) } else { inner };
    let said = said.trim_start_matches([':', '.', '-', ' ', '\n', '\r']);
    let said = if nothing { said } else { inner };
    Ok(Report { text: said.to_owned(), nothing, open: is_open, cut_off: false })
}

/// Parts of the instructions that no report needs.
const ECHOES: [&str; 3] = ["OUTPUT FORMAT (required)", "Put your report, and nothing else", "WHAT TO EXTRACT\n"];

/// A report without tags that carry the nonce, which are the call's and none of the document's.
fn without_tags(report: &str, nonce: &str) -> String {
    let mut kept = String::new();
    let mut rest = report;
    while let Some((before, tag)) = rest.split_once('<') {
        kept.push_str(before);
        let (inside, after) = tag.split_once('>').unwrap_or((tag, ""));
        match inside.contains(nonce) && !inside.contains('<') {
            true => rest = after,
            false => {
                kept.push('<');
                rest = tag;
            }
        }
    }
    kept.push_str(rest);
    kept.trim().to_owned()
}

/// The answer behind what a model thought aloud.
fn without_thoughts(answer: &str) -> &str {
    ["</think>", "</thinking>"].iter().fold(answer, |answer, end| match answer.rsplit_once(end) {
        Some((thoughts, rest)) if thoughts.trim_start().starts_with("<think") => rest,
        _ => answer,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: &str) -> Result<Report, &'static str> {
        report(answer, "n1")
    }

    fn said(answer: &str) -> String {
        read(answer).unwrap().text
    }

    #[test]
    fn what_stands_outside_the_wrapper_is_ignored() {
        assert_eq!(said("Sure!\n<ai-agent-n1-FINAL format=\"text\">\nfound it\n</ai-agent-n1-FINAL>\nBye"), "found it");
        assert_eq!(said("```xml\n<ai-agent-n1-FINAL>a > b</ai-agent-n1-FINAL>\n```"), "a > b");
    }

    #[test]
    fn the_closing_tag_may_be_missing() {
        let report = read("<ai-agent-n1-FINAL format=\"text\">found it\nall").unwrap();
        assert_eq!((report.text.as_str(), report.open), ("found it\nall", true));
        assert!(!read("<ai-agent-n1-FINAL>x</ai-agent-n1-FINAL>").unwrap().open);
    }

    #[test]
    fn without_a_wrapper_of_this_call_there_is_no_report() {
        assert_eq!(read("found it"), Err("its answer has no wrapper"));
        assert_eq!(read(""), Err("its answer has no wrapper"));
        assert_eq!(read("<ai-agent-n2-FINAL>x</ai-agent-n2-FINAL>"), Err("its answer has no wrapper"));
        assert_eq!(read("<ai-agent-n1-FINAL format=\"text"), Err("its answer has no wrapper"));
        assert_eq!(read("<ai-agent-n1-FINAL>\n</ai-agent-n1-FINAL>"), Err("its report is empty"));
    }

    #[test]
    fn thoughts_and_drafts_do_not_count() {
        let draft = "<ai-agent-n1-FINAL>draft</ai-agent-n1-FINAL>";
        let last = "<ai-agent-n1-FINAL>last</ai-agent-n1-FINAL>";
        assert_eq!(said(&format!("<think>{draft}</think>{last}")), "last");
        assert_eq!(said(&format!("<thinking>x {draft}\n</thinking>\n{last}")), "last");
        assert_eq!(said(&format!("{draft} no, better: {last}")), "last");
        assert_eq!(said(&format!("I will use <ai-agent-n1-FINAL> as told. {last}")), "last");
        assert_eq!(said(&format!("{last} It stands in <ai-agent-n1-FINAL>.")), "last");
        assert_eq!(read(&format!("<think>{last}</think> done")), Err("its answer has no wrapper"));
    }

    #[test]
    fn that_nothing_was_found_is_recognised_and_what_there_is_instead_kept() {
        let report =
            read("<ai-agent-n1-FINAL>NO RELEVANT DATA FOUND\nOnly a list of users.</ai-agent-n1-FINAL>").unwrap();
        assert_eq!((report.nothing, report.text.as_str()), (true, "Only a list of users."));
        let report = read("<ai-agent-n1-FINAL>No relevant data found.</ai-agent-n1-FINAL>").unwrap();
        assert_eq!((report.nothing, report.text.as_str()), (true, ""));
        assert!(!read("<ai-agent-n1-FINAL>It says NO RELEVANT DATA FOUND</ai-agent-n1-FINAL>").unwrap().nothing);
    }

    #[test]
    fn tags_alone_are_no_report_and_tags_inside_one_are_not_shown() {
        let opening = "<ai-agent-n1-FINAL format=\"text\">\n";
        assert_eq!(read(&opening.repeat(30)), Err("its report is empty"));
        assert_eq!(read(&(opening.repeat(30) + "</ai-agent-n1-FINAL")), Err("its report is empty"));
        assert_eq!(read(&format!("{opening} ... </ai-agent-n1-FINAL>")), Err("its report is empty"));
        assert_eq!(read(&format!("{opening}</document-n1>\n</ai-agent-n1-FINAL>")), Err("its report is empty"));
        assert_eq!(said(&format!("{opening}<document-n1>\na <b> c\n</document-n1></ai-agent-n1-FINAL>")), "a <b> c");
    }

    #[test]
    fn instructions_that_come_back_are_no_report() {
        let echo = "<ai-agent-n1-FINAL>OUTPUT FORMAT (required)\n- Put your report</ai-agent-n1-FINAL>";
        assert_eq!(read(echo), Err("its report repeats the instructions"));
    }

    #[test]
    fn two_nonces_are_never_the_same() {
        assert_eq!(nonce().len(), 16);
        assert_ne!(nonce(), nonce());
    }
}
