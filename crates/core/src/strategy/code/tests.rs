use super::*;
use crate::document::TextDocument;
use crate::executor::{Executor, Sequential};
use crate::kind::Classification;
use crate::render::{Markers, render};
use crate::strategy::Settings;
use crate::text;
use proptest::prelude::{ProptestConfig, any, prop_assert, proptest};

/// An executor that never does what may take too long.
struct OutOfTime;

impl Executor for OutOfTime {
    fn join(&self, here: &mut dyn FnMut(), aside: &mut (dyn FnMut() + Send)) {
        Sequential.join(here, aside);
    }

    fn bounded(&self, _: Box<dyn FnOnce() + Send>, _: &AtomicBool) -> bool {
        false
    }
}

/// An executor that stops what may take too long before it has begun.
#[cfg(feature = "code-rust")]
struct Stopping;

#[cfg(feature = "code-rust")]
impl Executor for Stopping {
    fn join(&self, here: &mut dyn FnMut(), aside: &mut (dyn FnMut() + Send)) {
        Sequential.join(here, aside);
    }

    fn bounded(&self, work: Box<dyn FnOnce() + Send>, stop: &AtomicBool) -> bool {
        stop.store(true, Ordering::Relaxed);
        work();
        true
    }
}

/// What is shown of a source; checked against the budget.
fn shown(executor: &dyn Executor, language: Language, source: &str, chars: u64) -> Result<String, CutError> {
    let document = TextDocument::new(source);
    let classification = Classification::new(Kind::Code(language), 1.0, "test");
    let settings = Settings::default();
    let context = CutContext { executor, ..CutContext::new(Budget::chars(chars), &settings, &classification) };
    let cut = Code.cut(&document, &context)?;
    let shown = render(&document, &cut, Markers::Counts).unwrap().text;
    assert!(text::chars(&shown) <= chars, "{} > {chars}: {shown}", text::chars(&shown));
    Ok(shown)
}

/// A function of `lines` lines with nothing of interest in it.
fn rust_function(name: &str, lines: usize) -> String {
    let body: String = (0..lines).map(|n| format!("    let value_{n} = compute_something({n});\n")).collect();
    format!("pub fn {name}(input: &str) -> usize {{\n{body}}}\n\n")
}

#[test]
fn without_a_grammar_the_outline_goes_by_keywords() {
    let mut source = String::from("package demo\n\n");
    for n in 0..20 {
        source.push_str(&format!("fun compute{n}(x: Int): Int {{\n{}}}\n\n", "    println(x * 2)\n".repeat(30)));
    }
    let shown = shown(&OutOfTime, Language::Other, &source, 1500).unwrap();
    assert!(shown.starts_with("package demo\n"), "{shown}");
    for n in 0..20 {
        assert!(shown.contains(&format!("fun compute{n}(x: Int): Int {{")), "{shown}");
    }
    assert_eq!(shown.matches(" ... [32 lines]").count() + shown.matches(" ... [31 lines]").count(), 19, "{shown}");
}

#[test]
fn hostile_sources_are_recognised() {
    assert!(lines::looks_hostile(&"a<".repeat(5000)));
    assert!(lines::looks_hostile(&"a<b<c<\n".repeat(5000)));
    assert!(lines::looks_hostile(&"(".repeat(1000)));
    assert!(lines::looks_hostile(&"x".repeat(50_000)));
    assert!(!lines::looks_hostile(&rust_function("fine", 100)));
}

#[test]
fn a_source_without_definitions_is_left_to_others() {
    let error = shown(&Sequential, Language::Other, &"hello world\n".repeat(500), 500).unwrap_err();
    assert_eq!(error.to_string(), "no functions or types were found in it");
    let queries = format!("use shop;\n{}", "# Query_time: 0.05  Lock_time: 0.00\nselect 1;\n".repeat(200));
    let error = shown(&Sequential, Language::Other, &queries, 2000).unwrap_err();
    assert_eq!(error.to_string(), "it has hardly any parts");
}

#[cfg(feature = "code-rust")]
mod rust {
    use super::*;

