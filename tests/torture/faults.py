#!/usr/bin/env python3
"""Faults: full and read-only disks, missing permissions, a wrong clock, files and databases that change or vanish.

    tests/torture/faults.py                     each case once, some minutes
    tests/torture/faults.py --rounds 100        by hand
    tests/torture/faults.py --case two_indexers

During a fault each command must succeed or fail with a message that names the cause, and each answer must be right, an
error, or carry a notice. After the fault one `ken index` must succeed, and every answer must be that of a fresh index.
Cases that need another user or a small disk run as root only. Needs a C compiler; the shim is shim.c."""

import argparse
import contextlib
import os
import pathlib
import random
import resource
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

import common

NOBODY = {"user": 65534, "group": 65534, "extra_groups": []}
DAY = 86_400
# A list by contract: it has no place for a notice. Of an index that was not completed, it has what is there.
NO_NOTICE = ["search_code_fulltext"]
# Words of a message that names a full disk, missing rights, or another process.
FULL = ("No space", "disk is full", "File too large", "full", "quota")
DENIED = ("ermission denied", "ead-only", "readonly", "cannot be written", "may not")
BUSY = ("lock", "another process", "busy", "already")


class Place:
    """A tree, its KEN_HOME, and the answers of an undisturbed index."""

    def __init__(self, folder, shim):
        self.folder, self.shim = pathlib.Path(folder), str(shim)
        self.home, self.tree = self.folder / "home", self.folder / "tree"
        self.wrong = []
        common.make_tree(self.folder / "original")
        self.restore()
        self.must_succeed(common.index(self.home, self.tree), "setting up")
        self.healthy = self.answers()
        shutil.copytree(self.home, self.folder / "indexed-home")

    def restore(self):
        common.replace_folder(self.folder / "original", self.tree)
        shutil.rmtree(self.home, ignore_errors=True)
        (self.folder / "user").mkdir(exist_ok=True)

    def restore_indexed(self):
        self.restore()
        shutil.copytree(self.folder / "indexed-home", self.home)

    def fail(self, text):
        self.wrong.append(text)

    def answers(self, home=None, **options):
        server = common.Server(home or self.home, self.tree, **options)
        answers = server.ask_all()
        self.end(server)
        return answers

    def end(self, server):
        code = server.close()
        if server.has_panicked() or code not in (0, None):
            self.fail(f"the server ended with {code}: {' | '.join(server.errors)[-300:]}")

    def must_succeed(self, outcome, what):
        code, _, stderr = outcome
        if code != 0:
            self.fail(f"{what} ended with {code}: {stderr.strip()[-300:]}")

    def may_fail(self, outcome, causes, what):
        """Success is allowed, and so is an error that names its cause. Returns true on success."""
        code, _, stderr = outcome
        if code < 0 or code == 101 or "panicked at" in stderr:
            self.fail(f"{what} died with {code}: {stderr.strip()[-300:]}")
        elif code != 0 and not any(cause in stderr for cause in causes):
            self.fail(f"{what} ended with {code} and does not name the cause: {stderr.strip()[-300:]}")
        return code == 0

    def must_be_honest(self, answers, what, expected=None):
        """Each answer is right, an error, or carries a notice."""
        for question, healthy, answer in zip(common.QUESTIONS, expected or self.healthy, answers):
            if answer.get("error", {}).get("is_lost"):
                self.fail(f"{what}: no answer to {question[0]}")
            elif question[0] == "list_skills" and not self.tree.exists():
                # The skills of the repository are gone with it; those of the user stay.
                continue
            elif question[0] in NO_NOTICE and common.text_of(answer) == "[]":
                continue
            elif not (common.is_error(answer) or common.has_notice(answer)) and common.text_of(answer) != common.text_of(healthy):
                self.fail(f"{what}: {question[0]} is silently wrong: {common.text_of(answer)[:200]}")

    def must_equal_fresh(self, what):
        """One `ken index` repairs everything: the answers are those of an index that saw only the last state."""
        self.must_succeed(common.index(self.home, self.tree), f"{what}: the next index run")
        for question, one, other in zip(common.QUESTIONS, self.answers(), self.fresh_answers()):
            if common.text_of(one) != common.text_of(other):
                self.fail(f"{what}: {question[0]} differs from a fresh index: "
                          f"{common.text_of(one)[:200]} / {common.text_of(other)[:200]}")

    def fresh_answers(self):
        fresh = self.folder / "fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        self.must_succeed(common.index(fresh, self.tree), "a fresh index run")
        return self.answers(fresh)

    def edit(self, rng):
        number = rng.randrange(24)
        (self.tree / f"src/module_{number}.rs").write_text(common.module_text(number, rng.randrange(1, 10_000)))


