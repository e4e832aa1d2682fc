//! The borders of tables that are drawn with lines: `│`, `┃`, `║`, `├───┼`.

use std::borrow::Cow;

/// The signs that stand between two cells.
const BETWEEN: [&str; 4] = ["│", "┃", "║", "┆"];

/// Whether a border between two cells begins `text`.
pub(super) fn begins(text: &[u8]) -> bool {
    text.first() == Some(&0xE2) && BETWEEN.iter().any(|sign| text.starts_with(sign.as_bytes()))
}

/// Whether a border between two cells ends `text`.
pub(super) fn ends(text: &[u8]) -> bool {
    BETWEEN.iter().any(|sign| text.ends_with(sign.as_bytes()))
}

/// `line` with `|` and two blanks for each border between two cells, so that every byte stays where it is.
pub(super) fn plain(line: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(0xE2, line).is_none() {
        return Cow::Borrowed(line);
    }
    let mut plain = line.to_vec();
    for at in memchr::memchr_iter(0xE2, line) {
        if begins(line.get(at..).unwrap_or_default())
            && let Some(sign) = plain.get_mut(at..at + 3)
        {
            sign.copy_from_slice(b"|  ");
        }
    }
    Cow::Owned(plain)
}

/// Whether `line` is drawn and nothing else: `├───┼───┤`.
pub(super) fn is_rule(line: &[u8]) -> bool {
    let mut chars = line.chunks_exact(3);
    let drawn = chars.all(|sign| matches!(sign, [0xE2, 0x94 | 0x95, _]));
    line.len() >= 3 && drawn && chars.remainder().is_empty()
}

#[cfg(test)]
mod tests {
    use crate::redact::{Rules, redact};

    #[test]
    fn the_columns_of_a_drawn_table_are_told_by_its_head() {
        let text = "┌──────┬───────────────┐\n│ user │ password      │\n├──────┼───────────────┤\n│ mara │ sommerregen   │\n│ tom  │ maple-42xk    │\n└──────┴───────────────┘\n";
        let expected =
            text.replace("sommerregen", "[REDACTED: PASSWORD]").replace("maple-42xk", "[REDACTED: PASSWORD]");
        assert_eq!(redact(text, &Rules::builtin()).0, expected);
        let text = "│ Variable    │ Value       │\n├─────────────┼─────────────┤\n│ DB_PASSWORD │ sommerregen │\n│ REGION      │ eu-west-1   │\n";
        assert_eq!(redact(text, &Rules::builtin()).0, text.replace("sommerregen", "[REDACTED: PASSWORD]"));
    }

    #[test]
    fn a_column_of_values_may_stand_behind_others() {
        let text = "NAME           TYPE     VALUE\napp.name       string   shop\ndb.password    string   maple-42xk\ncache.ttl      int      300\n";
        assert_eq!(redact(text, &Rules::builtin()).0, text.replace("maple-42xk", "[REDACTED: PASSWORD]"));
    }
}
