"""Several sources of features: how far a set stands out in each, and the weights that this gives.

======  ===========  ===================  ======================================================
symbol  here         shape                meaning
======  ===========  ===================  ======================================================
d_s     distances    (n_sets, n_sources)  from the set's mean to the reduced hull, in source s
z_s     z            (n_sets, n_sources)  (d_s − m_s) / e_s, with the mean and deviation of d_s over
                                          random sets that are drawn once, for this alone
T       combined     (n_sets,)            largest c·z with c ≥ 0 and ‖c‖ = 1
β_s     weights      (n_sources,)         c_s², sums to 1
v_s     spread       (n_sources,)         mean squared distance of the subsets' means from their
                                          center
======  ===========  ===================  ======================================================

c is max(z, 0) over its length, or, if no z is above 0, 1 for the largest z. The kernel of the
ranker is Σ β_s k_s Σv / v_s: a source counts by its weight, whatever its units and its number of
columns. With one source it is the kernel of the source.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from reprlib import Repr
from typing import Any, Self

import numpy as np

from onesided._blocks._checks import positions_of
from onesided._display import Displayed
from onesided._frames import frame_of
from onesided._text import counted, counted_of
from onesided._typing import Array, Floats, Ints
from onesided.exceptions import DataError
from onesided.models.significance._margin import hull_distances
from onesided.models.significance._pvalues import counts_as_high

DISTANCE_TOL = 1e-4  # relative, of the distances behind the p-values
_DISTANCE_STEPS = 500
_LEVEL = 0.05  # what is said in words
_SHORT = Repr()
_LEAST = 1e-3  # of the spread; a deviation of the distances below it is not resolved


def source_columns(
    sources: Mapping[Any, Any], n_features: int, names: Sequence[str] | None
) -> list[Ints]:
    """The columns of each source as positions.

    Parameters
    ----------
    sources : the columns by the names of the sources, as `SignificanceRanker` takes them
    n_features : number of columns of X
    names : of the columns, or None

    Raises
    ------
    DataError : if a source has no columns, or columns that X does not have
    """
    if not sources:
        raise DataError("sources={} names no source.", "Pass the columns of one source or more.")
    found = []
    for name, given in sources.items():
        if not isinstance(name, str):
            raise DataError(
                f"The name of a source is {name!r}, which is not text.", "Pass a name as text."
            )
        try:
            columns = _positions(given, n_features, names)
        except DataError as error:
            raise DataError(f"Source {name!r}: {error.problem}", error.mend) from None
        except (IndexError, TypeError, ValueError):
            raise DataError(
                f"Source {name!r} has {_SHORT.repr(given)}, which are not columns of X; X has "
                f"{counted(n_features, 'column')}.",
                "Pass a list of names or of positions, a slice of positions, or a mask with True "
                "or False for each column.",
            ) from None
        if not len(columns):
            raise DataError(
                f"Source {name!r} has no columns.", "Pass its columns, or leave the source out."
            )
        if len(np.unique(columns)) < len(columns):
            raise DataError(
                f"Source {name!r} has the same column twice.",
                "Pass each column of it once; a mask has True or False for each column.",
            )
        found.append(columns)
    return found


def _positions(given: Any, n_features: int, names: Sequence[str] | None) -> Ints:
    if isinstance(given, slice):
        return np.arange(n_features)[given]
    cells = [given] if np.ndim(given) == 0 else list(given)
    if cells and all(isinstance(each, str) for each in cells):
        return np.array(positions_of(cells, names))
    n_flags = sum(isinstance(each, bool | np.bool_) for each in cells)
    if np.ndim(given) > 1 or n_flags not in (0, len(cells)):
        raise TypeError("a table of columns, or flags among positions")
    return np.arange(n_features)[np.array(cells, dtype=None if cells else np.int64)]


def spread_of(means: Floats) -> float:
    """Mean squared distance of the subsets' means, shape (n_subsets, dim), from their center."""
    return float(np.square(means - means.mean(axis=0)).sum(axis=1).mean())


def distances_by_source(
    points: Sequence[Floats],
    means: Sequence[Floats],
    nu: float,
    on_step: Callable[[int, int], None] | None = None,
) -> Floats:
    """d: distances of points from the reduced hull of the subsets' means, in each source.

    Parameters
    ----------
    points, means : for each source, of shapes (n_points, dim) and (n_subsets, dim)
    nu : ν in (0, 1]
    on_step : called from time to time with the number of distances that are done, and of all

    Returns
    -------
    shape (n_points, n_sources)
    """
    found = []
    for number, (at, of) in enumerate(zip(points, means, strict=True)):
        said = on_step and partial(_say_step, on_step, number, len(points))
        found.append(hull_distances(at, of, nu, DISTANCE_TOL, _DISTANCE_STEPS, said))
    return np.column_stack(found)


