"""Files are written whole or not at all, never through a link."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import time

import pytest

from sksieve._replace import STALE
from sksieve.io import replacing, write_table


def test_a_failure_leaves_the_old_file(tmp_path):
    path = tmp_path / "page.html"
    path.write_text("old")
    with pytest.raises(TypeError), replacing(path) as file:
        file.write("text where bytes are expected")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]


def test_a_link_is_replaced_and_not_followed(tmp_path):
    secret, path = tmp_path / "secret", tmp_path / "out.csv"
    secret.write_text("keep")
    try:
        path.symlink_to(secret)
    except OSError as error:  # Windows, without the right to make links
        pytest.skip(str(error))
    (tmp_path / ".out.csv.part").symlink_to(secret)
    (tmp_path / "out.csv.part").symlink_to(secret)
    write_table(path, {"a": [1]})
    assert secret.read_text() == "keep"
    assert not path.is_symlink()
    assert path.read_text() == "a\n1\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_permissions_are_those_of_a_new_file(tmp_path, umask):
    old = os.umask(umask)
    try:
        with replacing(tmp_path / "a") as file:
            file.write(b"x")
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o666 & ~umask


def test_a_system_without_links_and_folders_that_open(tmp_path, monkeypatch):
    for name in ("O_NOFOLLOW", "O_CLOEXEC", "O_DIRECTORY", "symlink", "umask"):
        monkeypatch.delattr(os, name, raising=False)
    path = tmp_path / "a"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["a"]


def test_a_file_that_another_program_holds_open_on_windows_is_named_and_kept(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_bytes(b"old")

    def refuse(part, target):
        raise PermissionError(13, "Access is denied", str(part), 5, str(target))

    monkeypatch.setattr(os, "replace", refuse)
    with (
        pytest.raises(PermissionError, match="Access is denied") as caught,
        replacing(path) as file,
    ):
        file.write(b"new")
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["page.html"]


def test_names_cannot_be_guessed(tmp_path):
    with replacing(tmp_path / "a"), replacing(tmp_path / "a"):
        parts = os.listdir(tmp_path)
    assert len(set(parts)) == 2


def test_what_killed_processes_left_is_removed_by_the_next_run(tmp_path):
    old = time.time() - 2 * STALE
    stale, fresh = (tmp_path / f".sksieve-{digit * 16}.part" for digit in "0a")
    others = [tmp_path / name for name in (".sksieve-1.part", "a.part", ".sksieve.csv")]
    for path in (stale, fresh, *others):
        path.write_bytes(b"x")
        if path != fresh:
            os.utime(path, (old, old))
    folder = tmp_path / f".sksieve-{'b' * 16}.part"
    folder.mkdir()
    os.utime(folder, (old, old))
    write_table(tmp_path / "out.csv", {"a": [1]})
    assert not stale.exists()
    assert all(path.exists() for path in (fresh, folder, *others))


@pytest.mark.skipif(os.name == "nt", reason="no limits on the size of files")
def test_a_limit_on_the_size_of_files_names_the_file(tmp_path):
    (tmp_path / "out.csv").write_text("old")
    code = (
        "import resource\n"
        "from sksieve.io import write_table\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n"
        "try: write_table('out.csv', {'a': range(5000)})\n"
        "except OSError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    assert done.stdout == "[Errno 27] File too large: 'out.csv'\n"
    assert (tmp_path / "out.csv").read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_full_disk_names_the_file(tmp_path):
    path = tmp_path / "out.csv"
    with pytest.raises(OSError, match="No space left") as caught, replacing(path):
        raise OSError(28, "No space left on device")
    assert caught.value.filename == str(path)


def test_a_report_that_cannot_be_written_keeps_the_old_page(tmp_path, monkeypatch):
    from sksieve.report import Page

    path = tmp_path / "page.html"
    Page("old").save(path)

    def full(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        Page("new").save(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["page.html"]
