"""A sparse matrix whose arrays contradict its shape is refused before compiled code reads it."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from sksieve._array import check_sparse
from sksieve.exceptions import DataError
from sksieve.graphs import from_neighbors


def test_every_call_refuses_every_malformed_matrix():
    program = Path(__file__).with_name("malformed_sparse.py")
    run = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    outcomes = json.loads(run.stdout)
    assert len(outcomes) > 500
    wrong = {
        case: text
        for case, text in outcomes.items()
        if not (text.startswith("DataError") and "is not a valid sparse matrix" in text)
    }
    assert not wrong


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "lil", "dok", "dia"])
@pytest.mark.parametrize("shape", [(4, 4), (4, 6), (1, 1)])
def test_sound_matrices_pass(form, shape):
    check_sparse(sp.csr_array(np.eye(*shape)).asformat(form))
    check_sparse(sp.csr_matrix(shape).asformat(form))


def test_diagonals_without_offsets():
    A = sp.dia_array(np.eye(4))
    A.offsets = np.array([0, 1])
    with pytest.raises(DataError, match="2 offsets for 1 diagonals"):
        check_sparse(A)


def test_keys_outside_the_shape():
    A = sp.dok_array(np.eye(4))
    A._shape = (3, 4)
    with pytest.raises(DataError, match="index 3 where the 3 rows are numbered 0 to 2"):
        check_sparse(A)


def test_indices_that_are_not_integers():
    A = sp.csr_array(np.eye(4))
    A.indices = A.indices + 0.5
    with pytest.raises(DataError, match="not integers"):
        check_sparse(A)


def test_neighbors_outside_the_table():
    with pytest.raises(DataError, match="index 3 where the 3 columns are numbered 0 to 2"):
        from_neighbors(np.array([[3], [0], [1]]), np.ones((3, 1)))