def _say_step(
    on_step: Callable[[int, int], None], number: int, n_sources: int, done: int, n_sets: int
) -> None:
    """Say the sets that are done in one of several sources as sets of all sources."""
    on_step(number * n_sets + done, n_sources * n_sets)


def deviations_of(distances: Floats, spread: Floats) -> Floats:
    """Standard deviations of the distances of random sets; shape (n_sources,).

    Where almost all random sets lie in the hull, the deviation would be the error of the solver.
    """
    return np.maximum(distances.std(axis=0), _LEAST * np.sqrt(spread))


def combined(z: Floats) -> Floats:
    """T of each set, shape (n_sets,): the largest c·z."""
    length = np.linalg.norm(np.maximum(z, 0.0), axis=1)
    return np.where(length > 0, length, z.max(axis=1))


def source_weights(z: Floats) -> Floats:
    """β, shape (n_sources,): the squares of the c at which c·z is largest, of one set."""
    best = np.maximum(z, 0.0) if z.max() > 0 else (z == z.max()).astype(np.float64)
    return np.square(best) / np.square(best).sum()


@dataclass(frozen=True)
class SourcePValues(Displayed):
    """How far the positives stand out in each source, with p-values.

    Attributes
    ----------
    source : shape (n_sources,), names
    weight : shape (n_sources,), share of the source in the ranker, sums to 1
    statistic : shape (n_sources,), distance of the positives from the random subsets, in standard
        deviations from its mean over random sets
    p_value : shape (n_sources,), p-value of each source, not adjusted
    adjusted_p_value : shape (n_sources,), p-value that controls the family-wise error rate over all
        sources

    Examples
    --------
    The positives stand out in one of two sources:

    >>> import numpy as np
    >>> from onesided import SignificanceRanker
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 8)); X[:10, 1] += 2
    >>> sources = {"expression": slice(0, 4), "text": slice(4, 8)}
    >>> ranker = SignificanceRanker(sources=sources, random_state=0).fit(X, np.arange(200) < 10)
    >>> found = ranker.source_p_values(99, random_state=0)
    >>> found.to_frame("pandas")[["source", "adjusted_p_value"]].head(1)
           source  adjusted_p_value
    0  expression              0.01
    """

    source: Array
    weight: Floats
    statistic: Floats
    p_value: Floats
    adjusted_p_value: Floats

    @classmethod
    def of(
        cls, weights: Mapping[Any, float], z: Floats, null: Floats, *, exact: bool, slack: Floats
    ) -> Self:
        """P-values from the z of the positives and of random sets, by step-down max-T.

        Parameters
        ----------
        weights : of each source, by its name
        z : shape (n_sources,), of the positives
        null : shape (n_sets, n_sources), of the random sets
        exact : whether these are all sets of the size
        slack : shape (n_sources,), error of z; a random set within it counts as high as z
        """
        order = np.argsort(z, kind="stable")
        back = np.argsort(order)
        counts = counts_as_high(null[:, order], (z - slack)[order])
        one = 0 if exact else 1
        p_value, adjusted = ((one + each) / (one + len(null)) for each in counts)
        adjusted = np.maximum.accumulate(adjusted[::-1])[::-1]
        names = np.array(list(weights), dtype=object)
        return cls(names, np.array(list(weights.values())), z, p_value[back], adjusted[back])

    def to_frame(self, backend: str | None = None) -> Any:
        """Data frame with one row for each source, the source of the largest statistic first.

        Columns: `source`, `weight`, `statistic`, `p_value`, `adjusted_p_value`.

        Parameters
        ----------
        backend : "pandas", "polars" or "pyarrow"; by default the first that is installed
        """
        order = np.argsort(-self.statistic, kind="stable")
        return frame_of(
            {
                "source": self.source[order].tolist(),
                "weight": self.weight[order].tolist(),
                "statistic": self.statistic[order].tolist(),
                "p_value": self.p_value[order].tolist(),
                "adjusted_p_value": self.adjusted_p_value[order].tolist(),
            },
            backend,
        )

    def plot(self) -> Any:
        """Altair chart of the statistics of the sources."""
        from onesided import _charts  # noqa: PLC0415 - only a picture needs Altair

        rows = self.to_frame("pyarrow").to_pydict()
        return _charts.bars(rows["source"], rows["statistic"], "standard deviations from chance")

    def __str__(self) -> str:
        found = self.to_frame("pyarrow").to_pylist()
        names = [each["source"] for each in found if each["adjusted_p_value"] <= _LEVEL]
        listed = f": {', '.join(names)}" if names else ""
        return (
            f"{counted_of(len(names), len(found), 'source', 'have')} an adjusted p-value of "
            f"{_LEVEL:g} or less{listed}."
        )