def small_files(place, rng):
    """No file may grow beyond a limit, as under a quota."""
    for _ in range(4):
        size = rng.choice([0, 4096, 30_000, 100_000, rng.randrange(400_000)])

        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        what = f"no file beyond {size} bytes"
        place.restore() if rng.random() < 0.5 else place.restore_indexed()
        place.edit(rng)
        # SIGXFSZ would end the process; ignored, the write fails.
        outcome = common.index(place.home, place.tree, preexec_fn=limit, restore_signals=False)
        place.may_fail(outcome, FULL, what)
        place.must_equal_fresh(what)


def small_disk(place, rng):
    """KEN_HOME is on a small disk of its own, which fills up."""
    for _ in range(3):
        size = rng.choice([64, 200, 400, 600, rng.randrange(50, 900)])
        place.restore()
        place.home.mkdir()
        with mounted(place.home, f"size={size}k") as is_mounted:
            if not is_mounted:
                return "no disk can be mounted here"
            what = f"a disk of {size} KiB"
            place.may_fail(common.index(place.home, place.tree), FULL, what)
            place.must_be_honest(place.answers(), what)
            subprocess.run(["mount", "-o", "remount,size=64m", str(place.home)], check=True)
            place.must_equal_fresh(what)
    return None


def read_only_disk(place, rng):
    """The disk of KEN_HOME becomes read-only while a server runs."""
    place.restore()
    place.home.mkdir()
    with mounted(place.home, "size=64m") as is_mounted:
        if not is_mounted:
            return "no disk can be mounted here"
        place.must_succeed(common.index(place.home, place.tree), "indexing a mounted disk")
        for path in place.home.rglob("*-wal"):
            if path.stat().st_size:
                sqlite3.connect(str(path)[:-4]).execute("pragma wal_checkpoint(truncate)")
        subprocess.run(["mount", "-o", "remount,ro", str(place.home)], check=True)
        place.must_be_honest(place.answers(), "a read-only disk")
        place.edit(rng)
        place.may_fail(common.index(place.home, place.tree), DENIED, "indexing a read-only disk")
        place.must_be_honest(place.answers(), "a read-only disk, an edit", place.fresh_answers())
        subprocess.run(["mount", "-o", "remount,rw", str(place.home)], check=True)
        place.must_equal_fresh("a read-only disk")
    return None


def another_user(place, rng):
    """Another user may read KEN_HOME but not write it, or may do neither."""
    if os.geteuid() != 0:
        return "only root can become another user"
    for mode in (0o755, 0o700):
        place.restore_indexed()
        # What others may not read by default is opened to them in the first case.
        for path in [place.home, *place.home.rglob("*")]:
            path.chmod((0o755 if path.is_dir() else 0o644) if mode == 0o755 else path.stat().st_mode)
        place.home.chmod(mode)
        what = f"a KEN_HOME of another user with mode {mode:o}"
        place.must_be_honest(place.answers(**NOBODY), what)
        place.edit(rng)
        place.may_fail(common.index(place.home, place.tree, **NOBODY), DENIED, what)
        search = [common.program("ken"), "search", "where are requests retried"]
        place.may_fail(common.run(search, place.home, place.tree, **NOBODY), DENIED, f"ken search, {what}")
        place.must_equal_fresh(what)
    return None


def unreadable_files(place, rng):
    """Some files and folders of the tree may not be read. The others are indexed."""
    if os.geteuid() != 0:
        return "only root can become another user"
    place.restore()
    place.home.mkdir()
    os.chown(place.home, 65534, 65534)
    hidden = [place.tree / "src/module_3.rs", place.tree / "tools", place.tree / "library/Cargo.toml"]
    for path in hidden:
        path.chmod(0)
    place.must_succeed(common.index(place.home, place.tree, **NOBODY), "indexing unreadable files")
    server = common.Server(place.home, place.tree, **NOBODY)
    if "retry_5" not in common.text_of(server.ask("get_symbol", {"symbol": "retry_5"})):
        place.fail("unreadable files hide readable ones")
    if not common.is_error(server.ask("get_symbol", {"symbol": "retry_3"})):
        place.fail("an unreadable file was read")
    for path in hidden:
        path.chmod(0o755)
    place.end(server)
    place.must_equal_fresh("files that can be read again")
    return None


