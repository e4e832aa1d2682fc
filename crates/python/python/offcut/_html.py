"""A reply as a notebook shows it."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._reply import Reply

_GAP = re.compile(r"^\[\S+ b?\d+-\d+(?:: .*)?\]$|^\.\.\. \[.* omitted.*\] \.\.\.$")


def reply_html(reply: Reply) -> str:
    """Return the reply's text as HTML with its gaps set off, and a line of figures above."""
    report = reply.report
    lines = [_line(line, reply.handle) for line in reply.text.splitlines()]
    shown = f"{report['truncated_size']:,}"
    total = f"{report.get('original_size', len(reply.text)):,}"
    facts = [f"{shown} of {total} characters", report["kind"]]
    if reply.handle:
        facts.append(f"handle <code>{html.escape(reply.handle)}</code>")
    figures = " · ".join(fact for fact in facts if fact)
    return (
        f'<div class="offcut"><div style="opacity:.7;font-size:.85em">{figures}</div>'
        f'<pre style="max-height:30em;overflow:auto;margin:.3em 0">{"".join(lines)}</pre></div>'
    )


def _line(line: str, handle: str | None) -> str:
    text = html.escape(line) + "\n"
    if handle and _GAP.match(line):
        return f'<span class="offcut-gap" style="opacity:.6;font-style:italic">{text}</span>'
    return text
