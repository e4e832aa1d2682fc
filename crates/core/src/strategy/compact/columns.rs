//! Aligned columns without the blanks that align them, where every row has all of its cells.

use super::Compact;

/// Rows with fewer words than this have no columns.
const FEWEST: usize = 4;

/// The names of columns stand in one of the first so many lines.
const HEADER_REACH: usize = 3;

/// Lines whose words stand one blank apart.
pub(super) fn columns(shown: &str, _handle: &str) -> Option<Compact> {
    let body = shown.strip_suffix('\n')?;
    is_aligned(body).then(|| Compact { text: squeezed(body), done: "columns without their padding".to_owned() })
}

/// The words that columns stand for.
pub(super) fn undo_columns(made: &Compact, _handle: &str) -> Option<String> {
    words(&made.text)
}

/// The words of each line, one blank apart.
pub(super) fn words(text: &str) -> Option<String> {
    Some(squeezed(text.strip_suffix('\n')?))
}

/// Each line with its indentation and one blank between words.
fn squeezed(body: &str) -> String {
    let mut text = String::with_capacity(body.len());
    for line in body.split('\n') {
        let words = line.trim_start_matches(' ');
        text.push_str(line.get(..line.len() - words.len()).unwrap_or_default());
        let mut blank = false;
        for char in words.chars() {
            let again = blank && char == ' ';
            blank = char == ' ';
            if !again {
                text.push(char);
            }
        }
        text.push('\n');
    }
    text
}

/// Whether no cell is empty, so that words tell their columns by their number: rows have as many as the header has
/// names, are those of `ls -l`, or end with a column behind `|`.
fn is_aligned(body: &str) -> bool {
    let count = |line: &str| line.split_ascii_whitespace().count();
    // The shortest entry of a listing has a name without blanks.
    let entries = body.split('\n').filter(|line| has_mode(line)).map(count).min();
    let names = entries.or_else(|| body.split('\n').take(HEADER_REACH).map(count).max()).unwrap_or(0);
    let header = body.split('\n').position(|line| count(line) == names).unwrap_or(0);
    let mut below_rule = false;
    let mut padded = false;
    for (at, line) in body.split('\n').enumerate() {
        let found = count(line);
        padded |= line.trim_start().contains("  ");
        let complete = found >= names.max(FEWEST) || at < header;
        let alone = found <= 2 || line.starts_with("total ");
        // Rules, what stands over several columns, and the sum below a rule.
        let rules = line.contains("---");
        let ruled = std::mem::replace(&mut below_rule, rules) || rules;
        let ends_with_bar = line.contains(" | ") || line.contains(" changed, ");
        let known = complete || ruled || ends_with_bar || alone && entries.is_some();
        if line.contains(['\t', '\r', '`']) || !known || has_blanks_of_its_own(line, names) {
            return false;
        }
    }
    padded
}

/// Whether blanks stand side by side in a name: before the `|` of a summary of changes, or behind the beginning of the
/// last column.
fn has_blanks_of_its_own(line: &str, names: usize) -> bool {
    if let Some((path, _)) = line.split_once(" | ") {
        return path.trim().contains("  ");
    }
    let mut rest = line.trim();
    for _ in 1..names {
        rest = rest.split_once(' ').map_or("", |(_, behind)| behind.trim_start());
    }
    rest.contains("  ")
}

/// Whether a line is an entry of a listing that begins with its mode.
fn has_mode(line: &str) -> bool {
    let mode = line.split(' ').next().unwrap_or_default();
    mode.len() >= 10 && mode.bytes().all(|byte| b"-bcdlpsrwxSTt.+@".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str) -> Compact {
        let made = columns(text, "a123").unwrap();
        assert_eq!(undo_columns(&made, "a123"), words(text), "{}", made.text);
        made
    }

    #[test]
    fn padding_goes_and_cells_stay() {
        let row = |n: usize| format!("{n:>4}      0 {:>9}     12    {:>6}   0\n", n * 7919, n * 31 % 977);
        let text = format!("  id   swpd      free    buff   cache  si\n{}", (1..40).map(row).collect::<String>());
        let made = check(&text);
        assert!(made.text.starts_with("  id swpd free buff cache si\n"), "{}", made.text);
        assert!(made.text.contains("\n   7 0 55433 12 217 0\n"), "{}", made.text);
        assert_eq!(made.done, "columns without their padding");
    }

    #[test]
    fn listings_keep_their_headings() {
        let row = |n: usize| format!("-rw-r--r--  1 root root {:>8} Oct  7 12:35 page{n}.html\n", n * 977);
        let text = format!("doc:\ntotal 480\n{}\ndoc/api:\ntotal 0\n", (1..60).map(row).collect::<String>());
        let made = check(&text);
        assert!(made.text.contains("\n-rw-r--r-- 1 root root 977 Oct 7 12:35 page1.html\n"), "{}", made.text);
    }

    #[test]
    fn rules_and_a_sum_below_one_are_no_rows() {
        let row = |n: usize| format!("{:>9}  2020-02-02 00:00   shop/part{n}.rs\n", n * 977);
        let rows: String = (1..40).map(row).collect();
        let text = format!(
            "Archive:  shop.zip\n  Length      Date    Time    Name\n---------  ---------- -----   ----\n{rows}---------                     -------\n   762060                     39 files\n"
        );
        assert!(check(&text).text.ends_with("   762060 39 files\n"));
    }

    #[test]
    fn an_empty_cell_keeps_the_padding() {
        let text =
            "NAME     STATE     PORT      AGE\na        up        80        3d\nb        down                3d\n";
        assert_eq!(columns(text, "a123"), None);
        // Two blanks in a name are the name's.
        let names =
            "-rw-r--r--  1 root root    12 Oct  7 12:35 a.txt\n-rw-r--r--  1 root root     7 Oct  7 12:35 b  c.txt\n";
        assert_eq!(columns(names, "a123"), None);
        assert_eq!(columns(" src/a  b.rs   | 12 ++\n src/c.rs      |  3 +\n", "a123"), None);
        let code = "fn main() {\n    let a  = 1;\n}\n";
        assert_eq!(columns(code, "a123"), None);
    }
}
