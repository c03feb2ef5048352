"""How much is drawn at random: more takes longer and settles the last digits."""

N_FOLDS = 5  # of the positives, and of the unlabeled
N_RANDOM_SETS = 999  # that p-values are by
N_HALVES, N_FEW_HALVES = 20, 5  # of the rows, for the interval of the class prior
N_TREES, N_FEW_TREES = 200, 80  # that score the rows for it
