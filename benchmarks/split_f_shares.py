"""At the shares that f itself reaches, seed by seed: how much more does optimal keep?

Run: python -m benchmarks.split_f_shares [--data ../shared/data] [--seeds 40]
Both are held to f's own shares of train, val and test, within 1% of each: only what is kept differs.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from arcuate.samples.read import read_samples
from arcuate.samples.table import SampleTable
from arcuate.splits.greedy import greedy_parts
from arcuate.splits.optimal import Problem, kept, solve
from arcuate.splits.parts import EIGHT_ONE_ONE

READERS = ("ZAB", "ZDM", "ZDN", "ZGW", "ZJM", "ZJN", "ZJS", "ZKB", "ZKH", "ZKW", "ZMG", "ZPH")
TOLERANCE = 0.01


@dataclass(frozen=True)
class Seed:
    """What f keeps with one seed, and what can be kept at the same shares."""

    f: float
    optimal: float
    bound: float
    shares: tuple[float, ...]


def compared(table: SampleTable, seed: int, time_limit: float) -> Seed | None:
    """f against optimal at f's own shares; None where f leaves a part empty."""
    graph = table.graph
    few_subjects = len(graph.subjects) < len(graph.texts)
    sides = greedy_parts(graph.subject_of_edge, graph.text_of_edge, EIGHT_ONE_ONE, seed, cut_subjects=few_subjects)
    weight = kept(graph, *sides, 3).weight
    if not weight.all():
        return None
    ratio = tuple(weight.tolist())
    problem = Problem(ratio=ratio, tolerance=TOLERANCE, time_limit=time_limit, seed=seed, starts=(sides,))
    best = solve(graph, problem)
    shares = tuple((weight / weight.sum()).tolist())
    return Seed(float(weight.sum()) / graph.total, best.retained_share, best.bound_share, shares)


def graphs(data: Path) -> dict[str, SampleTable]:
    """Narratives in both sizes, and ZuCo with every subject having read all."""
    runs = data / "narratives" / "runs.csv"
    sentences = pl.read_csv(data / "zuco" / "sentences.csv", infer_schema=False)
    crossed = pl.DataFrame({"subject": READERS}).join(sentences.select("task", text="sentence"), how="cross")
    return {
        "Narratives 64x64x27": read_samples(runs, window=10, where=["shape=64x64x27", "excluded=0"]),
        "all Narratives": read_samples(runs, window=10, where=["excluded=0"]),
        "ZuCo 12 x 1,039": read_samples(crossed),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--time-limit", type=float, default=2.0)
    asked = parser.parse_args()
    if not asked.data.is_dir():
        print(f"{asked.data} is not there: no real graphs to compare on")
        return
    print(f"{'graph':<21}{'seeds':>6}{'f keeps':>9}{'optimal':>9}{'more':>8}{'least':>8}{'most':>8}{'bound':>8}"
          f"{'behind f':>10}")
    for name, table in graphs(asked.data).items():
        seeds = [one for seed in range(asked.seeds) if (one := compared(table, seed, asked.time_limit))]
        f, best, bound = (np.array([getattr(one, key) for one in seeds]) for key in ("f", "optimal", "bound"))
        more = best - f
        print(f"{name:<21}{len(seeds):>6}{f.mean():>9.4f}{best.mean():>9.4f}{more.mean():>8.4f}{more.min():>8.4f}"
              f"{more.max():>8.4f}{bound.mean():>8.4f}{int((more < -1e-12).sum()):>10}")


if __name__ == "__main__":
    main()