    #[test]
    fn signatures_come_first_and_bodies_are_whole_or_counted() {
        let source = format!(
            "use std::fmt;\n\n{}pub fn short() -> u32 {{\n    42\n}}\n\nstruct Point {{\n    x: u32,\n}}\n\n{}",
            rust_function("first", 60),
            rust_function("second", 40)
        );
        let shown = shown(&Sequential, Language::Rust, &source, 600).unwrap();
        let expected = "use std::fmt;\n\npub fn first(input: &str) -> usize { ... [62 lines]\npub fn short() -> u32 {\n    42\n}\n\n\
                        struct Point {\n    x: u32,\n}\n\npub fn second(input: &str) -> usize { ... [42 lines]\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_hidden_is_named_with_its_lines() {
        let source: String = (0..40).map(|n| rust_function(&format!("function_number_{n}"), 10)).collect();
        let shown = shown(&Sequential, Language::Rust, &source, 900).unwrap();
        assert!(shown.contains("lines "), "{shown}");
        assert!(shown.contains(" more] ..."), "{shown}");
        assert!(shown.contains("pub fn function_number_0(input: &str) -> usize { ... [12 lines]\n"), "{shown}");
    }

    #[test]
    fn a_stopped_parse_leaves_an_outline_by_lines() {
        let source: String = (0..400).map(|n| rust_function(&format!("function_{n}"), 10)).collect();
        let by_lines = shown(&Stopping, Language::Rust, &source, 2000).unwrap();
        assert!(by_lines.contains("pub fn function_0(input: &str) -> usize { ... ["), "{by_lines}");
    }
}

