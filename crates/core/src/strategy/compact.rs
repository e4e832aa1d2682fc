//! Lossless forms: the whole output in fewer characters, where that alone makes it fit.
//!
//! Every form can be undone from what it shows, and is used only where undoing it gave the original back, or for data and
//! tables their values: a form that would leave a doubt is not shown.

mod blocks;
mod columns;
mod json;
mod lines;
mod sections;

use crate::kind::Kind;

/// A text in a lossless form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Compact {
    /// What is shown.
    pub text: String,
    /// What was done, for the header: `JSON without white space`.
    pub done: String,
}

/// How a form shortens a text, and how it is undone.
struct CompactForm {
    /// The text in this form, and what was done; `None` where the form does not apply.
    shorten: fn(&str, &str) -> Option<Compact>,
    /// What the form stands for: the text, or for data and tables their values without the white space around them.
    undo: fn(&Compact, &str) -> Option<String>,
    /// What undoing must give back.
    original: fn(&str) -> Option<String>,
}

const JSON: [CompactForm; 2] = [
    CompactForm { shorten: json::without_space, undo: json::same, original: json::minified },
    CompactForm { shorten: json::table, undo: json::from_table, original: json::minified },
];

const NDJSON: [CompactForm; 2] = [
    CompactForm { shorten: json::records_without_space, undo: json::same, original: json::minified_records },
    CompactForm { shorten: json::records_table, undo: json::records_from_table, original: json::minified_records },
];

const LINE_FEEDS: CompactForm =
    CompactForm { shorten: lines::line_feeds, undo: lines::undo_line_feeds, original: lines::itself };
const RUNS: CompactForm = CompactForm { shorten: lines::runs, undo: lines::undo_runs, original: lines::itself };
const PREFIX: CompactForm = CompactForm { shorten: lines::prefix, undo: lines::undo_prefix, original: lines::itself };
const BY_FILE: CompactForm =
    CompactForm { shorten: lines::by_file, undo: lines::undo_by_file, original: lines::itself };
const BY_FOLDER: CompactForm =
    CompactForm { shorten: lines::by_folder, undo: lines::undo_by_folder, original: lines::itself };
const BLOCKS: CompactForm = CompactForm { shorten: blocks::blocks, undo: blocks::undo_blocks, original: lines::itself };
const SECTIONS: CompactForm =
    CompactForm { shorten: sections::sections, undo: sections::undo_sections, original: lines::itself };
const COLUMNS: CompactForm =
    CompactForm { shorten: columns::columns, undo: columns::undo_columns, original: columns::words };

/// The forms of texts that come in lines, each by itself and then in a chain. In a chain those that keep the number of
/// lines come first: a mark that names lines names the output's.
const TEXT: Forms = Forms {
    alone: &[RUNS, PREFIX, BY_FILE, BY_FOLDER, BLOCKS, SECTIONS],
    chain: &[LINE_FEEDS, BLOCKS, RUNS, SECTIONS],
};

/// The same for texts whose columns are aligned with blanks.
const TABLES: Forms = Forms {
    alone: &[RUNS, PREFIX, BY_FILE, BY_FOLDER, COLUMNS, BLOCKS, SECTIONS],
    chain: &[LINE_FEEDS, COLUMNS, BLOCKS, RUNS, SECTIONS],
};

/// Rows of data: what is left of them are rows as they were.
const ROWS: Forms = Forms { alone: &[BLOCKS], chain: &[] };

/// The forms that a kind of text has.
struct Forms {
    /// Those that are tried by themselves, in this order.
    alone: &'static [CompactForm],
    /// Those that follow one another, each where it shortens what the one before it left.
    chain: &'static [CompactForm],
}

impl CompactForm {
    /// `text` in this form, where undoing it gives the original back.
    fn of(&self, text: &str, handle: &str) -> Option<Compact> {
        let made = (self.shorten)(text, handle)?;
        self.is_undone(&made, text, handle).then_some(made)
    }

    fn is_undone(&self, made: &Compact, text: &str, handle: &str) -> bool {
        (self.undo)(made, handle).is_some_and(|undone| (self.original)(text) == Some(undone))
    }
}

/// The first lossless form of `text` that `fits`; `handle` is what marks inside of it carry.
pub fn compact(text: &str, kind: Kind, handle: &str, fits: &dyn Fn(&Compact) -> bool) -> Option<Compact> {
    let forms = match kind {
        Kind::Json => Forms { alone: &JSON, chain: &[] },
        Kind::Ndjson => Forms { alone: &NDJSON, chain: &[] },
        Kind::Csv | Kind::Tsv => ROWS,
        Kind::Xml | Kind::Html | Kind::Yaml | Kind::Code(_) | Kind::Binary => return None,
        Kind::Git | Kind::Table | Kind::Listing => TABLES,
        Kind::Text
        | Kind::Log
        | Kind::Test
        | Kind::Build
        | Kind::Trace
        | Kind::Diff
        | Kind::Markdown
        | Kind::Search => TEXT,
    };
    let alone = forms.alone.iter().find_map(|form| {
        let made = (form.shorten)(text, handle).filter(|made| fits(made))?;
        form.is_undone(&made, text, handle).then_some(made)
    });
    alone.or_else(|| chained(text, forms.chain, handle, fits))
}

/// `text` in as many forms of a chain as it takes to fit.
fn chained(text: &str, chain: &[CompactForm], handle: &str, fits: &dyn Fn(&Compact) -> bool) -> Option<Compact> {
    let mut made = Compact { text: text.to_owned(), done: String::new() };
    for form in chain {
        let Some(next) = form.of(&made.text, handle) else { continue };
        if next.text.len() + next.done.len() >= made.text.len() {
            continue;
        }
        let done = [made.done, next.done].into_iter().filter(|done| !done.is_empty()).collect::<Vec<_>>().join("; ");
        made = Compact { text: next.text, done };
        if fits(&made) {
            return Some(made);
        }
    }
    None
}

#[cfg(test)]
mod tests;
