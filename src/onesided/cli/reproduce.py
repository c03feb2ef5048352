"""`onesided reproduce`: make a paper's tables and figures from data that the user has."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal, TypeAlias

import typer

from onesided.cli._options import OUTPUT, count_option, option
from onesided.cli._run import current_run, verb
from onesided.cli._talk import progress, say

Paper: TypeAlias = Literal["calvo2007", "geurts2011", "lee2003", "lgn2007", "vomlel2004"]


@verb
def reproduce(
    paper: Annotated[Paper, typer.Argument(help="Which paper.")],
    data: Annotated[
        Path,
        option(
            "Folder that holds the data sets as .parquet files, in it or in its sub-folders.",
            metavar="FOLDER",
        ),
    ],
    out: Annotated[
        Path | None,
        option(
            "Folder for the results. Default: a folder named after the paper, in the current "
            "folder.",
            metavar="FOLDER",
        ),
        OUTPUT,
    ] = None,
    *,
    draws: Annotated[
        int | None,
        count_option(
            "Number of random draws of each problem; for geurts2011, of divisions into folds. "
            "Default: the number in the paper, or fewer with --quick."
        ),
    ] = None,
    quick: Annotated[
        bool,
        option(
            "Run a small part of the experiments, in a few minutes. geurts2011 then takes only "
            "some of the genes.",
            "--quick",
        ),
    ] = False,
) -> None:
    """Reproduce the tables and figures of a paper.

    For each table that also has the figures of the paper, the command prints both means.
    Then it says what the rows and columns of each table mean.

    All experiments take hours (vomlel2004: minutes; lee2003 and lgn2007: about one hour). To
    continue an interrupted run, give the same command again.

    The data sets are the following .parquet files. The page on papers in the documentation says
    what they contain. calvo2007: letter, nursery, hs3d_donor, nn269_acceptor, dr_ageing_genes.
    geurts2011: yeast_expression, yeast_tf_targets, ecoli_expression, ecoli_tf_targets,
    ecoli_operons. lee2003: newsgroups, bank_marketing, and without --quick also reuters. lgn2007:
    newsgroups. vomlel2004: reuters.

    Example:

    **onesided reproduce calvo2007 --data data --quick**
    """
    from onesided import reproduce  # noqa: PLC0415 - help does not pay for it

    out = out or Path(paper)
    with _kept(out), progress(f"reproducing {paper}") as step:
        written = reproduce.reproduce(
            paper,
            data,
            out,
            quick=quick,
            draws=draws,
            on_progress=lambda _, *counts: step(*counts),
        )
    run = current_run()
    run.write()
    run.written = {path.name: path for path in written}
    means = list(reproduce.beside_paper(written))
    say(
        "Mean of each column that the paper has too, over the rows of the table:"
        if means
        else "The tables cannot be compared with the paper, because the paper used other data."
    )
    for mean in means:
        name = f"{mean.file}, mean of {mean.n_rows}: {mean.column:<20}"
        say(f"  {name} {mean.ours:8.4g}  the paper {mean.paper:8.4g}")
    say("What the tables hold:")
    for path in written:
        if meaning := reproduce.MEANINGS[paper].get(path.name):
            say(f"  {path.name}: {meaning}")
    paths = [str(path) for path in written]
    run.end("Written:", lambda: {"paper": paper, "files": paths}, "\n".join(paths))


@contextmanager
def _kept(out: Path) -> Iterator[None]:
    """Say how to continue if the run is interrupted."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"Finished experiments are in {out}. To continue, give the same command again.")
        raise