#[cfg(feature = "code")]
#[test]
fn every_language_shows_its_functions_and_types() {
    let body = |line: &str| line.repeat(120);
    let check = |language, source: String, expected: &[&str]| {
        let shown = shown(&Sequential, language, &source, 700).unwrap();
        for part in expected {
            assert!(shown.contains(part), "{language:?} {part}: {shown}");
        }
        assert!(shown.contains(" lines]") && text::chars(&shown) < 700, "{language:?}: {shown}");
    };
    check(
        Language::Python,
        format!(
            "import os\n\nclass Shape(Base):\n    @property\n    def area(self) -> int:\n{}\n",
            body("        total = total + 1\n")
        ),
        &["import os", "class Shape(Base):", "def area(self) -> int: ... ["],
    );
    check(
        Language::TypeScript,
        format!(
            "import x from 'x';\nexport class Store<T> {{\n  get(key: string): T {{\n{}  }}\n}}\n",
            body("    this.hits += 1;\n")
        ),
        &["export class Store<T> {", "get(key: string): T { ... ["],
    );
    check(
        Language::Tsx,
        format!("export const View = (props: Props) => {{\n{}  return <a/>;\n}};\n", body("  props.count += 1;\n")),
        &["export const View = (props: Props) => { ... ["],
    );
    check(
        Language::JavaScript,
        format!("const a = require('a');\nres.send = function send(body) {{\n{}}};\n", body("  this.sent = true;\n")),
        &["res.send = function send(body) { ... ["],
    );
    check(
        Language::Go,
        format!(
            "package main\n\ntype Server struct {{\n\tname string\n}}\n\nfunc (s *Server) Run() error {{\n{}}}\n",
            body("\ts.step()\n")
        ),
        &["package main", "type Server struct {", "func (s *Server) Run() error { ... ["],
    );
    check(
        Language::Java,
        format!(
            "package a;\nclass A {{\n    @Override\n    public String toString() {{\n{}    }}\n}}\n",
            body("        count++;\n")
        ),
        &["class A {", "public String toString() { ... ["],
    );
    check(
        Language::C,
        format!("#include <stdio.h>\nstatic int run(int argc)\n{{\n{}}}\n", body("    argc--;\n")),
        &["#include <stdio.h>", "static int run(int argc) ... ["],
    );
    check(
        Language::Cpp,
        format!(
            "namespace a {{\ntemplate <typename T>\nclass B {{\n  void go() {{\n{}  }}\n}};\n}}\n",
            body("    step();\n")
        ),
        &["namespace a {", "class B {", "void go() { ... ["],
    );
    check(
        Language::CSharp,
        format!(
            "using System;\nnamespace A {{\n  public class B {{\n    public void Go()\n    {{\n{}    }}\n  }}\n}}\n",
            body("      Step();\n")
        ),
        &["using System;", "public class B {", "public void Go() ... ["],
    );
    check(
        Language::Ruby,
        format!("module A\n  class B < C\n    def go(x)\n{}    end\n  end\nend\n", body("      step\n")),
        &["module A", "class B < C", "def go(x) ... ["],
    );
    check(
        Language::Php,
        format!(
            "<?php\nnamespace A;\nclass B {{\n    public function go(int $x): int {{\n{}    }}\n}}\n",
            body("        $x++;\n")
        ),
        &["class B {", "public function go(int $x): int { ... ["],
    );
    check(
        Language::Bash,
        format!("#!/bin/bash\nset -e\nrun_all() {{\n{}}}\nrun_all \"$@\"\n", body("  step one\n")),
        &["run_all() { ... ["],
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_source_makes_it_panic_or_outgrow_its_budget(
        source in "((fn|def|class|impl) [a-z]{1,6}\\([a-z]{0,3}\\) [{:]\n|    [a-zé;(){}<]{0,30}\n|\\}\r?\n|/[/*] [a-z]{0,9}\n){1,60}",
        chars in 150u64..1200,
        python in any::<bool>(),
    ) {
        let language = if python { Language::Python } else { Language::Rust };
        for executor in [&Sequential as &dyn Executor, &OutOfTime] {
            if let Ok(shown) = shown(executor, language, &source, chars) {
                prop_assert!(!shown.is_empty());
            }
        }
    }
}

#[test]
fn sections_of_a_configuration_are_told_by_name() {
    let mut source = String::from("version = 4\n\n");
    for n in 0..30 {
        source.push_str(&format!("[[package]]\nname = \"crate-{n}\"\nversion = \"1.0.{n}\"\ndependencies = [\n \"a\",\n \"b\",\n \"c\",\n]\n\n"));
    }
    source.push_str("[metadata.docs]\nall = true\n");
    let shown = shown(&OutOfTime, Language::Other, &source, 1400).unwrap();
    for n in 0..30 {
        assert!(shown.contains(&format!("name = \"crate-{n}\"")), "{n}: {shown}");
    }
    assert!(shown.contains("[metadata.docs]"), "{shown}");
}

#[cfg(feature = "code-c")]
#[test]
fn a_function_is_named_though_its_type_stands_on_a_line_of_its_own() {
    let body = "\tcount += take(count);\n".repeat(9);
    let function = |n: u32| format!("static struct window *\nwindow_open_{n}(int count)\n{{\n{body}}}\n\n");
    let source: String = (0..40).map(function).collect();
    let shown = shown(&Sequential, Language::C, &source, 1500).unwrap();
    assert!(shown.contains("static struct window *\nwindow_open_0(int count)"), "{shown}");
    assert!(shown.matches("(int count)").count() > 10, "{shown}");
}

#[test]
fn blocks_that_are_opened_by_their_name_are_told_and_room_that_is_left_shows_the_beginning() {
    let variables: String = (0..60).map(|n| format!("  --shade-{n}: #0d6e{n:02};\n")).collect();
    let mut sheet = format!("/* Colours and margins. */\n:root {{\n{variables}}}\n\n");
    for n in 0..12 {
        let rules = "  margin: 0;\n  padding: 0 1px 2px 3px;\n".repeat(8);
        sheet.push_str(&format!(
            "nav > a.item-{n}:hover {{\n{rules}}}\n\n@media (min-width: {n}00px) {{\n{rules}}}\n\n"
        ));
    }
    let shown = shown(&OutOfTime, Language::Other, &sheet, 2000).unwrap();
    assert!(shown.starts_with("/* Colours and margins. */\n:root {"), "{shown}");
    for n in 0..12 {
        assert!(shown.contains(&format!("nav > a.item-{n}:hover {{")), "{shown}");
    }
    assert!(text::chars(&shown) > 1700, "{shown}");
}
