"""Cutting: what goes in, what comes out, what is refused."""

from __future__ import annotations

import io
import json
from hashlib import sha256
from pathlib import Path

import offcut
import pytest
from conftest import PLANTED
from offcut import Offcut, OffcutError

LETTERS = str.maketrans("0123456789", "ghijklmnop")


def test_a_long_output_is_cut_to_the_limit_and_kept_whole(log):
    reply = offcut.cut(log, tool="bash", args={"command": "make"})
    assert len(str(reply)) <= 8000
    assert PLANTED in str(reply)
    assert reply.was_truncated
    assert reply.report["original_lines"] == 10_001
    assert any(first <= 5001 <= last for first, last in reply.kept)
    assert offcut.show(reply.handle) == log
    assert offcut.show(reply.handle, "5001") == PLANTED + "\n"


def test_what_fits_is_returned_as_it_came():
    reply = offcut.cut("all is well\n")
    assert (str(reply), reply.was_truncated, reply.handle) == ("all is well\n", False, None)
    assert reply.kept == [(1, 1)]
    assert str(offcut.cut("")) == ""


def test_text_bytes_buffers_paths_and_files_give_the_same_reply(log, tmp_path):
    path = tmp_path / "out.log"
    path.write_text(log)
    oc = Offcut()
    outputs = [log, log.encode(), bytearray(log.encode()), memoryview(log.encode()), path, io.StringIO(log)]
    with path.open("rb") as binary, path.open() as text:
        replies = [oc.cut(output, 4000) for output in [*outputs, binary, text]]
    kept = [reply.kept for reply in replies]
    assert kept == [kept[0]] * 8
    assert all(len(str(reply)) <= 4000 and PLANTED in reply for reply in replies)


def test_a_string_is_text_and_never_a_path(tmp_path):
    path = tmp_path / "out.log"
    path.write_text("content")
    assert str(offcut.cut(str(path))) == str(path)
    assert str(offcut.cut(path)) == "content"


def test_limits_have_units(log):
    oc = Offcut()
    assert len(str(oc.cut(log, "2KB")).encode()) <= 2048
    assert oc.cut(log, "300 tokens").report["truncated_tokens"] <= 300
    assert len(str(oc.cut(log, "20 lines")).splitlines()) <= 20
    assert len(str(Offcut(limit=1500).cut(log))) <= 1500


@pytest.mark.parametrize(
    "text", ["ok \ud800 half a pair\n", "caf\u00e9 \U0001f600\n", "nul \x00 and \x1b[31mred\x1b[0m\n"]
)
def test_text_that_is_not_clean_is_cleaned(text):
    shown = str(offcut.cut(text))
    assert "\ud800" not in shown and "\x00" not in shown and "\x1b" not in shown
    assert shown.endswith("\n")


def test_a_secret_reaches_neither_the_reply_nor_the_store(tmp_path):
    oc = Offcut(store=tmp_path)
    key = "AKIA" + "Q7WERTZ4UIOPAS3D"
    reply = oc.cut(f"aws_access_key_id = {key}\n" + "x\n" * 9000)
    assert key not in str(reply)
    assert reply.report["redactions"]
    assert key not in oc.show(reply.handle)
    assert not any(key.encode() in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_a_header_says_how_the_call_ended(log):
    oc = Offcut()
    assert "exit 2" in str(oc.cut(log, tool="bash", exit_code=2)).splitlines()[0]
    assert "exit" not in str(oc.cut(log, tool="bash", exit_code=0)).splitlines()[0]
    assert "the call failed" in str(oc.cut(log, tool="bash", failed=True)).splitlines()[0]


def test_a_kind_can_be_given(log):
    assert offcut.cut(log, kind="log").report["kind"] == "log"
    assert offcut.cut(json.dumps([{"id": n} for n in range(5000)]), kind="json").report["kind"] == "json"


def test_profiles_change_the_wording(log):
    for profile in ["auto", "balanced", "paged", "handle", "bookends"]:
        reply = Offcut(profile).cut(log)
        assert reply.was_truncated and reply.report["artifact_id"], profile
    assert "tool_output(handle" in str(Offcut("handle").cut(log))


def test_options_are_those_of_a_configuration_file():
    words = [sha256(b"%d" % n).hexdigest().translate(LETTERS) for n in range(2000)]
    prose = "".join(f"{word[:9]} {word[9:14]} {word[14:22]}: {word[22:40]}.\n" for word in words)
    oc = Offcut(options={"overrides": {"grep": {"inline_limit": 1000}}})
    assert len(str(oc.cut(prose, tool="grep"))) <= 1000
    assert 1000 < len(str(oc.cut(prose, tool="bash"))) <= 8000


@pytest.mark.parametrize(
    ("make", "code", "words"),
    [
        (lambda: Offcut("fast"), "bad_option", ["profile", "fast", "auto"]),
        (lambda: Offcut(options={"inline_limt": 3}), "bad_option", ["inline_limt", "inline_limit"]),
        (lambda: Offcut(session="a/b"), "invalid_id", ["a/b", "1 to 64"]),
        (lambda: Offcut(store=""), "bad_argument", ["store", "memory"]),
        (lambda: Offcut(store="ftp://host/x"), None, ["ftp://host/x"]),
        (lambda: offcut.cut("x", limit="many"), "bad_argument", ["limit", "many", "tokens"]),
        (lambda: offcut.cut("x", kind="poem"), "bad_argument", ["kind", "poem"]),
        (lambda: offcut.cut("x", strategy="best"), "bad_option", ["strategy", "best", "head_tail"]),
        (lambda: offcut.cut(Path("/no/such/file")), "unreadable", ["/no/such/file"]),
        (lambda: offcut.show("art_1699234567890_a1b2c3d4e5f60718"), None, ["art_1699234567890_a1b2c3d4e5f60718"]),
    ],
)
def test_what_is_refused_says_what_is_wrong_and_what_would_be_right(make, code, words):
    with pytest.raises(OffcutError) as caught:
        make()
    assert all(word in str(caught.value) for word in words), str(caught.value)
    assert " at line " not in str(caught.value)
    assert caught.value.code if code is None else caught.value.code == code, caught.value.code


def test_what_is_no_output_is_a_type_error():
    with pytest.raises(TypeError, match="an output is str, bytes, a path or a file"):
        offcut.cut(3)


def test_without_a_store_the_reply_says_that_nothing_was_kept(log):
    reply = Offcut(store="none").cut(log)
    assert reply.handle is None
    assert any("not kept" in why for why in reply.report["degraded"])


def test_an_output_over_the_largest_size_is_refused_with_its_ends(log):
    reply = Offcut(options={"max_artifact_size": "100KB"}).cut(log)
    assert reply.report["is_error"]
    assert len(str(reply)) <= 8000


def test_a_reply_shows_its_gaps_in_a_notebook(log):
    page = offcut.cut(log + "<b>&\n")._repr_html_()
    assert 'class="offcut-gap"' in page and "&lt;b&gt;&amp;" in page and "<b>&" not in page
    assert page.count("offcut-gap") >= 2
