"""PNB and APNB, value by value (Calvo, Larrañaga, Lozano 2007, sections 2 and 4).

Rows are lists of values, None where missing. `tables[i][value]` is (P(value | 0), P(value | 1)).
"""

import itertools
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


# Joint values: a pair (or a tuple of parents and a child) is a value of its own.


def _joint(rows, features):
    """Tuples of the values of some features, rows where all are observed."""
    tuples = [tuple(row[f] for f in features) for row in rows]
    return [values for values in tuples if None not in values]


def _values(positives, unlabeled, feature):
    return sorted(set(_observed(positives, feature)) | set(_observed(unlabeled, feature)))


def _frequencies(found, values):
    return {v: (found.count(v) / len(found) if found else 0.0) for v in values}


def _eq3(found_u, given1, values, p):
    """Eq. 3 for any set of values: clip, rescale, Laplace."""
    nu = len(found_u)
    clipped = {v: max(0.0, found_u.count(v) - given1[v] * p * nu) for v in values}
    total = sum(clipped.values())
    scale = (1 - p) * nu / total if total else 0.0
    return {v: (1 + clipped[v] * scale) / (len(values) + (1 - p) * nu) for v in values}


def _eq6(found_u, given1, values, alpha, beta):
    """Eq. 6 for any set of values: entries at or below zero take 1/number, then normalise."""
    share = _frequencies(found_u, values)
    out = {}
    for v in values:
        out[v] = (alpha * (share[v] - given1[v]) + (beta - 1) * share[v]) / (beta - 1)
        if out[v] <= 0:
            out[v] = 1 / len(values)
    total = sum(out.values())
    return {v: out[v] / total for v in values}


def edge_weight(positives, unlabeled, i, k, *, p=None, beta_prior=None):
    """Eq. 5, nats: positive probabilities are plain frequencies."""
    values_i, values_k = _values(positives, unlabeled, i), _values(positives, unlabeled, k)
    pairs = [(a, b) for a in values_i for b in values_k]
    joint1, joint_u = _joint(positives, [i, k]), _joint(unlabeled, [i, k])
    p_joint1, p_joint_u = _frequencies(joint1, pairs), _frequencies(joint_u, pairs)
    p1_i = _frequencies(_observed(positives, i), values_i)
    p1_k = _frequencies(_observed(positives, k), values_k)
    if beta_prior is None:
        p_class = p
        p0 = _eq3(joint_u, p_joint1, pairs, p)
        p0_i = _eq3(_observed(unlabeled, i), p1_i, values_i, p)
        p0_k = _eq3(_observed(unlabeled, k), p1_k, values_k, p)
    else:
        alpha, beta = beta_prior
        p_class = alpha / (alpha + beta)
        p0 = _eq6(joint_u, p_joint1, pairs, alpha, beta)
        p0_i = _eq6(_observed(unlabeled, i), p1_i, values_i, alpha, beta)
        p0_k = _eq6(_observed(unlabeled, k), p1_k, values_k, alpha, beta)
    total = 0.0
    for a, b in pairs:
        if p_joint1[a, b] > 0:
            ratio = p_joint1[a, b] / (p1_i[a] * p1_k[b])
            total += p_class * p_joint1[a, b] * math.log(ratio)
        rest = p_joint_u[a, b] - p_class * p_joint1[a, b]
        total += rest * math.log(p0[a, b] / (p0_i[a] * p0_k[b]))
    return total


def all_trees(n):
    """Every set of n − 1 edges that joins n nodes."""
    edges = list(itertools.combinations(range(n), 2))
    for chosen in itertools.combinations(edges, n - 1):
        group = list(range(n))
        for a, b in chosen:
            old, new = group[a], group[b]
            group = [new if g == old else g for g in group]
        if len(set(group)) == 1:
            yield chosen


def best_tree(weights, n):
    """The heaviest tree, by enumeration, its edges as parents: rooted at the first feature."""
    chosen = max(all_trees(n), key=lambda tree: sum(weights[edge] for edge in tree))
    parents, reached = [-1] * n, [0]
    while len(reached) < n:
        for a, b in chosen:
            for known, new in ((a, b), (b, a)):
                if known in reached and new not in reached:
                    parents[new] = known
                    reached.append(new)
    return parents


