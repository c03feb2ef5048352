"""Two-step methods by loops (Liu, Lee, Yu, Li 2002; Li, Liu 2003; Yu, Han, Chang 2002).

Documents are lists of counts; labels are 1 for positive and 0 for unlabeled.
"""

import math


def words_seen(documents):
    """Words that occur at all."""
    return [w for w in range(len(documents[0])) if any(d[w] for d in documents)]


def naive_bayes(documents, shares, vocabulary, smoothing=1.0):
    """log P(class), log P(word | class); shares are (negative, positive) of each document."""
    total = sum(share for each in shares for share in each)
    log_class, log_words = [], []
    for c in (0, 1):
        log_class.append(math.log(sum(each[c] for each in shares) / total))
        counts = {
            w: sum(s[c] * d[w] for s, d in zip(shares, documents, strict=True)) for w in vocabulary
        }
        length = sum(counts.values()) + smoothing * len(vocabulary)
        log_words.append({w: math.log((counts[w] + smoothing) / length) for w in vocabulary})
    return log_class, log_words


def log_joints(model, document):
    """log P(class, document) for both classes, without the multinomial coefficient."""
    log_class, log_words = model
    return [log_class[c] + sum(document[w] * log_words[c][w] for w in log_words[c]) for c in (0, 1)]


def log_odds(model, document):
    """log P(+ | document) − log P(− | document)."""
    negative, positive = log_joints(model, document)
    return positive - negative


def posterior(model, document):
    """P(+ | document)."""
    return 1 / (1 + math.exp(-log_odds(model, document)))


def em_models(documents, fixed, start, n_models, smoothing=1.0):
    """The model of the start, and those of EM.

    start holds (negative, positive) of each document, (0, 0) where it takes no part yet; a
    document that is fixed is positive for ever.
    """
    vocabulary = words_seen(documents)
    models = [naive_bayes(documents, start, vocabulary, smoothing)]
    while len(models) < n_models:
        shares = []
        for document, is_fixed in zip(documents, fixed, strict=True):
            p = 1.0 if is_fixed else posterior(models[-1], document)
            shares.append((1 - p, p))
        models.append(naive_bayes(documents, shares, vocabulary, smoothing))
    return models


def objective(model, documents, fixed, smoothing=1.0):
    """Log-likelihood and Laplace's prior, which EM climbs."""
    total = smoothing * sum(value for words in model[1] for value in words.values())
    for document, is_fixed in zip(documents, fixed, strict=True):
        negative, positive = log_joints(model, document)
        total += positive if is_fixed else math.log(math.exp(negative) + math.exp(positive))
    return total


def spy_negatives(model, documents, labels, spies, noise_share):
    """Unlabeled documents below the value below which a share of the spies fall."""
    of_spies = sorted(log_odds(model, documents[i]) for i in spies)
    threshold = of_spies[math.floor(noise_share * len(of_spies) + 1e-9)]
    return [
        label == 0 and log_odds(model, document) < threshold - 1e-9
        for document, label in zip(documents, labels, strict=True)
    ]


def changes_of_error(models, documents, labels):
    """Δ_i of Pr[f = 1] − Pr[Y = 1] + 2 Pr[f = 0 | Y = 1] Pr[Y = 1], from each model to the next."""
    unlabeled = [d for d, label in zip(documents, labels, strict=True) if label == 0]
    positive = [d for d, label in zip(documents, labels, strict=True) if label == 1]
    called, missed, prior = [], [], []
    for model in models:
        called.append(sum(log_odds(model, d) > 0 for d in unlabeled) / len(unlabeled))
        missed.append(sum(log_odds(model, d) <= 0 for d in positive) / len(positive))
        prior.append(sum(posterior(model, d) for d in unlabeled) / len(unlabeled))
    return [
        called[i] - called[i - 1] + 2 * prior[i] * (missed[i] - missed[i - 1])
        for i in range(1, len(models))
    ]


def tfidf(documents):
    """Counts times log((1 + n) / n_w), of unit length."""
    n = len(documents)
    rows = []
    for document in documents:
        row = []
        for w, count in enumerate(document):
            n_w = sum(1 for other in documents if other[w] > 0)
            row.append(count * math.log((1 + n) / max(n_w, 1)))
        length = math.sqrt(sum(x * x for x in row))
        rows.append([x / length if length else 0.0 for x in row])
    return rows


def rocchio_negatives(documents, labels, alpha=16, beta=4):
    """Unlabeled documents whose cosine to the negative prototype is the larger one."""
    rows = tfidf(documents)
    mean = {}
    for label in (0, 1):
        of_label = [row for row, own in zip(rows, labels, strict=True) if own == label]
        mean[label] = [sum(column) / len(of_label) for column in zip(*of_label, strict=True)]
    prototype = {
        label: [alpha * a - beta * b for a, b in zip(mean[label], mean[1 - label], strict=True)]
        for label in (0, 1)
    }

    def cosine(row, label):
        length = math.sqrt(sum(x * x for x in prototype[label]))
        return (
            sum(a * b for a, b in zip(row, prototype[label], strict=True)) / length
            if length
            else 0.0
        )

    return [
        label == 0 and cosine(row, 0) > cosine(row, 1) + 1e-9
        for row, label in zip(rows, labels, strict=True)
    ]


def one_dnf_negatives(documents, labels):
    """Unlabeled documents with no word whose document share is larger among the positives."""

    def share(w, label):
        of_label = [d for d, own in zip(documents, labels, strict=True) if own == label]
        return sum(d[w] > 0 for d in of_label) / len(of_label)

    typical = [w for w in range(len(documents[0])) if share(w, 1) > share(w, 0)]
    return [
        label == 0 and not any(document[w] for w in typical)
        for document, label in zip(documents, labels, strict=True)
    ]


def naive_bayes_negatives(documents, labels):
    """Unlabeled documents that naive Bayes of positive against unlabeled calls negative."""
    shares = [(1 - label, label) for label in labels]
    model = naive_bayes(documents, shares, words_seen(documents))
    return [
        label == 0 and log_odds(model, d) < -1e-9
        for d, label in zip(documents, labels, strict=True)
    ]
