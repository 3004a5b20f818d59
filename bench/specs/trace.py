#!/usr/bin/env python3
"""Whether the line that `trace` draws parts requirements that are about the code from those that are
not: how many requirements of a repository find code and tests of their own, and how many of another
repository's requirements find any there.

    trace.py --ken target/release/ken --own ROOT [--foreign ROOT ...]

ROOT is a checkout with specs. The first is indexed with its own specs, and then with those of each of the
others in their place; nothing in ROOT is changed. Prints Markdown.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

FOLDERS = ("openspec/specs", "specs")


def coverage(ken, root, home):
    environment = {**os.environ, "HOME": home, "KEN_HOME": home, "XDG_CONFIG_HOME": home}

    def run(*arguments):
        done = subprocess.run([ken, *arguments, "--root", str(root), "--json"], env=environment, capture_output=True)
        if done.returncode:
            raise SystemExit(f"{' '.join(arguments)}: {done.stdout.decode()}{done.stderr.decode()}")
        return json.loads(done.stdout)

    subprocess.run([ken, "index", str(root)], env=environment, check=True, capture_output=True)
    return run("specs", "coverage")["totals"]


def copy(root, to):
    """A checkout without what git keeps."""
    shutil.copytree(root, to, symlinks=True, ignore=shutil.ignore_patterns(".git", "node_modules", "target"))


def replace_specs(tree, other):
    for folder in (*FOLDERS, "openspec/changes"):
        shutil.rmtree(tree / folder, ignore_errors=True)
    for folder in FOLDERS:
        if (other / folder).is_dir():
            shutil.copytree(other / folder, tree / folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ken", required=True)
    parser.add_argument("--own", type=pathlib.Path, required=True)
    parser.add_argument("--foreign", type=pathlib.Path, action="append", default=[])
    options = parser.parse_args()
    ken = os.path.abspath(options.ken)
    print(f"| code of {options.own.name}, requirements of | requirements | with code | with tests |")
    print("|---|--:|--:|--:|")
    for specs in [options.own, *options.foreign]:
        with tempfile.TemporaryDirectory() as folder:
            tree = pathlib.Path(folder) / "tree"
            copy(options.own, tree)
            if specs != options.own:
                replace_specs(tree, specs)
            totals = coverage(ken, tree, os.path.join(folder, "home"))
            count = totals["requirements"]
            share = [f"{100 * totals[key] / max(count, 1):.0f} %" for key in ("with_code", "with_tests")]
            print(f"| {specs.name} | {count} | {share[0]} | {share[1]} |", flush=True)


if __name__ == "__main__":
    main()
