"""Run every benchmark that this machine can run, one after the other: `make bench`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

NOT_ALONE = {"__init__", "__main__", "measure"}


def main() -> None:
    """Those that need a GPU say so themselves and are passed over where there is none."""
    failed = []
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem in NOT_ALONE or path.stem.endswith("_gpu"):
            continue
        print(f"\n== benchmarks.{path.stem}", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{path.stem}"], check=False).returncode:
            failed.append(path.stem)
    if failed:
        sys.exit(f"Failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
