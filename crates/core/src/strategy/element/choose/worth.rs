//! What the nodes of a tree are worth.

use super::{Chooser, SHORT_MEMBER, TINY, decay};
use crate::strategy::element::format::{Format, ShownNode};
use crate::strategy::element::tree::{Family, Form, Node, Notable};

impl<F: Format> Chooser<'_, F> {
    /// What a child is worth; `None` if it is not to be shown at all.
    pub(super) fn worth(&self, parent: &ShownNode, family: &Family, node: &Node, notable: Notable) -> Option<f64> {
        if family.count == 1 {
            return Some(parent.inner);
        }
        // Where only the counts decide, an element that differs is one like any other.
        let notable = match notable {
            Notable::Odd(_) | Notable::Sample(_) if !self.settings.adaptive => family.place(node.index),
            other => other,
        };
        let worth = match (parent.node.form, notable) {
            _ if self.differing.contains(&node.start) => 0.975,
            (Form::Map, _) if self.mentioned.contains(&node.start) => 0.93,
            (Form::List, Notable::First(rank)) if rank < self.settings.first_elements => 0.9 * decay(rank, 0.25),
            (Form::List, Notable::Last(rank)) if rank < self.settings.last_elements => 0.88 * decay(rank, 0.25),
            // Of a list that is only a little longer the others may follow where there is room.
            (Form::List, Notable::First(_) | Notable::Last(_))
                if self.settings.adaptive && family.count <= self.few() =>
            {
                0.6
            }
            (Form::List, Notable::First(_) | Notable::Last(_)) => return None,
            (Form::List, Notable::Odd(rank)) => 0.9 * decay(rank, 0.1),
            // Where there is room once the others are shown.
            (Form::List, Notable::Sample(rank)) => 0.25 * decay(rank, 0.1),
            (_, notable) => {
                let odd = match notable {
                    Notable::Odd(rank) => 0.9 * decay(rank.min(node.index), 0.3),
                    Notable::First(_) | Notable::Last(_) | Notable::Sample(_) => 0.0,
                };
                let form = match node.form {
                    // What a record is called comes before what it says, and that before what it holds.
                    Form::Scalar | Form::Text if parent.element && node.index < 2 && node.bytes() <= SHORT_MEMBER => {
                        0.985
                    }
                    Form::Text if parent.element && node.bytes() > SHORT_MEMBER => 0.7,
                    Form::List | Form::Map if parent.element => 0.72,
                    Form::Scalar => 0.95,
                    Form::Text => 0.93,
                    Form::List | Form::Map => 0.85,
                };
                // The first names of an object are worth about the same; what a wide one has beyond falls off.
                let far = node.index.saturating_sub(if parent.level == 1 { 100 } else { 12 });
                // That a member differs makes it worth no less than its place does.
                odd.max(form * decay(node.index, 0.03) * decay(far, if family.records { 0.2 } else { 0.3 }))
            }
        };
        let worth = match node.salience {
            3 => worth.max(0.985),
            2 => worth.max(0.95),
            // A script is not read, however much room there is.
            ..0 if node.bytes() > TINY * 2 => return None,
            ..0 => worth * 0.1,
            _ if parent.is_severe && node.is_severe => worth.max(0.97),
            _ => worth,
        };
        Some(parent.inner * worth.min(0.985))
    }

    /// The most elements of a list that is not much longer than what is kept of it.
    pub(super) fn few(&self) -> u64 {
        (self.settings.first_elements + self.settings.last_elements).saturating_mul(3)
    }
}
