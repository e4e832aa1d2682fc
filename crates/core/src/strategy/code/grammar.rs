//! Reading a source with the grammar of its language.

use std::ops::ControlFlow;

use offcut_grammars::Grammar;
use tree_sitter::{Node, ParseOptions, Parser, Point, Tree, TreeCursor};

use super::unit::{Source, Unit, What};
use crate::kind::Language;

/// How deep a tree is looked into.
const DEEPEST: usize = 200;

/// Whether the language can be parsed in this build.
pub(super) fn has_grammar(language: Language) -> bool {
    grammar(language).is_some()
}

/// The grammar of a language, if it was built in.
fn grammar(language: Language) -> Option<&'static Grammar> {
    match language {
        #[cfg(feature = "code-rust")]
        Language::Rust => Some(&offcut_grammars::RUST),
        #[cfg(feature = "code-python")]
        Language::Python => Some(&offcut_grammars::PYTHON),
        #[cfg(feature = "code-typescript")]
        Language::TypeScript => Some(&offcut_grammars::TYPESCRIPT),
        #[cfg(feature = "code-typescript")]
        Language::Tsx => Some(&offcut_grammars::TSX),
        #[cfg(feature = "code-javascript")]
        Language::JavaScript => Some(&offcut_grammars::JAVASCRIPT),
        #[cfg(feature = "code-go")]
        Language::Go => Some(&offcut_grammars::GO),
        #[cfg(feature = "code-java")]
        Language::Java => Some(&offcut_grammars::JAVA),
        #[cfg(feature = "code-c")]
        Language::C => Some(&offcut_grammars::C),
        #[cfg(feature = "code-cpp")]
        Language::Cpp => Some(&offcut_grammars::CPP),
        #[cfg(feature = "code-c-sharp")]
        Language::CSharp => Some(&offcut_grammars::C_SHARP),
        #[cfg(feature = "code-ruby")]
        Language::Ruby => Some(&offcut_grammars::RUBY),
        #[cfg(feature = "code-php")]
        Language::Php => Some(&offcut_grammars::PHP),
        #[cfg(feature = "code-bash")]
        Language::Bash => Some(&offcut_grammars::BASH),
        _ => None,
    }
}

/// The units of a source; `None` if it could not be parsed, or was stopped, or makes no sense to the grammar.
pub(super) fn parsed(source: &Source<'_>, language: Language, stopped: &dyn Fn() -> bool) -> Option<Vec<Unit>> {
    let tree = parse(source.text, grammar(language)?, stopped)?;
    let mut walk = Walk { source, units: Vec::new(), open: Vec::new() };
    walk.all(tree.walk());
    let mut units = walk.units;
    units.sort_by_key(|unit| (unit.rows.start, unit.head.start, usize::MAX - unit.rows.end));
    units.dedup_by(|later, former| later.head.start == former.head.start && later.what == former.what);
    (!units.is_empty()).then_some(units)
}

