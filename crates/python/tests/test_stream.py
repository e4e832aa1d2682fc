"""Outputs that come in chunks."""

from __future__ import annotations

import contextlib
import io
import shutil

import pytest
from conftest import PLANTED
from offcut import Offcut, OffcutError


def test_chunks_of_any_size_give_the_reply_of_the_whole(log):
    oc = Offcut()
    whole = oc.cut(log, 4000, tool="bash")
    for size in [1000, 4097, 100_000]:
        stream = oc.stream(4000, tool="bash")
        for start in range(0, len(log), size):
            stream.write(log[start : start + size])
        assert stream.taken == len(log.encode())
        assert stream.close().kept == whole.kept
        assert stream.closed and stream.close() is stream.reply


def test_it_serves_as_a_file(log):
    oc = Offcut()
    with oc.stream() as stream:
        with contextlib.redirect_stdout(stream):
            print("printed")
        print("also printed", file=stream)
        shutil.copyfileobj(io.BytesIO(b"copied\n"), stream)
        stream.writelines(["one\n", b"two\n", bytearray(b"three\n")])
        stream.flush()
    assert str(stream.reply) == "printed\nalso printed\ncopied\none\ntwo\nthree\n"


def test_a_character_may_be_split():
    stream = Offcut().stream()
    for byte in "caf\u00e9 \U0001f600\n".encode():
        stream.write(bytes([byte]))
    assert str(stream.close()) == "caf\u00e9 \U0001f600\n"


def test_what_is_over_the_largest_size_is_counted_and_dropped():
    stream = Offcut(options={"max_artifact_size": "100KB"}).stream()
    assert not stream.full
    for _ in range(300):
        assert stream.write("x" * 1023 + "\n") == 1024
    assert stream.full
    assert stream.close().report["is_error"]


def test_a_closed_stream_takes_nothing(log):
    stream = Offcut().stream()
    stream.write(log)
    assert PLANTED in stream.close()
    with pytest.raises(OffcutError, match="closed"):
        stream.write("more")
    assert not stream.writable()
