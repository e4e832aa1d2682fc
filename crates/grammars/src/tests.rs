use std::collections::BTreeMap;

use tree_sitter::{Parser, Tree};

use super::{ALL, Grammar, unpacked};

/// A source that is right in its language, and uses what its scanner is there for (strings, templates, indentation).
fn samples() -> BTreeMap<&'static str, &'static str> {
    BTreeMap::from([
        ("bash", "f() {\n  cat <<EOF\nhello $USER\nEOF\n}\nfor i in {1..3}; do f \"$i\"; done\n"),
        ("c", "#include <stdio.h>\nint main(void) { printf(\"%d\\n\", 1); return 0; }\n"),
        ("c_sharp", "class A { int B(int x) => x + 1; string C() { return $\"{B(1)} {\"\"\"raw\"\"\"}\"; } }\n"),
        ("cpp", "template <class T> T f(T x) { return x; }\nauto s = R\"x(raw)x\";\n"),
        ("go", "package main\n\nfunc main() { println(`raw`, []int{1, 2}) }\n"),
        ("java", "class A { int b(int x) { return x + 1; } String c = \"\"\"\n  text\"\"\"; }\n"),
        ("javascript", "const f = async (x) => `a ${await x}`\nclass A { get b() { return /x/g } }\n"),
        ("php", "<p><?php function f(int $x): int { return $x + 1; } echo <<<EOT\nhi $x\nEOT; ?></p>\n"),
        ("python", "def f(x):\n    if x:\n        return f\"a {x!r}\"\n\nclass A:\n    pass\n"),
        ("ruby", "def f(x)\n  puts <<~TEXT\n    hi #{x}\n  TEXT\n  x.map { |y| y / 2 }\nend\n"),
        ("rust", "fn main() { let s = r#\"raw\"#; /* a /* nested */ one */ println!(\"{s}\"); }\n"),
        ("tsx", "const A = (p: { b: number }) => <div className=\"x\">{p.b}</div>;\n"),
        ("typescript", "interface A<T> { b: T }\nconst f = <T,>(x: T): A<T> => ({ b: x });\n"),
    ])
}

fn parsed(grammar: &'static Grammar, source: &str) -> Tree {
    let mut parser = Parser::new();
    parser.set_language(&grammar.language().expect("tables that can be unpacked")).unwrap();
    parser.parse(source, None).expect("nothing stops it")
}

#[test]
fn each_language_reads_its_sample_without_an_error() {
    assert_eq!(ALL.len(), samples().len(), "all features are on by default");
    for (name, grammar) in ALL {
        let tree = parsed(grammar, samples()[name]);
        assert!(!tree.root_node().has_error(), "{name}: {}", tree.root_node().to_sexp());
        assert!(tree.root_node().named_child_count() > 0, "{name}");
    }
}

#[test]
fn a_language_finds_the_error_in_what_is_not_its_own() {
    for (name, grammar) in ALL {
        assert!(parsed(grammar, "<?php %%% )(").root_node().has_error(), "{name}");
    }
}

#[test]
fn many_threads_may_ask_first() {
    let (_, grammar) = ALL[0];
    std::thread::scope(|scope| {
        let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| grammar.language())).collect();
        for language in asked {
            assert_eq!(language.join().unwrap(), grammar.language());
        }
    });
}

#[test]
fn damaged_tables_are_no_language() {
    let (_, grammar) = ALL[0];
    assert!(unpacked(grammar.packed).is_some());
    assert_eq!(unpacked(&grammar.packed[..grammar.packed.len() - 1]), None);
    assert_eq!(unpacked(b"no tables"), None);
    assert_eq!(unpacked(b""), None);
}
