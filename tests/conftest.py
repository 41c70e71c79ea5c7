"""What every test shares: where the real data lies, and how to run the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

# Machines are shared and slow at times: no test may hang on seconds.
settings.register_profile("arcuate", deadline=None)
settings.load_profile("arcuate")

SHARED = Path(__file__).parents[2] / "shared"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real data beside the checkout; tests that need it are skipped where it is absent."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("the real data (../shared/data) is not here")
    return folder


@pytest.fixture(scope="session")
def published() -> Path:
    """The papers' tables as CSV; skipped where absent."""
    folder = SHARED / "spec" / "published"
    if not folder.is_dir():
        pytest.skip("the published tables (../shared/spec/published) are not here")
    return folder


@pytest.fixture
def arcuate(tmp_path):
    """Run `arcuate ARGS...` as a user does, in an empty folder; returns the finished process."""

    def run(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "arcuate", *map(str, arguments)],
            capture_output=True, text=True, cwd=cwd or tmp_path, timeout=600,
        )

    return run
