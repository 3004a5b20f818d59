#!/usr/bin/env python3
"""Writes a project with many skills, the same for the same seed.

    generate.py --to DIR --skills 500 --seed 7
"""

import argparse
import pathlib
import random

WORDS = """review deploy release branch commit schema query table index cache login token image video
audio chart report invoice contract form page layout style theme button screen widget model service
worker queue event stream batch export import parse render compile lint format migrate rollback trace
profile measure monitor alert backup restore encrypt decrypt sign verify translate summarise classify
extract merge split convert validate publish archive search sort filter group plan estimate schedule"""


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--to", type=pathlib.Path, required=True)
    arguments.add_argument("--skills", type=int, default=500)
    arguments.add_argument("--seed", type=int, default=7)
    given = arguments.parse_args()
    chance = random.Random(given.seed)
    words = WORDS.split()
    for number in range(given.skills):
        name = f"{chance.choice(words)}-{chance.choice(words)}-{number:03}"
        folder = given.to / ".claude" / "skills" / name
        (folder / "references").mkdir(parents=True, exist_ok=True)
        description = " ".join(chance.choices(words, k=chance.randint(15, 60)))
        # Bodies of a few kilobytes, as published ones have.
        lines = [" ".join(chance.choices(words, k=10)) for _ in range(chance.randint(40, 200))]
        text = f"---\nname: {name}\ndescription: {description}\n---\n\n# {name}\n\n" + "\n".join(lines)
        (folder / "SKILL.md").write_text(text + "\n")
        (folder / "references" / "more.md").write_text("\n".join(lines[:20]) + "\n")


if __name__ == "__main__":
    main()
