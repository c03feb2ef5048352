"""What the rows and columns of each table mean."""

from __future__ import annotations

from collections.abc import Mapping

_OF_PAPER = "A column that ends in _paper has the number that the paper prints."

MEANINGS: Mapping[str, Mapping[str, str]] = {
    "calvo2007": {
        "results.csv": (
            "A row for each draw of a problem and each method. A problem is a database (of a "
            "kind), n_positive known positives, n_unlabeled unlabeled rows, and class_prior, "
            "the share of positives among these. f and accuracy are measured on the unlabeled "
            "rows, in percent; used_prior is the class prior that the method used."
        ),
        "summary.csv": (
            "f_mean, f_stddev, accuracy_mean and accuracy_stddev: mean and standard deviation "
            "over the draws, in percent, for each database, kind, n_positive, n_unlabeled, "
            "class_prior and method."
        ),
        "tests.csv": (
            "Wilcoxon's signed-rank test over the draws, for each problem (database, kind, "
            "n_positive, n_unlabeled, class_prior), each measure (f or accuracy) and two "
            "methods. mean_difference is first less second, in percent; better is the better "
            "method, or tie if p_value is above .01."
        ),
        "shares.csv": (
            "Of the problems of a kind of database: the shares, from 0 to 1, in which first is "
            "better than second by the measure (won), as good (tied) or worse (lost), as "
            "tests.csv decides."
        ),
        "table1.csv": (
            "Mean F in percent of PNB and APNB, for each database that is not synthetic, "
            "n_positive and class_prior; better is the better method at level .01, or tie."
        ),
        "splice_sites.csv": (
            "Mean F in percent of PNB and APNB on each database of splice sites, n_positive and "
            f"class_prior. {_OF_PAPER}"
        ),
        "class_priors.csv": (
            "How well each method estimates the class_prior of a problem (database, kind, "
            "n_positive, n_unlabeled): mean_estimate and mean_absolute_error over the draws, as "
            "shares from 0 to 1; f with the estimate and f_at_known_prior, in percent."
        ),
        "ageing_genes.csv": (
            "Each unlabeled gene by rank: score is higher for genes that are more like the "
            "positives; recall is the share of the hidden positives that reach this rank."
        ),
    },
    "geurts2011": {
        "results.csv": (
            "A row for each network, task (a factor with n_positive known targets), draw of the "
            "folds and method. hidden_positive_auc is the chance that a hidden target ranks "
            "above another gene; average_rank is the mean share of genes above a hidden target; "
            "lee_liu is r²/P; seconds is the time of the fits. apparent_p_value and "
            "adjusted_p_value belong to SignificanceRanker on this task, whatever the method."
        ),
        "table1.csv": (
            "Over the n_tasks factors of a network, for each method: mean and standard "
            "deviation of the AUC (auc_mean, auc_sd) and of the mean rank (rank_mean, rank_sd, "
            "shares from 0 to 1); place_mean is the mean place among the methods, 1 for the "
            "best; seconds is the sum."
        ),
        "table2.csv": (
            "For each network and two methods: on n_better of n_tasks factors the AUC of method "
            "is above that of other, there by mean_gain on average; wilcoxon_p is the p-value "
            "of the signed-rank test."
        ),
        "p_values.csv": (
            "p-values of SignificanceRanker for each network, task (n_positive targets) and "
            "draw. apparent_p_value compares the targets with random sets by a score that was "
            "learned from the targets; adjusted_p_value learns a score for each random set too."
        ),
        "figure1.csv": (
            "For the factor with most targets: apparent_p_value and adjusted_p_value if a score "
            "is given only where the margin is above margin_threshold, and 1 otherwise."
        ),
        "matched.csv": (
            "Not in the paper. Sets of genes that have nothing in common but their expression: "
            "rejected_share of n_sets has an adjusted p-value of at most .05, with "
            "standard_error, if random sets are matched in so many strata of expression. It "
            "should be .05."
        ),
        "sources.csv": (
            "Not in the paper. Halves of the arrays and a source of noise, each alone and "
            "together (ranker): auc_mean and auc_sd over n_factors factors; weight_mean is the "
            "weight that the ranker learned for the source; p_value_median; rejected_share is "
            "the share of factors with an adjusted p-value of at most .05."
        ),
    },
    "lee2003": {
        "results.csv": (
            "A row for each corpus, experiment, positive class, percent of positives that are "
            "hidden, split (run) and method. f, precision and recall are measured against the "
            "truth, in percent. C is the penalty that was chosen. regret is the highest r²/P of "
            "another C over that of the chosen C, if labels are uneven; n_not_told_apart is the "
            "number of other C that may be better."
        ),
        "table1.csv": (
            "F in percent for each corpus and positive class, a column for each choice of the "
            "penalty and percent hidden; the last row of a corpus is the average. best is the C "
            "with the highest F on the test rows, which nobody can know."
        ),
        "table2.csv": "As table1.csv, for the other methods.",
        "table3.csv": "As table1.csv, for all methods in the second experiment.",
        "summary.csv": (
            "f is the mean F in percent over the classes of a corpus, for each experiment, "
            "percent hidden and method. lead_of_criterion_I is how much higher the mean of "
            "criterion I is, in percent; share_below_criterion_I is the share of classes, from "
            "0 to 1, on which criterion I is higher."
        ),
    },
    "lgn2007": {
        "results.csv": (
            "A row for each protocol (two or three known groups: computer, science and third), "
            "run, alpha (unexpected messages among the new ones, in percent of the known ones) "
            "and method; negative_prior is Pr(-) of LGN. f, precision and recall are measured "
            "against the truth, in percent; false_share is the percent of flagged messages that "
            "are of a known group; estimated_share is the percent of new messages that the "
            "method estimates as unexpected."
        ),
        "table1.csv": (
            "F in percent for each pair of known groups at alpha 5, a column for each method; "
            f"the last row is the average. {_OF_PAPER}"
        ),
        "prior.csv": (
            "Means of LGN by protocol, alpha and negative_prior: f_mean, recall_mean and "
            "false_share_mean in percent, f_standard_error, and f_count, the number of tasks."
        ),
        "ours.csv": (
            "Means by protocol, alpha and method, on the pairs that our method was chosen on "
            "and on the other, reported pairs: f_mean, recall_mean and false_share_mean in "
            "percent, f_standard_error, and f_count, the number of tasks."
        ),
        "figure4.csv": (
            "With two known groups, by method and alpha: f_mean, recall_mean and "
            "false_share_mean in percent, f_standard_error, and f_count, the number of tasks."
        ),
        "figure5.csv": "As figure4.csv, with three known groups.",
    },
    "vomlel2004": {
        "results.csv": (
            "A row for each topic (class), split and method. accuracy, f1, precision, recall "
            "and average_precision are in percent, on the test stories; tp, fp, fn and tn count "
            "these stories. n_features is the number of words, n_iter that of passes, threshold "
            "the chosen threshold, n_left_out the stories of the topic without a word, "
            "prior_alpha and prior_beta the chosen prior, and seconds the time of the fit."
        ),
        "table1.csv": (
            "Accuracy in percent on the test stories of the ModApte split, for each topic "
            f"(class) with nd test stories; a column for each method. {_OF_PAPER}"
        ),
        "table2.csv": "As table1.csv, for F1.",
        "averages.csv": (
            "Over the topics, in percent, for each method: macro_precision, macro_recall and "
            "macro_f1 are means over the topics; micro_precision, micro_recall and micro_f1 are "
            "computed from the counts of all topics together."
        ),
        "figure4.csv": (
            "precision and recall in percent of the restricted noisy-or over all topics at each "
            "threshold, with the counts tp, fp, fn and tn. At break_even_threshold precision "
            "and recall are equal, to break_even."
        ),
        "splits.csv": (
            "Over n_splits random splits, for each topic (class) and method, in percent: "
            "f1_mean and accuracy_mean with f1_standard_error and accuracy_standard_error; "
            "f1_ahead and accuracy_ahead are the lead over N-OR, with f1_ahead_standard_error "
            "and accuracy_ahead_standard_error; f1_modapte and accuracy_modapte are of the "
            "ModApte split."
        ),
    },
}
"""What the rows and columns of each table mean, by paper and name of the file."""
