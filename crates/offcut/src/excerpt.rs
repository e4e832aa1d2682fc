//! Cutting a document that is kept already, outside of any reply.

use offcut_core::budget::Budget;
use offcut_core::cut::Cut;
use offcut_core::document::Document;
use offcut_core::kind::Classification;
use offcut_core::render::Markers;
use offcut_core::strategy::registry::AUTO;
use offcut_core::text;

use crate::call::Call;
use crate::policy::Policy;
use crate::spool::Prescanned;
use crate::view::Selection;

/// The part of a document that is worth seeing within some room.
#[derive(Debug, Clone)]
pub struct Excerpt {
    /// Which parts were kept, and why.
    pub cut: Cut,
    /// The kept parts with markers between them.
    pub text: String,
}

/// The excerpt of a document of a known kind that `auto` makes within `chars` characters; none where nothing fits.
pub(crate) fn excerpt(
    policy: &Policy,
    tool: &str,
    document: &dyn Document,
    classification: &Classification,
    chars: u64,
) -> Option<Excerpt> {
    let mut plan = policy.plan(&Call::new(tool)).ok()?;
    plan.strategy = AUTO.to_owned();
    let budget = Budget::chars(chars);
    let prescanned = Prescanned::default();
    let selection = Selection::new(document, &plan, policy.registry(), classification, &prescanned, budget);
    let over = |text: &str| text::chars(text).saturating_sub(chars);
    let view =
        selection.view(budget, Markers::Counts, |view| Some(over(&view.rendered.text)).filter(|n| *n > 0)).ok()?;
    Some(Excerpt { cut: view.cut, text: view.rendered.text })
}
