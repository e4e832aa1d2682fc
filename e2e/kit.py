"""What the scripts that run real agents share: outcomes, a network without anything else, one case in a home of its own."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

HERE = Path(__file__).resolve().parent
TESTKIT = Path(os.environ.get("TESTKIT", HERE.parent.parent / "shared" / "testkit"))
sys.path.insert(0, str(TESTKIT))


class Skipped(Exception):
    """The case cannot run here."""


class Failed(Exception):
    """The case ran and something was wrong."""


def check(holds: bool, what: str) -> None:
    if not holds:
        raise Failed(what)


def find(name: str, binary: str, directory: str | None) -> Path:
    """The agent's program, below the peers' directory or on PATH."""
    if directory:
        base = Path(directory) / name
        for path in (base / "node_modules" / ".bin" / binary, base / "venv" / "bin" / binary):
            if path.exists():
                return path
    if found := shutil.which(binary):
        return Path(found)
    raise Skipped(f"`{binary}` is not installed (looked on PATH and in $PEERS_DIR)")


def arguments(about: str, agents: Iterable[str]) -> argparse.ArgumentParser:
    """The arguments that every script takes."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offcut", type=Path, required=True, help="the program to test")
    parser.add_argument("--agents", default=os.environ.get("PEERS_DIR"), help="where agents are installed")
    parser.add_argument("--only", default=",".join(agents), help="these agents, separated by commas")
    return parser


def end_all(home: Path) -> None:
    """Ends what an agent left running below its home: some leave a daemon behind."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if (process / "cwd").readlink().is_relative_to(home):
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:
            continue


def run_all(cases: Iterable[tuple[str, str, Callable[[Path], str]]]) -> int:
    """Runs each case (its title, its agent, what to do in a new home), prints its outcome, and returns the exit status.

    As root everything runs in a network namespace that has only loopback. The home of a failed case stays to be looked at.
    """
    if not (TESTKIT / "fake_llm.py").exists():
        print("skipped: the scripted model (shared/testkit) is not there")
        return 0
    if os.geteuid() == 0 and not os.environ.get("E2E_ALONE") and shutil.which("unshare") and shutil.which("ip"):
        inside = ["bash", "-c", 'ip link set lo up; exec "$@"', "alone", sys.executable, *sys.argv]
        os.environ["E2E_ALONE"] = "1"
        os.execvp("unshare", ["unshare", "-n", "--", *inside])
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for title, agent, case in cases:
        home = Path(tempfile.mkdtemp(prefix=f"offcut-{agent}-"))
        try:
            outcome, said = "passed", case(home)
        except Skipped as why:
            outcome, said = "skipped", str(why)
        except Failed as why:
            outcome, said = "failed", f"{why}\n(kept: {home})"
        except subprocess.TimeoutExpired:
            outcome, said = "failed", f"the agent did not end within its time\n(kept: {home})"
        end_all(home)
        if outcome != "failed":
            shutil.rmtree(home, ignore_errors=True)
        counts[outcome] += 1
        print(f"{outcome}: {title}: {said}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in counts.items()))
    return 1 if counts["failed"] else 0
