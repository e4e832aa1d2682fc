#!/usr/bin/env python3
"""A bill of materials (CycloneDX 1.6, JSON) of what a crate is built from: scripts/sbom.py CRATE PLATFORM

Lists every crate that is linked into it on that platform, with version, licence and the checksum of Cargo.lock, and the
crates that its grammars were taken from. The same sources give the same bytes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
GRAMMARS = PROJECT / "crates/grammars/vendor/sources.json"


def linked(metadata: dict, crate: str) -> set[str]:
    """Return the ids of the packages that are linked into a crate: no tools of its build, no tests."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    (root,) = (package["id"] for package in metadata["packages"] if package["name"] == crate)
    found, waiting = set(), [root]
    while waiting:
        package = waiting.pop()
        if package in found:
            continue
        found.add(package)
        for dependency in nodes[package]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    return found


def component(package: dict, checksums: dict[tuple[str, str], str]) -> dict:
    """Return one crate as CycloneDX describes it."""
    name, version = package["name"], package["version"]
    url = f"pkg:cargo/{name}@{version}"
    described = {"type": "library", "bom-ref": url, "name": name, "version": version, "purl": url}
    if package["license"]:
        described["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    if checksum := checksums.get((name, version)):
        described["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    return described


def main() -> None:
    """Print it."""
    crate, platform = sys.argv[1:]
    asked = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", platform]
    metadata = json.loads(subprocess.run(asked, cwd=PROJECT, capture_output=True, check=True).stdout)
    lock = tomllib.loads((PROJECT / "Cargo.lock").read_text())
    checksums = {(entry["name"], entry["version"]): entry.get("checksum") for entry in lock["package"]}
    ids = linked(metadata, crate)
    packages = [package for package in metadata["packages"] if package["id"] in ids]
    if any(package["name"] == "offcut-grammars" for package in packages):
        packages += json.loads(GRAMMARS.read_text())
    components = [component(package, checksums) for package in packages]
    components.sort(key=lambda component: component["bom-ref"])
    (subject,) = (component for component in components if component["name"] == crate)
    components.remove(subject)
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": {**subject, "type": "application"}},
        "components": components,
    }
    print(json.dumps(bill, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
