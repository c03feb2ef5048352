"""Rank of hidden positives among the unlabeled, pair by pair (Geurts 2011, section 3)."""


def rank_share(score, unlabeled_scores):
    """Share of the unlabeled above, ties counted half."""
    above = sum(1 for other in unlabeled_scores if other > score)
    ties = sum(1 for other in unlabeled_scores if other == score)
    return (above + ties / 2) / len(unlabeled_scores)


def area_under_roc(hidden_scores, unlabeled_scores):
    """Share of pairs in which the hidden positive is above."""
    won = sum(
        1.0 if a > b else 0.5 if a == b else 0.0 for a in hidden_scores for b in unlabeled_scores
    )
    return won / (len(hidden_scores) * len(unlabeled_scores))
