#!/usr/bin/env python3
"""Takes the grammars of crates/grammars from the crates that publish them, and packs their tables.

A parser that tree-sitter generates is a lexer in C and tables of numbers; the tables are nineteen parts of twenty of
the program, and mostly zeros. This writes the C without the large tables, and the tables compressed beside it. Run it
to take a newer version of a grammar: change VERSIONS, run it, commit what changed.

    scripts/grammars.py            write crates/grammars/vendor
    scripts/grammars.py --check    fail if what is there is not what this would write

Needs cargo, a C compiler for a little-endian machine, and the zstd command.
"""

import filecmp
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

VERSIONS = {
    "tree-sitter-bash": "0.25.1",
    "tree-sitter-c": "0.24.2",
    "tree-sitter-c-sharp": "0.23.5",
    "tree-sitter-cpp": "0.23.4",
    "tree-sitter-go": "0.25.0",
    "tree-sitter-java": "0.23.5",
    "tree-sitter-javascript": "0.25.0",
    "tree-sitter-php": "0.24.2",
    "tree-sitter-python": "0.25.0",
    "tree-sitter-ruby": "0.23.1",
    "tree-sitter-rust": "0.24.2",
    "tree-sitter-typescript": "0.23.2",
}
# Language: crate, and the folder of its parser there. `vendor/sources.json` names crates and versions.
LANGUAGES = {
    "bash": ("tree-sitter-bash", "src"),
    "c": ("tree-sitter-c", "src"),
    "c_sharp": ("tree-sitter-c-sharp", "src"),
    "cpp": ("tree-sitter-cpp", "src"),
    "go": ("tree-sitter-go", "src"),
    "java": ("tree-sitter-java", "src"),
    "javascript": ("tree-sitter-javascript", "src"),
    "php": ("tree-sitter-php", "php/src"),
    "python": ("tree-sitter-python", "src"),
    "ruby": ("tree-sitter-ruby", "src"),
    "rust": ("tree-sitter-rust", "src"),
    "tsx": ("tree-sitter-typescript", "tsx/src"),
    "typescript": ("tree-sitter-typescript", "typescript/src"),
}
# Field of the language, and how the parser fills it in. Each starts at a multiple of four bytes.
TABLES = {
    "parse_table": r"&ts_parse_table\[0\]\[0\]",
    "small_parse_table": "ts_small_parse_table",
    "small_parse_table_map": "ts_small_parse_table_map",
    "parse_actions": "ts_parse_actions",
    "lex_modes": r"(?:\(const void\*\))?ts_lex_modes",
    "primary_state_ids": "ts_primary_state_ids",
}
LICENSE = "MIT, as {name} {version} says in its Cargo.toml; the package holds no text of it.\n"


def main():
    check = sys.argv[1:] == ["--check"]
    if sys.argv[1:] and not check:
        sys.exit(__doc__)
    target = Path(__file__).resolve().parent.parent / "crates/grammars/vendor"
    with tempfile.TemporaryDirectory() as scratch:
        scratch = Path(scratch)
        sources = fetched(scratch)
        written = scratch / "vendor"
        for language, (name, folder) in LANGUAGES.items():
            size, packed = write(language, name, sources[name], folder, written / language, scratch)
            print(f"{language}: {size:,} bytes of tables in {packed:,}")
        sources = [{"name": name, "version": version, "license": "MIT"} for name, version in VERSIONS.items()]
        (written / "sources.json").write_text(json.dumps(sources, indent=1) + "\n")
        if check:
            compare(written, target)
        else:
            shutil.rmtree(target, ignore_errors=True)
            shutil.copytree(written, target)


def fetched(scratch):
    """Where cargo keeps the sources of each crate."""
    project = scratch / "project"
    (project / "src").mkdir(parents=True)
    (project / "src/lib.rs").touch()
    pinned = "".join(f'{name} = "={version}"\n' for name, version in VERSIONS.items())
    (project / "Cargo.toml").write_text(f'[package]\nname = "grammars"\nedition = "2024"\n[dependencies]\n{pinned}')
    told = subprocess.run(
        ["cargo", "metadata", "--format-version", "1"], cwd=project, check=True, capture_output=True, text=True
    )
    packages = json.loads(told.stdout)["packages"]
    return {package["name"]: Path(package["manifest_path"]).parent for package in packages}


