"""Models of independent causal influence by enumeration of all hidden states (Vomlel 2004).

A table `theta[j][v][l]` is P(A'_j = l | A_j = v); a row is a list of values, None where one is
missing; `marginals[j][v]` is P(A_j = v).
"""

import itertools
import math

FUNCTIONS = {
    "or": max,
    "and": min,
    "max": max,
    "min": min,
    "add": sum,
    "xor": lambda hidden: sum(hidden) % 2,
}


def hidden_states(theta, row, marginals):
    """Each state of (A'_1, A_1, ..., A'_k, A_k) that agrees with the row, and its probability."""
    choices = []
    for table, value, marginal in zip(theta, row, marginals, strict=True):
        values = [(value, 1.0)] if value is not None else list(enumerate(marginal))
        choices.append(
            [
                (level, v, share * table[v][level])
                for v, share in values
                for level in range(len(table[v]))
            ]
        )
    for state in itertools.product(*choices):
        yield (
            [level for level, _, _ in state],
            [v for _, v, _ in state],
            math.prod(share for _, _, share in state),
        )


def class_probability(function, theta, row, c, marginals):
    """P(C = c | the values that are there)."""
    return sum(
        share
        for levels, _, share in hidden_states(theta, row, marginals)
        if FUNCTIONS[function](levels) == c
    )


def messages(function, theta, row, c, marginals):
    """P(A'_j = l, A_j = v | C = c, row) for each j, v, l; zeros where the class cannot be."""
    found = [[[0.0] * len(part) for part in table] for table in theta]
    total = 0.0
    for levels, values, share in hidden_states(theta, row, marginals):
        if FUNCTIONS[function](levels) == c:
            total += share
            for j, (level, v) in enumerate(zip(levels, values, strict=True)):
                found[j][v][level] += share
    return [[[each / total for each in part] for part in table] for table in found]


def em_step(function, theta, rows, classes, marginals, weights=None, prior=None):
    """One iteration of 2.2: the new tables, and the log-likelihood of the old ones.

    `prior` is (alpha, beta) of a Beta distribution of P(A'_j = 0 | A_j = v): the mode is taken.
    """
    counts = [[[0.0] * len(part) for part in table] for table in theta]
    log_likelihood = 0.0
    for i, (row, c) in enumerate(zip(rows, classes, strict=True)):
        weight = 1.0 if weights is None else weights[i]
        log_likelihood += weight * math.log(class_probability(function, theta, row, c, marginals))
        for j, table in enumerate(messages(function, theta, row, c, marginals)):
            for v, part in enumerate(table):
                for level, share in enumerate(part):
                    counts[j][v][level] += weight * share
    if prior is not None:
        for table in counts:
            for part in table:
                part[0] += prior[0] - 1
                part[1] += prior[1] - 1
    new = [
        [
            [n / sum(part) for n in part] if sum(part) > 0 else theta[j][v]
            for v, part in enumerate(table)
        ]
        for j, table in enumerate(counts)
    ]
    return new, log_likelihood


def lemma_1_or(theta, row, c, feature):
    """P(A'_l | e) of a noisy-or by the hidden variable B of Example 1."""

    def psi(j, level, b):
        return theta[j][row[j]][level] if level <= b else 0.0

    def phi(b):
        return 1.0 if b == c else -1.0 if b == c - 1 else 0.0

    found = []
    for level in (0, 1):
        total = 0.0
        for b in (0, 1):
            others = math.prod(psi(j, 0, b) + psi(j, 1, b) for j in range(len(row)) if j != feature)
            total += phi(b) * psi(feature, level, b) * others
        found.append(total)
    return [each / sum(found) for each in found]


def poisson_binomial(activations):
    """Distribution of the number of ones, by convolution, in the arithmetic of its input."""
    found = [1]
    for p in activations:
        found = [
            (found[t] if t < len(found) else 0) * (1 - p) + (found[t - 1] * p if t else 0)
            for t in range(len(found) + 1)
        ]
    return found


def information_gain(column, classes):
    """IG(A) of section 5, in bits: sum over a of P(A = a) (H(P(C)) - H(P(C | A = a)))."""

    def entropy(some):
        shares = [some.count(c) / len(some) for c in set(some)]
        return -sum(p * math.log2(p) for p in shares)

    column, classes = list(column), list(classes)
    gain = 0.0
    for a in set(column):
        of_a = [c for value, c in zip(column, classes, strict=True) if value == a]
        gain += len(of_a) / len(column) * (entropy(classes) - entropy(of_a))
    return gain


