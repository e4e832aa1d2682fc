//! The header of the profile `auto`: one line that says once what a reader of the gaps must know.

use super::{Address, NOT_KEPT, Recall, Shell, counted, one_line};

/// How much of an output is shown, in the unit that fits it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownCount<'a> {
    /// How many are shown.
    pub shown: u64,
    /// How many there are.
    pub total: u64,
    /// What is counted, one of it: `line`, `record`.
    pub noun: &'a str,
}

/// What a header says.
#[derive(Debug, Clone, Copy)]
pub struct BriefHeader<'a> {
    /// The artifact's short handle; `None` where nothing was kept.
    pub handle: Option<&'a str>,
    /// Why nothing was kept, where that is so.
    pub lost: Option<&'a str>,
    /// How much is shown of how much.
    pub shown: ShownCount<'a>,
    /// How the call ended, where that is known and was not well: `exit 1`.
    pub outcome: Option<&'a str>,
    /// What was left off each line: `its time (13:01:04 to 13:09:12)`.
    pub left_off: Option<&'a str>,
    /// What else there is to say of the whole: its shape.
    pub about: Option<&'a str>,
    /// How to ask for a gap.
    pub recall: &'a Recall,
    /// Whether a part may be asked for.
    pub parts: bool,
    /// The largest gap, where gaps have no marks of their own that could be asked for.
    pub largest: Option<Address>,
    /// Whether there is room to name the search, too.
    pub roomy: bool,
}

/// The most characters of a reason.
const LONGEST_REASON: u64 = 160;

/// The header: `[offcut 9kgw: 16 of 2339 lines; exit 1. Gaps are [9kgw FROM-TO]: offcut show 9kgw FROM-TO, …]`.
pub fn brief_header(brief: &BriefHeader<'_>) -> String {
    let ShownCount { shown, total, noun } = brief.shown;
    let named = brief.handle.map(|handle| format!(" {handle}")).unwrap_or_default();
    let mut header = format!("[offcut{named}: {shown} of {}", counted(total, noun));
    if let Some(outcome) = brief.outcome {
        header.push_str("; ");
        header.push_str(outcome);
    }
    if let Some(left_off) = brief.left_off {
        header.push_str("; each line without ");
        header.push_str(&one_line(left_off, LONGEST_REASON));
    }
    header.push_str(". ");
    if let Some(about) = brief.about {
        header.push_str(about.trim_end_matches('.'));
        header.push_str(". ");
    }
    header.push_str(&way_on(brief));
    header.push(']');
    header
}

/// The header of an output that is shown whole in a lossless form: what was `done`, and how to get it as it was.
pub fn compact_header(handle: &str, done: &str, outcome: Option<&str>, recall: &Recall) -> String {
    let outcome = outcome.map(|outcome| format!("; {outcome}")).unwrap_or_default();
    format!("[offcut {handle}: whole{outcome}; {done}. As it was: {}]", recall.all(handle))
}

/// The sentences about the gaps.
fn way_on(brief: &BriefHeader<'_>) -> String {
    let Some(handle) = brief.handle else {
        let why = one_line(brief.lost.unwrap_or("no store is configured"), LONGEST_REASON);
        return match brief.largest {
            Some(_) => format!("The rest was not kept: {why}. Do not guess at it."),
            None => format!("Gaps are [{NOT_KEPT} FROM-TO]. They were not kept: {why}. Do not guess at them."),
        };
    };
    let call = match (brief.parts, brief.largest) {
        (false, _) => brief.recall.all(handle),
        (true, None) => brief.recall.part(handle, "FROM-TO"),
        (true, Some(gap)) => brief.recall.part(handle, &gap.to_string()),
    };
    let search = if brief.roomy && brief.parts { format!(", or {}", brief.recall.grep(handle)) } else { String::new() };
    match (brief.largest, brief.roomy) {
        (Some(_), true) => format!("Largest gap: {call}{search}. Do not guess at it."),
        (Some(_), false) => format!("Largest gap: {call}"),
        (None, true) => format!("Gaps are [{handle} FROM-TO]: {call}{search}. Do not guess at them."),
        // The marks show what they are.
        (None, false) => format!("Gaps: {call}"),
    }
}

