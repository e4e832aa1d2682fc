//! Pages that are kept in the repository and made from the code.

use std::path::{Path, PathBuf};

/// The text of a kept file; empty where there is none yet.
pub(crate) fn text(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_default()
}

/// Compares a kept file with what the code says; where `BLESS` is set, keeps that instead.
pub(crate) fn check(name: &str, generated: &str) {
    if text(name) == generated {
        return;
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path(name), generated).expect("the page can be written");
        return;
    }
    panic!("`{name}` is not what the code says: run `BLESS=1 cargo test -p offcut` and look at the change");
}

/// Like [`check`], for the part of a page between two marks.
pub(crate) fn check_part(name: &str, part: &str, generated: &str) {
    let (begin, end) = (format!("<!-- {part}: generated -->\n"), format!("<!-- end of {part} -->"));
    let kept = text(name);
    let (before, rest) = kept.split_once(&begin).expect("the page has the mark");
    let (_, after) = rest.split_once(&end).expect("the page has the mark");
    check(name, &format!("{before}{begin}{generated}{end}{after}"));
}

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}
