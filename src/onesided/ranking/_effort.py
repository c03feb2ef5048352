"""Numbers of random draws: more draws take longer and make results more stable."""

N_FOLDS = 5  # of the positives, and of the unlabeled
N_RANDOM_SETS = 999  # for p-values
N_HALVES, N_FEW_HALVES = 20, 5  # halves of the rows, for the interval of the class prior
N_TREES, N_FEW_TREES = 200, 80  # trees that score the rows for the class prior
