//! What was done to a request, as one line in a header of its response.

use http::HeaderValue;
use offcut::event::Event;
use offcut_retain::{Action, RetainReport};

/// What became of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It went on as it came, because nothing was to be done.
    Unchanged,
    /// It went on uncut, because something of ours failed; its secrets were taken out all the same.
    Failed(String),
    /// It went on with so many results changed.
    Changed {
        /// Results that were too large.
        cut: usize,
        /// Results that were old.
        shortened: usize,
        /// Results that had something in them that no model should see.
        cleaned: usize,
        /// Tokens that were saved.
        saved: u64,
        /// Secrets that were taken out where nothing was cut.
        redacted: u64,
    },
}

impl Outcome {
    pub(crate) fn of(report: &RetainReport) -> Outcome {
        let count = |action: Action| report.changes.iter().filter(|change| change.action == action).count();
        let saved = report.tokens_before.saturating_sub(report.tokens_after);
        let (cut, shortened, cleaned) = (count(Action::Cut), count(Action::Shortened), count(Action::Cleaned));
        Outcome::Changed { cut, shortened, cleaned, saved, redacted: 0 }
    }

    /// The same, with so many secrets taken out beside.
    pub(crate) fn redacted(self, found: u64) -> Outcome {
        match self {
            Outcome::Changed { cut, shortened, cleaned, saved, redacted } => {
                Outcome::Changed { cut, shortened, cleaned, saved, redacted: redacted + found }
            }
            Outcome::Unchanged => Outcome::Changed { cut: 0, shortened: 0, cleaned: 0, saved: 0, redacted: found },
            Outcome::Failed(why) => Outcome::Failed(why),
        }
    }

    /// `unchanged`, `unchanged; reason="…"` or `changed; cut=1; shortened=2; cleaned=0; saved=3400`.
    pub(crate) fn header(&self) -> HeaderValue {
        let line = match self {
            Outcome::Unchanged => "unchanged".to_owned(),
            Outcome::Failed(why) => {
                let why: String = why
                    .chars()
                    .take(200)
                    .map(|c| if (' '..='~').contains(&c) && c != '"' { c } else { '\'' })
                    .collect();
                format!("unchanged; reason=\"{why}\"")
            }
            Outcome::Changed { cut, shortened, cleaned, saved, redacted } => {
                let redacted = if *redacted > 0 { format!("; redacted={redacted}") } else { String::new() };
                format!("changed; cut={cut}; shortened={shortened}; cleaned={cleaned}; saved={saved}{redacted}")
            }
        };
        HeaderValue::from_str(&line).unwrap_or(HeaderValue::from_static("unchanged"))
    }
}

/// The most characters of a model's name that are told.
const LONGEST_NAME: usize = 80;

/// A request as those who watch are told of it.
pub(crate) fn request_event(session: &str, report: &RetainReport) -> Event {
    let count = |action: Action| report.changes.iter().filter(|change| change.action == action).count() as u64;
    let cost = report.cost.clone().unwrap_or_default();
    Event::Request {
        session: session.to_owned(),
        conversation: report.conversation.clone(),
        model: report.model.chars().filter(|c| !c.is_control()).take(LONGEST_NAME).collect(),
        format: report.format.clone(),
        request: report.requests,
        tokens_before: report.tokens_before,
        tokens_after: report.tokens_after,
        cut: count(Action::Cut),
        shortened: count(Action::Shortened),
        cost_before: cost.request_before,
        cost_after: cost.request_after,
        total_before: cost.conversation_before,
        total_after: cost.conversation_after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_reason_can_stand_in_a_header() {
        let line = Outcome::Failed(format!("not \"JSON\":\n é{}", "x".repeat(500))).header();
        let line = line.to_str().unwrap().to_owned();
        assert!(line.starts_with("unchanged; reason=\"not 'JSON':' 'xxx") && line.len() < 240, "{line}");
        let changed = Outcome::Changed { cut: 1, shortened: 2, cleaned: 0, saved: 3400, redacted: 0 };
        assert_eq!(changed.header(), "changed; cut=1; shortened=2; cleaned=0; saved=3400");
        assert_eq!(
            Outcome::Unchanged.redacted(2).header(),
            "changed; cut=0; shortened=0; cleaned=0; saved=0; redacted=2"
        );
    }
}
