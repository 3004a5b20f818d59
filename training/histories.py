"""Histories of repositories to pairs: a message that explains a change, and the definitions that it changed.

    histories.py list MIRROR REPOSITORIES    → histories.tsv: those with a permissive licence, their commit, their part
    histories.py mine MIRROR                 histories.tsv → WORK/histories/OWNER+NAME.jsonl.gz
    histories.py trees MIRROR                → WORK/trees/OWNER+NAME.jsonl.gz: whole trees that questions are asked of
    histories.py pairs                       → WORK/pairs.jsonl: the pairs without their code, as `train` or `held-out`

MIRROR has a bare clone of each repository as OWNER+NAME/repo. Definitions and lines are those of the
parent commit: what a search sees before the change is made.
"""

import collections
import gzip
import hashlib
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
from pathlib import Path

from fetch import LICENCE_TEXTS, WORK, is_permissive
from mine import SKIPPED, TESTS
from outline import innermost, language_of, outline

HERE = Path(__file__).resolve().parent
RECORD = HERE / "histories.tsv"
SEED = 20260
# Newest commits that are looked at, and those of them that are taken.
LOOKED_AT, MOST_OF_A_REPOSITORY = 3000, 500
MOST_FILES, MOST_CODE_FILES, MOST_HUNKS, MOST_LINES, MOST_DEFINITIONS = 12, 4, 30, 250, 8
LARGEST_FILE = 200_000
NEIGHBOURS = 4
# Questions that are asked of whole trees, from each repository that has some.
ASKED = 60

# Never trained on. Figures are reported on `held-out`; variants are compared on `tune`.
PARTS = {
    "held-out": "scrapy/scrapy falconry/falcon alacritty/alacritty go-gorm/gorm fastify/fastify rollup/rollup mockito/mockito onevcat/Kingfisher "
                "puma/puma composer/composer App-vNext/Polly gabime/spdlog",
    "tune": "tornadoweb/tornado marshmallow-code/marshmallow seanmonstar/reqwest labstack/echo socketio/socket.io square/moshi "
            "pointfreeco/swift-composable-architecture rspec/rspec-core",
}
# Licences that a pattern cannot tell: two to choose from, or a text of its own.
READ_BY_HAND = {
    "facebook/rocksdb": "Apache-2.0 OR GPL-2.0", "pyca/cryptography": "Apache-2.0 OR BSD-3-Clause", "python-pillow/Pillow": "HPND",
    "python/mypy": "MIT", "rubygems/rubygems": "MIT OR Ruby", "ipython/ipython": "BSD-3-Clause",
}

NOT_EXPLAINED = re.compile(
    r"^\W*(merge|revert|reapply|bump|release|releasing|prepare|version|v?\d+[.\d]*\b|update? (to|the )?(changelog|dep|version|licen|copyright|readme|translations?|submodule)|"
    r"upgrade|chore|docs?\b|documentation|style|ci\b|tests?\b|build|lint|typos?\b|fix(ed|es)? (a )?(typo|lint|spelling|comment|doc|test|ci|build|flak|clippy|format|whitespace|indent)|"
    r"format|reformat|run |rustfmt|clippy|pgindent|wip\b|work in progress|squash|fixup|cherry|backport|auto|bors|roll(up)?\b|roll |regenerate|copyright|nit\b|nits\b|cleanup$|clean up$|"
    r"code (review|style)|address (review|comments|feedback)|review|rename|move|refactor:|perf-?test|initial|add tests?\b|more tests?|\[?(ci|test|tests|docs?|build|release)\]?[ :(])", re.I)
TRAILER = re.compile(r"^(signed-off-by|co-authored-by|reviewed-by|acked-by|tested-by|reported-by|change-id|reviewed-on|cc|bug|discussion|author|backpatch-through|"
                     r"piperorigin-revid|discussed-in|differential revision|test plan|subscribers|tasks|tags|pull request|closes|reviewers?|git-svn-id|\(cherry picked)\b.*", re.I)
