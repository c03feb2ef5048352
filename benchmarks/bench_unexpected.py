"""`onesided unexpected` on 18,846 new messages, beside what they cost at least."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from _timing import in_turn, median_ratio, report
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

_KNOWN = ("comp.graphics", "sci.space", "rec.autos", "talk.politics.guns")


def messages() -> pa.Table | None:
    """Groups and bodies of the messages, from the data folder if there is one."""
    folder = Path(os.environ.get("ONESIDED_DATA", "../shared/data"))
    found = sorted(folder.rglob("newsgroups.parquet"))
    if not found:
        return None
    table = pq.read_table(found[0], columns=["group", "split", "text"])
    bodies = [text.partition("\n\n")[2] for text in table["text"].to_pylist()]
    return table.set_column(2, "text", pa.array(bodies))


def main() -> None:
    """Print the ratio."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    repeats = 1 if quick else 3
    table = messages()
    if table is None:
        print("onesided unexpected: no newsgroups.parquet in ONESIDED_DATA, not timed")
        return
    if quick:
        table = table.take(np.arange(0, table.num_rows, 40))
    groups, splits = (np.array(table[name].to_pylist()) for name in ("group", "split"))
    known = np.isin(groups, _KNOWN) & (splits == "train")
    texts = table["text"].to_pylist()

    def peer() -> None:
        X = CountVectorizer(stop_words="english").fit_transform(texts)
        MultinomialNB().fit(X, known)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pq.write_table(
            table.select(["group", "text"]).filter(pa.array(known)), folder / "k.parquet"
        )
        pq.write_table(table.select(["text"]), folder / "n.parquet")
        command = [sys.executable, "-m", "onesided", "unexpected", "--known", "k.parquet"]
        command += ["--kind", "group", "--new", "n.parquet", "--out", "out.csv"]
        command += ["--report", "report.html"]

        def ours() -> None:
            subprocess.run(command, cwd=folder, check=True, capture_output=True)

        times = in_turn(ours, peer, repeats=repeats)
    what = f"onesided unexpected, {known.sum():,} known, {len(texts):,} new / vectorise, fit NB"
    report(what, median_ratio(*times), 20)


if __name__ == "__main__":
    main()
