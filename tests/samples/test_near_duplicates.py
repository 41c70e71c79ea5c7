"""Near-duplicates: exact against brute force, complete on planted pairs, linked transitively."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcuate.errors import ArcuateError
from arcuate.samples import near_duplicates
from arcuate.samples.near_duplicates import Shingles, link, near_duplicate_groups, near_duplicate_pairs
from arcuate.samples.text_identity import words

TEXTS = st.lists(st.lists(st.sampled_from("a b c d e".split()), max_size=7).map(" ".join), max_size=12)


def jaccard(one: str, other: str) -> float:
    def shingles(text):
        tokens = words(text)
        return {tuple(tokens[i : i + 3]) for i in range(max(1, len(tokens) - 2))} if tokens else set()

    first, second = shingles(one), shingles(other)
    return len(first & second) / len(first | second) if first and second else 0.0


@given(TEXTS, st.sampled_from([0.3, 0.5, 0.8, 1.0]))
def test_pairs_equal_brute_force(texts, threshold):
    expected = {
        (i, j): jaccard(texts[i], texts[j])
        for i in range(len(texts))
        for j in range(i + 1, len(texts))
        if jaccard(texts[i], texts[j]) >= threshold
    }
    found = {(pair.first, pair.second): pair.jaccard for pair in near_duplicate_pairs(texts, threshold)}
    assert found == pytest.approx(expected)


def planted(n: int, seed: int) -> tuple[list[str], list[tuple[int, int]]]:
    """n random texts, a tenth of them copies of others with a word added or the last one gone."""
    rng = np.random.default_rng(seed)
    texts = [" ".join(f"w{i}" for i in rng.integers(0, 5000, rng.integers(12, 40))) for _ in range(n - n // 10)]
    pairs = []
    for copy in range(n // 10):
        source = int(rng.integers(len(texts) - copy))
        changed = texts[source].split()
        texts.append(" ".join([*changed, "extra"] if copy % 2 else changed[:-1]))
        pairs.append((source, len(texts) - 1))
    return texts, pairs


def test_hashing_finds_planted_pairs_and_confirms_none_wrongly():
    texts, pairs = planted(5000, seed=3)
    found = {(pair.first, pair.second): pair.jaccard for pair in near_duplicate_pairs(texts)}
    wanted = [pair for pair in pairs if jaccard(texts[pair[0]], texts[pair[1]]) >= 0.85]
    assert len(wanted) > 300
    assert sum(pair in found for pair in wanted) >= 0.99 * len(wanted)
    for (first, second), value in found.items():
        assert value == pytest.approx(jaccard(texts[first], texts[second]))
        assert value >= 0.8


def test_hashing_gives_the_same_pairs_as_comparing_all(monkeypatch):
    texts, _ = planted(501, seed=4)
    hashed = near_duplicate_pairs(texts)
    monkeypatch.setattr(near_duplicates, "_digests", None)
    assert near_duplicate_pairs(texts[:500]) == [pair for pair in hashed if pair.second < 500]


def test_groups_are_linked_transitively():
    chain = ["a b c d e f g h i j", "a b c d e f g h i j k", "a b c d e f g h i j k l", "x y z"]
    assert jaccard(chain[0], chain[2]) < 0.85 <= jaccard(chain[0], chain[1])
    assert near_duplicate_groups(chain, 0.85).tolist() == [0, 0, 0, 1]


@settings(max_examples=50)
@given(st.integers(1, 8), st.data())
def test_link_equals_repeated_relabelling(n, data):
    node = st.integers(0, n - 1)
    pairs = data.draw(st.lists(st.tuples(node, node), max_size=8))
    label = list(range(n))
    for _ in range(n):
        for one, other in pairs:
            label[one] = label[other] = min(label[one], label[other])
    expected = [sorted(set(label), key=label.index).index(x) for x in label]
    assert link(n, pairs).tolist() == expected


@pytest.mark.parametrize("threshold", [0, -1, 1.1])
def test_a_threshold_outside_0_to_1_is_refused(threshold):
    with pytest.raises(ArcuateError, match="near-duplicates is"):
        near_duplicate_pairs(["a", "b"], threshold)


def test_the_union_of_windows_is_the_story():
    windows = Shingles.of_texts(["a b c d", "b c d e", "x y z"])
    union = Shingles.union(windows, np.array([0, 0, 1]), 2)
    assert union.sizes.tolist() == [3, 1]
