"""What the tests have in common."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PROJECT = HERE.parents[2]

PLANTED = "error: disk /dev/sda7 is full"
"""The line that a model must see."""


@pytest.fixture
def log() -> str:
    """A log of 10,001 lines with one that matters in the middle, and a secret of the test in a gap."""
    quiet = "".join(f"12:00:{n % 60:02} INFO worker {n} finished its part\n" for n in range(10_000))
    lines = quiet.splitlines(keepends=True)
    return "".join([*lines[:5000], PLANTED + "\n", *lines[5000:]])


def testkit() -> Path | None:
    """Where the scripted model is: `OFFCUT_TESTKIT`, or `shared/testkit` beside the project."""
    named = os.environ.get("OFFCUT_TESTKIT")
    places = [Path(named)] if named else []
    places += [parent / "shared" / "testkit" for parent in PROJECT.parents]
    return next((place for place in places if (place / "fake_llm.py").is_file()), None)


def pytest_configure(config: pytest.Config) -> None:
    """Make the scripted model importable."""
    if place := testkit():
        sys.path.insert(0, str(place))
