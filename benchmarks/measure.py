"""Time and peak memory of a piece of work, each in a fresh process so that none helps the next."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    """Seconds inside the work (imports left out), peak memory of its process, and what it returned."""

    seconds: float
    gib: float
    result: object


_RUNNER = """
import importlib, json, resource, sys, time
module, name, arguments = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
work = getattr(importlib.import_module(module), name)
start = time.perf_counter()
result = work(*arguments)
seconds = time.perf_counter() - start
gib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
print(json.dumps([seconds, gib, result]))
"""


def in_fresh_process(module: str, name: str, *arguments: object) -> Measured:
    """Run `module.name(*arguments)` (JSON in, JSON out) in its own process."""
    done = subprocess.run(
        [sys.executable, "-c", _RUNNER, module, name, json.dumps(arguments)],
        capture_output=True, text=True, check=False,
    )
    if done.returncode:
        raise SystemExit(f"{module}.{name} failed:\n{done.stderr}")
    seconds, gib, result = json.loads(done.stdout.splitlines()[-1])
    return Measured(seconds, gib, result)


def fastest(times: int, module: str, name: str, *arguments: object) -> Measured:
    """The fastest of several fresh runs: the machines are shared, and noise only ever adds."""
    return min((in_fresh_process(module, name, *arguments) for _ in range(times)), key=lambda done: done.seconds)
