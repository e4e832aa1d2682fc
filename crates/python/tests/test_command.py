"""The command that comes with the package."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path

import offcut
import pytest
from conftest import PLANTED

COMMAND = Path(sysconfig.get_path("scripts")) / "offcut"

needs_command = pytest.mark.skipif(not COMMAND.is_file(), reason="the package was installed without the command")


def run(*words: str | Path, **settings) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, **settings)


@needs_command
def test_it_has_the_packages_version():
    told = run(COMMAND, "--version")
    assert told.returncode == 0 and told.stdout.split()[:2] == ["offcut", offcut.__version__]
    assert run(sys.executable, "-m", "offcut", "--version").stdout == told.stdout


@needs_command
def test_it_runs_a_command_and_keeps_its_exit_code(tmp_path):
    ended = run(sys.executable, "-m", "offcut", "run", "--", "sh", "-c", "echo hello; exit 3", cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (3, "hello\n")


@needs_command
def test_it_reads_what_the_library_has_kept(tmp_path, log):
    reply = offcut.Offcut(store=tmp_path / "kept", session="s").cut(log, tool="bash")
    place = ["--store", str(tmp_path / "kept"), "--session", "s"]
    shown = run(COMMAND, "artifacts", "show", reply.handle, "5001", *place, cwd=tmp_path)
    assert shown.stdout.startswith(PLANTED), shown.stderr
    counted = run(COMMAND, "stats", "--json", *place[:2], cwd=tmp_path)
    assert json.loads(counted.stdout)["total"]["calls"] == 1, counted.stderr


def test_without_a_command_the_module_says_so(tmp_path):
    script = "import types, offcut.__main__ as m\n"
    script += "m.sysconfig = types.SimpleNamespace(get_path=lambda *a: None, get_config_var=lambda *a: None)\n"
    script += f"m.__file__ = {str(tmp_path / 'a' / 'b' / 'c.py')!r}\nm.main()"
    ended = run(sys.executable, "-c", script)
    assert ended.returncode == 1 and "did not come with this package" in ended.stderr
