"""An output that comes in chunks, as a file to write to."""

from __future__ import annotations

from collections.abc import Iterable
from types import TracebackType

from ._native import Intake
from ._reply import Reply


class Stream:
    """A file to write an output to, in whatever chunks it comes. `close()` returns the reply.

    Memory stays bounded, however much is written. It takes text and bytes, so that it serves for
    `print(…, file=stream)`, `contextlib.redirect_stdout(stream)` and `shutil.copyfileobj(source, stream)`.
    """

    def __init__(self, intake: Intake) -> None:
        self._intake = intake
        self._reply: Reply | None = None
        self._full = False

    def write(self, chunk: str | bytes | bytearray | memoryview) -> int:
        """Take a chunk in; returns its length.

        What comes after the maximum size of an artifact is counted and dropped, and the reply says so: see `full`.
        """
        if isinstance(chunk, bytearray | memoryview):
            chunk = bytes(chunk)
        if not self._intake.write(chunk):
            self._full = True
        return len(chunk)

    def writelines(self, chunks: Iterable[str | bytes]) -> None:
        """Take several chunks in."""
        for chunk in chunks:
            self.write(chunk)

    def close(self) -> Reply:
        """End the output and return the reply; closing again returns the same one."""
        if self._reply is None:
            self._reply = Reply(*self._intake.finish())
        return self._reply

    @property
    def reply(self) -> Reply:
        """The reply; ends the output where that was not done."""
        return self.close()

    @property
    def closed(self) -> bool:
        """Whether the output has ended."""
        return self._reply is not None

    @property
    def full(self) -> bool:
        """Whether the maximum size was reached: whoever writes may stop."""
        return self._full

    @property
    def taken(self) -> int:
        """Bytes taken in so far."""
        return self._intake.taken()

    def flush(self) -> None:
        """Do nothing: what was written is taken in."""

    def writable(self) -> bool:
        """Return whether it can be written to: until it is closed."""
        return not self.closed

    def readable(self) -> bool:
        """Return false."""
        return False

    def seekable(self) -> bool:
        """Return false."""
        return False

    def isatty(self) -> bool:
        """Return false."""
        return False

    def __enter__(self) -> Stream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