def changing_files(place, rng):
    """Files grow, shrink, vanish and become folders or links while they are read."""
    place.restore()
    over = threading.Event()

    def change():
        while not over.is_set():
            path = place.tree / f"src/module_{rng.randrange(24)}.rs"
            with contextlib.suppress(OSError):
                if path.is_dir() and not path.is_symlink():
                    path.rmdir()
                else:
                    path.unlink(missing_ok=True)
                kind = rng.randrange(6)
                if kind == 0:
                    path.mkdir()
                elif kind == 1:
                    path.symlink_to(path.name)
                elif kind == 2:
                    path.write_bytes(b"\0" * rng.randrange(100_000))
                elif kind == 3:
                    path.write_text(common.module_text(1, 1) * rng.randrange(200))
                    os.truncate(path, rng.randrange(2000))
                elif kind == 4:
                    os.mkfifo(path)
                else:
                    path.write_text(common.module_text(rng.randrange(24), rng.randrange(100)))

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for flags in ([], [], ["--force"], [], ["--force"]):
            place.must_succeed(common.index(place.home, place.tree, *flags), "indexing files that change")
    finally:
        over.set()
        thread.join()
    place.must_equal_fresh("files that changed")


def clock_back(place, rng):
    """The clock goes back between runs, and files get older times than before."""
    place.restore()
    for days in (400, 0, -4000, 30):
        place.edit(rng)
        touched = place.tree / f"src/module_{rng.randrange(24)}.rs"
        touched.write_text(touched.read_text() + f"// {days} {rng.random()}\n")
        moment = time.time() + rng.randrange(-9000, 900) * DAY
        os.utime(touched, (moment, moment))
        extra = {"LD_PRELOAD": place.shim, "TORTURE_CLOCK": str(days * DAY)}
        place.must_succeed(common.index(place.home, place.tree, extra=extra), f"indexing {days} days from now")
        server = common.Server(place.home, place.tree, extra=extra)
        place.edit(rng)
        answers = server.ask_all()
        place.end(server)
        lost = [question[0] for question, answer in zip(common.QUESTIONS, answers) if common.is_error(answer)]
        if lost:
            place.fail(f"{days} days from now: errors for {lost}")
        place.must_equal_fresh(f"a clock {days} days from now")


def two_indexers(place, rng):
    """Several processes index one tree at once."""
    place.restore()
    for _ in range(4):
        place.edit(rng)
        outcomes = []

        def index(flags):
            outcomes.append(common.index(place.home, place.tree, *flags))

        threads = [threading.Thread(target=index, args=(flags,)) for flags in ([], ["--force"], [])]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        successes = [place.may_fail(outcome, BUSY, "one of three indexers") for outcome in outcomes]
        if not any(successes):
            place.fail(f"none of three indexers succeeded: {outcomes}")
        place.must_equal_fresh("three indexers")


def readers(place, rng):
    """Questions go on while the index is rebuilt. The tree does not change, and so no answer may."""
    place.restore_indexed()
    server = common.Server(place.home, place.tree)
    over = threading.Event()

    def rebuild():
        for _ in range(4):
            place.must_succeed(common.index(place.home, place.tree, "--force"), "a rebuild under a server")
        over.set()

    thread = threading.Thread(target=rebuild)
    thread.start()
    while not over.is_set():
        position = rng.randrange(len(common.QUESTIONS))
        question = common.QUESTIONS[position]
        answer = server.ask(*question)
        if common.text_of(answer) != common.text_of(place.healthy[position]):
            place.fail(f"{question[0]} changes during a rebuild: {common.text_of(answer)[:300]}")
    thread.join()
    place.end(server)
    place.must_equal_fresh("rebuilds under a server")


def other_versions(place, rng):
    """A database has an older or a newer format."""
    for name in ("code.db", "packages.db"):
        for step in (-1, 1):
            place.restore_indexed()
            path = next(path for path in place.home.rglob(name))
            sqlite3.connect(path).execute("pragma wal_checkpoint(truncate)")
            set_version(path, step)
            what = f"{name} of a format {step:+}"
            place.must_be_honest(place.answers(), what)
            place.must_equal_fresh(what)
    for name in ("specs.index", "collection.json"):
        place.restore_indexed()
        path = next(path for path in place.home.rglob(name))
        path.write_bytes(path.read_bytes().replace(b"kenning specs 1", b"kenning specs 9").replace(b'{', b'{"later": 1,', 1))
        what = f"{name} of another version"
        place.must_be_honest(place.answers(), what)
        place.must_equal_fresh(what)


