"""What a cut returns: the text for the model, and the facts about it."""

from __future__ import annotations

import json
from functools import cached_property
from typing import TypedDict


class _Always(TypedDict):
    """What every report has."""

    version: int
    was_truncated: bool
    truncated_size: int
    content_type: str
    kind: str
    kind_confidence: float
    kind_reason: str
    omitted_lines: int
    omitted_characters: int
    kept: list[tuple[int, int]]
    artifact_created: bool
    duration_us: int


class Report(_Always, total=False):
    """The facts about one reply; `docs/report.md` describes each. What is not known, or zero, may be absent."""

    compacted: bool
    original_size: int
    original_bytes: int
    original_lines: int
    original_tokens: int
    truncated_tokens: int
    strategy: str
    omitted_elements: int
    omission_summary: str
    limit: str
    artifact_id: str
    artifact_handle: str
    artifact_path: str
    notice: str
    redactions: dict[str, int]
    overwritten_characters: int
    overwritten_artifact_id: str
    earlier_artifact_id: str
    escaped_characters: int
    degraded: list[str]
    is_error: bool


class Reply:
    """The answer to one output.

    `str(reply)` is the text for the model. It is the output as it came where that fits.
    """

    __slots__ = ("__dict__", "_report", "text")

    def __init__(self, text: str, report: str) -> None:
        self.text = text
        self._report = report

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        what = "cut" if self.was_truncated else "whole"
        return f"<Reply {what}, {len(self.text)} characters, handle {self.handle!r}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Reply) and (self.text, self._report) == (other.text, other._report)

    def __hash__(self) -> int:
        return hash(self.text)

    def __contains__(self, part: str) -> bool:
        return part in self.text

    def __len__(self) -> int:
        return len(self.text)

    @cached_property
    def report(self) -> Report:
        """The facts about the reply: sizes, kind, strategy, what was left out."""
        report: Report = json.loads(self._report)
        report["kept"] = [(first, last) for first, last in report["kept"]]
        return report

    @property
    def was_truncated(self) -> bool:
        """Whether anything of the output is not in the text."""
        return self.report["was_truncated"]

    @property
    def handle(self) -> str | None:
        """What to ask for the whole output by; none where the reply is the whole output, or it could not be kept."""
        return self.report.get("artifact_handle") or self.report.get("artifact_id")

    @property
    def kept(self) -> list[tuple[int, int]]:
        """The lines that are shown: first and last of each run, counted from 1."""
        return self.report["kept"]

    def _repr_html_(self) -> str:
        from ._html import reply_html

        return reply_html(self)
