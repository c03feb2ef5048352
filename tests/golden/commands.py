"""The commands of the golden test, each with a name, over the files that `inputs` makes."""

import shlex
from dataclasses import dataclass

from golden.inputs import as_csv, as_json_lines, genes


@dataclass(frozen=True)
class Command:
    """A command line without its first word.

    Attributes
    ----------
    line : as a shell has it
    stdin : what is sent to the command
    before : a command that runs first in the same folder
    """

    line: str
    stdin: str = ""
    before: str = ""

    @property
    def words(self) -> list[str]:
        """What the shell makes of the line."""
        return shlex.split(self.line)


_NB = "--method naive-bayes"
_FEW = f"{_NB} --method center-of-mass"
_ASK = f"--positive known --id gene --drop checked {_FEW}"
_CASES = f"--positive Betrug --id Fall {_NB}"
_PAPERS = f"--positive known --id paper {_NB}"
_LEARNED = ("gene", "size", "charge", "length", "region")
_STREAM = [{key: row[key] or None for key in _LEARNED} for row in genes(2, 8)]
_VERBS = (
    *("rank", "fit", "score", "compare", "prior", "enrich"),
    *("unexpected", "report", "reproduce"),
)
_RANK = {
    "yeast": f"genes.csv.gz --positive known_target --id gene {_FEW} --top 50 --out yeast.csv",
    "csv": f"genes.csv {_ASK}",
    "row-numbers": f"genes.csv --positive known --drop gene --drop checked {_FEW} --top 20"
    " --seed 4",
    "decimal-comma": f"cases.csv {_CASES}",
    "windows-1252": f"cases-windows.csv {_CASES} --categorical PLZ --top 10",
    "utf-16": f"cases-utf16.csv {_CASES} --top 10",
    "sep-line": f"cases-sep.csv {_CASES} --delimiter ';' --top 10",
    "tsv": f"genes.tsv {_ASK} --out tsv.tsv --top 10",
    "parquet": f"genes.parquet {_ASK} --out ranking.parquet --top 10",
    "json-lines": f"genes.jsonl {_ASK} --top 10 -q",
    "gz": f"more.csv.gz {_ASK} --top 10",
    "parts": f"parts {_ASK} --top 10",
    "svmlight": f"vectors.svm --positive label {_FEW} --method multinomial",
    "ris": "search.ris --positive-table included.ris --known-negative-table excluded.ris"
    " --fdr 0.5 --method logistic",
    "bibtex": "search.bib --positive-table included.bib --method logistic --top 10",
    "pubmed": "search.nbib --positive-table included.nbib --method logistic --top 10",
    "text-files": "letters --positive-table chosen-letters --method logistic --top 10",
    "group": f"genes.csv {_ASK} --group family --top 10",
    "roles": f"papers.csv {_PAPERS} --categorical year --text text --top 10 -v",
    "class-prior": f"genes.csv --positive known=1 --id gene --drop checked {_NB}"
    " --class-prior 0.2 --top 10",
    "promises": f"papers.csv {_PAPERS} --recall 0.8 --discard 0.3 --fdr 0.6 --prior-at-least 0.05"
    " --confidence 0.9",
    "known-negative": f"genes.csv --positive known --id gene --known-negative checked=no {_FEW}"
    " --fdr 0.6 --top 20",
    "scenario": f"papers.csv {_PAPERS} --scenario single-training-set --gains gains.csv --top 20",
    "report": "papers.csv --positive known --id paper --drop year --method tree --recall 0.8"
    " --scenario case-control --prior-at-least 0.05 --report page.html --gains gains.tsv --top 20",
    "spreadsheet": f"genes.csv {_ASK} --for-spreadsheet --top 10",
    "each": f"species.csv --positive-each species --id site --group block {_FEW} --top 10",
    "resamples": f"genes.csv {_ASK} --resamples 9 --top 5 -v",
    "json": f"genes.csv --positive known --id gene --drop checked --drop length {_NB} --top 5"
    " --json -q",
    "save-config": f"genes.csv {_ASK} --top 10 --save-config run.json",
}
_ERRORS = {
    "missing-column": "rank genes.csv --positive knwon",
    "three-labels": "rank levels.csv --positive known",
    "no-positive": "rank none.csv --positive known --json",
    "bad-delimiter": "rank genes.csv --positive known --delimiter ab",
    "ragged": "rank ragged.csv --positive known",
    "mixed-json": "rank mixed.jsonl --positive known",
    "empty": "rank empty.csv --positive known",
    "only-header": "rank header.csv --positive known",
    "spreadsheet": "rank book.xlsx --positive known",
    "no-file": "compare genes.csv none-such.csv --positive known",
    "unknown-method": "rank genes.csv --positive known --method baies",
    "multinomial": "compare genes.csv --positive known --method multinomial",
    "fdr": "rank genes.csv --positive known --fdr 0.1",
    "recall": "rank genes.csv --positive known --recall 0.99",
    "no-labels": "prior genes.csv --scenario case-control",
    "file-as-verb": "genes.csv --positive known",
    "no-verb": "rnak genes.csv",
    "overwrite": "rank genes.csv --positive known --out genes.csv",
    "ending": "rank genes.csv --positive known --out ranking.doc",
    "no-model": "score no-model.onesided genes.csv",
    "score-column": "score k-dependence.onesided genes.csv",
    "report-each": "rank species.csv --positive-each species --report page.html",
    "no-sets": "enrich genes.csv --positive known --with-columns",
    "make-known": "unexpected --known known --new new --make-known 1=sport",
    "no-page-data": "report genes.csv",
    "reproduce-paper": "reproduce nobody2000 --data no-papers",
    "reproduce-folder": "reproduce calvo2007 --data none-such",
    "reproduce-data": "reproduce calvo2007 --data no-papers --quick",
}
_OTHERS = {
    "compare-one": f"compare genes.csv {_ASK} --method correlation --folds 3",
    "compare-two": f"compare genes.csv more.csv {_ASK} --folds 3 --group family --plot auc.svg",
    "compare-json": f"compare genes.csv --positive known --drop gene {_NB} --folds 3 --json -q"
    " --out compared.parquet",
    "prior-text": "prior papers.csv --positive known --id paper --scenario single-training-set"
    " --out prior.csv",
    "prior-json": "prior papers.csv --positive known --id paper --drop year --scenario case-control"
    " --confidence 0.8 --json",
    "enrich-columns": "enrich genes.csv --positive known --id gene --resamples 99",
    "enrich-t": "enrich genes.csv --positive known --drop gene --drop region --drop family"
    " --drop checked --resamples 99 --statistic t",
    "enrich-sets": "enrich genes.csv --positive known --id gene --sets sets.gmt --with-columns"
    " --resamples 99 --top 8",
    "enrich-positive-sets": "enrich genes.csv --positive-sets chosen.gmt --sets sets.gmt --id gene"
    " --resamples 99 --json",
    "unexpected-tables": "unexpected --known known.csv --new new.csv --kind kind --id id"
    " --text text --fdr 0.3 --save-known next.csv --top 20",
    "unexpected-folders": "unexpected --known known --new new --report page.html",
    "fit-text": "fit papers.csv --positive known --id paper --drop year --method multinomial"
    " --out papers.onesided",
    "fit-sample": f"fit genes.csv {_ASK} --unlabeled 40 --seed 2 --json",
    "fit-group": f"fit genes.parquet {_ASK} --group family -v",
    "score-file": "score one-dependence.onesided genes.csv",
    "score-folder": "score one-dependence.onesided parts --out scores",
    "score-top": "score one-dependence.onesided genes.parquet --top 7 --out scores.tsv --id family",
    "score-positive": "score one-dependence.onesided more.csv.gz --positive known"
    " --gains gains.csv",
    "score-drift": "score cross-fit-svm.onesided more.csv --json",
    "score-decimal-comma": "score tree.onesided cases-windows.csv --out scores.csv",
    "score-svmlight": "score logistic.onesided vectors.svm --out scores.csv",
    "report-ranking": "report kept-ranking.json",
    "report-unexpected": "report kept-unexpected.json --out page.html --json",
}
COMMANDS = {
    "help": Command("--help"),
    **{f"help-{verb}": Command(f"{verb} --help") for verb in _VERBS},
    **{f"rank-{name}": Command(f"rank {line}") for name, line in _RANK.items()},
    **{name: Command(line) for name, line in _OTHERS.items()},
    "rank-config": Command(
        "rank --config run.json genes.csv --top 5",
        before=f"rank genes.csv {_ASK} --save-config run.json -q",
    ),
    "unexpected-again": Command(
        "unexpected --known next.parquet --new new.csv --previous first.csv --make-known 1=sport"
        " --id id --kind kind --fdr 0.3",
        before="unexpected --known known.csv --new new.csv --kind kind --id id --fdr 0.3"
        " --out first.csv --save-known next.parquet",
    ),
    "score-json-stream": Command("score one-dependence.onesided - --out -", as_json_lines(_STREAM)),
    "score-csv-stream": Command("score one-dependence.onesided - --out -", as_csv(_STREAM)),
    "score-bad-lines": Command(
        "score one-dependence.onesided - --out - --skip-bad-lines",
        f"{as_json_lines(_STREAM[:2])}[1, 2]\n{as_json_lines(_STREAM[2:4])}",
    ),
    **{f"error-{name}": Command(line) for name, line in _ERRORS.items()},
    "error-bad-stream": Command("score one-dependence.onesided - --out -", "{not json\n"),
}

