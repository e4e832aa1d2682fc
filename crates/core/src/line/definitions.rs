//! Lines of code that define something: a function, a type, a macro.
//!
//! One recogniser for search results and diffs (`is_definition`), for outlines of code without a grammar
//! (`definition`) and for finding where a name is defined ([`defines_name`]). The words are data
//! (`rules/lines/definitions.toml`); no language is parsed.

use super::word_lists::{
    DEFINITIONS_ASSIGNED, DEFINITIONS_BEFORE_NAMES, DEFINITIONS_BEFORE_USES, DEFINITIONS_CREATED,
    DEFINITIONS_CREATED_MODIFIERS, DEFINITIONS_FUNCTIONS, DEFINITIONS_FUNCTIONS_IN_CODE, DEFINITIONS_IMPORTS,
    DEFINITIONS_IN_LINES, DEFINITIONS_IN_LINES_STARTS, DEFINITIONS_MODIFIERS, DEFINITIONS_STATEMENTS,
    DEFINITIONS_TYPES, DEFINITIONS_TYPES_AT, DEFINITIONS_TYPES_IN_CODE, DEFINITIONS_VALUES,
};
use crate::text;

/// What a line of code defines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Defined {
    /// Nothing; it brings something in from elsewhere.
    Import,
    /// A type, a module.
    Type,
    /// A function, a method, a macro.
    Function,
}

/// Returns whether a line that stands alone defines something, as searches and diffs show lines of code.
pub(crate) fn is_definition(line: &str) -> bool {
    let code = line.trim_start();
    let rest = without_modifiers(code);
    if DEFINITIONS_IN_LINES_STARTS.iter().any(|start| rest.starts_with(start)) {
        return true;
    }
    if let Some((word, _)) = rest.split_once(' ')
        && [DEFINITIONS_TYPES, DEFINITIONS_FUNCTIONS, DEFINITIONS_IN_LINES].iter().any(|words| words.contains(&word))
    {
        return true;
    }
    // A signature: `int name(args) {`, or a method after modifiers.
    let opens = code.ends_with('{') && code.contains('(');
    let first = code.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or("");
    let called = DEFINITIONS_STATEMENTS.contains(&first) || code.starts_with(['}', '*', '/', '.', '(', '@', '#']);
    let before = code.split('(').next().unwrap_or("");
    let typed = before.trim().contains([' ', '*']) && !before.contains(['=', '.', '"', ':']);
    opens && !called && typed && (rest.len() < code.len() || code.len() == line.len())
}

/// Returns whether a line defines something, also as a line that a diff adds or a search found.
pub fn is_definition_shown(line: &str) -> bool {
    let added = line.strip_prefix('+').filter(|rest| !rest.starts_with('+')).unwrap_or(line);
    // `path:12:text`, as searches print it.
    let found = line.splitn(3, ':').nth(2).filter(|_| line.split(':').nth(1).is_some_and(is_number));
    is_definition(added) || found.is_some_and(is_definition)
}

