"""The README's examples run, in order, and what their comments promise is what comes out."""

from __future__ import annotations

import ast
import re

from conftest import HERE

README = (HERE.parent / "README.md").read_text()


def promised(block: str):
    """Yield each line `expression  # value` of a block whose comment is a Python value."""
    for line in block.splitlines():
        if match := re.fullmatch(r"(\S.*?\S)\s{2,}# (['\[{(\d].*)", line):
            yield match[1], ast.literal_eval(match[2])


def test_every_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = re.findall(r"^```python\n(.*?)^```", README, re.M | re.S)
    assert len(blocks) >= 7
    checked = 0
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
        for expression, value in promised(block):
            assert eval(expression, names) == value, expression
            checked += 1
    assert checked == 2
    assert capsys.readouterr().out.strip()


def test_every_adapter_that_it_names_is_there():
    named = set(re.findall(r"`offcut\.adapters\.(\w+)`", README))
    modules = {path.stem for path in (HERE.parent / "python/offcut/adapters").glob("*.py")}
    assert named == {name for name in modules if not name.startswith("_")}
