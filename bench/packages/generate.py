#!/usr/bin/env python3
"""Writes a repository of many packages to measure on: npm, cargo, python and go in one tree, with
source files beside the manifests so that walking it costs what walking a real one costs.

    generate.py --to DIR --packages 1000 --seed 7

The same arguments give the same tree. DIR must not exist, or be empty."""

import argparse
import json
import pathlib
import random
import subprocess

# Of a hundred packages.
SHARES = {"npm": 40, "cargo": 25, "python": 20, "go": 15}
FILES_PER_PACKAGE = range(3, 9)
OUTSIDE = {
    "npm": ["react", "lodash", "typescript", "@types/node", "vitest", "zod"],
    "cargo": ["serde", "tokio", "anyhow", "tracing", "regex"],
    "python": ["requests", "numpy", "pydantic", "pytest", "click"],
    "go": ["github.com/spf13/cobra", "golang.org/x/sync", "go.uber.org/zap"],
}
SUFFIX = {"npm": "ts", "cargo": "rs", "python": "py", "go": "go"}
WORDS = "auth billing cart cache client config core crypto event graph http index job ledger log " \
        "mail metric order page parser price queue report router search session store token ui user".split()


class Generator:
    def __init__(self, root, count, seed):
        self.root = root
        self.random = random.Random(seed)
        self.packages = [self.package(number, count) for number in range(count)]

    def package(self, number, count):
        bound, share = 0, number * 100 // count
        for kind, percent in SHARES.items():
            bound += percent
            if share < bound:
                break
        name = f"{self.random.choice(WORDS)}-{self.random.choice(WORDS)}-{number}"
        group = self.random.choice("apps libs services tools".split())
        return {"kind": kind, "name": name, "directory": f"{kind}/{group}/{name}"}

    def write(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def needed(self, number):
        """Packages of the same kind that come before this one, so that there are no cycles."""
        package = self.packages[number]
        earlier = [other for other in self.packages[:number] if other["kind"] == package["kind"]]
        return self.random.sample(earlier, min(len(earlier), self.random.randint(0, 6)))

    def outside(self, kind):
        return self.random.sample(OUTSIDE[kind], self.random.randint(1, 3))

    def all(self):
        for number, package in enumerate(self.packages):
            inside, outside = self.needed(number), self.outside(package["kind"])
            getattr(self, package["kind"])(package, inside, outside)
            self.sources(package)
        of_kind = lambda kind: [p["directory"] for p in self.packages if p["kind"] == kind]
        self.write("package.json", json.dumps({"name": "generated", "private": True, "workspaces": ["npm/*/*"]}))
        self.write("Cargo.toml", '[workspace]\nresolver = "2"\nmembers = ["cargo/*/*"]\n'
                   '[workspace.package]\nversion = "1.0.0"\nedition = "2021"\n')
        self.write("pyproject.toml", '[tool.uv.workspace]\nmembers = ["python/*/*"]\n')
        self.write("go.work", "go 1.22\n\nuse (\n" + "".join(f"\t./{d}\n" for d in of_kind("go")) + ")\n")
        self.write(".gitignore", "node_modules/\ntarget/\ndist/\n__pycache__/\n*.log\n.shire/\n")
        self.commit()

    def commit(self):
        git = ["git", "-C", str(self.root), "-c", "user.name=nobody", "-c", "user.email=nobody@example.com"]
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Generated"]):
            subprocess.run([*git, *command], check=True)

    def npm(self, package, inside, outside):
        self.write(f"{package['directory']}/package.json", json.dumps({
            "name": package["name"], "version": "1.0.0",
            "description": f"The {package['name'].replace('-', ' ')} package",
            "main": "dist/index.js", "scripts": {"build": "tsc", "test": "vitest"},
            "dependencies": {**{p["name"]: "^1.0.0" for p in inside}, **{o: "^1.2.3" for o in outside}},
            "devDependencies": {"vitest": "^2.0.0"}}, indent=2))

    def cargo(self, package, inside, outside):
        up = "../../.."
        lines = [f'{p["name"]} = {{ path = "{up}/{p["directory"]}", version = "1" }}' for p in inside]
        lines += [f'{name} = "1"' for name in outside]
        self.write(f"{package['directory']}/Cargo.toml",
                   f'[package]\nname = "{package["name"]}"\nversion.workspace = true\n'
                   f'edition.workspace = true\ndescription = "{package["name"]}"\n\n'
                   "[dependencies]\n" + "\n".join(lines) + '\n\n[dev-dependencies]\ninsta = "1"\n')

    def python(self, package, inside, outside):
        required = json.dumps([p["name"] for p in inside] + [f"{name}>=1.0" for name in outside])
        sources = "".join(f'{p["name"]} = {{ workspace = true }}\n' for p in inside)
        self.write(f"{package['directory']}/pyproject.toml",
                   f'[project]\nname = "{package["name"]}"\nversion = "1.0.0"\n'
                   f'description = "{package["name"]}"\ndependencies = {required}\n\n'
                   f"[tool.uv.sources]\n{sources}\n"
                   '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n')

    def go(self, package, inside, outside):
        required = [f"\texample.com/{p['name']} v1.0.0\n" for p in inside]
        required += [f"\t{name} v1.2.3\n" for name in outside]
        self.write(f"{package['directory']}/go.mod",
                   f"module example.com/{package['name']}\n\ngo 1.22\n\nrequire (\n{''.join(required)})\n")

    def sources(self, package):
        suffix = SUFFIX[package["kind"]]
        self.write(f"{package['directory']}/README.md", f"# {package['name']}\n")
        for number in range(self.random.choice(FILES_PER_PACKAGE)):
            folder = "src" if number % 3 else f"src/{self.random.choice(WORDS)}"
            lines = "".join(f"// {self.random.choice(WORDS)} {line}\n" for line in range(self.random.randint(5, 60)))
            self.write(f"{package['directory']}/{folder}/{self.random.choice(WORDS)}{number}.{suffix}", lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--to", type=pathlib.Path, required=True)
    parser.add_argument("--packages", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    if arguments.to.exists() and any(arguments.to.iterdir()):
        parser.error(f"{arguments.to} is not empty")
    Generator(arguments.to, arguments.packages, arguments.seed).all()


if __name__ == "__main__":
    main()
