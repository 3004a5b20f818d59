"""Fetch the source packages that the training data is mined from.

    fetch.py resolve [REGISTRY …]   packages.toml → sources.tsv: exact versions, licences, files, hashes
    fetch.py download               sources.tsv → WORK/packages/, every file checked against its hash

The registries are named by the environment (see README.md), so that a mirror does as well.
"""

import concurrent.futures
import hashlib
import io
import json
import lzma
import os
import random
import re
import sys
import tarfile
import time
import tomllib
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
WORK = Path(os.environ.get("KENNING_TRAINING", "work"))
SOURCES = HERE / "sources.tsv"
COLUMNS = ["registry", "group", "name", "version", "licence", "sha256", "url"]
SEED = 20260

# Never trained on: the repositories of the public evaluation sets, under the names that registries
# give them. A name is excluded with everything that contains it as a whole part.
EXCLUDED = """
alamofire asyncclick axios axum bats bats-core circe click cobra dapper exposed express fastapi fmt fmtlib gin gson
guzzle guzzlehttp httpx kotlinx-coroutines coroutines libuv libuv1 plug serde serde_derive serde_core sinatra
snapkit starlette telescope xmonad clap-zig zig-clap zod
carbon ripgrep grep-searcher grep-printer grep-cli grep-regex fluentd jekyll fpm jq seaborn preact pytest
swiftlint bat async-http-client
astropy django flask matplotlib pylint requests scikit-learn seaborn sphinx sympy xarray
""".split()
PERMISSIVE = re.compile(
    r"^(mit|mit-0|x11|expat|isc|0bsd|bsd([- ].*)?|(new|simplified|modified|3-clause|2-clause) bsd.*|apache([- ].*)?|asl ?2.0|zlib.*|"
    r"unlicense|cc0.*|bsl-1.0|boost.*|psf.*|python-2.0.*|psfl|postgresql|ncsa|public[- ]domain|pd|curl|wtfpl.*|unicode.*|blueoak.*|hpnd.*|"
    r"mit license|the mit license.*|the unlicense.*|isc .*|mit-x.*|mit/x11|apache software license.*|ruby|libpng.*|openssl|tcl.*|php.*|vim|upl-1.0|mulan.*)$")


def is_excluded(name):
    parts = set(re.split(r"[-_./@]+", name.lower()))
    return any(x in parts or name.lower() == x for x in EXCLUDED)


def is_permissive(licence):
    """Every `or` needs one permissive side; every `and` needs both."""
    licence = licence.lower().replace("(", " ").replace(")", " ").strip()
    if not licence:
        return False
    def one(term):
        term = term.strip().strip(",").split(" with ")[0].strip()
        return bool(PERMISSIVE.match(term)) and not re.search(r"\b(a|l)?gpl", term)
    return any(all(one(part) for part in re.split(r"\band\b|,", side))
               for side in re.split(r"\bor\b|/|\|", licence))


def host(variable):
    value = os.environ.get(variable)
    if not value:
        sys.exit(f"set {variable} to the base address of that registry (see training/README.md)")
    return value.rstrip("/")


def get(url, attempts=3):
    for attempt in range(attempts):
        try:
            with urllib.request.urlopen(url, timeout=90) as reply:
                return reply.read()
        except Exception as error:
            if attempt + 1 == attempts or getattr(error, "code", 0) == 404:
                raise
            time.sleep(1 + attempt)


def pypi(name, wheels=False):
    index = json.loads(get(f"{host('PYPI')}/pypi/{name}/json"))
    info = index["info"]
    licence = info.get("license_expression") or ""
    if not licence:
        found = [c.split("::")[-1].strip() for c in info["classifiers"] if c.startswith("License ::") and c.count("::") > 1]
        licence = " and ".join(found) or (info.get("license") or "").strip().split("\n")[0][:60]
    files = [f for f in index["urls"] if f["packagetype"] == ("bdist_wheel" if wheels else "sdist")]
    if wheels:
        files = [f for f in files if "manylinux" in f["filename"] and "x86_64" in f["filename"]]
    if not files or files[0]["size"] > (120e6 if wheels else 30e6):
        return None
    return ["zig" if wheels else "python", info["name"], info["version"], licence, files[0]["digests"]["sha256"], files[0]["url"]]


