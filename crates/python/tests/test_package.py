"""What the package says about itself agrees with the project that it is built from."""

from __future__ import annotations

import re

import offcut
from conftest import HERE, PROJECT


def locked(path) -> dict[str, set[str]]:
    """The versions of each package in a lock file."""
    found: dict[str, set[str]] = {}
    for name, version in re.findall(r'^name = "(.+)"\nversion = "(.+)"', path.read_text(), re.M):
        found.setdefault(name, set()).add(version)
    return found


def test_it_has_the_projects_version():
    version = re.search(r'\[workspace.package\]\nversion = "(.+)"', (PROJECT / "Cargo.toml").read_text())[1]
    assert offcut.__version__ == version


def test_it_is_built_with_the_projects_dependencies():
    mine, projects = locked(HERE.parent / "Cargo.lock"), locked(PROJECT / "Cargo.lock")
    differing = {name: versions for name, versions in mine.items() if not versions <= projects.get(name, versions)}
    assert differing == {}, "copy Cargo.lock to crates/python and run `cargo check` there"
    binding = {"offcut-python", "target-lexicon"}
    own = {name for name in mine if name not in projects and not name.startswith("pyo3")}
    assert own == binding


def test_a_report_is_typed_with_all_its_fields():
    source = (PROJECT / "crates/core/src/report.rs").read_text()
    struct = source.split("pub struct Report {")[1].split("\n}")[0]
    fields = set(re.findall(r"^    pub (\w+):", struct, re.M))
    assert fields == set(offcut.Report.__annotations__)


def test_adapters_are_imported_only_when_asked_for():
    import subprocess
    import sys

    script = "import offcut, sys; print([m for m in sys.modules if m.startswith('offcut.adapters') or m == 'pydantic'])"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout == "[]\n"