def conditional_tables(
    positives, unlabeled, child, parents, *, p=None, beta_prior=None, printed=False, backoff=None
):
    """`tables[pa][value]` is (P(value | 0, pa), P(value | 1, pa)); pa a tuple of values.

    Section 3.2 as printed, or with what is subtracted taken from the joint; section 4 (Eq. 7) as
    printed, or Eq. 6 on the joint, then conditioned. With `backoff`, each row is shrunk towards
    the marginal of its class.
    """
    values = _values(positives, unlabeled, child)
    r = len(values)
    configs = list(itertools.product(*(_values(positives, unlabeled, q) for q in parents)))
    family = [*parents, child]
    joint1, joint_u = _joint(positives, family), _joint(unlabeled, family)
    cells = [(*pa, v) for pa in configs for v in values]
    laplace = {c: (joint1.count(c) + 1) / (len(joint1) + len(cells)) for c in cells}
    own1, own_u = _observed(positives, child), _observed(unlabeled, child)
    marginal1 = {v: (own1.count(v) + 1) / (len(own1) + r) for v in values}
    if beta_prior is None:
        marginal0 = _eq3(own_u, marginal1, values, p)
    else:
        marginal0 = _eq6(own_u, marginal1, values, *beta_prior)
    if beta_prior is not None and not printed:
        joint0 = _eq6(joint_u, laplace, cells, *beta_prior)
    share_u = _frequencies(own_u, values)
    tables = {}
    for pa in configs:
        n1 = {v: joint1.count((*pa, v)) for v in values}
        nu = {v: joint_u.count((*pa, v)) for v in values}
        n1_pa, nu_pa = sum(n1.values()), sum(nu.values())
        if backoff is None:
            given1 = {v: (n1[v] + 1) / (n1_pa + r) for v in values}
        else:
            given1 = {v: (n1[v] + backoff * marginal1[v]) / (n1_pa + backoff) for v in values}
        pa_given1 = (n1_pa + 1) / (len(joint1) + len(configs))
        if beta_prior is None:
            if printed:
                rest = {v: max(0.0, nu[v] - given1[v] * p * nu_pa) for v in values}
                total = sum(rest.values())
                scale = (1 - p) * nu_pa / total if total else 0.0
                rest = {v: rest[v] * scale for v in values}
            else:
                cell1 = (
                    {v: laplace[*pa, v] for v in values}
                    if backoff is None
                    else {v: given1[v] * pa_given1 for v in values}
                )
                rest = {v: max(0.0, nu[v] - p * len(joint_u) * cell1[v]) for v in values}
            total = sum(rest.values())
            if backoff is None:
                given0 = {v: (1 + rest[v]) / (r + total) for v in values}
            else:
                given0 = {v: (rest[v] + backoff * marginal0[v]) / (total + backoff) for v in values}
        else:
            alpha, beta = beta_prior
            if printed:
                raw = {
                    v: (alpha * (share_u[v] - given1[v]) + (beta - 1) * share_u[v]) / (beta - 1)
                    for v in values
                }
                raw = {v: raw[v] if raw[v] > 0 else 1 / r for v in values}
            else:
                raw = {v: joint0[*pa, v] for v in values}
            total = sum(raw.values())
            given0 = {v: raw[v] / total for v in values}
            if backoff is not None:
                n = nu_pa * (1 - alpha / (alpha + beta))
                given0 = {
                    v: (n * given0[v] + backoff * marginal0[v]) / (n + backoff) for v in values
                }
        tables[pa] = {v: (given0[v], given1[v]) for v in values}
    return tables


def network_log_odds(parents_of, tables, marginals, p, row):
    """log P(1 | x) / P(0 | x); a child that is missing is left out, a parent: the marginal."""
    odds = math.log(p) - math.log(1 - p)
    for i, parents in enumerate(parents_of):
        table = marginals[i]
        if parents:
            table = tables[i].get(tuple(row[q] for q in parents), marginals[i])
        if row[i] in table:
            p0, p1 = table[row[i]]
            odds += math.log(p1) - math.log(p0)
    return odds


def class_information(positives, unlabeled, i, p):
    """I(X; C) of section 1 of the methods, nats; values that no unlabeled row has add nothing."""
    values = _values(positives, unlabeled, i)
    found_u = _observed(unlabeled, i)
    p1, share = _frequencies(_observed(positives, i), values), _frequencies(found_u, values)
    p0 = _eq3(found_u, p1, values, p)
    total = 0.0
    for v in values:
        if share[v] > 0:
            if p1[v] > 0:
                total += p * p1[v] * math.log(p1[v] / share[v])
            total += (share[v] - p * p1[v]) * math.log(p0[v] / share[v])
    return total


def aode_log_odds(positives, unlabeled, p, row, min_rows, backoff=None):
    """Averaged one-dependence: sum over super-parents of P(c, x_i) Π_j P(x_j | x_i, c)."""
    n = len(row)
    marginals = pnb_tables(positives, unlabeled, p)
    sums = [0.0, 0.0]
    for i in range(n):
        if row[i] is None or sum(1 for u in unlabeled if u[i] == row[i]) < min_rows:
            continue
        joint = [
            (1 - p) * marginals[i][row[i]][0],
            p * marginals[i][row[i]][1],
        ]
        for j in range(n):
            if j == i or row[j] not in marginals[j]:
                continue
            table = conditional_tables(positives, unlabeled, j, [i], p=p, backoff=backoff)
            for c in (0, 1):
                joint[c] *= table[(row[i],)][row[j]][c]
        sums = [sums[c] + joint[c] for c in (0, 1)]
    if sums[1] == 0:
        return log_odds(marginals, p, row)
    return math.log(sums[1]) - math.log(sums[0])