def write(language, name, source, folder, target, scratch):
    """Writes one language; gives the size of its tables as they are, and packed."""
    origin = source / folder
    target.mkdir(parents=True)
    tables, places = dumped(language, origin, scratch)
    (target / "parser.c").write_text(without_tables(language, (origin / "parser.c").read_text(), places))
    if (origin / "scanner.c").exists():
        scanner = (origin / "scanner.c").read_text()
        common = '#include "../../common/scanner.h"\n'
        if common in scanner:
            scanner = scanner.replace(common, (source / "common/scanner.h").read_text())
        (target / "scanner.c").write_text(renamed(scanner))
    shutil.copytree(origin / "tree_sitter", target / "tree_sitter")
    license = source / "LICENSE"
    text = license.read_text() if license.exists() else LICENSE.format(name=name, version=VERSIONS[name])
    (target / "LICENSE").write_text(text)
    raw = scratch / f"{language}.tables"
    raw.write_bytes(tables)
    packed = target / "tables.zst"
    subprocess.run(["zstd", "-q", "--ultra", "-22", "--no-check", str(raw), "-o", str(packed)], check=True)
    return len(tables), packed.stat().st_size


def dumped(language, origin, scratch):
    """The tables of a parser one after the other, and where each begins: the compiler lays them out."""
    names = [table for table in TABLES if f" ts_{table}[" in (origin / "parser.c").read_text()]
    dump = "".join(f'dump("{table}", ts_{table}, sizeof ts_{table});\n' for table in names)
    program = scratch / f"{language}.c"
    program.write_text(
        f'#include "{origin / "parser.c"}"\n#include <stdio.h>\n'
        "static void dump(const char *name, const void *table, size_t size) {\n"
        '  fprintf(stderr, "%s %zu\\n", name, size);\n'
        "  fwrite(table, 1, size, stdout);\n"
        '  fwrite("\\0\\0\\0", 1, (4 - size % 4) % 4, stdout);\n}\n'
        f"int main(void) {{\n{dump}return 0;\n}}\n"
    )
    binary = scratch / language
    built = ["cc", "-O0", "-w", f"-I{origin}", str(program), "-o", str(binary)]
    if (origin / "scanner.c").exists():
        built.insert(-2, str(origin / "scanner.c"))
    subprocess.run(built, check=True)
    ran = subprocess.run([str(binary)], check=True, capture_output=True)
    places, at = {}, 0
    for line in ran.stderr.decode().splitlines():
        table, size = line.split()
        places[table] = at
        at += -(-int(size) // 4) * 4
    if at != len(ran.stdout):
        sys.exit(f"{language}: {len(ran.stdout)} bytes of tables where {at} were told")
    return ran.stdout, places


def without_tables(language, parser, places):
    """The parser without its large tables; its language is asked for with the place where they are."""
    text = parser
    for table in places:
        text, dropped = re.subn(rf"static const \w+ ts_{table}\[[^=]*= \{{\n.*?\n\}};\n\n?", "", text, flags=re.S)
        text, filled = re.subn(rf"    \.{table} = {TABLES[table]},\n", "", text)
        if (dropped, filled) != (1, 1):
            sys.exit(f"{language}: ts_{table} is not written as expected ({dropped} and {filled} places)")
    filled = "".join(f"  language.{table} = (const void *)(tables + {at});\n" for table, at in places.items())
    text, asked = re.subn(
        r"(?:TS_PUBLIC|extern) const TSLanguage \*tree_sitter_\w+\(void\) \{\n  static const TSLanguage language",
        f"TS_PUBLIC const TSLanguage *offcut_grammar_{language}(const char *tables) {{\n  static TSLanguage language",
        text,
    )
    text, given = re.subn(r"  return &language;\n", filled + "  return &language;\n", text)
    if (asked, given) != (1, 1):
        sys.exit(f"{language}: the function that gives the language is not written as expected")
    return renamed(text)


def renamed(text):
    """A scanner's functions under names of ours, so that a program may link the published grammar beside this one."""
    return re.sub(r"\btree_sitter_(\w+_external_scanner_)", r"offcut_grammar_\1", text)


def compare(written, target):
    """Ends with 1 if two folders differ."""
    files = {path.relative_to(root) for root in (written, target) for path in root.rglob("*") if path.is_file()}
    differing = [
        str(file)
        for file in sorted(files)
        if not ((written / file).exists() and (target / file).exists() and filecmp.cmp(written / file, target / file, False))
    ]
    if differing:
        sys.exit(f"not what is published: {', '.join(differing)}")


main()