/// Returns what a line of a source defines, and its name; `next` is the line below it.
pub(crate) fn definition<'a>(words: &'a str, next: &str) -> Option<(Defined, &'a str)> {
    let first = words.split(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    if DEFINITIONS_IMPORTS.contains(&first) {
        return Some((Defined::Import, ""));
    }
    if let Some(defined) = objective_c(words, next) {
        return Some(defined);
    }
    let other = ['/', '*', '#', '"', '\'', '-', '@', '<', '.', ','];
    if DEFINITIONS_STATEMENTS.contains(&first) || words.starts_with(other) {
        return None;
    }
    let mut tokens = words.split_whitespace().skip_while(|token| is_modifier(token));
    let keyword = tokens.next()?;
    if DEFINITIONS_TYPES.contains(&keyword) || DEFINITIONS_TYPES_IN_CODE.contains(&keyword) {
        return Some((Defined::Type, name_in(tokens.next().unwrap_or_default())));
    }
    if DEFINITIONS_FUNCTIONS.contains(&keyword) || DEFINITIONS_FUNCTIONS_IN_CODE.contains(&keyword) {
        return Some((Defined::Function, name_in(tokens.next().unwrap_or_default())));
    }
    if let Some(name) = created(words) {
        return Some((Defined::Type, name));
    }
    // `function(name …)`, as CMake has it.
    let lone = !words.ends_with(['{', ';', ',']);
    if let Some((keyword, rest)) = words.split_once('(').filter(|_| lone)
        && (DEFINITIONS_FUNCTIONS.contains(&keyword) || DEFINITIONS_FUNCTIONS_IN_CODE.contains(&keyword))
    {
        let name = name_in(rest.trim_start());
        return (!name.is_empty()).then_some((Defined::Function, name));
    }
    // `name(…) {`, `Type name(…)` before a line that opens a block.
    let opens = words.ends_with('{') || (next.starts_with('{') && words.ends_with(')'));
    let call = words.find('(')?;
    let before = text::slice(words, 0..call).trim_end();
    let name = before.rsplit(|c: char| !is_name(c)).next()?;
    let defined = opens && !name.is_empty() && !before.contains('=') && !DEFINITIONS_STATEMENTS.contains(&name);
    defined.then_some((Defined::Function, name))
}

/// Returns what a line of Objective-C defines: `- (void)open:(id)sender {`, `@interface Window : View`.
fn objective_c<'a>(words: &'a str, next: &str) -> Option<(Defined, &'a str)> {
    if words.starts_with('@') {
        let (keyword, rest) = words.split_once(' ')?;
        let name = name_in(rest.trim_start());
        return (DEFINITIONS_TYPES_AT.contains(&keyword) && !name.is_empty()).then_some((Defined::Type, name));
    }
    let (_, behind) = words.strip_prefix(['-', '+'])?.trim_start().strip_prefix('(')?.split_once(')')?;
    let behind = behind.trim_start_matches(')').trim_start();
    let end = behind.find(|c: char| !is_name(c) || c == ':').unwrap_or(behind.len());
    let name = text::slice(behind, 0..end);
    let whole = words.trim_end().ends_with(['{', ';']) || next.starts_with('{') || behind.contains(':');
    (whole && name.starts_with(char::is_alphabetic)).then_some((Defined::Function, name))
}

/// Returns the name of what a statement of SQL makes: `create or replace view name as`.
fn created(words: &str) -> Option<&str> {
    let is_one_of = |word: &str, known: &[&str]| known.iter().any(|known| known.eq_ignore_ascii_case(word));
    let mut words = words.split_whitespace().filter(|word| !is_one_of(word, DEFINITIONS_CREATED_MODIFIERS));
    let makes = words.next()?.eq_ignore_ascii_case("create") && is_one_of(words.next()?, DEFINITIONS_CREATED);
    makes.then(|| words.next().map(name_in)).flatten().filter(|name| !name.is_empty())
}

/// Returns whether a line at the top of a source begins a value: a constant, a variable, a macro.
pub(crate) fn begins_value(words: &str) -> bool {
    DEFINITIONS_VALUES.contains(&words.split_whitespace().next().unwrap_or_default())
}

/// Returns how much `line` looks like the definition of `name`, from 0 (not at all) to 1.
pub fn defines_name(line: &str, name: &str) -> f32 {
    let mut best: f32 = 0.0;
    let mut from = 0;
    while let Some(found) = text::slice(line, from..line.len()).find(name) {
        let at = from + found;
        best = best.max(defined_at(line, at, at + name.len()));
        from = at + name.len().max(1);
        if best >= 1.0 || from >= line.len() {
            break;
        }
    }
    best
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | ':' | '.' | '$' | '~')
}

fn is_modifier(token: &str) -> bool {
    DEFINITIONS_MODIFIERS.contains(&token) || token.starts_with("pub(")
}

/// The name that a token begins with.
fn name_in(token: &str) -> &str {
    let end = token.find(|c: char| !is_name(c)).unwrap_or(token.len());
    text::slice(token, 0..end).trim_end_matches(':')
}

/// The line without the modifiers before what it defines.
fn without_modifiers(code: &str) -> &str {
    let mut rest = code;
    while let Some((word, behind)) = rest.split_once(' ')
        && DEFINITIONS_MODIFIERS.contains(&word)
    {
        rest = behind;
    }
    rest
}

