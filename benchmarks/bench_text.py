"""Text larger than memory: the highest memory at N/10 and N documents, and documents a second.

    python benchmarks/bench_text.py [--quick] [--documents N] [--features LOG2]

Each fit runs in a fresh process (with `--quick` in this one), which reads compressed JSON lines
from a temporary folder. A pass stands beside a bare scan of the same files, which is pyarrow's
reading of the column of text, and beside scikit-learn's hashing of that text alone. A cached fit
hashes once and keeps the counts.
"""

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from _timing import highest_resident, report

from onesided import LGN, NoisyOrClassifier, PositiveMultinomialNB, WeightedLogisticRegression
from onesided._files._passes import FileTable
from onesided.preprocessing import HashedText

DOCUMENTS, QUICK = 1_000_000, 4_000
PER_PART = 10_000
WORDS, LENGTH = 50_000, 40
TOPIC_WORDS = 2_000  # that one topic has more of

ACTIONS = ("start", "scan", "hash", "LGN", "logistic", "noisy-or", "words")
MODELS = {
    "LGN": (LGN(), {}),
    "words": (PositiveMultinomialNB(0.3), {}),
    "logistic": (WeightedLogisticRegression(C=1.0, tol=1e-3), {"tfidf": True}),
    "noisy-or": (NoisyOrClassifier(True, True, max_iter=20), {"binary": True}),
}
TARGET_MEMORY = 1.25  # highest memory at N over that at N/10


def write_documents(folder: Path, n_documents: int) -> None:
    """Zipf's words; a third of the documents are of a topic, half of these labeled."""
    rng = np.random.default_rng(0)
    words = np.array([f"w{number:05d}" for number in range(WORDS)])
    share = 1 / np.arange(1, WORDS + 1)
    of_topic = share.copy()
    of_topic[rng.choice(np.arange(100, WORDS), TOPIC_WORDS, replace=False)] *= 8
    ends = [np.cumsum(each) / each.sum() for each in (share, of_topic)]
    for number, start in enumerate(range(0, n_documents, PER_PART)):
        n_rows = min(PER_PART, n_documents - start)
        topic = rng.random(n_rows) < 1 / 3
        label = topic & (rng.random(n_rows) < 1 / 2)
        path = folder / f"part-{number:05d}.jsonl.gz"
        with gzip.open(path, "wt", compresslevel=1, encoding="utf-8") as file:
            for is_topic, is_labeled in zip(topic, label, strict=True):
                drawn = np.searchsorted(ends[int(is_topic)], rng.random(LENGTH))
                row = {"text": " ".join(words[drawn]), "label": int(is_labeled)}
                file.write(json.dumps(row) + "\n")


def texts_of(folder: str) -> Iterator[list[str]]:
    """The column of text, batch by batch."""
    for batch in FileTable(folder).to_batches(["text"]):
        yield batch.column(0).to_pylist()


def act(what: str, folder: str, cache: str, n_features: int) -> dict[str, Any]:
    """Do one thing, in this process; its seconds, those of the fit, and its highest memory."""
    warnings.simplefilter("ignore")
    start, of_fit = time.perf_counter(), 0.0
    if what == "scan":
        for _ in FileTable(folder).to_batches(["text"]):
            pass
    elif what == "hash":
        hashed = HashedText(folder, "text", n_features=n_features)
        for texts in texts_of(folder):
            hashed._counts.vectorizer.transform(texts)  # noqa: SLF001 - the bare work
    elif what != "start":
        model, options = MODELS[what]
        hashed = HashedText(folder, "text", n_features=n_features, cache=cache or None, **options)
        model.fit(hashed, "label")
        of_fit = time.perf_counter() - start
        model.decision_function(hashed)
    seconds = time.perf_counter() - start
    memory = highest_resident()
    return {"seconds": seconds, "memory": memory, "of_fit": of_fit}


def in_process(what: str, folder: str, cache: str, n_features: int) -> dict[str, Any]:
    """The same in a fresh process."""
    command = [sys.executable, __file__, "--act", what, folder, cache, str(n_features)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def main() -> None:
    """Print the table, and whether memory grows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--documents", type=int)
    parser.add_argument("--features", type=int, default=18, help="as a power of two")
    parser.add_argument("--only", nargs="*", choices=ACTIONS)
    parser.add_argument("--act", nargs=4)
    given = parser.parse_args()
    if given.act:
        what, folder, cache, n_features = given.act
        print(json.dumps(act(what, folder, cache, int(n_features))))
        return
    most = given.documents or (QUICK if given.quick else DOCUMENTS)
    n_features = 2**given.features
    chosen = given.only or (("scan", "logistic") if given.quick else ACTIONS)
    figures: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for n_documents in (most // 10, most):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
            write_documents(Path(folder), n_documents)
            size = sum(path.stat().st_size for path in Path(folder).iterdir())
            print(f"\n{n_documents:,} documents, {size / 1e6:.0f} MB packed, {n_features:,} words")
            print(
                f"{'':<18}{'seconds':>9}{'fit':>8}{'MB':>7}{'docs/s':>9}{'/ scan':>8}{'/ hash':>8}"
            )
            for what in chosen:
                for cached in (False, True) if what in MODELS else (False,):
                    if what in ("logistic", "noisy-or") and not cached:
                        continue  # dozens of passes
                    how = act if given.quick else in_process
                    found = how(what, folder, cache if cached else "", n_features)
                    figures.setdefault((what, cached), []).append(found)
                    show(what, found, figures, n_documents, cached=cached)
    for (what, cached), (small, large) in figures.items():
        ratio = large["memory"] / small["memory"]
        report(f"highest memory at N over N/10: {name(what, cached=cached)}", ratio, TARGET_MEMORY)


def name(what: str, *, cached: bool) -> str:
    """What a line is called."""
    return f"{what}, cached" if cached else what


def show(what: str, found: Any, figures: Any, n_documents: int, *, cached: bool) -> None:
    """One line of the table."""
    line = f"{name(what, cached=cached):<18}{found['seconds']:>9.1f}{found['of_fit']:>8.1f}"
    line += f"{found['memory'] / 1e6:>7.0f}"
    if what != "start":
        line += f"{n_documents / found['seconds']:>9.0f}"
        for bare in ("scan", "hash"):
            if (bare, False) in figures:
                line += f"{found['seconds'] / figures[bare, False][-1]['seconds']:>8.1f}"
    print(line, flush=True)


if __name__ == "__main__":
    main()
