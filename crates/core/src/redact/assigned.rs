//! What the look at a secret's name found behind it.

use super::class::Class;
use super::continued::Heredoc;
use super::definition::Definition;
use super::generated::Generated;
use super::insert::Values;
use super::manifest::Manifest;
use super::parameters::Bound;
use super::scan::Span;

/// What stands behind a secret's name.
#[derive(Debug, Clone, Copy)]
pub(super) enum Assigned {
    /// A secret.
    Secret(Span),
    /// Nothing yet: the value is on the next line.
    NextLine { class: Class, line: usize },
    /// A section of OpenVPN's: who logs in is on the next line, and the password on the one below.
    Login { line: usize },
    /// The name is itself a value (`name: DB_PASSWORD`), and what it holds is on the next line (`value: …`).
    Pair { class: Class, line: usize },
    /// The value is a text on the lines below, up to a word that ends it.
    Heredoc { heredoc: Heredoc, line: usize },
    /// A backslash joins the next line, on which the value begins.
    Continued { class: Class, line: usize },
    /// A YAML block scalar: the value is the lines that are indented further than `indent`.
    Block { class: Class, indent: usize, line: usize },
    /// The name may be a column of a table whose rows follow.
    Column { line: usize },
    /// A sentence that ends in a colon, or a question: what it speaks of is a word on one of the next lines.
    Announced { class: Class, line: usize, asked: bool },
    /// A command or a name whose value is printed on the next line.
    Printed { class: Class, line: usize },
    /// The name of a form's field, or a flag: its value is the next line that is not empty.
    Field { class: Class, line: usize },
    /// A column of a statement, whose values follow.
    Columns(Values),
    /// A placeholder of a statement that ends at `from`: its value follows.
    Bound { bound: Bound, from: usize },
    /// A column in the definition of a table, whose rows may follow.
    Defined { definition: Definition, line: usize },
    /// The type of a resource, one of whose attributes is a secret.
    Generated { generated: Generated, line: usize },
    /// A heading; what it speaks of is below a line that underlines it.
    Heading { class: Class, line: usize },
    /// The key of a section whose values are all secrets.
    Section { section: Manifest, line: usize },
    /// No secret, up to here: names inside a very long value are parts of it.
    Nothing { until: usize },
    /// The members of an object on the rest of the line are secrets by their own names: `"passwords": {"root": "…"}`.
    Members { from: usize, to: usize },
    /// The name goes on behind an escape.
    Escaped { at: usize },
}