impl Recall {
    /// The call for a part, by its address: `offcut show 9kgw 12-90`.
    pub fn part(&self, handle: &str, address: &str) -> String {
        match self {
            Recall::Tool(name) => format!("{name}(id=\"{handle}\", lines=\"{address}\")"),
            Recall::Shell(Shell { program, place }) => format!("{program} show {handle} {address}{place}"),
        }
    }

    /// The call for the whole: `offcut show 9kgw`.
    pub fn all(&self, handle: &str) -> String {
        match self {
            Recall::Tool(_) => self.whole(handle),
            Recall::Shell(Shell { program, place }) => format!("{program} show {handle}{place}"),
        }
    }

    /// The call for the lines that match, with the pattern open: `offcut grep 9kgw PATTERN`.
    fn grep(&self, handle: &str) -> String {
        match self {
            Recall::Tool(_) => "pattern=\"REGEX\"".to_owned(),
            Recall::Shell(Shell { program, place }) => format!("{program} grep {handle} PATTERN{place}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn brief(recall: &Recall) -> BriefHeader<'_> {
        BriefHeader {
            handle: Some("9kgw"),
            lost: None,
            shown: ShownCount { shown: 16, total: 2339, noun: "line" },
            outcome: None,
            left_off: None,
            about: None,
            recall,
            parts: true,
            largest: None,
            roomy: true,
        }
    }

    #[test]
    fn a_header_says_once_what_is_shown_and_how_to_ask_for_a_gap() {
        let shell = Recall::Shell(Shell::default());
        assert_eq!(
            brief_header(&BriefHeader { outcome: Some("exit 1"), ..brief(&shell) }),
            "[offcut 9kgw: 16 of 2339 lines; exit 1. Gaps are [9kgw FROM-TO]: offcut show 9kgw FROM-TO, \
             or offcut grep 9kgw PATTERN. Do not guess at them.]"
        );
        let tool = Recall::default();
        assert_eq!(
            brief_header(&brief(&tool)),
            "[offcut 9kgw: 16 of 2339 lines. Gaps are [9kgw FROM-TO]: get_artifact(id=\"9kgw\", lines=\"FROM-TO\"), \
             or pattern=\"REGEX\". Do not guess at them.]"
        );
        assert_eq!(
            brief_header(&BriefHeader { roomy: false, ..brief(&tool) }),
            "[offcut 9kgw: 16 of 2339 lines. Gaps: get_artifact(id=\"9kgw\", lines=\"FROM-TO\")]"
        );
    }

    #[test]
    fn data_whose_gaps_are_its_own_names_the_largest() {
        let shell = Recall::Shell(Shell { program: "/opt/bin/offcut".to_owned(), place: " --session s".to_owned() });
        let shown = ShownCount { shown: 10, total: 1, noun: "record" };
        let largest = Some(Address::Lines { first: 8, last: 4994 });
        assert_eq!(
            brief_header(&BriefHeader { shown, largest, roomy: false, about: Some("keys id, name"), ..brief(&shell) }),
            "[offcut 9kgw: 10 of 1 record. keys id, name. Largest gap: /opt/bin/offcut show 9kgw 8-4994 --session s]"
        );
    }

    #[test]
    fn a_lossless_form_says_only_what_was_done() {
        assert_eq!(
            compact_header("9kgw", "JSON without white space", Some("exit 1"), &Recall::Shell(Shell::default())),
            "[offcut 9kgw: whole; exit 1; JSON without white space. As it was: offcut show 9kgw]"
        );
    }

    #[test]
    fn what_was_not_kept_is_not_offered() {
        let recall = Recall::default();
        assert_eq!(
            brief_header(&BriefHeader { handle: None, lost: Some("no space left on device"), ..brief(&recall) }),
            "[offcut: 16 of 2339 lines. Gaps are [gap FROM-TO]. They were not kept: no space left on device. \
             Do not guess at them.]"
        );
    }
}