_NUMBERS = "kept-genes.csv --positive known --id gene --drop checked --drop family"
_ONLY_NUMBERS = f"{_NUMBERS} --drop region"
_GERMAN = "kept-cases.csv --positive Betrug --id Fall"
_PAIRS = "kept-papers.csv --positive known --id paper"
_VECTORS = "kept-vectors.svm --positive label"
MODELS = {
    "naive-bayes": _PAIRS,
    "tree": f"{_GERMAN} --categorical PLZ",
    "k-dependence": _GERMAN,
    "one-dependence": _NUMBERS,
    "multinomial": f"{_PAIRS} --drop year",
    "logistic": _VECTORS,
    "text-first": "kept-notes.csv --positive known --id paper",
    "bagging": "kept-few.csv --positive known --id gene --drop checked --drop family --drop length",
    "splines": _NUMBERS,
    "significance": _ONLY_NUMBERS,
    "center-of-mass": f"{_PAIRS} --categorical year",
    "correlation": _GERMAN,
    "one-class-svm": _VECTORS,
    "cross-fit-svm": _ONLY_NUMBERS,
}
"""Table and options of each kept model, by its method."""
PAGES = {
    "kept-ranking": "rank kept-papers.csv --positive known --id paper --method tree --recall 0.7"
    " --confidence 0.8 --discard 0.2 --prior-at-least 0.05 --scenario case-control",
    "kept-unexpected": "unexpected --known known --new new",
}
"""Commands that made the kept data of pages."""
