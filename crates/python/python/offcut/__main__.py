"""`python -m offcut …`: the command `offcut` that comes with the package."""

from __future__ import annotations

import os
import sys
import sysconfig
from pathlib import Path


def command() -> Path | None:
    """Return where the package's own command is; none where it was installed without one."""
    places = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    # `pip install --target DIR` puts it beside the package.
    places.append(str(Path(__file__).resolve().parent.parent / "bin"))
    found = (Path(place) / ("offcut" + (sysconfig.get_config_var("EXE") or "")) for place in places if place)
    return next((path for path in found if path.is_file()), None)


def main() -> None:
    """Become the command."""
    path = command()
    if path is None:
        sys.exit("error: the command `offcut` did not come with this package\nhint: cargo install offcut")
    os.execv(path, [str(path), *sys.argv[1:]])


if __name__ == "__main__":
    main()
