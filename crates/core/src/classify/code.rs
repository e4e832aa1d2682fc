//! Source code: how much of it there is, and in which language.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind};

use super::starts::Starts;
use crate::kind::Language;
use crate::text;

/// How much of a text looks like code.
#[derive(Debug)]
pub(super) struct Code {
    /// The share of its lines that do, from 0 to 1.
    pub(super) share: f32,
    /// The language that most of them speak; looked for where the share is [`ENOUGH`].
    pub(super) language: Option<Language>,
}

/// With a lesser share of code a text is in no language.
pub(super) const ENOUGH: f32 = 0.25;

/// Beginnings of lines that only occur in one language, or nearly so; behind `=` stands a whole line.
const STARTS: [(Language, &[&str]); 12] = [
    (
        Language::Rust,
        &[
            "fn ",
            "pub fn ",
            "impl",
            "use std::",
            "use crate::",
            "pub struct ",
            "pub enum ",
            "let mut ",
            "#[",
            "mod ",
            "pub(crate)",
            "match ",
            "///",
        ],
    ),
    (
        Language::Python,
        &[
            "def ",
            "elif ",
            "except ",
            "except:",
            "from ",
            "import ",
            "@property",
            "raise ",
            "\"\"\"",
            "yield ",
            "async def ",
            "with ",
            "if __name__",
        ],
    ),
    (
        Language::TypeScript,
        &[
            "export interface ",
            "interface ",
            "export type ",
            "readonly ",
            "export abstract",
            "declare ",
            "export function ",
            "export const ",
            "import {",
            "private readonly",
        ],
    ),
    (
        Language::JavaScript,
        &[
            "const ",
            "var ",
            "function ",
            "module.exports",
            "exports.",
            "require(",
            "'use strict'",
            "\"use strict\"",
            "export default ",
            "async function ",
            "prototype.",
            "import ",
        ],
    ),
    (Language::Go, &["func ", "package ", "if err != nil", "defer ", "import (", "type ", "go func", "chan "]),
    (
        Language::Java,
        &[
            "import java",
            "public class ",
            "package ",
            "@Override",
            "public static ",
            "private final ",
            "protected ",
            "public final class",
            "import org.",
            "import com.",
            "@param ",
            "* @",
            "throw new ",
        ],
    ),
    (
        Language::Cpp,
        &[
            "#include <",
            "namespace ",
            "template <",
            "template<",
            "std::",
            "class ",
            "public:",
            "private:",
            "using ",
            "FMT_",
            "constexpr ",
            "auto ",
        ],
    ),
    (
        Language::C,
        &[
            "#include \"",
            "#include <",
            "#define ",
            "#ifdef ",
            "#ifndef ",
            "static ",
            "typedef ",
            "struct ",
            "void ",
            "int ",
            "unsigned ",
            "local ",
            "#endif",
        ],
    ),
    (
        Language::CSharp,
        &[
            "using System",
            "namespace ",
            "public override ",
            "internal ",
            "public class ",
            "get {",
            "set {",
            "#region",
            "foreach (",
            "public bool ",
            "var ",
            "/// <",
        ],
    ),
    (
        Language::Ruby,
        &[
            "def ",
            "=end",
            "module ",
            "require '",
            "attr_",
            "puts ",
            "elsif ",
            "unless ",
            "class ",
            "rescue ",
            "private",
            "@",
        ],
    ),
    (
        Language::Php,
        &[
            "<?php",
            "$this->",
            "public function ",
            "namespace ",
            "use ",
            "$",
            "private function ",
            "protected function ",
            "function ",
        ],
    ),
    (
        Language::Bash,
        &[
            "#!/bin/",
            "#!/usr/bin/env bash",
            "=fi",
            "=done",
            "=esac",
            "if [",
            "echo ",
            "export ",
            "local ",
            "=then",
            "case ",
            "elif [",
            "set -",
        ],
    ),
];