def measures(truth, called):
    """Accuracy, F1, precision and recall of section 5, in percent; 0 where nothing is divided."""
    pairs = list(zip(truth, called, strict=True))
    tp, fp, fn, tn = (sum(pair == p for pair in pairs) for p in ((1, 1), (0, 1), (1, 0), (0, 0)))
    precision = tp / (tp + fp) if tp + fp else 0.0
    recall = tp / (tp + fn) if tp + fn else 0.0
    f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    return [100 * each for each in ((tp + tn) / len(pairs), f1, precision, recall)]


def expectation(theta, leak, label_frequency, rows, labeled, weights, marginals):
    """What the expectation of 2.2 adds up for a noisy-or, by enumeration.

    A leak is one more cause that is always there, inhibited with probability `leak`; a positive is
    labeled with probability `label_frequency`, so that a row without a label may be one. A row that
    cannot be counts for nothing. Expected counts as of `theta`, those of the leak inhibited and
    not, expected positives, labeled rows, and the log-likelihood."""
    with_leak = [*theta, [[1.0, 0.0], [leak, 1.0 - leak]]]
    marginals = [*marginals, [0.0, 1.0]]
    counts = [[[0.0] * len(part) for part in table] for table in with_leak]
    n_positive = n_labeled = log_likelihood = 0.0
    for row, is_labeled, weight in zip(rows, labeled, weights, strict=True):
        whole = [*row, 1]
        p1 = class_probability("or", with_leak, whole, 1, marginals)
        shares = {1: label_frequency * p1} if is_labeled else {1: (1 - label_frequency) * p1}
        if not is_labeled:
            shares[0] = class_probability("or", with_leak, whole, 0, marginals)
        total = sum(shares.values())
        if total == 0:
            continue
        log_likelihood += weight * math.log(total)
        n_labeled += weight * is_labeled
        for c, share in shares.items():
            if share == 0:
                continue
            n_positive += weight * share / total * c
            for j, table in enumerate(messages("or", with_leak, whole, c, marginals)):
                for v, part in enumerate(table):
                    for level, each in enumerate(part):
                        counts[j][v][level] += weight * share / total * each
    return counts[:-1], counts[-1][1], n_positive, n_labeled, log_likelihood


def profiles_em_step(profiles, leaks, shares, label_frequency, rows, labeled, weights, marginals):
    """One iteration for a noisy-or with a hidden profile of causes, by enumeration of all states.

    A row has profile z with probability `shares[z]`; its causes then have the tables `profiles[z]`,
    and a cause that is always there is inhibited with probability `leaks[z]`. A positive is labeled
    with probability `label_frequency`, a negative never. A row that cannot be counts for nothing.

    The new tables, leaks and shares, the new label frequency, and the log-likelihood of the old
    ones.
    """
    tables = [
        [*theta, [[1.0, 0.0], [c, 1.0 - c]]] for theta, c in zip(profiles, leaks, strict=True)
    ]
    marginals = [*marginals, [0.0, 1.0]]
    counts = [[[[0.0] * len(part) for part in table] for table in theta] for theta in tables]
    rows_of = [0.0] * len(shares)
    n_positive = n_labeled = log_likelihood = 0.0
    for row, is_labeled, weight in zip(rows, labeled, weights, strict=True):
        states = []
        for z, (theta, share) in enumerate(zip(tables, shares, strict=True)):
            for levels, values, probability in hidden_states(theta, [*row, 1], marginals):
                of_label = label_frequency * max(levels)
                of_label = of_label if is_labeled else 1 - of_label
                states.append((z, levels, values, share * probability * of_label))
        total = sum(probability for *_, probability in states)
        if total == 0:
            continue
        log_likelihood += weight * math.log(total)
        n_labeled += weight * is_labeled
        for z, levels, values, probability in states:
            expected = weight * probability / total
            rows_of[z] += expected
            n_positive += expected * max(levels)
            for j, (level, v) in enumerate(zip(levels, values, strict=True)):
                counts[z][j][v][level] += expected
    new = [
        [
            [
                [n / sum(part) for n in part] if sum(part) > 0 else theta[j][v]
                for v, part in enumerate(table)
            ]
            for j, table in enumerate(of_profile)
        ]
        for theta, of_profile in zip(tables, counts, strict=True)
    ]
    return (
        [theta[:-1] for theta in new],
        [theta[-1][1][0] for theta in new],
        [n / sum(rows_of) for n in rows_of],
        n_labeled / n_positive,
        log_likelihood,
    )
