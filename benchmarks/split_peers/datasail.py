"""DataSAIL's two-way splitter (I2), in an environment of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

from arcuate.samples.graph import Graph
from benchmarks.split_peers import Answered, Asked, Skipped

ENVIRONMENT = Path(__file__).parents[2] / ".venv-datasail"
NAMES = ("train", "val", "test")

# DataSAIL names each interaction's part; its nodes' parts are in the first two results.
_WORKER = """
import json, sys
from datasail.sail import datasail
asked = json.load(open(sys.argv[1]))
subjects, texts, _ = datasail(
    techniques=["I2"], splits=asked["ratio"], names=asked["names"], epsilon=asked["tolerance"],
    max_sec=asked["seconds"], solver="SCIP", verbose="E", threads=2, runs=1,
    inter=[tuple(pair) for pair in asked["pairs"]],
    e_type="O", e_data={name: name for name in asked["subjects"]},
    f_type="O", f_data={name: name for name in asked["texts"]},
)
json.dump([subjects["I2"][0], texts["I2"][0]], open(sys.argv[2], "w"))
"""


def install() -> None:
    """Make the environment; it stays out of the project's own."""
    if not (ENVIRONMENT / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(ENVIRONMENT)], check=True)
    subprocess.run([str(ENVIRONMENT / "bin" / "pip"), "install", "-q", "datasail"], check=True)


def answer(graph: Graph, asked: Asked) -> Answered:
    """Ask DataSAIL for the same ratio and tolerance."""
    python = ENVIRONMENT / "bin" / "python"
    if not python.exists() or subprocess.run([python, "-c", "import datasail"], capture_output=True).returncode:
        raise Skipped("DataSAIL is not installed: run with --install-datasail")
    subjects, texts = graph.subjects.tolist(), graph.texts.tolist()
    pairs = [(subjects[s], texts[t]) for s, t in zip(graph.subject_of_edge, graph.text_of_edge, strict=True)]
    question = {"ratio": list(asked.ratio), "names": NAMES, "tolerance": asked.tolerance, "pairs": pairs,
                "seconds": int(asked.time_limit), "subjects": subjects, "texts": texts}
    with tempfile.TemporaryDirectory() as folder:
        inside, outside = Path(folder) / "asked.json", Path(folder) / "answered.json"
        inside.write_text(json.dumps(question))
        try:
            done = subprocess.run([python, "-c", _WORKER, inside, outside], capture_output=True, text=True,
                                  cwd=folder, timeout=5 * asked.time_limit + 60, check=False)
        except subprocess.TimeoutExpired as late:
            raise Skipped(f"no answer in {late.timeout:g} s") from late
        if done.returncode or not outside.exists():
            last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
            raise Skipped(f"it failed: {last[:120]}")
        answers = json.loads(outside.read_text())
    sides = tuple(
        np.array([NAMES.index(given[name]) if given.get(name) in NAMES else len(NAMES) for name in names])
        for given, names in zip(answers, (subjects, texts), strict=True)
    )
    return Answered([sides])
