"""Where compiled code cannot be kept: an installation of another user, a user without a home."""

import os
import shutil
import subprocess
import sys

import pytest

import sksieve

FIT = """
import warnings
import numpy as np
{first}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import sksieve
    X = np.random.RandomState(0).standard_normal((30, 6))
    est = sksieve.MCFS(2).fit(X)
told = [w for w in caught if "NUMBA_CACHE_DIR" in str(w.message)]
print(est.get_support(indices=True).tolist(), len(told))
"""

NO_FOLDER = """
from numba.core import caching
caching.CompileResultCacheImpl._locator_classes = []
"""


def fitted(first, **options):
    code = [sys.executable, "-c", FIT.format(first=first)]
    return subprocess.run(code, capture_output=True, text=True, check=False, **options)


def test_without_a_folder_nothing_is_kept_and_one_line_says_so():
    want = fitted("")
    assert want.returncode == 0, want.stderr
    result = fitted(NO_FOLDER)
    assert result.returncode == 0, result.stderr
    assert want.stdout.split("]")[1].strip() == "0"
    assert result.stdout == want.stdout.replace("] 0", "] 1")


@pytest.mark.skipif(
    os.name != "posix" or os.getuid() != 0 or not shutil.which("setpriv"), reason="needs root"
)
def test_another_user_without_a_home(tmp_path):
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    reach = [*as_nobody, sys.executable, "-c", f"open({sksieve.__file__!r})"]
    if subprocess.run(reach, capture_output=True, check=False).returncode:
        pytest.skip("another user cannot read this interpreter or checkout")
    environment = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "TMPDIR": str(tmp_path)}
    result = subprocess.run(
        [*as_nobody, sys.executable, "-c", FIT.format(first="")],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd="/",
    )
    assert result.returncode == 0, result.stderr
