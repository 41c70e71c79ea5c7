"""Folds in both ways at once: shape, balance, repeats, refusals. (That none leaks: test_no_leak.)"""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from arcuate.errors import ArcuateError, NotPossible
from arcuate.samples.read import read_samples
from arcuate.splits.blocks import diagonal_blocks, grid_blocks
from arcuate.splits.folds import CrossFolds


def crossed(n_subjects: int, n_texts: int):
    rows = [(f"s{i}", f"t{j}") for i in range(n_subjects) for j in range(n_texts)]
    return read_samples(pl.DataFrame(rows, schema=["subject", "text_id"], orient="row"))


def test_diagonal_folds_of_a_crossed_table():
    made = CrossFolds(folds=5).split(crossed(10, 15))
    assert made.folds == [0, 1, 2, 3, 4]
    for number in made.folds:
        assert made.fold(number).counts == {"train": 8 * 12, "test": 2 * 3, "dropped": 8 * 3 + 2 * 12}


def test_grid_folds_test_every_sample_once():
    table = crossed(10, 15)
    made = CrossFolds(folds=5, scheme="grid").split(table)
    assert len(made.folds) == 25
    tested = made.frame.filter(pl.col("part") == "test")["sample"]
    assert sorted(tested.to_list()) == sorted(table.rows()["sample"].to_list())


def test_repeats_use_other_blocks():
    made = CrossFolds(folds=2, repeats=3).split(crossed(8, 8))
    assert made.folds == list(range(6))
    tested = {tuple(made.fold(k).frame["part"].to_list()) for k in made.folds}
    assert len(tested) == 6
    assert len(made.manifest["folds"]) == 6


def test_the_manifest_tells_each_fold():
    made = CrossFolds(folds=2).split(crossed(4, 4))
    assert made.manifest["retained"] == 0.5
    assert [fold["counts"] for fold in made.manifest["folds"]] == [{"train": 4, "test": 4, "dropped": 8}] * 2


def test_a_fold_counts_weight():
    heavy = pl.DataFrame({"subject": ["a", "a", "b", "b"], "text_id": ["x", "y", "x", "y"], "weight": [5, 1, 1, 3]})
    made = CrossFolds(folds=2).split(read_samples(heavy))
    assert made.fold(0).manifest["retained"] == made.fold(1).manifest["retained"] == 0.8


def test_diagonal_blocks_find_separate_groups():
    # four groups of subjects, each with texts of its own: everything can be tested
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(4), 50)
    subject = group * 5 + rng.integers(0, 5, 200)
    text = group * 10 + rng.integers(0, 10, 200)
    names = [np.unique(side, return_inverse=True)[1] for side in (subject, text)]
    blocks = diagonal_blocks(*names, np.ones(200), 4, seed=1)
    assert (blocks.of_subject[names[0]] == blocks.of_text[names[1]]).mean() == 1


def test_diagonal_keeps_more_inside_than_chance_on_narratives(shared_data):
    table = read_samples(shared_data / "narratives" / "runs.csv", window=10, where=["excluded=0"])
    graph = table.graph
    inside = []
    for make in (diagonal_blocks, grid_blocks):
        blocks = make(graph.subject_of_edge, graph.text_of_edge, graph.weights, 5, 1)
        same = blocks.of_subject[graph.subject_of_edge] == blocks.of_text[graph.text_of_edge]
        inside.append(graph.weights[same].sum() / graph.total)
    assert inside[0] > 0.6 > 0.3 > inside[1]


def test_blocks_are_balanced():
    rng = np.random.default_rng(0)
    subject, text = rng.integers(0, 100, 5000), rng.integers(0, 300, 5000)
    weight = rng.integers(1, 10, 5000).astype(float)
    for make, slack in ((grid_blocks, 1.02), (diagonal_blocks, 1.15)):
        blocks = make(subject, text, weight, 5, 1)
        for side, of_node in ((subject, blocks.of_subject), (text, blocks.of_text)):
            load = np.bincount(of_node[side], weight)
            assert load.max() <= slack * load.mean()


def test_too_many_folds_are_refused_with_the_most_there_can_be():
    with pytest.raises(ArcuateError, match=r"3 subjects but 4 folds. Use at most 3"):
        CrossFolds(folds=4).split(crossed(3, 9))
    with pytest.raises(ArcuateError, match=r"3 texts but 4 folds"):
        CrossFolds(folds=4).split(crossed(9, 3))
    with pytest.raises(ArcuateError, match=r"folds is 1"):
        CrossFolds(folds=1).split(crossed(3, 3))
    with pytest.raises(ArcuateError, match=r"repeats is 0"):
        CrossFolds(folds=2, repeats=0).split(crossed(3, 3))
    with pytest.raises(ArcuateError, match=r"scheme 'ring' is not known"):
        CrossFolds(folds=2, scheme="ring").split(crossed(3, 3))


def test_an_empty_cell_is_refused_by_name():
    separate = pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "y"]})
    with pytest.raises(NotPossible, match=r"of cell \(0, [01]\) is empty"):
        CrossFolds(folds=2, scheme="grid").split(read_samples(separate))