VERBS = re.compile(
    r"\b(fix|add|remov|us|mak|allow|support|prevent|handl|avoid|ensur|check|return|rais|throw|pass|set|get|keep|stop|chang|replac|implement|improv|correct|creat|delet|detect|"
    r"disabl|enabl|drop|emit|escap|expos|extend|ignor|includ|exclud|initiali[sz]|introduc|limit|load|log|mark|match|merg|normali[sz]|only|optimi[sz]|pars|preserv|print|process|propagat|"
    r"provid|read|reduc|reject|render|report|reset|resolv|respect|restor|retry|run|send|show|simplif|skip|sort|split|start|store|strip|switch|track|treat|trim|unify|updat|validat|wait|warn|"
    r"wrap|writ|call|clear|clos|convert|copy|default|defer|forc|forward|generat|infer|insert|invok|join|leak|look|lower|require|restrict|reus|revis|save|scan|speed|suppress|time|transform|"
    r"trigger|try|turn|unwrap|work|don'?t|does|do|fail|crash|break|cause|miss)(e|es|s|ed|d|ing|ting|ping|ies|ied|y)?\b", re.I)
TEST_FILES = re.compile(r"(Tests?|Spec|IT)\.\w+$|(^|/)(src/)?(\w*tests?|spec|benches|benchmarks?|bench|perf)/|Tests/|\.Tests?/|_(test|spec)\.\w+$", re.I)


def git(clone, *arguments, given=None):
    command = ["git", "-c", "core.quotepath=false", "-C", str(clone), *arguments]
    return subprocess.run(command, input=given, capture_output=True, check=True).stdout


def clone_of(mirror, repository):
    return Path(mirror) / repository.replace("/", "+") / "repo"


def is_code(path):
    return language_of(path) is not None and not SKIPPED.search(path) and not TESTS.search(path) and not TEST_FILES.search(path)


def licence_of(clone, repository):
    if repository in READ_BY_HAND:
        return READ_BY_HAND[repository]
    found = set()
    for line in git(clone, "ls-tree", "HEAD").decode("utf-8", "replace").splitlines():
        fields, _, name = line.partition("\t")
        # Of two texts beside each other the user has the choice; a NOTICE or the licences of binaries are of others.
        if " blob " in fields and re.fullmatch(r"((mit|apache|bsd)-)?(licen[cs]e|copying|copyright|unlicense|mit)([-.](txt|md|rst|mit|apache|bsd|apache-2\.0|apache2))*", name, re.I):
            text = git(clone, "cat-file", "blob", fields.split()[2])[:200_000].decode("utf-8", "replace")
            found.add(next((licence for licence, pattern in LICENCE_TEXTS if re.search(re.sub(r" ", r"\\s+", pattern), text, re.I)), "unknown"))
    found = found - {"unknown"} if len(found) > 1 else found
    return " and ".join(sorted(found))


def list_repositories(mirror, names):
    rows = []
    part_of = {name: part for part, listed in PARTS.items() for name in listed.split()}
    for repository in (line.strip() for line in Path(names).read_text().splitlines()):
        if not repository or repository.startswith("#"):
            continue
        clone = clone_of(mirror, repository)
        if not clone.is_dir():
            print("no clone of", repository, file=sys.stderr)
            continue
        licence = licence_of(clone, repository)
        if not is_permissive(licence):
            print("refused", repository, repr(licence), file=sys.stderr)
            continue
        rows.append([repository, licence, git(clone, "rev-parse", "HEAD").decode().strip(), part_of.get(repository, "train")])
    RECORD.write_text("".join("\t".join(row) + "\n" for row in [["repository", "licence", "commit", "part"], *rows]))
    print(len(rows), "repositories")


def recorded():
    lines = RECORD.read_text().splitlines()
    return [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]


