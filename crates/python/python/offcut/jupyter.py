"""Notebooks: `%load_ext offcut.jupyter` gives the cell magic `%%offcut`.

A cell under `%%offcut` runs as ever; what it prints is cut, shown with its gaps, and kept:

    %%offcut 4000
    !make test

The reply is in the variable `_offcut` afterwards, and `offcut.show(_offcut.handle)` has the whole.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from typing import Any

from ._offcut import Offcut
from ._stream import Stream


class CellMagic:
    """The cell magic `%%offcut [LIMIT]`."""

    def __init__(self, shell: Any, oc: Offcut) -> None:
        self._shell = shell
        self._oc = oc

    def __call__(self, line: str, cell: str) -> Any:
        """Run a cell and return the reply to what it printed."""
        stream = self._oc.stream(line.strip() or None, tool="notebook", args=cell)
        # Programs that a cell starts with `!` write where the notebook says.
        system = self._shell.system
        self._shell.system = lambda command: _run(command, stream)
        try:
            with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
                self._shell.run_cell(cell)
        finally:
            self._shell.system = system
        reply = stream.close()
        self._shell.user_ns["_offcut"] = reply
        return reply


def _run(command: str, stream: Stream) -> None:
    with subprocess.Popen(command, shell=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        if process.stdout is not None:
            shutil.copyfileobj(process.stdout, stream)


def load_ipython_extension(shell: Any) -> None:
    """Register the magic; IPython calls this for `%load_ext offcut.jupyter`."""
    from . import default

    shell.register_magic_function(CellMagic(shell, default()), magic_kind="cell", magic_name="offcut")