/// What decides between languages of one family, once.
const TELLS: [(Language, &[&str]); 12] = [
    (
        Language::Rust,
        &["&mut ", "::<", "-> Result<", "-> Option<", "&self", "impl<", ".unwrap()", "pub fn ", "Some(", "let mut "],
    ),
    (Language::Python, &["def __", "(self", "__init__", "elif ", "__name__", " is None", " not in ", "):", " -> None"]),
    (
        Language::TypeScript,
        &[
            ": string",
            ": number",
            ": boolean",
            "export interface ",
            " as unknown",
            " as any",
            ": any",
            "?: ",
            "private ",
            "readonly ",
            "<T>",
            ": void",
        ],
    ),
    (Language::JavaScript, &["function(", "function (", "=== ", "prototype", "require(", "undefined", "=> {"]),
    (
        Language::Go,
        &[":= ", "err != nil", "func (", "func(", " nil", "[]byte", "[]string", " struct {", " interface {", "chan "],
    ),
    (Language::Java, &["import java", "@Override", "public static final", "final String", "throws "]),
    (Language::Cpp, &["std::", "template <", "namespace ", "nullptr", "::", "const&", "class "]),
    (Language::C, &["->", "NULL", "#define ", "sizeof(", "void *", "char *", "struct "]),
    (Language::CSharp, &["using System", "get {", "namespace ", "string ", "is null", "internal ", "override "]),
    (Language::Ruby, &["do |", ".each", "nil", "@", "elsif", "#{"]),
    (Language::Php, &["<?php", "$this->", "->", "array("]),
    (Language::Bash, &["$(", "\"$", "${", "[["]),
];

/// All tells, found in one pass, and which language each belongs to.
static ALL_TELLS: LazyLock<Option<(AhoCorasick, Vec<usize>)>> = LazyLock::new(|| {
    let tells = TELLS.iter().enumerate().flat_map(|(at, (_, tells))| tells.iter().map(move |tell| (at, *tell)));
    let (owners, tells): (Vec<usize>, Vec<&str>) = tells.unzip();
    // It searches a few kilobytes: what is quicker still would take longer to make than to use.
    let automaton = AhoCorasickBuilder::new().kind(Some(AhoCorasickKind::ContiguousNFA)).build(tells);
    Some((automaton.ok()?, owners))
});

/// So many lines are searched for each tell by itself: for them no automaton is made.
const FEW: usize = 6;

/// The same as [`told`], without an automaton.
fn told_one_by_one(opening: &str) -> [bool; 12] {
    let has = |tell: &&str| memchr::memmem::find(opening.as_bytes(), tell.as_bytes()).is_some();
    std::array::from_fn(|at| TELLS.get(at).is_some_and(|(_, tells)| tells.iter().any(has)))
}

/// Which languages the tells in `opening` belong to, by their place in [`TELLS`].
fn told(opening: &str) -> [bool; 12] {
    let mut told = [false; 12];
    if let Some((automaton, owners)) = ALL_TELLS.as_ref() {
        for tell in automaton.find_overlapping_iter(opening) {
            let owner = owners.get(tell.pattern().as_usize()).and_then(|&owner| told.get_mut(owner));
            owner.into_iter().for_each(|owner| *owner = true);
        }
    }
    told
}

/// A beginning of [`STARTS`]: the place of its language, and its length where it must be the whole line.
#[derive(Debug, Clone, Copy)]
struct Start {
    language: usize,
    whole: Option<usize>,
}

static ALL_STARTS: LazyLock<Starts<Start>> = LazyLock::new(|| {
    let starts = STARTS.iter().enumerate().flat_map(|(language, (_, starts))| {
        starts.iter().map(move |start| match start.strip_prefix('=') {
            Some(whole) => (whole, Start { language, whole: Some(whole.len()) }),
            None => (*start, Start { language, whole: None }),
        })
    });
    Starts::new(starts)
});

/// Which languages a line begins like, by their place in [`STARTS`].
fn begun(words: &str) -> [bool; 12] {
    let mut begun = [false; 12];
    let start = words.strip_prefix("export default ").unwrap_or(words);
    let whole_lines = ALL_STARTS.of(words).filter(|start| start.whole == Some(words.len()));
    for Start { language, .. } in ALL_STARTS.of(start).filter(|start| start.whole.is_none()).chain(whole_lines) {
        begun.get_mut(language).into_iter().for_each(|begun| *begun = true);
    }
    begun
}

/// Words that open a block whose line ends with a colon.
const BLOCKS: [&str; 10] = ["if ", "for ", "while ", "else", "elif ", "try", "with ", "class ", "except", "def "];

/// How many lines that are no comments are looked at.
const LOOKED_AT: usize = 600;

/// How much of `lines` is code, and which language they speak.
pub(super) fn language<'a>(lines: impl Iterator<Item = &'a str> + Clone) -> Code {
    let share = share(lines.clone());
    Code { share, language: if share < ENOUGH { None } else { spoken(lines) } }
}

