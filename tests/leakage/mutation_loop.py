"""Run the mutants that mutmut wrote, all in one process; a pytest plug-in, see docs/mutation.md.

mutmut forks a process for each mutant, and polars does not survive a fork once its threads run: every
child hangs, and a hang counts as a kill. Its mutants are chosen by an environment variable at each
call, so one process can try them one after the other: the tests that reach a mutant's function run,
the quickest first, until one fails.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

SECONDS_A_MUTANT = 60
CHOSEN = "MUTANT_UNDER_TEST"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Where to write, how long to go on, and which share of the mutants to try."""
    parser.addoption("--mutation-out", default="mutation.json")
    parser.addoption("--mutation-seconds", type=float, default=float("inf"))
    parser.addoption("--mutation-share", default="0/1", help="k/n: every n-th mutant from the k-th")


def pytest_runtestloop(session: pytest.Session) -> bool:
    """Instead of running the tests once, run them for each mutant."""
    options = session.config.option
    path = Path(options.mutation_out)
    results: dict[str, str] = json.loads(path.read_text()) if path.is_file() else {}
    tests = _tests_by_function(session.items)
    # Every test must pass twice without a mutant, or each kill would mean nothing.
    broken = [item.nodeid for _ in range(2) for item in session.items if _fails(item)]
    if broken:
        pytest.exit(f"these fail without a mutant: {broken[:5]}", returncode=1)
    k, n = map(int, options.mutation_share.split("/"))
    left = [name for name in _mutants()[k::n] if name not in results]
    started = time.monotonic()
    for at, name in enumerate(left):
        if time.monotonic() - started > options.mutation_seconds:
            break
        results[name] = _outcome(name, tests)
        if at % 20 == 19:
            path.write_text(json.dumps(results, indent=0))
            killed = sum(result.startswith("killed") for result in results.values())
            print(f"{len(results)} tried, {killed} killed, {len(left) - at - 1} left", file=sys.stderr, flush=True)
    path.write_text(json.dumps(results, indent=0))
    return True


def _mutants() -> list[str]:
    """Names of all mutants in an order that a time limit cannot bias."""
    names = []
    for module_name, module in sorted(sys.modules.items()):
        if module_name.startswith("arcuate.leakage"):
            for name, table in vars(module).items():
                if name.startswith("mutants_x") and isinstance(table, dict):
                    names += [f"{module_name}.{key}" for key in table if not key.endswith("_orig")]
                if isinstance(table, type) and table.__module__ == module_name:
                    for key, inner in vars(table).items():
                        if "mutants_x" in key and isinstance(inner, dict):
                            names += [f"{module_name}.{one}" for one in inner if not one.endswith("_orig")]
    names = sorted(set(names))
    random.Random(0).shuffle(names)
    return names


def _tests_by_function(items: list[pytest.Item]) -> dict[str, list[pytest.Item]]:
    known = json.loads(Path("mutmut-stats.json").read_text())
    seconds = known["duration_by_test"]
    by_id = {item.nodeid: item for item in items}
    chosen = {
        function: sorted((by_id[one] for one in names if one in by_id), key=lambda item: seconds.get(item.nodeid, 0))
        for function, names in known["tests_by_mangled_function_name"].items()
    }
    return defaultdict(list, chosen)


def _outcome(name: str, tests: dict[str, list[pytest.Item]]) -> str:
    os.environ[CHOSEN] = name
    signal.signal(signal.SIGALRM, _too_long)
    signal.alarm(SECONDS_A_MUTANT)
    try:
        reaching = tests[name.rpartition("__mutmut_")[0]]
        if not reaching:
            return "no test"
        for item in reaching:
            if _fails(item):
                return f"killed by {item.nodeid}"
        return "survived"
    except TimeoutError:
        return "killed by time"
    finally:
        signal.alarm(0)
        os.environ[CHOSEN] = ""


def _fails(item: pytest.Item) -> bool:
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=None))


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"more than {SECONDS_A_MUTANT} s")