def clean_message(raw):
    """Title and body without what machines and reviewers add; nothing if the message does not explain."""
    lines = [line.rstrip() for line in raw.strip().split("\n")]
    title = re.sub(r"\s*\(?(#|gh-|GH-|PR-)\d+\)?\s*$", "", lines[0]).strip()
    title = re.sub(r"^(fix|feat|perf|refactor|bug|feature|core|enhance)(\([^)]*\))?!?:\s*|^:\w+:\s*|^\[[^\]]*\]\s*", "", title)
    body = []
    for line in lines[1:]:
        if line.startswith(("diff --git", "---", "* * *")):
            break
        if not TRAILER.match(line.strip()):
            body.append(re.sub(r"https?://\S+", "", line))
    body = re.sub(r"\n{3,}", "\n\n", "\n".join(body)).strip()
    of_title, of_all = re.findall(r"[A-Za-z]{2,}", title), re.findall(r"[A-Za-z]{2,}", title + " " + body)
    if NOT_EXPLAINED.match(lines[0]) or len(of_title) < 3 or len(of_all) < 6 or len(of_all) > 500 or not VERBS.search(title + " " + body):
        return None
    return title[:300], body[:4000]


def commits(clone, head):
    """(commit, parent, title, body, {path: old blob}) of the commits that qualify, newest first."""
    raw = git(clone, "log", f"-n{LOOKED_AT}", "--no-merges", "--no-renames", "--raw", "--no-abbrev", "--format=%x01%H %P%x02%B%x03", head)
    titles = set()
    for entry in raw.decode("utf-8", "replace").split("\x01")[1:]:
        head, _, rest = entry.partition("\x02")
        message, _, changes = rest.partition("\x03")
        changed = [line.split("\t", 1) for line in changes.strip().split("\n") if line.startswith(":")]
        hashes = head.split()
        if len(hashes) != 2 or not changed or len(changed) > MOST_FILES:
            continue
        code = {path: fields.split()[2] for fields, path in changed if is_code(path) and fields.split()[4] == "M"}
        added = sum(is_code(path) for fields, path in changed if fields.split()[4] != "M")
        cleaned = clean_message(message) if code and len(code) + added <= MOST_CODE_FILES else None
        if cleaned is None or cleaned[0].lower() in titles:
            continue
        titles.add(cleaned[0].lower())
        yield hashes[0], hashes[1], *cleaned, code


HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+")
SAYS_NOTHING = re.compile(r"[-+]\s*((//|#(?!\[|include|if|define)|/?\*|--\s|\"\"\"|'''|import |use |using |from \S+ import |require).*)?$")


def patches(clone, hashes):
    """A clone may lack its largest files: git stops at a commit that needs one, and that commit is left out."""
    given = "\n".join(hashes).encode() + b"\n"
    try:
        return git(clone, "diff-tree", "--stdin", "-r", "-p", "-U0", "--no-renames", "--no-color", "--no-ext-diff", given=given)
    except subprocess.CalledProcessError:
        middle = len(hashes) // 2
        return patches(clone, hashes[:middle]) + patches(clone, hashes[middle:]) if middle else b""


def hunks(clone, hashes):
    """Commit → path → [(first, last)] of the lines at the parent; an insertion has the two lines around it."""
    raw = patches(clone, hashes)
    found, commit, path, lines, place = {}, None, None, collections.Counter(), None
    for line in raw.decode("utf-8", "replace").split("\n"):
        if re.fullmatch(r"[0-9a-f]{40}", line):
            commit = found.setdefault(line, {})
            lines[line] = 0
            current = line
        elif line.startswith("--- "):
            path = line[6:].rstrip("\t") if line.startswith("--- a/") else None
        elif line.startswith("@@") and path and (match := HUNK.match(line)):
            first, count = int(match[1]), int(match[2]) if match[2] is not None else 1
            place = (first, first + 1) if count == 0 else (first, first + count - 1)
        elif place and line[:1] in ("+", "-") and not line.startswith("+++ "):
            lines[current] += 1
            if not SAYS_NOTHING.match(line) and (not commit.get(path) or commit[path][-1] != place):
                commit.setdefault(path, []).append(place)
        elif line.startswith("diff --git"):
            path = place = None
    return {commit: paths for commit, paths in found.items() if lines[commit] <= MOST_LINES and sum(map(len, paths.values())) <= MOST_HUNKS}


