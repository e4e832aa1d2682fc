//! Whether a line defines a name rather than uses it.

use offcut_core::text;

/// Words before a name that say that it is defined here, in one language or another.
const KEYWORDS: [&str; 41] = [
    "abstract",
    "class",
    "const",
    "constexpr",
    "def",
    "define",
    "enum",
    "export",
    "final",
    "fn",
    "func",
    "function",
    "fun",
    "get",
    "impl",
    "inline",
    "interface",
    "int",
    "let",
    "local",
    "macro",
    "module",
    "namespace",
    "object",
    "operator",
    "package",
    "proc",
    "protocol",
    "record",
    "set",
    "static",
    "struct",
    "sub",
    "trait",
    "type",
    "typedef",
    "union",
    "val",
    "var",
    "virtual",
    "void",
];

/// Words before a name that say that it is used.
const USES: [&str; 14] =
    ["return", "new", "await", "yield", "if", "else", "while", "throw", "in", "case", "and", "or", "not", "goto"];

/// Words with which a definition begins.
const STARTS: [&str; 13] = [
    "def ",
    "class ",
    "fn ",
    "func ",
    "function ",
    "struct ",
    "enum ",
    "trait ",
    "interface ",
    "impl ",
    "type ",
    "module ",
    "#define ",
];

/// Whether a line defines something, whatever its name: also as a line that a diff adds or a search found.
pub(super) fn is_definition(line: &str) -> bool {
    let begins = |words: &str| {
        let words = words.trim_start();
        let words = ["pub ", "export ", "public ", "static ", "async ", "abstract ", "final ", "private ", "default "]
            .iter()
            .fold(words, |words, first| words.strip_prefix(first).unwrap_or(words));
        STARTS.iter().any(|start| words.starts_with(start))
    };
    let added = line.strip_prefix('+').filter(|rest| !rest.starts_with('+')).unwrap_or(line);
    // `path:12:text`, as searches print it.
    let found = line.splitn(3, ':').nth(2).filter(|_| line.split(':').nth(1).is_some_and(is_number));
    begins(added) || found.is_some_and(begins)
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// How much `line` looks like the definition of `name`, from 0 (not at all) to 1.
pub(super) fn defines(line: &str, name: &str) -> f32 {
    let mut best: f32 = 0.0;
    let mut from = 0;
    while let Some(found) = text::slice(line, from..line.len()).find(name) {
        let at = from + found;
        best = best.max(at_place(line, at, at + name.len()));
        from = at + name.len().max(1);
        if best >= 1.0 || from >= line.len() {
            break;
        }
    }
    best
}

fn at_place(line: &str, start: usize, end: usize) -> f32 {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let before = text::slice(line, 0..start);
    let after = text::slice(line, end..line.len());
    if before.ends_with(is_word) || after.starts_with(is_word) {
        return 0.0;
    }
    let after = after.trim_start();
    let ends = line.trim_end();
    let opens = ends.ends_with(['{', ':', ',', '(']) || ends.ends_with("=>") || ends.ends_with('}');
    let takes = after.starts_with('(') || after.starts_with('<') || after.starts_with('[');
    let lead = before.trim_end();
    let word = lead.rsplit(|c: char| !is_word(c)).next().unwrap_or("");
    if lead.ends_with(is_word) && KEYWORDS.contains(&word) {
        return 1.0;
    }
    if lead.ends_with(is_word) && USES.contains(&word) {
        return 0.0;
    }
    // `name = function`, `const name = (…) =>`, `exports.name = `.
    let assigned = after.strip_prefix('=').map(str::trim_start);
    if assigned
        .is_some_and(|value| ["function", "async", "(", "class", "fn", "lambda"].iter().any(|s| value.starts_with(s)))
    {
        return 0.9;
    }
    // A method: `name(…) {`, `Type Owner::name(…)`, `def self.name`.
    if takes && !lead.ends_with(['(', ',', '=', '!', '&', '|', '+', '{', '[', '?', '>']) {
        let dotted = lead.ends_with('.');
        let called = ends.ends_with(';') && !lead.ends_with(is_word);
        return match (opens, dotted, called) {
            (_, _, true) => 0.05,
            (_, true, _) => {
                if lead.ends_with("self.") && lead.trim_start().starts_with("def") {
                    1.0
                } else {
                    0.1
                }
            }
            (true, false, false) => 0.8,
            (false, false, false) => {
                if lead.is_empty() {
                    0.2
                } else {
                    0.5
                }
            }
        };
    }
    // A key: `name: value`, `"name": value`, `name = value`.
    let key = after.strip_prefix(['"', '\'']).unwrap_or(after);
    let begins = lead.trim_start_matches(['"', '\'', '-', ' ', '{', '[']).is_empty();
    if begins && (key.starts_with(':') || key.starts_with('=')) {
        return 0.5;
    }
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_definition_is_told_from_a_use() {
        let defined = [
            ("pub fn parse(input: &str) -> Tree {", "parse"),
            ("    def parse(self, text):", "parse"),
            ("def self.parse(text)", "parse"),
            ("class Parser(Base):", "Parser"),
            ("func (d *Decoder) parse() error {", "parse"),
            ("void Parser::parse(const char* s) {", "parse"),
            ("const parse = (text) => {", "parse"),
            ("res.parse = function parse(text) {", "parse"),
            ("  parse(text: string): Tree {", "parse"),
            ("#define PARSE(x) x", "PARSE"),
        ];
        for (line, name) in defined {
            assert!(defines(line, name) >= 0.8, "{line}: {}", defines(line, name));
        }
        let used = [
            ("    let tree = parse(input);", "parse"),
            ("return parse(input)", "parse"),
            ("  self.parse(text)", "parse"),
            ("x.parse(text);", "parse"),
            ("if (parse(a)) {", "parse"),
            ("// parse the text", "parse"),
            ("reparse(x) {", "parse"),
        ];
        for (line, name) in used {
            assert!(defines(line, name) < 0.6, "{line}: {}", defines(line, name));
        }
    }
}