def npm(name):
    index = json.loads(get(f"{host('NPM')}/{name.replace('/', '%2f')}"))
    version = index["dist-tags"]["latest"]
    entry = index["versions"][version]
    licence = entry.get("license") or ""
    licence = licence if isinstance(licence, str) else licence.get("type", "")
    if entry["dist"].get("unpackedSize", 0) > 90e6:
        return None
    url = entry["dist"]["tarball"]
    return ["javascript", name, version, licence, hashlib.sha256(get(url)).hexdigest(), url]


def crates(name):
    prefix = {1: "1", 2: "2", 3: f"3/{name[0]}"}.get(len(name), f"{name[:2]}/{name[2:4]}")
    lines = get(f"{host('CRATES_INDEX')}/{prefix}/{name.lower()}").decode().splitlines()
    entries = [json.loads(line) for line in lines]
    stable = [e for e in entries if not e["yanked"] and "-" not in e["vers"]] or entries
    latest = stable[-1]
    url = f"{host('CRATES_FILES')}/{name}/{name}-{latest['vers']}.crate"
    manifest = tarfile.open(fileobj=io.BytesIO(get(url))).extractfile(f"{name}-{latest['vers']}/Cargo.toml").read()
    licence = tomllib.loads(manifest.decode())["package"].get("license", "")
    return ["rust", name, latest["vers"], licence, latest["cksum"], url]


def debian_paragraphs(suite):
    text = lzma.decompress(get(f"{host('DEBIAN')}/dists/{suite}/main/source/Sources.xz")).decode()
    for paragraph in text.split("\n\n"):
        fields = {}
        key = None
        for line in paragraph.splitlines():
            if line[:1] == " ":
                fields[key] += "\n" + line.strip()
            else:
                key, _, value = line.partition(":")
                fields[key] = value.strip()
        if "Package" in fields and "Files" in fields:
            yield fields


def debian_files(fields):
    rows = [row.split() for row in fields["Checksums-Sha256"].split("\n") if row]
    return [(sha, int(size), name) for sha, size, name in rows]


def debian_licence(text):
    """The licence of `Files: *` in a machine-readable copyright file."""
    for paragraph in re.split(r"\n\s*\n", text):
        if re.search(r"^Files:\s*\*\s*$", paragraph, re.M):
            found = re.search(r"^License:\s*(.*)$", paragraph, re.M)
            return found[1].strip() if found else ""
    return ""


LICENCE_TEXTS = [
    ("GPL or MPL", r"GNU (LESSER |LIBRARY |AFFERO )?GENERAL PUBLIC LICENSE|Mozilla Public License|Eclipse Public License|CDDL"),
    ("Apache-2.0", r"Apache License,?\s+Version 2\.0|apache.org/licenses/LICENSE-2\.0"),
    ("BSL-1.0", r"Boost Software License"),
    ("MIT", r"Permission is hereby granted, free of charge|\bMIT License"),
    ("BSD", r"Redistribution and use in source and binary forms"),
    ("ISC", r"Permission to use, copy, modify, and(/or)? distribute"),
    ("Unlicense", r"free and unencumbered software released into the public domain"),
]


def licence_of_text(archive, depth=2):
    """Of an upstream archive without metadata: what all of its licence files near the top say."""
    found = set()
    for entry in archive:
        name = entry.name.strip("./").split("/")
        if entry.isfile() and len(name) <= depth and re.match(r"(licen[cs]e|copying|copyright|unlicense)", name[-1], re.I) and entry.size < 200_000:
            text = archive.extractfile(entry).read().decode("utf-8", "replace")
            found.add(next((licence for licence, pattern in LICENCE_TEXTS if re.search(pattern, text, re.I)), "unknown"))
    if not found and depth < 3:
        return licence_of_text(archive, depth + 1)
    return " and ".join(sorted(found))


def debian(fields, group):
    files = debian_files(fields)
    base = f"{host('DEBIAN')}/{fields['Directory']}"
    packaging = next((f for f in files if ".debian.tar" in f[2]), None)
    upstream = next((f for f in files if re.search(r"\.orig\.tar\.(gz|xz|bz2)$", f[2])), None)
    if not packaging or not upstream or packaging[1] > 3e6:
        return None
    try:
        archive = tarfile.open(fileobj=io.BytesIO(get(f"{base}/{packaging[2]}", 1)))
        licence = debian_licence(archive.extractfile("debian/copyright").read().decode("utf-8", "replace"))
    except urllib.error.HTTPError:
        # Mirrors that keep the upstream archive alone exist.
        licence = licence_of_text(tarfile.open(fileobj=io.BytesIO(get(f"{base}/{upstream[2]}", 1))))
    return [group, fields["Package"], fields["Version"], licence, upstream[0], f"{base}/{upstream[2]}"]


