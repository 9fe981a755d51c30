"""Compiled loops (numba), one file for each algorithm; they check nothing."""