fn defined_at(line: &str, start: usize, end: usize) -> f32 {
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
    if lead.ends_with(is_word) && DEFINITIONS_BEFORE_NAMES.contains(&word) {
        return 1.0;
    }
    if lead.ends_with(is_word) && DEFINITIONS_BEFORE_USES.contains(&word) {
        return 0.0;
    }
    // `name = function`, `const name = (…) =>`, `exports.name = `.
    let assigned = after.strip_prefix('=').map(str::trim_start);
    if assigned.is_some_and(|value| DEFINITIONS_ASSIGNED.iter().any(|start| value.starts_with(start))) {
        return 0.9;
    }
    // A method: `name(…) {`, `Type Owner::name(…)`, `def self.name`.
    if takes && !lead.ends_with(['(', ',', '=', '!', '&', '|', '+', '{', '[', '?', '>']) {
        let dotted = lead.ends_with('.');
        let called = ends.ends_with(';') && !lead.ends_with(is_word);
        let of_self = lead.ends_with("self.") && lead.trim_start().starts_with("def");
        return match (opens, dotted, called) {
            (_, _, true) => 0.05,
            (_, true, _) if of_self => 1.0,
            (_, true, _) => 0.1,
            (true, false, false) => 0.8,
            (false, false, false) if lead.is_empty() => 0.2,
            (false, false, false) => 0.5,
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
    fn definitions_are_told_from_uses() {
        for line in [
            "def test_dijkstra(self):",
            "class Context:",
            "    pub fn new() -> X {",
            "zskiplistNode *zslCreateNode(int level, double score, sds ele) {",
            "int zslRandomLevel(void) {",
            "export class ZodError<T = any> extends Error {",
            "    public static void main(String[] args) {",
            "impl<T> From<T> for V {",
            "open class Shape",
        ] {
            assert!(is_definition(line), "{line}");
        }
        for line in [
            "    if (zslValue(x)) {",
            "zslFree(zsl);",
            "  x = foo(bar) {",
            "return f(x) {",
            "// class A",
            "new Thread(run) {",
            "method of the day",
            "",
        ] {
            assert!(!is_definition(line), "{line}");
        }
    }

    #[test]
    fn lines_of_diffs_and_searches_are_definitions_too() {
        assert!(is_definition_shown("+    def f(self):"));
        assert!(is_definition_shown("src/a.rs:12:pub fn parse() {"));
        assert!(!is_definition_shown("+++ b/class.rs"));
        assert!(!is_definition_shown("src/a.rs:12:    parse();"));
    }

    #[test]
    fn what_a_line_of_a_source_defines_has_a_name() {
        let check = |line: &str, next: &str, expected| assert_eq!(definition(line, next), expected, "{line}");
        check("fun area(): Double {", "", Some((Defined::Function, "area")));
        check("int main(void)", "{", Some((Defined::Function, "main")));
        check("int main(void)", "return", None);
        check("data: 1", "", None);
        check("defmodule App.Web do", "", Some((Defined::Type, "App.Web")));
        check("import os", "", Some((Defined::Import, "")));
        check("partial class Form1", "", Some((Defined::Type, "Form1")));
        check("foreach (var x in y) {", "", None);
        check("while (x) {", "", None);
        check("CREATE OR REPLACE VIEW sales.totals AS", "", Some((Defined::Type, "sales.totals")));
        check("create unique index if not exists by_name on t (name)", "", Some((Defined::Type, "by_name")));
        check("create your own", "", None);
        check("function(add_parts name)", "", Some((Defined::Function, "add_parts")));
        check("- (void)open:(id)sender {", "", Some((Defined::Function, "open")));
        check("+ (instancetype)shared", "{", Some((Defined::Function, "shared")));
        check("@interface Window : View", "", Some((Defined::Type, "Window")));
        check("- (a list item)", "", None);
        check("@Override", "", None);
    }

    #[test]
    fn a_definition_of_a_name_is_told_from_its_use() {
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
            assert!(defines_name(line, name) >= 0.8, "{line}: {}", defines_name(line, name));
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
            assert!(defines_name(line, name) < 0.6, "{line}: {}", defines_name(line, name));
        }
    }
}