/// The share of `lines` that look like code, from 0 to 1.
pub(super) fn share<'a>(lines: impl Iterator<Item = &'a str>) -> f32 {
    let (mut total, mut code) = (0, 0);
    for statement in statements(lines) {
        total += 1;
        code += u32::from(match statement {
            Statement::Comment => true,
            Statement::Words(words) => looks_like_code(words),
        });
    }
    if total == 0 { 0.0 } else { code as f32 / total as f32 }
}

/// A line that may be code.
enum Statement<'a> {
    Comment,
    Words(&'a str),
}

/// The lines that are looked at: what comments say tells nothing about the language, and only some of them look like
/// code.
fn statements<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = Statement<'a>> {
    let statement = |line: &'a str| {
        let words = line.trim();
        let noted = words.strip_prefix('#').is_some_and(|rest| rest.starts_with(['#', ' ']) || rest.is_empty());
        if words.is_empty() || noted {
            return None;
        }
        // The stars of a block comment stand behind an odd number of spaces, those of a list behind an even one.
        let starred = words.starts_with("* ") && (line.len() - line.trim_start().len()) % 2 == 1;
        let comment = words.starts_with("//") || words.starts_with("/*") || starred;
        Some(if comment && !words.starts_with("/// <") { Statement::Comment } else { Statement::Words(words) })
    };
    lines.filter_map(statement).take(LOOKED_AT)
}

fn looks_like_code(words: &str) -> bool {
    if is_traced_call(words) || is_scoped_package(words) {
        return false;
    }
    // A record behind a status or a message ends as a block does: `changed: [host] => {"changed": true}`.
    let record = words.ends_with('}') && words.contains("{\"");
    let ends = words.ends_with([';', '{', '}']) && !record
        || words.ends_with("});")
        || words.ends_with("):")
        || words.ends_with(':') && BLOCKS.iter().any(|block| words.starts_with(block));
    let call =
        || words.ends_with(',') && words.contains(['(', '=']) || words.contains(" = ") && words.contains(['(', '.']);
    let spoken = || words.contains(['(', '{', ';', '=', '<', ':']) && begun(words).contains(&true);
    !words.ends_with('.') && (ends || call() || spoken())
}

/// Whether a line is a call that a tracer recorded with what it returned: `open("x", O_RDONLY) = -1 ENOENT (No such file)`.
fn is_traced_call(words: &str) -> bool {
    let Some((call, result)) = words.rsplit_once(" = ") else { return false };
    let value = result.split(' ').next().unwrap_or_default();
    let number = value.strip_prefix('-').unwrap_or(value);
    let returned = number.starts_with(|c: char| c.is_ascii_digit()) || value == "?";
    let rest = text::slice(result, value.len()..result.len()).trim();
    let explained = rest.is_empty() || rest.ends_with([')', '>', '}', ']']);
    call.trim_end().ends_with([')', '>']) && call.contains('(') && returned && explained && !result.ends_with(';')
}

/// Whether a line begins with the name of a package of a scope, as task runners print it: `@acme/billing: ok`.
fn is_scoped_package(words: &str) -> bool {
    let Some((scope, name)) = words.strip_prefix('@').and_then(|rest| rest.split_once('/')) else { return false };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !scope.is_empty() && scope.chars().all(plain) && name.starts_with(plain)
}

/// The language that most of `lines` speak.
fn spoken<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Language> {
    let mut starts = [0u32; 12];
    let mut total = 0;
    for (number, statement) in statements(lines).enumerate() {
        total += 1;
        let Statement::Words(words) = statement else { continue };
        let opening = text::slice(words, 0..100);
        let told = if number < FEW { told_one_by_one(opening) } else { told(opening) };
        for ((count, starts_so), tells_so) in starts.iter_mut().zip(begun(words)).zip(told) {
            *count += u32::from(starts_so) + 2 * u32::from(tells_so && starts_so) + u32::from(tells_so);
        }
    }
    let count_of = |wanted: Language| {
        STARTS.iter().zip(&starts).find(|((language, _), _)| *language == wanted).map_or(0, |(_, count)| *count)
    };
    let best = STARTS.iter().zip(&starts).max_by_key(|(_, count)| **count).filter(|(_, count)| **count * 20 > total);
    // A language that contains another one speaks that one too.
    best.map(|((language, _), count)| match language {
        Language::JavaScript if count_of(Language::TypeScript) * 4 > *count => Language::TypeScript,
        Language::C if count_of(Language::Cpp) * 2 > *count => Language::Cpp,
        other => *other,
    })
}
