//! Writes the finders of the crate, so that none is made while it runs.

use std::fs;
use std::path::Path;

use crate::finder::Tables;

/// The finders of the crate, on their way into `finders.rs`.
pub(crate) struct Finders<'o> {
    out: &'o Path,
    code: String,
}

impl Finders<'_> {
    /// None yet, for the folder `out`.
    pub(crate) fn new(out: &Path) -> Finders<'_> {
        Finders { out, code: String::new() }
    }

    /// Adds one of `words` as a static of this name.
    pub(crate) fn add<W: Into<String>>(
        &mut self,
        name: &str,
        words: impl IntoIterator<Item = W>,
        any_case: bool,
    ) -> std::io::Result<()> {
        let Tables { words, any_case, slots, marks, buckets, parts, places } = Tables::of(words, any_case);
        // As a list of numbers it would take long to read.
        fs::write(self.out.join(format!("{name}.slots")), slots)?;
        self.code += &format!(
            "pub(crate) static {name}: Finder = Finder {{ words: &{words:?}, any_case: {any_case}, \
             slots: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.slots\")), marks: &{marks:?}, \
             buckets: &{buckets:?}, parts: &{parts:?}, places: &{places:?} }};\n"
        );
        Ok(())
    }

    /// Writes them.
    pub(crate) fn write(self) -> std::io::Result<()> {
        fs::write(self.out.join("finders.rs"), self.code)
    }
}
