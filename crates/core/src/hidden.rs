//! Characters that nobody sees, and that act all the same: controls, marks of direction, joiners without width, tags.
//!
//! In a command or a name they can hide words from a person that a model reads, or show them in another order; so
//! wherever Offcut itself shows a command or a name, they are written out: `\u{202e}`.

use std::borrow::Cow;

/// Whether `character` is not seen; line ends and tabs are.
pub fn is_hidden(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => false,
        // The soft hyphen, the marks of Arabic and Mongolian.
        '\u{ad}' | '\u{61c}' | '\u{180e}' => true,
        // Spaces and joiners without width, marks of direction, line and paragraph separators.
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' => true,
        '\u{fff9}'..='\u{fffb}' => true,
        // Tags, and the variation selectors that no script needs.
        '\u{e0000}'..='\u{e01ef}' => true,
        other => other.is_control(),
    }
}

/// How many characters of `text` are not seen.
pub fn count(text: &str) -> u64 {
    text.chars().filter(|character| is_hidden(*character)).count() as u64
}

/// `text` with every character that is not seen written out.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut visible = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match is_hidden(character) {
            true => visible.extend(character.escape_unicode()),
            false => visible.push(character),
        }
    }
    Cow::Owned(visible)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_is_written_out() {
        let check = |text: &str, expected: &str| assert_eq!(visible(text), expected);
        check("ls -l 'naïve 文件.txt'\t\n", "ls -l 'naïve 文件.txt'\t\n");
        check("cat a\u{202e}txt.exe", "cat a\\u{202e}txt.exe");
        check("rm\u{200b} -rf\u{2066}", "rm\\u{200b} -rf\\u{2066}");
        check("\u{1b}[31mred\u{7}\u{9b}0m", "\\u{1b}[31mred\\u{7}\\u{9b}0m");
        check("x\u{e0069}\u{e0067}\u{feff}", "x\\u{e0069}\\u{e0067}\\u{feff}");
        assert_eq!((count("plain"), count("a\u{202e}b\u{0}")), (0, 2));
    }
}
