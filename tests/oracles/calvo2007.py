"""PNB and APNB, value by value (Calvo, Larrañaga, Lozano 2007, sections 2 and 4).

Rows are lists of values, None where missing. `tables[i][value]` is (P(value | 0), P(value | 1)).
"""

import math


def _observed(rows, feature):
    return [row[feature] for row in rows if row[feature] is not None]


def pnb_tables(positives, unlabeled, p, laplace=1):
    """Section 2 and Eq. 3."""
    tables = []
    for i in range(len(positives[0])):
        in_positive, in_unlabeled = _observed(positives, i), _observed(unlabeled, i)
        values = sorted(set(in_positive) | set(in_unlabeled))
        r, n1, nu = len(values), len(in_positive), len(in_unlabeled)
        p1 = {v: (in_positive.count(v) + laplace) / (n1 + laplace * r) for v in values}
        clipped = {v: max(0.0, in_unlabeled.count(v) - p * nu * p1[v]) for v in values}
        total = sum(clipped.values())
        table = {}
        for v in values:
            share = clipped[v] / total * (1 - p) * nu
            table[v] = ((laplace + share) / (laplace * r + (1 - p) * nu), p1[v])
        tables.append(table)
    return tables


def unsmoothed_pnb_tables(positives, unlabeled, p):
    """Eq. 2 as it is, with the Laplace P(x | 1): no clipping, no smoothing."""
    tables = []
    for i in range(len(positives[0])):
        in_positive, in_unlabeled = _observed(positives, i), _observed(unlabeled, i)
        values = sorted(set(in_positive) | set(in_unlabeled))
        r, n1, nu = len(values), len(in_positive), len(in_unlabeled)
        table = {}
        for v in values:
            p1 = (in_positive.count(v) + 1) / (n1 + r)
            table[v] = ((in_unlabeled.count(v) - p1 * p * nu) / ((1 - p) * nu), p1)
        tables.append(table)
    return tables


def apnb_tables(positives, unlabeled, alpha, beta):
    """Eq. 6; entries at or below zero take 1/r, then the feature is normalised."""
    tables = []
    for i in range(len(positives[0])):
        in_positive, in_unlabeled = _observed(positives, i), _observed(unlabeled, i)
        values = sorted(set(in_positive) | set(in_unlabeled))
        r, n1, nu = len(values), len(in_positive), len(in_unlabeled)
        p1 = {v: (in_positive.count(v) + 1) / (n1 + r) for v in values}
        p0 = {}
        for v in values:
            share = in_unlabeled.count(v) / nu
            p0[v] = (alpha * (share - p1[v]) + (beta - 1) * share) / (beta - 1)
            if p0[v] <= 0:
                p0[v] = 1 / r
        total = sum(p0.values())
        tables.append({v: (p0[v] / total, p1[v]) for v in values})
    return tables


def log_odds(tables, p, row):
    """log P(1 | x) / P(0 | x); missing and unseen values are left out."""
    odds = math.log(p) - math.log(1 - p)
    for table, value in zip(tables, row, strict=True):
        if value in table:
            p0, p1 = table[value]
            odds += math.log(p1) - math.log(p0)
    return odds
