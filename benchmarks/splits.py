"""Splits two ways, side by side: ours, the papers' f, DataSAIL I2, METIS and CP-SAT, all asked for 8:1:1 within 10%.

Run: python -m benchmarks.splits [--shared ../shared] [--time-limit 30] [--install-datasail] [--only GRAPH ...]
Retained counts samples whose subject and text are in the same part. Seconds are wall clock, one peer after the other.
Peers that miss the ratio are compared at equal ratios too: the last column is what arcuate keeps at *their* shares,
within 1%. (benchmarks/split_f_shares.py does that for f, seed by seed.)
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tests.splits.graphs import narratives, synthetic, zuco

from arcuate.samples.graph import Graph
from arcuate.splits.optimal import Problem, kept, solve
from benchmarks.split_peers import Asked, Parts, Peer, Skipped, cp_sat, datasail, greedy_f, metis, ours

PEERS: dict[str, Peer] = {
    "arcuate optimal": ours.answer, "f": greedy_f.answer, "DataSAIL I2": datasail.answer, "METIS": metis.answer,
    "CP-SAT": cp_sat.answer,
}


def graphs(shared: Path) -> dict[str, Graph]:
    """Real ones, and the synthetic families."""
    data, bench = shared / "data", shared / "bench"
    return {
        "Narratives 64x64x27": narratives(data, "64x64x27"),
        "same, merged": narratives(data, "64x64x27", merged=True),
        "all Narratives": narratives(data),
        "all, merged": narratives(data, merged=True),
        "ZuCo 12x1,039": zuco(data),
        "sessions 345x27": synthetic(bench, "sessions"),
        "sparse 345x27": synthetic(bench, "sparse"),
        "dense 12x1,107": synthetic(bench, "dense"),
    }


def line(peer: str, graph: Graph, asked: Asked) -> str:
    """One row of the table: what the peer keeps, in which shares, whether those are as asked, and its proof."""
    started = time.perf_counter()
    try:
        answered = PEERS[peer](graph, asked)
    except Skipped as why:
        return f"{peer:<16}{'–':>9}  {why}"
    seconds = time.perf_counter() - started
    amounts = []
    for sides in answered.splits:
        weight = kept(graph, *sides, len(asked.ratio) + 1).weight
        amounts.append(weight[:len(asked.ratio)])   # a part beyond the last holds what a peer left out
    retained = np.array([weight.sum() for weight in amounts]) / graph.total
    shares = np.mean([weight / max(weight.sum(), 1e-300) for weight in amounts], axis=0)
    fits = np.mean([Problem(ratio=asked.ratio, tolerance=asked.tolerance).allows(weight) for weight in amounts])
    bound = "" if answered.bound_share is None else f"{answered.bound_share:.4f}"
    each = seconds / len(answered.splits)
    mix = "/".join(f"{100 * share:.1f}" for share in shares)
    several = len(answered.splits) > 1
    ours_there = "" if fits or several else at_their_shares(graph, answered.splits[0], amounts[0], asked)
    return (f"{peer:<16}{retained.mean():>9.4f}{mix:>16}{fits:>9.0%}{bound:>9}{each:>9.2f}{ours_there:>17}"
            f"  {answered.note}")


def at_their_shares(graph: Graph, sides: tuple[Parts, Parts], weight: npt.NDArray[np.float64], asked: Asked) -> str:
    """What arcuate keeps where a peer's split sets the ratio; empty where that has an empty part."""
    if not weight.all():
        return "(empty part)"
    starts = (sides,) if max(sides[0].max(), sides[1].max()) < len(weight) else ()
    problem = Problem(ratio=tuple(weight.tolist()), tolerance=0.01, time_limit=5.0, seed=asked.seed, starts=starts)
    return f"{solve(graph, problem).retained_share:.4f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path(__file__).parents[2] / "shared")
    parser.add_argument("--time-limit", type=float, default=30.0)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--peers", nargs="*", default=list(PEERS), choices=list(PEERS))
    parser.add_argument("--install-datasail", action="store_true")
    chosen = parser.parse_args()
    if not chosen.shared.is_dir():
        raise SystemExit(f"{chosen.shared} is not here: the graphs are made from it. Give --shared FOLDER.")
    if chosen.install_datasail:
        datasail.install()
    asked = Asked(time_limit=chosen.time_limit)
    for name, graph in graphs(chosen.shared).items():
        if chosen.only and name not in chosen.only:
            continue
        print(f"\n{name}: {len(graph.subjects)} subjects, {len(graph.texts)} texts, weight {graph.total:,.0f}")
        print(f"{'':<16}{'retained':>9}{'shares':>16}{'as asked':>9}{'bound':>9}{'seconds':>9}{'ours, its shares':>17}")
        for peer in chosen.peers:
            print(line(peer, graph, asked), flush=True)


if __name__ == "__main__":
    main()
