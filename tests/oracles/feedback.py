"""What verified positives say of unchecked rows, pair by pair and sample by sample."""

import itertools


def weighted_area(positives, stands_for, unchecked):
    """Mean share of the unchecked rows below a positive; a tie is half a row below.

    A positive counts as often as there are unchecked rows that it stands for: it stands for itself
    too, and is checked.
    """
    total, weight = 0.0, 0.0
    for score, n_rows in zip(positives, stands_for, strict=True):
        for other in unchecked:
            below = 1.0 if other < score else 0.5 if other == score else 0.0
            total += (n_rows - 1) * below
            weight += n_rows - 1
    return total / weight


def samples(strata, sizes):
    """Each choice of so many rows of each stratum."""
    choices = [itertools.combinations(rows, size) for rows, size in zip(strata, sizes, strict=True)]
    for chosen in itertools.product(*choices):
        yield [row for part in chosen for row in part]


def of_unchecked(values, strata, sizes):
    """The mean over all samples of the sum over the rows that are not drawn."""
    sums = [
        sum(value for row, value in enumerate(values) if row not in drawn)
        for drawn in samples(strata, sizes)
    ]
    return sum(sums) / len(sums)


def of_drawn(values, strata, sizes):
    """As `of_unchecked`, from the drawn rows by the number of unchecked rows they stand for."""
    stands_for = {
        row: len(rows) / size for rows, size in zip(strata, sizes, strict=True) for row in rows
    }
    sums = [
        sum((stands_for[row] - 1) * values[row] for row in drawn)
        for drawn in samples(strata, sizes)
    ]
    return sum(sums) / len(sums)
