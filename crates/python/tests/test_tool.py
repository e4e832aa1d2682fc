"""The decorator, logging, and threads."""

from __future__ import annotations

import asyncio
import inspect
import logging
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import offcut
import pytest
from conftest import PLANTED
from offcut import Offcut


def test_what_a_function_returns_is_cut(log):
    oc = Offcut()

    @oc.tool
    def run(command: str, times: int = 1) -> str:
        """Run a command."""
        return log * times

    shown = run("make", times=1)
    assert isinstance(shown, str) and len(shown) <= 8000 and PLANTED in shown
    assert (run.__name__, run.__doc__) == ("run", "Run a command.")
    assert str(inspect.signature(run)) == "(command: 'str', times: 'int' = 1) -> 'str'"
    (info,) = oc.artifacts()
    assert info["source"] == {"tool": "run", "arguments": '{"command": "make", "times": 1}'}


def test_it_takes_a_name_and_a_limit(log):
    @offcut.tool(name="shell", limit=2000)
    def run() -> bytes:
        return log.encode()

    assert len(run()) <= 2000


async def test_a_coroutine_function_stays_one(log):
    oc = Offcut()

    @oc.tool(limit=3000)
    async def fetch(url: str) -> str:
        await asyncio.sleep(0)
        return log

    assert inspect.iscoroutinefunction(fetch)
    shown = await fetch("http://127.0.0.1/")
    assert len(shown) <= 3000 and PLANTED in shown


def test_other_values_and_exceptions_pass():
    @offcut.tool
    def compute(fail: bool) -> dict:
        if fail:
            raise ZeroDivisionError("as ever")
        return {"answer": 42}

    assert compute(False) == {"answer": 42}
    with pytest.raises(ZeroDivisionError, match="as ever"):
        compute(True)


def test_methods_can_be_tools(log):
    oc = Offcut()

    class Box:
        @oc.tool
        def run(self, command: str) -> str:
            return log

    assert PLANTED in Box().run("x")
    assert oc.artifacts()[0]["source"]["arguments"] == '{"command": "x"}'


def test_what_happens_is_logged_without_content(log, caplog):
    oc = Offcut()
    with caplog.at_level(logging.INFO, logger="offcut"):
        reply = oc.cut(log, tool="bash")
        oc.show(reply.handle, 1)
    said = [record.getMessage() for record in caplog.records if record.name == "offcut"]
    assert any("bash" in line for line in said) and any("artifact retrieved" in line for line in said)
    assert not any("worker" in line or PLANTED in line for line in said)
    caplog.clear()
    with caplog.at_level(logging.WARNING, logger="offcut"):
        oc.cut(log, tool="bash")
    assert not caplog.records


def test_nothing_is_printed_that_nobody_asked_for():
    script = "import offcut; print(offcut.default().get_artifact('!!')[:6])"
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert (told.stdout, told.stderr) == ("error:\n", "")


def test_python_goes_on_while_an_output_is_cut(log):
    large = log * 40
    oc = Offcut()
    done = threading.Event()
    worker = threading.Thread(target=lambda: (oc.cut(large), done.set()))
    ticks = 0
    worker.start()
    while not done.is_set():
        time.sleep(0.001)
        ticks += 1
    worker.join(60)
    # With the lock held there would be none between start and end.
    assert ticks >= 5


def test_many_threads_share_one(log):
    oc = Offcut()
    with ThreadPoolExecutor(8) as pool:
        replies = list(pool.map(lambda n: oc.cut(f"{n}\n{log}", 4000), range(32)))
    assert len({reply.handle for reply in replies}) == 32
    assert all(oc.show(reply.handle, 1) == f"{n}\n" for n, reply in enumerate(replies))


@pytest.mark.parametrize("prefix", ["", "b"])
def test_a_large_output_is_read_where_python_keeps_it(tmp_path, prefix):
    script = f"""
import resource
from offcut import Offcut

def most():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

oc = Offcut(store={str(tmp_path)!r})
oc.cut("a line of a first output\\n" * 200_000)
output = {prefix}"2026-11-17T12:00:00Z INFO a request was served\\n" * 2_000_000
before = most()
reply = oc.cut(output)
print(len(output) >> 20, most() - before, reply.was_truncated)
"""
    told = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    size, more, cut = told.stdout.split()
    assert int(size) >= 85 and cut == "True"
    # A copy would take as much again.
    assert int(more) <= 60, told.stdout
