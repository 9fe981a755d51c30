"""The searches of the column subset methods, on a pair problem; the estimators only call them."""
