#!/usr/bin/env python3
"""Does extraction let a weak model invent? Asks a real small one about the ends of real logs, and looks every answer up.

    scripts/small-model.sh run e2e/small_model.py --offcut target/release/offcut --logs DIR [--answers 100]

An invention is a number, a quotation or a name with signs in it that neither the output nor the question holds and that
Offcut did not mark. Needs OFFCUT_MODEL and OFFCUT_MODEL_URL; a minute an answer on a slow machine.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

QUESTIONS = [
    "why did it fail?",
    "which test failed first?",
    "what is the error message?",
    "which command failed?",
    "which versions were installed?",
    "how many tests failed?",
    "which file is the error in?",
]
MARK = "(not in the output)"
CLAIM = re.compile(r"`([^`\n]{4,})`|\"([^\"\n]{4,})\"|(\b\d{2,}\b)|(\b\w+(?:[./_:-]\w+)+\b)")
# So much of a log is asked about: one request that a small model can take in.
TAIL = 2500


def inventions(answer: str, known: str) -> list[str]:
    """What the answer says that is neither known nor marked."""
    body = answer.partition("\n\n")[2]
    squeezed = " ".join(known.split())
    found = []
    for claim in CLAIM.finditer(body):
        said = next(group for group in claim.groups() if group)
        if " ".join(said.split()) not in squeezed and not body[claim.end() :].lstrip("`\" ").startswith(MARK):
            found.append(said)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--offcut", required=True, type=Path)
    parser.add_argument("--logs", required=True, type=Path)
    parser.add_argument("--answers", type=int, default=100)
    options = parser.parse_args()
    if not os.environ.get("OFFCUT_MODEL_URL"):
        sys.exit("OFFCUT_MODEL_URL is not set: run it by `scripts/small-model.sh run …`")
    logs = sorted(path for path in options.logs.rglob("*.log") if path.stat().st_size > TAIL)
    random.Random(5).shuffle(logs)
    by_model = by_search = invented = 0
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "offcut.toml").write_text("[extraction]\ncontext_tokens = 2048\noutput_tokens = 160\n")
        for number in range(options.answers):
            output = logs[number % len(logs)].read_bytes()[-TAIL:]
            question = QUESTIONS[number % len(QUESTIONS)]
            place = ["--store", f"{folder}/{number}", "--config", f"{folder}/offcut.toml"]
            program = str(options.offcut.resolve())
            subprocess.run([program, "--limit", "400", *place], input=output, capture_output=True, check=True)
            asked = [program, "extract", "last", question, "--mode", "full-chunked", "--json", *place]
            answer = json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)["text"]
            refused = "STRATEGY:search" in answer
            print(f"{number + 1} of {options.answers}: {'refused, search answers' if refused else 'answered'}", flush=True)
            if refused:
                by_search += 1
                continue
            by_model += 1
            for said in inventions(answer, output.decode("utf-8", "replace") + question):
                invented += 1
                print(f"invented: {said!r} in answer {number} ({question})")
    print(f"{by_model} answers of the model, {by_search} refused and answered by search, {invented} inventions")
    sys.exit(1 if invented else 0)


if __name__ == "__main__":
    main()
