"""Methods a to f, against what the papers say of them, slow references, and the real graphs."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from arcuate.errors import ArcuateError, NotPossible
from arcuate.samples.read import read_samples
from arcuate.splits.greedy import greedy_parts, least_picked
from arcuate.splits.methods import METHODS, method_of, split
from arcuate.splits.parts import Ratio


@pytest.fixture(scope="module")
def narratives(shared_data):
    return read_samples(
        shared_data / "narratives" / "runs.csv", window=10, where=["shape=64x64x27", "excluded=0"]
    )


@pytest.fixture(scope="module")
def zuco(shared_data):
    sentences = pl.read_csv(shared_data / "zuco" / "sentences.csv", infer_schema=False)
    readers = pl.DataFrame({"subject": [f"Z{k:02}" for k in range(12)]})
    return read_samples(readers.join(sentences, how="cross").select("subject", "task", text="sentence"))


@pytest.fixture
def runs():
    """Three subjects, two stories; windows of 5."""
    frame = pl.DataFrame({"subject": ["a", "b", "c", "a"], "story": ["x", "x", "y", "y"], "n_trs": [104, 97, 54, 54]})
    return read_samples(frame, window=5)


def parts_of(frame: pl.DataFrame, column: str) -> dict[str, set[str]]:
    return {name: set(parts) for name, parts in frame.group_by(column).agg("part").iter_rows()}


def test_a_puts_each_subject_in_one_part(narratives):
    made = split(narratives, "a", seed=3)
    assert all(len(parts) == 1 for parts in parts_of(made.frame, "subject").values())
    assert made.manifest["subjects"] == {"train": 182, "val": 23, "test": 23}


def test_b_puts_each_story_in_one_part(narratives):
    made = split(narratives, "b", seed=3)
    assert all(len(parts) == 1 for parts in parts_of(made.frame, "story").values())
    assert made.manifest["texts"] == {"train": 12, "val": 1, "test": 2}


def test_b_on_three_tasks_is_refused_by_name(zuco):
    with pytest.raises(NotPossible, match=r"'val' empty.*3 stories"):
        split(zuco, "b")


def test_c_cuts_all_samples(narratives):
    made = split(narratives, "c", seed=3)
    n = len(made.frame)
    assert made.counts == {"train": int(0.8 * n), "val": int(0.9 * n) - int(0.8 * n), "test": n - int(0.9 * n),
                           "dropped": 0}


def test_d_cuts_the_samples_of_each_story(narratives):
    made = split(narratives, "d", seed=3)
    for _, story in made.frame.group_by("story"):
        n = len(story)
        counts = dict(story["part"].value_counts().iter_rows())
        assert counts["train"] == int(0.8 * n)
        assert counts["test"] == n - int(0.9 * n)


@pytest.mark.parametrize("seed", range(6))
def test_e_cuts_each_story_by_position(runs, seed):
    made = split(runs, "e", seed=seed)
    for _, story in made.frame.group_by("story"):
        assert max(map(len, parts_of(story, "segment").values())) == 1, "the same for all subjects"
        first, *_, last = story.sort("segment")["part"].to_list()
        assert {first, last} == {"val", "test"}, "train is in the middle"
        train = story.filter(pl.col("part") == "train")["segment"]
        n = story["segment"].n_unique()
        assert train.n_unique() == train.max() - train.min() + 1 == int(0.8 * n)


def test_which_end_e_tests_depends_on_the_seed(runs):
    ends = {split(runs, "e", seed=seed).frame.sort("segment")["part"][0] for seed in range(20)}
    assert ends == {"val", "test"}


def test_e_without_segments_goes_by_the_order_of_the_texts():
    rows = [(s, f"t{k}", "task") for s in "ab" for k in range(10)]
    table = read_samples(pl.DataFrame(rows, schema=["subject", "text_id", "task"], orient="row"))
    one = split(table, "e", seed=1).frame.filter(pl.col("subject") == "a")["part"].to_list()
    assert one in ([["val"], ["test"]][k] + ["train"] * 8 + [["test"], ["val"]][k] for k in (0, 1))


@pytest.mark.parametrize("method", ["b", "d", "e"])
def test_methods_that_cut_stories_need_them(method):
    table = read_samples(pl.DataFrame({"subject": ["a", "b"], "text": ["x", "y"]}))
    with pytest.raises(ArcuateError, match=r"no column 'story'"):
        split(table, method)


def slow_picks(neighbours: list[set[int]], n_smaller: int) -> list[int]:
    """The rule as a sentence: pick the neighbour picked least so far."""
    times = [0] * n_smaller
    picks = []
    for mine in neighbours:
        picks.append(min(sorted(mine), key=lambda node: times[node]))
        times[picks[-1]] += 1
    return picks


def test_f_picks_as_the_sentence_says():
    rng = np.random.default_rng(0)
    for _ in range(100):
        matrix = rng.random((rng.integers(1, 30), rng.integers(1, 8))) < 0.4
        matrix[np.arange(len(matrix)), rng.integers(0, matrix.shape[1], len(matrix))] = True
        larger, smaller = np.nonzero(matrix)
        expected = slow_picks([set(np.flatnonzero(row).tolist()) for row in matrix], matrix.shape[1])
        assert least_picked(larger, smaller, *matrix.shape).tolist() == expected


def shares_of_f(table, seeds: int, cut_subjects: bool) -> tuple[float, np.ndarray, float]:
    """Mean retained, mean shares, and how often all shares are within 10% of 8:1:1."""
    graph = table.graph
    retained, shares = [], []
    for seed in range(seeds):
        subject, text = greedy_parts(
            graph.subject_of_edge, graph.text_of_edge, Ratio(8, 1, 1), seed, cut_subjects=cut_subjects
        )
        one, two = subject[graph.subject_of_edge], text[graph.text_of_edge]
        weight = np.bincount(one[one == two], graph.weights[one == two], minlength=3)
        retained.append(weight.sum() / graph.total)
        shares.append(weight / weight.sum())
    within = np.abs(np.array(shares) / [0.8, 0.1, 0.1] - 1).max(axis=1) <= 0.1
    return float(np.mean(retained)), np.mean(shares, axis=0), float(within.mean())


def test_f_keeps_what_was_measured_on_narratives(narratives):
    retained, shares, within = shares_of_f(narratives, 200, cut_subjects=False)
    assert retained == pytest.approx(0.859, abs=0.006)  # the standard error over 200 seeds is 0.003
    assert shares == pytest.approx([0.85, 0.05, 0.10], abs=0.012)
    assert within == 0


def test_f_keeps_what_was_measured_on_zuco(zuco):
    assert len(zuco.graph.texts) == 1039
    retained, shares, within = shares_of_f(zuco, 50, cut_subjects=True)
    assert retained == pytest.approx(0.597, abs=0.001)  # (9² + 1² + 2²) / 12²
    assert shares == pytest.approx([0.94, 0.01, 0.05], abs=0.005)
    assert within == 0


def test_f_cuts_the_side_with_fewer_nodes(narratives, zuco):
    assert split(narratives, "f").manifest["texts"] == {"train": 12, "val": 1, "test": 2}
    assert split(zuco, "f").manifest["subjects"] == {"train": 9, "val": 1, "test": 2}
    other = split(zuco, "f", "1:1", smaller="texts", near_duplicates=None, ngram=None).manifest
    assert other["texts"] == {"train": 519, "test": 520}
    with pytest.raises(ArcuateError, match="'fewer', 'subjects' or 'texts'"):
        split(zuco, "f", smaller="neither")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("ratio", ["9:1", "8:1:1", "6:2:1:1"])
def test_every_method_is_seeded_and_takes_any_ratio(method, ratio):
    rows = [(f"s{i}", f"t{i * 7 % 5}{j}", f"story{j}", 10 * i + k)
            for i in range(20) for j in range(20) for k in range(2)]
    table = read_samples(pl.DataFrame(rows, schema=["subject", "text_id", "story", "segment"], orient="row"))
    options = {"time_limit": 1, "tolerance": 0.3} if method == "optimal" else {}
    made = [method_of(method, ratio, seed, **options).split(table) for seed in (1, 1, 2)]
    assert made[0].hash == made[1].hash
    if method != "optimal":
        assert made[0].hash != made[2].hash
    assert made[0].parts == Ratio.of(ratio).names


def test_near_duplicates_stay_together_unless_told_otherwise():
    texts = [" ".join([*(f"w{t}{k}" for k in range(12)), last]) for t in range(6) for last in ("here", "there")]
    rows = [(f"s{i}", text) for i in range(6) for text in texts]
    frame = pl.DataFrame(rows, schema=["subject", "text"], orient="row")
    table = read_samples(frame)
    for method, options in (("f", {}), ("optimal", {"tolerance": 0.5, "time_limit": 1})):
        made = split(table, method, (1, 1), **options)
        together = made.frame.with_columns(pair=pl.Series(frame["text"].str.slice(0, 2)))
        kept = together.filter(pl.col("part") != "dropped").group_by("pair").agg(pl.col("part").n_unique())
        assert kept["part"].max() == 1
        assert made.manifest["table"]["texts"] == 6
        apart = split(table, method, (1, 1), near_duplicates=None, ngram=None, **options)
        assert apart.manifest["table"]["texts"] == 12


def test_unknown_methods_and_options_are_refused():
    with pytest.raises(ArcuateError, match=r"method 'g' is not known\. Known: a, b"):
        method_of("g")
    with pytest.raises(ArcuateError, match="Method a has no option tolerance; it has none"):
        method_of("a", tolerance=0.1)
