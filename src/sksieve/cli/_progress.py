"""A progress bar on standard error, where that is a terminal."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Self

from ..io._messages import counted

__all__ = ["FitProgress"]

EVERY = 0.1  # seconds


class FitProgress:
    """Shows iterations and objective of a fit; a callback of the estimator.

    Parameters
    ----------
    console : rich.console.Console
        Of standard error; nothing is shown where it is not a terminal.
    title : str
        What is going on.
    seconds : float or None
        Length of the bar, where there is a time limit.
    n_iter : int or None
        Length of the bar, where the number of iterations is known.
    """

    def __init__(
        self, console: Any, title: str, *, seconds: float | None, n_iter: int | None
    ) -> None:
        from rich import progress

        self.seconds, self.n_iter = seconds, n_iter
        self.bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.TextColumn("{task.fields[said]}"),
            progress.TimeElapsedColumn(),
            console=console,
            disable=not console.is_terminal,
            transient=True,
        )
        self.task = self.bar.add_task(title, total=seconds or n_iter, said="")
        self.started = self.shown = perf_counter()

    def __enter__(self) -> Self:
        self.bar.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self.bar.stop()

    def __call__(self, record: Any, state: Any) -> None:
        now = perf_counter()
        if self.bar.disable or now - self.shown < EVERY:
            return
        self.shown = now
        done = now - self.started if self.seconds else record["n_iter"]
        said = f"{counted(record['n_iter'], 'iteration')}, objective {record['objective']:.6g}"
        self.bar.update(self.task, completed=done if self.bar.tasks[0].total else None, said=said)
