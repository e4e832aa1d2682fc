#!/usr/bin/env python3
"""How many of the questions of `offcut bench search --questions` plain BM25 answers.

Needs the package bm25s. Windows of 8 lines, each 4 lines after the one before; the best 4 are the answer.

    python3 scripts/bm25s-questions.py FOLDER crates/bench/questions/open.toml
"""

import pathlib
import re
import statistics
import sys
import tomllib

import bm25s

ANSI = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


def answer(text: str, question: str) -> str:
    lines = text.splitlines()
    windows = ["\n".join(lines[at : at + 8])[:2000] for at in range(0, len(lines), 4)]
    ranking = bm25s.BM25()
    ranking.index(bm25s.tokenize(windows, stopwords="en", show_progress=False), show_progress=False)
    asked = bm25s.tokenize([question], stopwords="en", show_progress=False)
    best, _ = ranking.retrieve(asked, k=min(4, len(windows)), show_progress=False)
    return "\n".join(windows[at] for at in best[0])


def main() -> None:
    folder, questions = sys.argv[1:]
    asked = tomllib.loads(pathlib.Path(questions).read_text())["question"]
    answered, sizes = 0, []
    for question in asked:
        text = ANSI.sub("", (pathlib.Path(folder) / question["file"]).read_text(errors="replace"))
        shown = answer(text, question["ask"])
        answered += bool(re.search(question["answer"], shown))
        sizes.append(len(shown) // 4)
    print(f"{answered} of {len(asked)} answered, median of {statistics.median(sizes):.0f} tokens (characters / 4)")


if __name__ == "__main__":
    main()