def blobs(clone, hashes):
    raw, at, found = git(clone, "cat-file", "--batch", given="\n".join(hashes).encode() + b"\n"), 0, {}
    while at < len(raw):
        end = raw.index(b"\n", at)
        fields = raw[at:end].split()
        at = end + 1
        if len(fields) == 3:
            found[fields[0].decode()] = raw[at : at + int(fields[2])]
            at += int(fields[2]) + 1
    return found


def is_readable(source):
    return len(source) <= LARGEST_FILE and b"\0" not in source[:4000] and max(map(len, source.split(b"\n")), default=0) < 3000


def changed_definitions(definitions, places):
    """The numbers of the definitions that hold a changed line, those with most of them first."""
    counts = collections.Counter()
    for first, last in places:
        whole = innermost(definitions, first, last)
        if whole is not None and (definitions[whole]["kind"] == "function" or last - first < 2):
            counts[whole] += last - first + 1
            continue
        for line in range(first, min(last, first + 200) + 1):
            number = innermost(definitions, line, line)
            if number is not None:
                counts[number] += 1
    return [number for number, _ in counts.most_common(MOST_DEFINITIONS)]


def out_file(folder, repository):
    path = WORK / folder / (repository.replace("/", "+") + ".jsonl.gz")
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def write_lines(path, rows):
    part = path.with_suffix(".part")
    with gzip.open(part, "wt", compresslevel=2) as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    part.rename(path)


def mine(job):
    mirror, row = job
    path, clone = out_file("histories", row["repository"]), clone_of(mirror, row["repository"])
    if path.exists():
        return row["repository"], 0, 0
    chosen = list(commits(clone, row["commit"]))
    looked_at = len(chosen)
    newest = chosen[:ASKED]
    random.Random(SEED).shuffle(chosen)
    chosen = chosen[:MOST_OF_A_REPOSITORY]
    if row["part"] != "train":
        chosen += [commit for commit in newest if commit not in chosen]
    places = hunks(clone, [commit[0] for commit in chosen])
    sources = blobs(clone, sorted({blob for commit in chosen if commit[0] in places for blob in commit[4].values()}))
    outlines, number_of, rows, pairs = {}, {}, [], []
    draw = random.Random(SEED)

    def number(blob, place, path):
        """Each definition is written once, however many commits changed it or stood beside it."""
        definition = outlines[blob][place]
        mark = (path, definition["name"], hashlib.md5((definition["signature"] + definition["body"]).encode()).digest())
        if mark not in number_of:
            number_of[mark] = len(number_of)
            rows.append({"definition": number_of[mark], "path": path, **definition})
        return number_of[mark]

    for commit, parent, title, body, code in chosen:
        changed, beside = [], []
        for path_of_file, blob in sorted(code.items()):
            if commit not in places or path_of_file not in places[commit] or not is_readable(sources.get(blob, b"\0")):
                continue
            if blob not in outlines:
                outlines[blob] = outline(sources[blob], language_of(path_of_file))
            found = changed_definitions(outlines[blob], places[commit][path_of_file])
            others = [n for n, d in enumerate(outlines[blob]) if d["kind"] == "function" and n not in found and d["last"] > d["first"] + 1]
            draw.shuffle(others)
            changed += [(number(blob, n, path_of_file), outlines[blob][n]) for n in found]
            beside += [number(blob, n, path_of_file) for n in others[:NEIGHBOURS]] if found else []
        if changed:
            listed = [[n, d["first"], d["last"]] for n, d in changed[:MOST_DEFINITIONS]]
            pairs.append({"commit": commit, "parent": parent, "title": title, "body": body, "files": sorted(code), "changed": listed, "beside": beside})
    write_lines(path, [{"repository": row["repository"], "part": row["part"], "looked_at": looked_at}, *rows, *pairs])
    return row["repository"], looked_at, len(pairs)


