"""Read the word features of a ZuCo 2.0 file (MATLAB 7.3) with arcuate, mat73 and pymatreader.

Run: python -m benchmarks.matlab_readers
"""

from __future__ import annotations

import importlib.util
import tempfile
from pathlib import Path

from benchmarks.measure import fastest

ME = "benchmarks.matlab_readers"
N_SENTENCES, N_WORDS = 12, 15


def write(path: str) -> None:
    """A results file of ordinary sentences; every word has its hundred fields and raw EEG."""
    import numpy as np
    from tests.datasets.miniatures.matlab import Structs, write_mat73
    from tests.datasets.miniatures.zuco import fixated, sentence

    rng = np.random.default_rng(0)
    rows = [
        sentence(rng, f"Sentence {i}.", Structs([fixated(rng, f"w{j}") for j in range(N_WORDS)]))
        for i in range(N_SENTENCES)
    ]
    write_mat73(Path(path), sentenceData=Structs(rows))


def with_arcuate(path: str) -> float:
    from arcuate.datasets.zuco.mat73 import read_mat73
    from arcuate.datasets.zuco.sentences import judge

    return float(sum(judge(sentence).sum() for sentence in read_mat73(Path(path))))  # type: ignore[union-attr]


def with_mat73(path: str) -> float:
    import mat73

    return _total(mat73.loadmat(path)["sentenceData"]["word"])


def with_pymatreader(path: str) -> float:
    import pymatreader

    return _total(pymatreader.read_mat(path)["sentenceData"]["word"])


def _total(words: list[dict]) -> float:
    import numpy as np

    from arcuate.datasets.zuco.sentences import BANDS

    return float(sum(np.sum(vector, dtype=np.float64) for sentence in words for band in BANDS
                     for vector in sentence[f"GD_{band}"]))


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "resultsYAC_NR.mat")
        write(path)
        peers = [name for name in ("mat73", "pymatreader") if importlib.util.find_spec(name)]
        done = {name: fastest(3, ME, f"with_{name}", path) for name in ("arcuate", *peers)}
    ours = done["arcuate"]
    print(f"{N_SENTENCES} sentences of {N_WORDS} words")
    for name, one in done.items():
        print(f"{name:12} {one.seconds:7.2f} s  arcuate is {one.seconds / ours.seconds:5.2f}× as fast  "
              f"{one.gib:5.2f} GiB  sum {one.result:.1f}")


if __name__ == "__main__":
    main()