fn parse(text: &str, grammar: &'static Grammar, stopped: &dyn Fn() -> bool) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language()?).ok()?;
    // Asked every hundred steps; good code takes less than a step a byte, and most bad code, too.
    let mut left = text.len() / 25 + 2000;
    let mut progress = |_: &tree_sitter::ParseState| {
        left = left.saturating_sub(1);
        if left == 0 || stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let bytes = text.as_bytes();
    let mut read = |at: usize, _: Point| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// A walk over a tree that collects its units.
struct Walk<'s, 't> {
    source: &'s Source<'t>,
    units: Vec<Unit>,
    /// For each level of the tree: the unit that was opened there.
    open: Vec<Option<usize>>,
}

impl Walk<'_, '_> {
    /// Visits every node, without recursion.
    fn all(&mut self, mut cursor: TreeCursor<'_>) {
        loop {
            let unit = self.visit(cursor.node());
            if self.open.len() < DEEPEST && cursor.goto_first_child() {
                self.open.push(unit);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.open.pop();
            }
        }
    }

    /// Takes a node in if it is a unit.
    fn visit(&mut self, node: Node<'_>) -> Option<usize> {
        if !node.is_named() {
            return None;
        }
        let what = what(&node)?;
        let enclosing = || self.open.iter().flatten().filter_map(|&unit| self.units.get(unit));
        let depth = enclosing().count();
        let nested = enclosing().any(|unit| unit.what == What::Function);
        if nested && matches!(what, What::Statement | What::Import) {
            return None;
        }
        let test = enclosing().any(|unit| unit.test);
        let outer = outer(&node);
        let body = body(&node);
        let name = self.name(&node);
        let first = self.source.row(self.head_start(&outer));
        let last = self.source.row(node.end_byte().saturating_sub(1).max(node.start_byte()));
        let head_end = match body {
            // The signature ends where the body begins; a body on lines of its own is not part of it.
            Some(body) => {
                let row = self.source.row(body.start_byte());
                let before = crate::text::slice(self.source.text, self.source.range(row).start..body.start_byte());
                if row > first && before.trim().is_empty() { row } else { row + 1 }
            }
            None if last - first < 6 => last + 1,
            None => first + 1,
        };
        // In C the type may stand above the name.
        let lead = match declared(&node).filter(|_| what == What::Function) {
            Some(name) => Some(self.source.row(name.start_byte()) - first).filter(|lead| *lead <= LEAD).unwrap_or(0),
            None => 0,
        };
        let line = self.source.line(first).trim_start();
        let test = test || name.starts_with("test_") || name.starts_with("Test") || name == "tests";
        let unit = Unit {
            what,
            public: is_public(line, &name),
            name,
            rows: first..last + 1,
            head: first..head_end.clamp(first + 1, last + 1),
            lead,
            depth,
            nested,
            test,
            bonus: 0,
            listed: false,
        };
        self.units.push(unit);
        Some(self.units.len() - 1)
    }

    /// Where the signature starts: behind annotations and attributes.
    fn head_start(&self, node: &Node<'_>) -> usize {
        let mut cursor = node.walk();
        let mut start = node.start_byte();
        for child in node.children(&mut cursor) {
            match child.kind() {
                "modifiers" => {
                    let mut inner = child.walk();
                    for modifier in child.children(&mut inner) {
                        if !modifier.kind().contains("annotation") {
                            return modifier.start_byte();
                        }
                        start = modifier.end_byte();
                    }
                }
                kind if kind.contains("annotation") || kind == "attribute_list" || kind == "decorator" => {
                    start = child.end_byte();
                }
                kind if kind.contains("comment") => {}
                _ if start == node.start_byte() => return start,
                _ => return child.start_byte(),
            }
        }
        node.start_byte()
    }

    /// The name of a unit, or what comes nearest.
    fn name(&self, node: &Node<'_>) -> String {
        let named = match node.kind() {
            "arrow_function" | "function_expression" | "function" | "generator_function" => {
                node.parent().and_then(|parent| {
                    ["name", "key", "left", "property"].iter().find_map(|field| parent.child_by_field_name(field))
                })
            }
            "impl_item" => node.child_by_field_name("type"),
            _ => node.child_by_field_name("name").or_else(|| declared(node)),
        };
        let range = named.map_or(0..0, |named| named.byte_range());
        let name = crate::text::slice(self.source.text, range);
        let name: String = name.chars().take_while(|c| !matches!(c, '(' | '\n' | '{')).take(60).collect();
        name.trim().to_string()
    }
}

/// At most so many lines of a signature come before the one with the name.
const LEAD: usize = 2;

/// The name inside a C-like declarator.
fn declared<'t>(node: &Node<'t>) -> Option<Node<'t>> {
    let mut at = node.child_by_field_name("declarator")?;
    for _ in 0..16 {
        match at.child_by_field_name("declarator") {
            Some(inner) => at = inner,
            None => break,
        }
    }
    Some(at)
}

