"""Strategies that are Python callables."""

from __future__ import annotations

import threading

from offcut import Document, Offcut


def lines_with(word: str):
    def strategy(document: Document, room: int):
        for number, line in enumerate(document, 1):
            if word in line:
                yield (number, number, f"has {word}")

    return strategy


def test_a_callable_chooses_what_is_shown(log):
    oc = Offcut(strategies={"sevens": lines_with("worker 777 ")})
    reply = oc.cut(log, strategy="sevens")
    assert reply.kept == [(778, 778)]
    assert reply.report["strategy"] == "sevens"
    assert len(str(reply)) <= 8000
    assert "degraded" not in reply.report


def test_the_most_important_come_first_and_as_many_as_fit_are_shown(log):
    oc = Offcut(strategies={"from_the_end": lambda document, room: range(len(document), 0, -1)})
    reply = oc.cut(log, 3000, strategy="from_the_end")
    assert len(str(reply)) <= 3000
    assert reply.kept[-1][1] == 10_001 and len(reply.kept) == 1
    assert "degraded" not in reply.report


def test_a_range_that_is_too_long_is_shown_as_far_as_it_fits(log):
    oc = Offcut(strategies={"middle": lambda document, room: [(4000, 9000, "the middle"), (5, 6)]})
    reply = oc.cut(log, 4000, strategy="middle")
    assert reply.kept[-1][0] == 4000 and 4030 < reply.kept[-1][1] < 4200
    assert len(str(reply)) <= 4000


def test_ranges_may_overlap_and_reach_behind_the_end(log):
    ranges = [(10, 20), (15, 25), (1, 12), (9999, 20_000)]
    oc = Offcut(strategies={"overlapping": lambda document, room: ranges})
    assert oc.cut(log, strategy="overlapping").kept == [(1, 25), (9999, 10_001)]


def test_a_document_is_read_in_parts(log):
    seen = {}

    def strategy(document: Document, room: int):
        seen.update(lines=len(document), chars=document.chars, kind=document.kind, room=room, whole=document.read())
        seen["part"] = document.read(3, 4)
        seen["document"] = document
        return [1]

    Offcut(strategies={"curious": strategy}).cut(log, strategy="curious")
    lines = log.splitlines(keepends=True)
    assert (seen["lines"], seen["chars"], seen["whole"]) == (10_001, len(log), log)
    assert seen["part"] == "".join(lines[2:4])
    assert 0 < seen["room"] <= 8000


def test_what_a_callable_keeps_can_not_be_read_later(log):
    kept = []
    oc = Offcut(strategies={"keeper": lambda document, room: kept.append(document) or [1]})
    oc.cut(log, strategy="keeper")
    raised = []

    def read():
        try:
            kept[0].read()
        except Exception as error:
            raised.append(str(error))

    thread = threading.Thread(target=read, daemon=True)
    thread.start()
    thread.join(10)
    assert raised == ["the document can be read only while it is being cut"]


def test_a_callable_that_fails_or_does_not_apply_gives_way_to_another_strategy(log, caplog):
    def broken(document: Document, room: int):
        raise KeyError("oops")

    strategies = {"broken": broken, "shy": lambda document, room: None, "wrong": lambda document, room: [(9, 3)]}
    oc = Offcut(strategies=strategies)
    for name, why in [("broken", "KeyError"), ("shy", "does not apply"), ("wrong", "not a range of lines")]:
        reply = oc.cut(log, strategy=name)
        assert len(str(reply)) <= 8000 and reply.was_truncated
        assert any(name in said and why in said for said in reply.report["degraded"]), reply.report["degraded"]
    assert any("oops" in record.getMessage() and "test_strategy" in record.getMessage() for record in caplog.records)


def test_options_may_name_one(log):
    oc = Offcut(strategies={"first": lambda document, room: [1]}, options={"overrides": {"odd": {"strategy": "first"}}})
    assert oc.cut(log, tool="odd").kept == [(1, 1)]
    assert oc.cut(log, tool="bash").kept != [(1, 1)]
