"""Reading back, asking, and what a session sees."""

from __future__ import annotations

import json
import re

import pytest
from conftest import PLANTED
from offcut import Offcut, OffcutError


@pytest.fixture
def kept(log):
    oc = Offcut()
    return oc, oc.cut(log, tool="bash", args="make all")


def test_lines_bytes_and_the_end_are_shown(kept, log):
    oc, reply = kept
    lines = log.splitlines(keepends=True)
    assert oc.show(reply.handle, (12, 14)) == "".join(lines[11:14])
    assert oc.show(reply.handle, "12-14") == "".join(lines[11:14])
    assert oc.show(reply.handle, 5001) == PLANTED + "\n"
    assert oc.show(reply.handle, "b0-8") == log[:8]
    assert oc.show(reply.handle, tail=2) == "".join(lines[-2:])
    assert oc.show("last") == log
    with pytest.raises(OffcutError, match="cannot be used together"):
        oc.show(reply.handle, 1, tail=1)


def test_lines_that_match_are_found(kept):
    oc, reply = kept
    assert oc.grep(reply.handle, "DISK", ignore_case=True) == f"5001: {PLANTED}\n"
    assert oc.grep(reply.handle, "disk", context=1).count("\n") == 3
    assert oc.grep(reply.handle, "worker", max_matches=3, lines="10-20").count("\n") == 3
    assert oc.grep(reply.handle, "nothing like it") == ""
    with pytest.raises(OffcutError) as caught:
        oc.grep(reply.handle, "(")
    assert caught.value.code == "bad_pattern"


def test_json_is_queried():
    oc = Offcut()
    users = [{"id": n, "name": f"user{n}", "ok": n != 4321} for n in range(9000)]
    reply = oc.cut(json.dumps({"users": users}))
    assert oc.query(reply.handle, "$.users[?@.ok == false].name") == ["user4321"]
    assert oc.query(reply.handle, "$.users[*].id", offset=8998) == [8998, 8999]
    with pytest.raises(OffcutError) as caught:
        oc.query(reply.handle, "$[")
    assert caught.value.code == "bad_query"


def test_all_outputs_of_a_session_are_searched(kept):
    oc, reply = kept
    oc.cut("nothing of note\n" * 2000, tool="other")
    best = oc.search("disk full", limit=3)[0]
    assert best.artifact_id == reply.report["artifact_id"]
    assert (best.tool, best.args) == ("bash", "make all")
    assert best.first_line <= 5001 <= best.last_line and PLANTED in best.text
    with pytest.raises(ValueError, match="empty"):
        oc.search(" ")


def test_a_question_is_answered_without_a_model(kept):
    oc, reply = kept
    answer = oc.extract(reply.handle, "which disk is full?")
    assert "/dev/sda7" in str(answer) and not answer.failed
    assert answer.account["mode"] == "search"


def test_a_question_is_answered_by_a_callable_that_asks_a_model(kept):
    oc, reply = kept
    asked = []

    def model(system: str, user: str, max_tokens: int) -> str:
        asked.append((system, user, max_tokens))
        # A report is taken only from the wrapper that the prompt names.
        opening, closing = re.search(r"once:\s+(<.+?>) \.\.\. (</.+?>)", system + user).groups()
        return f"{opening}The disk /dev/sda7 is full.{closing}"

    answer = oc.extract(reply.handle, "which disk is full?", "full-chunked", model=model)
    assert not answer.failed and asked
    assert any(PLANTED in user for _, user, _ in asked)
    assert answer.account["mode"] == "full-chunked"
    assert "The disk /dev/sda7 is full." in str(answer)


def test_a_model_that_raises_does_not_fail_the_call(kept):
    oc, reply = kept

    def model(system: str, user: str, max_tokens: int) -> str:
        raise RuntimeError("no credit left")

    answer = oc.extract(reply.handle, "which disk is full?", "full-chunked", model=model)
    assert "no credit left" in str(answer) or answer.account["fallbacks"]


def test_the_models_tool_gives_pages_and_sentences(kept):
    oc, reply = kept
    assert oc.get_artifact(reply.handle, lines="5001-5001").startswith(PLANTED)
    assert f'Next: get_artifact(id="{reply.handle}", lines="' in oc.get_artifact(reply.handle)
    assert PLANTED in oc.get_artifact(reply.handle, pattern="disk")
    assert oc.get_artifact("zzzz").startswith("error: ")
    assert oc.get_artifact(reply.handle, lines="1-2", query="$").startswith("error: ")


def test_sessions_do_not_see_each_other_and_outlive_their_object(tmp_path, log):
    reply = Offcut(store=tmp_path, session="one").cut(log)
    assert Offcut(store=tmp_path, session="one").show(reply.handle) == log
    with pytest.raises(OffcutError) as caught:
        Offcut(store=tmp_path, session="two").show(reply.report["artifact_id"])
    assert caught.value.code == "foreign"


def test_a_session_can_end_with_its_outputs(tmp_path, log):
    with Offcut(store=tmp_path, options={"artifacts": {"cleanup_on_exit": True}}) as oc:
        assert oc.cut(log).handle
        assert len(oc.artifacts()) == 1
    assert Offcut(store=tmp_path).artifacts() == []


def test_artifacts_are_listed(kept):
    oc, reply = kept
    (info,) = oc.artifacts()
    assert info["id"] == reply.report["artifact_id"]
    assert info["source"] == {"tool": "bash", "arguments": "make all"}
