//! What a program showed for a while and then wrote over: progress bars, spinners, tables that are drawn anew.
//!
//! A reply shows what a terminal would show in the end. Where that is only a small part of what came, the earlier states
//! are kept, and the reply says so: nothing goes in silence, not even where cleaning is wrong.

use offcut_core::clean::Cleaner;
use offcut_core::extent::Extent;
use offcut_core::notice;
use offcut_core::redact::Redactor;
use offcut_core::report::Report;
use offcut_core::text;

use crate::call::Call;
use crate::context::Context;
use crate::keep;

/// So many characters that were overwritten are worth a word.
const LEAST: u64 = 4_000;

/// They are most of an output where there are so many times as many of them as of what is left.
const TIMES: u64 = 3;

/// How many bytes of them are held.
const HELD: usize = 1024 * 1024;

/// The states of lines that were overwritten, without secrets.
#[derive(Default)]
pub(crate) struct Overwritten {
    /// Made when there is something to redact.
    redactor: Option<Redactor>,
    text: String,
}

impl Overwritten {
    /// Takes what `cleaner` has seen overwritten since the last call. Secrets are taken out as `redactor` does.
    pub(crate) fn take(&mut self, cleaner: &mut Cleaner, redactor: Option<&Redactor>) {
        let states = cleaner.take_overwritten();
        if states.is_empty() || self.text.len() >= HELD {
            return;
        }
        if self.redactor.is_none() {
            self.redactor = redactor.map(Redactor::again);
        }
        match &mut self.redactor {
            Some(redactor) => redactor.push(&states, &mut |clear| self.text.push_str(clear)),
            None => self.text.push_str(&states),
        }
    }

    /// Keeps the states where they were most of the output; the line that says so. `extent` is what is left of it.
    pub(crate) fn keep(
        mut self,
        chars: u64,
        extent: &Extent,
        context: &Context,
        call: &Call,
        report: &mut Report,
    ) -> Option<String> {
        if chars < LEAST || chars < extent.chars.saturating_mul(TIMES) {
            return None;
        }
        if let Some(redactor) = &mut self.redactor {
            redactor.finish(&mut |clear| self.text.push_str(clear));
        }
        let all = self.text.len() <= HELD;
        self.text.truncate(text::floor(&self.text, HELD));
        let kept = keep::keep(context, &self.text, &call.tool, &call.arguments, None);
        report.overwritten_characters = chars;
        let kept = match kept {
            Ok(id) => {
                report.overwritten_artifact_id = Some(id.to_string());
                Ok(id.to_string())
            }
            Err(error) => {
                report.degraded.push(format!("the text that was overwritten was not kept: {error}"));
                Err(error.to_string())
            }
        };
        Some(notice::overwritten(chars, all, kept.as_deref().map_err(String::as_str)))
    }
}