def chosen_debian(groups, suites):
    newest = {}
    for suite in suites:
        for fields in debian_paragraphs(suite):
            newest.setdefault(fields["Package"], fields)
    taken = set()
    for group in groups:
        names = sorted(n for n in newest if re.search(group["match"], n) and n not in taken and not is_excluded(n))
        sizes = {n: max((f[1] for f in debian_files(newest[n]) if ".orig." in f[2]), default=0) for n in names}
        names = [n for n in names if 0 < sizes[n] <= group["megabytes"] * 1e6]
        random.Random(SEED).shuffle(names)
        for name in sorted(names[: group["take"]]):
            taken.add(name)
            yield newest[name], group["group"]


def resolve(registries):
    """Anew for these registries; the rows of others stay."""
    wanted = tomllib.loads((HERE / "packages.toml").read_text())
    jobs = []
    if "pypi" in registries:
        jobs += [("pypi", pypi, (n,)) for n in wanted["pypi"]["names"].split() if not is_excluded(n)]
        jobs += [("pypi", pypi, (n, True)) for n in wanted["wheels"]["names"].split()]
    for registry, function in (("npm", npm), ("crates", crates)):
        if registry in registries:
            names = dict.fromkeys(wanted[registry]["names"].split())
            jobs += [(registry, function, (n,)) for n in names if not is_excluded(n)]
    if "debian" in registries:
        jobs += [("debian", debian, arguments) for arguments in chosen_debian(wanted["debian"], ["trixie", "sid"])]
    others = [list(row.values()) for row in recorded() if row["registry"] not in registries] if SOURCES.exists() else []
    found, refused = others, 0

    def run(job):
        registry, function, arguments = job
        try:
            row = function(*arguments)
        except Exception as error:
            print("skipped", registry, str(arguments[0])[:60], error, file=sys.stderr)
            return None
        return [registry, *row] if row else None

    with concurrent.futures.ThreadPoolExecutor(12) as pool:
        for row in pool.map(run, jobs):
            if row is None:
                continue
            if not is_permissive(row[4]):
                refused += 1
                print("refused", row[0], row[2], repr(row[4]), file=sys.stderr)
                continue
            found.append([str(field).replace("\t", " ").strip() for field in row])
    found.sort()
    strip = [host(v) for v in ("PYPI", "NPM", "CRATES_FILES", "DEBIAN")]
    with SOURCES.open("w") as out:
        out.write("\t".join(COLUMNS) + "\n")
        for row in found:
            # Addresses are kept without their host: which mirror serves them is the reader's choice.
            for base in strip:
                row[6] = row[6].removeprefix(base).lstrip("/")
            row[6] = re.sub(r"^(https?://[^/]+/|(\.\./)+(packages/(?=packages/))?)", "", row[6])
            out.write("\t".join(row) + "\n")
    print(len(found), "packages,", refused, "refused for their licence")


BASES = {"pypi": "PYPI_FILES", "npm": "NPM", "crates": "CRATES_FILES", "debian": "DEBIAN"}


def recorded():
    lines = SOURCES.read_text().splitlines()
    return [dict(zip(lines[0].split("\t"), line.split("\t"))) for line in lines[1:]]


def target(row):
    return WORK / "packages" / row["registry"] / f"{row['name'].replace('/', '+')}-{row['version'].replace(':', '_')}{suffix(row['url'])}"


def suffix(url):
    found = re.search(r"(\.tar\.(gz|xz|bz2)|\.tgz|\.zip|\.crate|\.whl)$", url)
    return found[1] if found else ".tar.gz"


def download_one(row):
    path = target(row)
    if path.exists():
        return True
    try:
        content = get(f"{host(BASES[row['registry']])}/{row['url']}")
    except Exception as error:
        print("not fetched", row["name"], error, file=sys.stderr)
        return False
    if row["sha256"] and hashlib.sha256(content).hexdigest() != row["sha256"]:
        print("another hash than recorded:", row["name"], file=sys.stderr)
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(content)
    part.rename(path)
    return True


def download():
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        done = list(pool.map(download_one, recorded()))
    print(sum(done), "of", len(done), "packages are here")
    if not all(done):
        sys.exit(f"{len(done) - sum(done)} packages are missing; run it again, or train on others with `fetch.py resolve`")


if __name__ == "__main__":
    if sys.argv[1] == "resolve":
        resolve(sys.argv[2:] or list(BASES))
    else:
        download()