/// The statement that a function expression is the value of; else the node itself.
fn outer<'t>(node: &Node<'t>) -> Node<'t> {
    if !matches!(node.kind(), "arrow_function" | "function_expression" | "function" | "generator_function") {
        return *node;
    }
    let mut at = *node;
    for _ in 0..3 {
        match at.parent() {
            Some(parent)
                if matches!(
                    parent.kind(),
                    "assignment_expression"
                        | "variable_declarator"
                        | "pair"
                        | "public_field_definition"
                        | "field_definition"
                        | "expression_statement"
                        | "lexical_declaration"
                        | "variable_declaration"
                ) =>
            {
                at = parent;
            }
            _ => break,
        }
    }
    at
}

fn body<'t>(node: &Node<'t>) -> Option<Node<'t>> {
    if let Some(body) = node.child_by_field_name("body") {
        return Some(body);
    }
    let mut cursor = node.walk();
    node.children(&mut cursor).find(|child| {
        let kind = child.kind();
        kind.ends_with("_body") || kind.ends_with("_block") || kind.ends_with("declaration_list") || kind == "block"
    })
}

/// What a node is, if it is a unit.
fn what(node: &Node<'_>) -> Option<What> {
    let kind = node.kind();
    match kind {
        "function_item"
        | "function_signature_item"
        | "function_definition"
        | "function_declaration"
        | "method_declaration"
        | "method_definition"
        | "constructor_declaration"
        | "destructor_declaration"
        | "operator_declaration"
        | "compact_constructor_declaration"
        | "method"
        | "singleton_method"
        | "generator_function_declaration"
        | "local_function_statement"
        | "macro_definition"
        | "method_signature"
        | "abstract_method_signature"
        | "function_signature"
        | "conversion_operator_declaration"
        | "indexer_declaration" => Some(What::Function),
        "arrow_function" | "function_expression" | "function" | "generator_function" => {
            let valued = node.parent().is_some_and(|parent| {
                matches!(
                    parent.kind(),
                    "assignment_expression"
                        | "variable_declarator"
                        | "pair"
                        | "public_field_definition"
                        | "field_definition"
                )
            });
            (valued && node.end_position().row > node.start_position().row).then_some(What::Function)
        }
        // `mod name;` stands for a file; what it holds is not here.
        "mod_item" if node.child_by_field_name("body").is_none() => Some(What::Import),
        "struct_item"
        | "enum_item"
        | "union_item"
        | "trait_item"
        | "impl_item"
        | "mod_item"
        | "class_definition"
        | "class_declaration"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "enum_declaration"
        | "record_declaration"
        | "annotation_type_declaration"
        | "struct_declaration"
        | "namespace_declaration"
        | "file_scoped_namespace_declaration"
        | "internal_module"
        | "module"
        | "class"
        | "singleton_class"
        | "trait_declaration"
        | "namespace_definition"
        | "type_declaration"
        | "type_alias_declaration"
        | "type_item"
        | "delegate_declaration"
        | "type_definition" => Some(What::Type),
        "struct_specifier" | "class_specifier" | "enum_specifier" | "union_specifier" => {
            node.child_by_field_name("body").map(|_| What::Type)
        }
        "use_declaration"
        | "extern_crate_declaration"
        | "import_statement"
        | "import_from_statement"
        | "import_declaration"
        | "package_clause"
        | "package_declaration"
        | "preproc_include"
        | "using_directive"
        | "namespace_use_declaration"
        | "future_import_statement" => Some(What::Import),
        "const_item"
        | "static_item"
        | "lexical_declaration"
        | "variable_declaration"
        | "const_declaration"
        | "var_declaration"
        | "preproc_def"
        | "field_declaration"
        | "property_declaration" => Some(What::Statement),
        "expression_statement" | "declaration" | "assignment" | "macro_invocation" => {
            let top = node.parent().is_some_and(|parent| {
                matches!(parent.kind(), "program" | "module" | "source_file" | "translation_unit" | "compilation_unit")
            });
            top.then_some(What::Statement)
        }
        _ => None,
    }
}

fn is_public(line: &str, name: &str) -> bool {
    let private = ["private", "static", "local ", "protected", "#"].iter().any(|word| line.starts_with(word));
    let hidden = name.starts_with('_') && !name.starts_with("__");
    let rust = line.starts_with("fn ") || line.starts_with("async fn") || line.starts_with("unsafe fn");
    !(private || hidden || rust)
}
