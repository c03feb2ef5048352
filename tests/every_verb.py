"""A small run of each verb, for tests of what all verbs have."""

import numpy as np
import pandas as pd

from command_line import passed

FEW = ("--method", "naive-bayes", "--method", "center-of-mass")
LABEL = ("--positive", "known")
RUNS = {
    "rank": (
        *("rank", "papers.csv", *LABEL, "--id", "paper", *FEW, "--recall", "0.5", "--seed", "3"),
        *("--report", "rank.html", "--drop", "year"),
    ),
    "compare": (
        *("compare", "genes.csv", "more.csv", *LABEL, *FEW, "--drop", "gene", "--folds", "3"),
        *("--plot", "auc.svg"),
    ),
    "prior": (
        *("prior", "papers.csv", *LABEL, "--drop", "paper", "--scenario", "case-control"),
        *("--out", "prior.tsv"),
    ),
    "enrich": (
        *("enrich", "genes.csv", *LABEL, "--id", "gene", "--sets", "sets.gmt", "--top", "3"),
        *("--with-columns", "--resamples", "99"),
    ),
    "unexpected": (
        *("unexpected", "--known", "known", "--new", "new.csv", "--text", "text", "--id", "id"),
        *("--report", "new.html", "--save-known", "next.parquet"),
    ),
    "audit": ("audit", "kept.csv", "--draw", "9", "--seed", "3", "--sheet", "check.csv"),
    "fit": ("fit", "genes.csv", *LABEL, "--id", "gene", *FEW, "--out", "genes.onesided"),
    "score": ("score", "kept.onesided", "parts", "--out", "scores"),
    "report": ("report", "kept.json", "--out", "again.html"),
}
"""Arguments by verb."""
OUTPUTS = {
    "rank": {"papers-ranking.csv", "rank.html", "rank.json"},
    "compare": {"comparison.csv", "auc.svg"},
    "prior": {"prior.tsv"},
    "enrich": {"genes-enrichment.csv"},
    "unexpected": {"new-unexpected.csv", "new.html", "new.json", "next.parquet"},
    "audit": {"check.csv", "kept.audit.json"},
    "fit": {"genes.onesided"},
    "score": {"scores"},
    "report": {"again.html"},
}
"""What each writes."""


def make_inputs(folder):
    """Tables, gene sets, documents and a model that the runs read."""
    rng = np.random.default_rng(20030821)
    for name in ("genes", "more"):
        known = np.arange(120) < 40
        pd.DataFrame(
            {
                "gene": [f"G{row}" for row in range(120)],
                "size": rng.normal(size=120).round(3) + 2 * known,
                "charge": rng.normal(size=120).round(3),
                "region": np.where(rng.random(120) < 0.5, "north", "south"),
                "known": known.astype(int),
            }
        ).to_csv(folder / f"{name}.csv", index=False)
    sets = {"first": range(30), "second": range(20, 70), "odd": range(1, 120, 2)}
    lines = ["\t".join([name, "", *(f"G{row}" for row in rows)]) for name, rows in sets.items()]
    (folder / "sets.gmt").write_text("\n".join(lines))
    words = ("wheat corn grain harvest barley", "ship port cargo crew vessel")
    for kind, of_kind in zip(("grain", "ship"), words, strict=True):
        (folder / "known" / kind).mkdir(parents=True)
        for number in range(20):
            text = " ".join(rng.choice(of_kind.split(), 12))
            (folder / "known" / kind / f"{number}.txt").write_text(text)
    others = [*(words[row % 2] for row in range(15)), *["goal match team league coach"] * 5]
    texts = [" ".join(rng.choice(each.split(), 12)) for each in others]
    pd.DataFrame({"id": range(20), "text": texts}).to_csv(folder / "new.csv", index=False)
    texts = [" ".join(rng.choice(words[row % 3 == 0].split(), 6)) for row in range(90)]
    pd.DataFrame(  # with text, of which a prior is estimated quickly
        {
            "paper": range(90),
            "text": texts,
            "year": rng.integers(2001, 2009, 90),
            "known": [int(row % 6 == 0) for row in range(90)],
        }
    ).to_csv(folder / "papers.csv", index=False)
    (folder / "parts").mkdir()
    for name in ("genes", "more"):
        (folder / "parts" / f"{name}.csv").write_text((folder / f"{name}.csv").read_text())
    ask = [*LABEL, "--method", "naive-bayes"]
    passed("fit", "genes.csv", *ask, "--id", "gene", "--out", "kept.onesided", cwd=folder)
    ask += ["--id", "paper", "--out", "kept.csv", "--report", "kept.html"]
    passed("rank", "papers.csv", *ask, cwd=folder)
