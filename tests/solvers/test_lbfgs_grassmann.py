"""L-BFGS on the Grassmann manifold: what is remembered, and the optimum."""

import numpy as np
import pytest

from sksieve.solvers import GrassmannLBFGS, Stopping, iterate


@pytest.mark.parametrize("seed", range(3))
def test_what_is_remembered_is_curved_also_near_a_maximum(seed):
    A = np.diag(np.arange(1.0, 21))
    lowest = np.eye(20)[:, :3]  # a maximum of f: the curvature around is negative
    noise = np.random.RandomState(seed).standard_normal((20, 3))
    U = np.linalg.qr(lowest + 1e-2 * noise)[0]
    solver = GrassmannLBFGS(lambda U: (-float(np.vdot(U, A @ U)), -2 * A @ U), memory=4)
    state, dropped = solver.start(U), 0
    for _ in range(40):
        new = solver.step(state)
        assert new.f <= state.f + 1e-12 * abs(state.f)
        np.testing.assert_allclose(new.U.T @ new.U, np.eye(3), atol=1e-13)
        np.testing.assert_allclose(new.U.T @ new.H, 0, atol=1e-12)
        assert len(new.S) == len(new.Y) == len(new.sy) <= 4
        for S, Y, sy in zip(new.S, new.Y, new.sy):
            assert sy == np.vdot(S, Y) > 0
        kept = {id(S) for S in state.S}
        added = [i for i, S in enumerate(new.S) if id(S) not in kept]
        dropped += not added
        for i in added:
            np.testing.assert_allclose(new.U.T @ new.S[i], 0, atol=1e-12)
            np.testing.assert_allclose(new.U.T @ new.Y[i], 0, atol=1e-11)
        state = new
    assert dropped
    run = iterate(solver.step, state, change=solver.change, stopping=Stopping(200, 1e-8))
    assert run.reason == "tolerance"
    np.testing.assert_allclose(run.state.f, -(20 + 19 + 18), rtol=1e-12)


def test_the_first_step_is_as_long_as_the_line():
    """However large the gradient: ``U + t D`` with ``||t D||_2 = 1`` turns by an eighth."""
    v, w = np.eye(5)[:, :2].T
    U = (np.cos(1.4) * v + np.sin(1.4) * w)[:, None]

    def fg(U):
        return -50 * (v @ U).item() ** 2, -100 * np.outer(v, v @ U)

    solver = GrassmannLBFGS(fg)
    new = solver.step(solver.start(U))
    assert new.f < fg(U)[0]
    assert np.arccos(abs((U.T @ new.U).item())) == pytest.approx(np.pi / 4)


def test_change_does_not_depend_on_the_unit_of_f():
    A = np.diag(np.arange(1.0, 7))
    U = np.linalg.qr(np.random.RandomState(0).standard_normal((6, 2)))[0]
    changes = []
    for scale in (1.0, 1e6):
        solver = GrassmannLBFGS(lambda U, c=scale: (-c * float(np.vdot(U, A @ U)), -2 * c * A @ U))
        state = solver.start(U)
        changes.append(solver.change(state, state))
    assert changes[0] == pytest.approx(changes[1])
    assert 0 < changes[0] < 1
