"""Give every command that reads hostile files, and judge what comes out.

    python tools/attack_files.py --count 2000 --table benchmarks/results/attack_files.md
    python tools/attack_files.py --count 60              # small, for CI
    python tools/attack_files.py --only 1234             # one file again, with its output
    python tools/attack_files.py --count 2000 --log files.jsonl   # continues what the log has

File i of a seed is the same on every machine: a kind of `hostile_files` and one of the commands
select, cluster, compare and communities. Each runs in a process of its own, forked after the
imports, in a folder with a file of secret numbers. Outcomes:

right     exit 0, a complete JSON document, and the numbers of a sound file where it is sound
warning   the same, with remarks
refusal   exit 1 or 2 and one sentence
traceback a traceback, or a message that calls itself a defect
nonsense  an answer to a file that must be refused, a refusal of a sound file, a broken document
crash     the process was killed by a signal
slow      more processor time than the limit
memory    more than the memory limit
touched   a file was changed or made that was not named as output, or the secret came out

The exit status is 1 if a file ends in one of the last six.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import json
import math
import multiprocessing
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ.setdefault("NUMBA_NUM_THREADS", "1")
os.environ["TERM"] = "dumb"

import numpy as np  # noqa: E402

sys.path.insert(0, str(Path(__file__).parent))
from hostile_files import KINDS, ROWS, SECRET, VERTICES, Kind  # noqa: E402

GOOD = ("right", "warning", "refusal")
BAD = ("traceback", "nonsense", "crash", "slow", "memory", "touched")
SECONDS = 60.0
#: Waiting included: the machine may be busy.
MOST_SECONDS = 300.0
GIGABYTES = 4.0
#: Beyond this the process gets no more; the machine is shared.
HARD_GIGABYTES = 8.0
TABLE_COMMANDS = {
    "select": ["-k", "2", "--method", "greedy"],
    "cluster": ["-c", "2"],
    "compare": ["-k", "2", "--methods", "variance,random"],
}
SMALL = 200


class Attack(NamedTuple):
    """One hostile file and the command it is given to."""

    number: int
    kind: Kind
    words: list[str]
    folder: Path


class Outcome(NamedTuple):
    """How the command ended."""

    word: str
    detail: str
    seconds: float
    gigabytes: float


class Result(NamedTuple):
    """One attack and its outcome, as a line of the log."""

    number: int
    kind: str
    words: str
    word: str
    detail: str
    seconds: float
    gigabytes: float

    @property
    def command(self) -> str:
        return self.words.split(" ")[0]

    def __str__(self) -> str:
        return f"{self.number}: {self.kind}, {self.words}: {self.word} ({self.detail})"


def main() -> int:
    options = _options()
    os.environ["SKSIEVE_MEMORY_LIMIT"] = f"{GIGABYTES:g} GB"  # and not a share of this machine
    _import_and_warm()
    if options.only is not None:
        attack, outcome, output = _attacked(options.only, options.seed)
        sys.stdout.write(f"{attack.kind.name}: {attack.words}\n{outcome}\n{output}\n")
        return 0
    small = options.count < SMALL
    numbers = [
        number
        for number in range(options.count)
        if not (small and _kind(number, options.seed)[0].is_heavy)
    ]
    results = _logged(options.log, options.seed)
    numbers = [number for number in numbers if number not in results]
    started = time.monotonic()
    with (
        multiprocessing.get_context("fork").Pool(options.jobs) as pool,
        (options.log or Path(os.devnull)).open("a", encoding="utf-8") as log,
    ):
        tasks = ((number, options.seed) for number in numbers)
        for result in pool.imap_unordered(_one, tasks):
            results[result.number] = result
            log.write(json.dumps({"seed": options.seed, **result._asdict()}) + "\n")
            log.flush()
            if result.word in BAD:
                sys.stdout.write(f"{result}\n")
                sys.stdout.flush()
            if options.minutes and time.monotonic() - started > 60 * options.minutes:
                pool.terminate()
                break
    page = _page(list(results.values()), options.seed)
    sys.stdout.write(page.split("\n## ")[0])
    if options.table is not None:
        options.table.write_text(page, encoding="utf-8")
    return 1 if any(result.word in BAD for result in results.values()) else 0


def _logged(path: Path | None, seed: int) -> dict[int, Result]:
    """The results an earlier run of this seed has written, by number; the last of a number."""
    if path is None or not path.exists():
        return {}
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    kept = [record for record in records if record.pop("seed") == seed]
    return {record["number"]: Result(**record) for record in kept}


def _one(task: tuple[int, int]) -> Result:
    """What can be sent between processes of one attack."""
    attack, outcome, _ = _attacked(*task)
    return Result(attack.number, attack.kind.name, " ".join(attack.words), *outcome)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--count", type=int, default=60, help="number of files")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=0.0, help="stop after so many")
    parser.add_argument("--only", type=int, help="the number of one file")
    parser.add_argument("--table", type=Path, help="Markdown file for the table of outcomes")
    parser.add_argument("--log", type=Path, help="JSON lines; numbers found in it are not repeated")
    parser.add_argument("--jobs", type=int, default=1, help="files at a time")
    return parser.parse_args()


def _import_and_warm() -> None:
    """Import and compile everything before the first fork."""
    import typer.testing

    from sksieve.cli._app import app

    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        folder = Path(name)
        rng = np.random.default_rng(0)
        np.save(folder / "t.npy", rng.normal(size=(ROWS, 4)))
        (folder / "g.csv").write_text("a,b\nb,c\nc,a\nc,d\nd,e\ne,f\nf,d\n")
        calls = [[c, str(folder / "t.npy"), *words] for c, words in TABLE_COMMANDS.items()]
        for words in [*calls, ["communities", str(folder / "g.csv"), "-c", "2"]]:
            result = typer.testing.CliRunner().invoke(app, [*words, "--json"])
            assert result.exit_code == 0, result.output
    gc.freeze()


def _kind(number: int, seed: int) -> tuple[Kind, np.random.Generator]:
    """The kind of a file: each once, then at random, those that take seconds less often."""
    rng = np.random.default_rng([seed, number])
    if number < len(KINDS):
        return KINDS[number], rng
    weights = np.array([1 / 8 if kind.is_heavy else 1.0 for kind in KINDS])
    return KINDS[rng.choice(len(KINDS), p=weights / weights.sum())], rng


def _attacked(number: int, seed: int) -> tuple[Attack, Outcome, str]:
    kind, rng = _kind(number, seed)
    folder = Path(tempfile.mkdtemp(prefix="attack"))
    try:
        (folder / "secret.bin").write_bytes(np.full(500, SECRET).tobytes())
        name = kind.make(folder, rng)
        attack = Attack(number, kind, _words(kind, name, rng), folder)
        outcome, output = _judged(attack)
        return attack, outcome, output
    finally:
        shutil.rmtree(folder)


def _words(kind: Kind, name: str, rng: np.random.Generator) -> list[str]:
    """The command line."""
    if kind.is_graph or rng.random() < 0.15:
        words = ["communities", name, "-c", "2"]
    else:
        command = str(rng.choice(list(TABLE_COMMANDS)))
        words = [command, name, *TABLE_COMMANDS[command]]
    if rng.random() < 0.5 or "link" in kind.name:
        words += ["-o", "out.csv"]
    if rng.random() < 0.2:
        words += ["--report", "report.html"]
    return [*words, "--json"]


def _judged(attack: Attack) -> tuple[Outcome, str]:
    before = _fingerprints(attack.folder)
    status, seconds, gigabytes = _run(attack)
    out = (attack.folder / "stdout").read_text("utf-8", "replace")
    err = (attack.folder / "stderr").read_text("utf-8", "replace")
    output = f"{out}\n{err}"
    if status is None or (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU):
        word, detail = "slow", f"killed after {SECONDS:g} s of work"
    elif os.WIFSIGNALED(status):
        word, detail = "crash", signal.Signals(os.WTERMSIG(status)).name
    elif gigabytes > GIGABYTES or "not enough memory" in err.lower():
        word, detail = "memory", f"{gigabytes:.1f} GB"
    elif "Traceback" in output or "defect of scikit-sieve" in output:
        word, detail = "traceback", err.strip().splitlines()[-1][:300]
    elif touched := _touched(attack, before, output):
        word, detail = "touched", touched
    else:
        word, detail = _meant(attack, os.WEXITSTATUS(status), out, err)
    return Outcome(word, detail, seconds, gigabytes), output


def _run(attack: Attack) -> tuple[int | None, float, float]:
    """Status of the process (None where it was stopped), its work, the most memory it held."""
    child = os.fork()
    if child == 0:
        _child(attack)
    deadline = time.monotonic() + MOST_SECONDS
    while True:
        done, status, usage = os.wait4(child, os.WNOHANG)
        if done:
            return status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20
        if time.monotonic() > deadline:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            usage = os.wait4(child, 0)[2]
            return None, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 2**20
        time.sleep(0.002)


def _child(attack: Attack) -> None:
    """Run the command in this process and end it."""
    code = 70
    try:
        os.setsid()
        os.chdir(attack.folder)
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        limit = size + int(HARD_GIGABYTES * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CPU, (int(SECONDS), int(SECONDS) + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        for number, name in ((1, "stdout"), (2, "stderr")):
            file = os.open(name, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
            os.dup2(file, number)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="replace")
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="replace")
        sys.argv = ["sksieve", *attack.words]
        from sksieve.cli import main as command

        try:
            code = int(command() or 0)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1 if end.code else 0
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _fingerprints(folder: Path) -> dict[str, tuple[int, int, str]]:
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_size,
            path.lstat().st_mtime_ns,
            os.readlink(path) if path.is_symlink() else "",
        )
        for path in folder.rglob("*")
    }


def _touched(attack: Attack, before: dict[str, Any], output: str) -> str:
    """What was changed that should not be, or came out that should not."""
    after = _fingerprints(attack.folder)
    named = {"stdout", "stderr", *(w for w in ("out.csv", "report.html") if w in attack.words)}
    changed = [n for n in {*before, *after} - named if before.get(n) != after.get(n)]
    if changed:
        return f"changed: {', '.join(sorted(changed))}"
    for name in ("out.csv", "report.html"):
        path = attack.folder / name
        if path.is_file() and not path.is_symlink():
            output += path.read_text("utf-8", "replace")
    return "the secret came out" if str(SECRET) in output else ""


def _meant(attack: Attack, code: int, out: str, err: str) -> tuple[str, str]:
    """Whether an answer or a refusal is what the file asks for."""
    is_other = (attack.words[0] == "communities") != attack.kind.is_graph
    must = "either" if is_other else attack.kind.must
    if code in (1, 2):
        lines = [line for line in err.splitlines() if line.startswith("Error: ")]
        if code == 1 and (len(lines) != 1 or out.strip()) and attack.words[0] != "compare":
            return "nonsense", f"{len(lines)} sentences of refusal"
        if must == "read":
            return "nonsense", f"a sound file was refused: {err.strip()[:300]}"
        return "refusal", ""
    if code != 0:
        return "nonsense", f"exit status {code}"
    if must == "refuse":
        return "nonsense", f"read, though it must be refused: {err.strip()[:200]}"
    try:
        document = json.loads(out)
    except json.JSONDecodeError as error:
        return "nonsense", f"no JSON: {error}"
    wrong = _wrong(attack, document)
    if wrong:
        return "nonsense", wrong
    return ("warning" if document.get("notes") else "right"), ""


def _wrong(attack: Attack, document: dict[str, Any]) -> str:
    """What is wrong with an answer."""
    if any(isinstance(x, float) and not math.isfinite(x) for x in _leaves(document)):
        return "a number that is not finite"
    if attack.words[0] == "communities":
        n = document["graph"]["vertices"]
        labels = document["labels"]
        if len(labels) != n or len(document["names"]) != n or len(set(labels)) > 2:
            return "labels that do not fit the vertices"
        if attack.kind.name == "sound graph" and (n != VERTICES or len(set(labels[:6])) != 1):
            return f"{n} vertices, labels {labels}"
        return ""
    data = document["data"]
    if attack.kind.name == "sound table" and data["n_samples"] != ROWS:
        return f"{data['n_samples']} rows"
    if attack.words[0] == "cluster" and len(document["labels"]) != data["n_samples"]:
        return "labels that do not fit the rows"
    if attack.words[0] == "select":
        names = [column["name"] for column in document["chosen"]]
        if not names or len(set(names)) != len(names):
            return f"the columns {names}"
    return ""


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _leaves(part)
    else:
        yield value


def _page(results: list[Result], seed: int) -> str:
    """The outcomes as Markdown."""
    table = Counter((result.kind, result.command, result.word) for result in results)
    slowest = max(result.seconds for result in results)
    largest = max(result.gigabytes for result in results)
    total = sum(table.values())
    commands = sorted({command for _, command, _ in table})
    words = [*GOOD, *BAD]
    lines = [
        "# Hostile files: outcomes",
        "",
        f"{total:,} files of {len({kind for kind, _, _ in table})} kinds, seed {seed}: "
        f"`python tools/attack_files.py --count {total} --seed {seed}`. The slowest took "
        f"{slowest:.1f} s, the largest {largest:.2f} GB (limits {SECONDS:g} s, {GIGABYTES:g} GB).",
        "",
        "| command | " + " | ".join(words) + " |",
        "|---" * (len(words) + 1) + "|",
    ]
    for command in [*commands, "all"]:
        cells = [
            sum(n for (_, c, w), n in table.items() if w == word and command in (c, "all"))
            for word in words
        ]
        lines.append(f"| {command} | " + " | ".join(f"{n:,}" for n in cells) + " |")
    lines += ["", "## By kind", "", "| kind | " + " | ".join(words) + " |"]
    lines.append("|---" * (len(words) + 1) + "|")
    for kind in sorted({kind for kind, _, _ in table}):
        cells = [sum(n for (k, _, w), n in table.items() if (k, w) == (kind, word))
                 for word in words]  # fmt: skip
        lines.append(f"| {kind} | " + " | ".join(f"{n:,}" if n else "" for n in cells) + " |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