def read_rows(path):
    with gzip.open(path, "rt") as file:
        return [json.loads(line) for line in file]


def read(path):
    """The head, the definitions and the pairs of a repository."""
    rows = read_rows(path)
    return rows[0], [row for row in rows if "definition" in row], [row for row in rows if "commit" in row]


def trees(job):
    """For the newest pairs of a repository that is not trained on: all definitions of the whole tree at the parent."""
    mirror, row = job
    path, clone = out_file("trees", row["repository"]), clone_of(mirror, row["repository"])
    if path.exists():
        return row["repository"], 0, 0
    _, definitions, pairs = read(out_file("histories", row["repository"]))
    order = {commit: n for n, commit in enumerate(git(clone, "log", "--format=%H", f"-n{LOOKED_AT}", "--no-merges", row["commit"]).decode().split())}
    pairs = sorted((pair for pair in pairs if pair["commit"] in order), key=lambda pair: order[pair["commit"]])[:ASKED]
    listed, wanted = [], {}
    for pair in pairs:
        files = []
        for line in git(clone, "ls-tree", "-r", "-l", pair["parent"]).decode("utf-8", "replace").splitlines():
            fields, _, name = line.partition("\t")
            _, kind, blob, size = fields.split()
            if kind == "blob" and is_code(name) and int(size) <= LARGEST_FILE:
                files.append((name, blob))
                wanted.setdefault(blob, name)
        listed.append(files)
    rows, names = [], sorted(wanted)
    for start in range(0, len(names), 500):
        for blob, source in blobs(clone, names[start : start + 500]).items():
            found = outline(source, language_of(wanted[blob])) if is_readable(source) else []
            rows.append({"blob": blob, "definitions": found})
    asked = []
    for pair, files in zip(pairs, listed):
        asked.append({**pair, "tree": files, "changed": [[definitions[n]["path"], definitions[n]["name"], first, last, definitions[n]["kind"]] for n, first, last in pair["changed"]]})
    write_lines(path, rows + asked)
    return row["repository"], len(rows), len(asked)


def run(function, mirror, parts):
    jobs = [(mirror, row) for row in recorded() if row["part"] in parts]
    # First those that figures are reported on.
    jobs.sort(key=lambda job: (job[1]["part"] == "train", hashlib.md5(job[1]["repository"].encode()).digest()))
    total = 0
    with multiprocessing.Pool(2) as pool:
        for repository, looked_at, count in pool.imap_unordered(function, jobs):
            total += count
            print(repository, looked_at, count, total, flush=True)


def write_pairs():
    part, total = WORK / "pairs.jsonl.part", collections.Counter()
    with part.open("w") as out:
        for row in recorded():
            path = out_file("histories", row["repository"])
            if not path.exists():
                continue
            _, definitions, pairs = read(path)
            for pair in pairs:
                changed = [{"path": definitions[n]["path"], "scope": definitions[n]["scope"], "name": definitions[n]["name"], "kind": definitions[n]["kind"],
                            "first": first, "last": last} for n, first, last in pair["changed"]]
                line = {"repo": row["repository"], "parent": pair["parent"], "commit": pair["commit"], "title": pair["title"], "body": pair["body"],
                        "files": pair["files"], "definitions": changed, "split": "held-out" if row["part"] == "held-out" else "train"}
                out.write(json.dumps(line, ensure_ascii=False) + "\n")
                total[row["part"]] += 1
    part.rename(WORK / "pairs.jsonl")
    print(dict(total))


if __name__ == "__main__":
    if sys.argv[1] == "list":
        list_repositories(*sys.argv[2:4])
    elif sys.argv[1] == "mine":
        run(mine, sys.argv[2], ("held-out", "tune", "train"))
    elif sys.argv[1] == "trees":
        run(trees, sys.argv[2], ("held-out", "tune"))
    else:
        write_pairs()
