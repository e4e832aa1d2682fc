//! Cutting code by a deadline.
//!
//! A parser's own bounds hold for everything but input that was made to defeat them. So code is parsed on a worker;
//! when its time is over it is told to stop, and if it does not, it is left behind and the cut is made without it.

use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use offcut_core::budget::Budget;
use offcut_core::cut::Cut;
use offcut_core::document::{Document, TextDocument};
use offcut_core::kind::Kind;
use offcut_core::strategy::code::Code;
use offcut_core::strategy::smart::{Help, Smart, only};
use offcut_core::strategy::{Brief, NoCut, Strategy};

use crate::threads::both;

/// How long a parse may take.
const DEADLINE: Duration = Duration::from_millis(1500);

/// How long a parse that was told to stop may take to do so.
const GRACE: Duration = Duration::from_millis(100);

/// `smart`, with code parsed by a deadline.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SmartInTime;

impl Strategy for SmartInTime {
    fn name(&self) -> &str {
        "smart"
    }

    fn cut(&self, document: &dyn Document, brief: &Brief<'_>) -> Result<Cut, NoCut> {
        only(|next| self.cuts(document, brief, next))
    }

    fn cuts(
        &self,
        document: &dyn Document,
        brief: &Brief<'_>,
        next: &mut dyn FnMut(Cut) -> Option<Budget>,
    ) -> Result<(), NoCut> {
        let cut_code = |brief: &Brief<'_>| match brief.classification.kind {
            Kind::Code(language) if Code::parses(document, language) => {
                parsed_in_time(document, brief).unwrap_or_else(|| Code::unparsed().cut(document, brief))
            }
            _ => Code::unparsed().cut(document, brief),
        };
        Smart.cuts_with(document, brief, &Help { cut_code: &cut_code, both: |one, other| both(one, other) }, next)
    }
}

/// The cut of a worker, or nothing where it did not come in time.
fn parsed_in_time(document: &dyn Document, brief: &Brief<'_>) -> Option<Result<Cut, NoCut>> {
    let extent = *document.extent();
    let text = document.read(0..extent.bytes).ok()?.into_owned();
    let copy = TextDocument::measured(text, extent, document.index().clone());
    let (budget, settings, classification) = (brief.budget, brief.settings.clone(), brief.classification.clone());
    let code = Code::default();
    let stop = code.stop();
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new()
        .name("offcut-code".to_owned())
        .spawn(move || {
            let brief = Brief { budget, settings: &settings, classification: &classification };
            // Nobody may be waiting any more.
            let _ = sender.send(code.cut(&copy, &brief));
        })
        .ok()?;
    if let Ok(cut) = receiver.recv_timeout(DEADLINE) {
        return Some(cut);
    }
    stop.store(true, Ordering::Relaxed);
    receiver.recv_timeout(GRACE).ok()
}

#[cfg(test)]
mod tests {
    use offcut_core::kind::{Classification, Language};
    use offcut_core::strategy::Settings;

    use super::*;

    #[test]
    fn code_is_cut_by_its_functions_also_on_a_worker() {
        let function = |n: usize| format!("fn number_{n}() -> u64 {{\n{}    {n}\n}}\n\n", "    work();\n".repeat(30));
        let document = TextDocument::new((0..80).map(function).collect::<String>());
        let classification = Classification::new(Kind::Code(Language::Rust), 1.0, "said so");
        let settings = Settings::default();
        let brief = Brief { budget: Budget::chars(6000), settings: &settings, classification: &classification };
        let cut = SmartInTime.cut(&document, &brief).unwrap();
        assert_eq!(cut.strategy, "smart");
        assert!(cut.omits());
    }
}