def set_version(path, step):
    """Changes `user_version` and makes the checksum of the page valid again; see docs/format.md."""
    data = bytearray(path.read_bytes())
    assert struct.unpack_from("<I", data, 4092)[0] == zlib.crc32(data[:4092], 0x6B656E01), "another checksum"
    struct.pack_into(">I", data, 60, struct.unpack_from(">I", data, 60)[0] + step)
    struct.pack_into("<I", data, 4092, zlib.crc32(data[:4092], 0x6B656E01))
    path.write_bytes(data)


def deleted_database(place, rng):
    """Databases are deleted while a server uses them, then the whole of KEN_HOME, then the tree."""
    place.restore_indexed()
    server = common.Server(place.home, place.tree)
    place.must_be_honest(server.ask_all(), "before anything is deleted")
    for name in ("code.db", "packages.db", "specs.index", "collection.json"):
        for path in list(place.home.rglob(f"{name}*")):
            path.unlink()
        place.must_be_honest(server.ask_all(), f"{name} is deleted")
        place.must_succeed(common.index(place.home, place.tree), f"indexing after {name} is deleted")
        must_equal_healthy(place, server, f"{name} was deleted")
    shutil.rmtree(place.home)
    place.must_be_honest(server.ask_all(), "KEN_HOME is deleted")
    place.must_succeed(common.index(place.home, place.tree), "indexing after KEN_HOME is deleted")
    must_equal_healthy(place, server, "KEN_HOME was deleted")
    place.tree.rename(place.folder / "elsewhere")
    place.must_be_honest(server.ask_all(), "the tree is moved away")
    (place.folder / "elsewhere").rename(place.tree)
    must_equal_healthy(place, server, "the tree was away")
    place.end(server)
    place.must_equal_fresh("deletions under a server")


def must_equal_healthy(place, server, what):
    """A server that lived through a fault answers as before. It may need a moment to notice."""
    different = []
    for _ in range(20):
        answers = server.ask_all()
        different = [(question[0], common.text_of(answer)[:200]) for question, answer, healthy in
                     zip(common.QUESTIONS, answers, place.healthy) if common.text_of(answer) != common.text_of(healthy)]
        if not different:
            return
        time.sleep(0.5)
    place.fail(f"{what}: the server still differs: {different}")


@contextlib.contextmanager
def mounted(folder, options):
    """A disk in memory at the folder, if this process may mount one."""
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "torture", str(folder)], stderr=subprocess.DEVNULL)
    try:
        yield done.returncode == 0
    finally:
        if done.returncode == 0:
            subprocess.run(["umount", "-l", str(folder)], check=True)


CASES = [small_files, small_disk, read_only_disk, another_user, unreadable_files, changing_files, clock_back,
         two_indexers, readers, other_versions, deleted_database]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", action="append", choices=[case.__name__ for case in CASES])
    parser.add_argument("--seconds", type=float, default=1e9, help="start no case after this time")
    parser.add_argument("--folder", default=None)
    options = parser.parse_args()
    failures, played, left_out = 0, 0, {}
    deadline = time.monotonic() + options.seconds
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        os.chmod(folder, 0o755)
        shim = pathlib.Path(folder) / "shim.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, pathlib.Path(__file__).with_name("shim.c"), "-ldl"],
                       check=True)
        place = Place(pathlib.Path(folder) / "place", shim)
        if place.wrong:
            raise SystemExit(f"setting up failed: {place.wrong}")
        for seed in range(options.seed, options.seed + options.rounds):
            for case in CASES:
                if (options.case and case.__name__ not in options.case) or time.monotonic() > deadline:
                    continue
                started = time.monotonic()
                reason = case(place, random.Random(f"{case.__name__} {seed}"))
                if reason:
                    left_out[case.__name__] = reason
                    continue
                played += 1
                print(f"{case.__name__}, seed {seed}: {len(place.wrong)} failures, {time.monotonic() - started:.1f} s", flush=True)
                for what in place.wrong:
                    print(f"    {what}", flush=True)
                failures += len(place.wrong)
                place.wrong.clear()
    for case, reason in left_out.items():
        print(f"not tried: {case}: {reason}")
    print(f"{played} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
