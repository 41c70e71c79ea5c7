"""Generated worlds: tables with a split whose leaks are known, and naive counts to compare with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import polars as pl
import pytest
from hypothesis import settings

# Mutation tests (docs/mutation.md) run the tests once for each of a thousand mutants: few examples, always the same.
settings.register_profile("mutation", deadline=None, max_examples=10, derandomize=True, database=None)

PARTS = ("train", "val", "test")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """mutmut 3.8 asks each test for `_nodeid`, which pytest 9 no longer has."""
    for item in items:
        if not hasattr(item, "_nodeid"):
            item._nodeid = item.nodeid  # type: ignore[attr-defined]


def clean_texts(seed: int = 0, n: int = 12) -> pl.DataFrame:
    """Subjects, stories and texts each in one part; every sentence has words of its own."""
    rng = np.random.default_rng(seed)
    rows = []
    for at, part in enumerate(PARTS):
        readers = [f"sub-{at}{letter}" for letter in "abc"[: rng.integers(2, 4)]]
        for number in range(int(rng.integers(1, n))):
            words = " ".join(f"w{at}x{number}x{place}" for place in range(rng.integers(1, 14)))
            rows += [
                {"subject": who, "story": f"story{at}", "text": words, "part": part}
                for who in readers if who == readers[0] or who == readers[1] or rng.random() < 0.7
            ]
    frame = pl.DataFrame(rows).sample(fraction=1, shuffle=True, seed=int(seed))
    return frame.with_columns(sample=pl.int_range(len(rows)).cast(pl.String))


def clean_windows(seed: int = 0) -> pl.DataFrame:
    """Windows of stories, each story and each subject in one part."""
    rng = np.random.default_rng(seed)
    rows = []
    for at, part in enumerate(PARTS):
        length = int(rng.integers(1, 6))
        for who in ("a", "b"):
            for story in ("x", "y"):
                for segment in sorted(rng.choice(40, size=int(rng.integers(1, 12)), replace=False)):
                    rows.append({
                        "subject": f"sub-{at}{who}", "story": f"{story}{at}", "segment": int(segment),
                        "n_segments": length, "tr_s": 1.5, "part": part,
                    })
    return pl.DataFrame(rows).with_columns(sample=pl.int_range(len(rows)).cast(pl.String))


def messy_texts(seed: int = 0, n: int = 60) -> pl.DataFrame:
    """Few subjects and few texts of few words, parts at random: every kind of leak at once."""
    rng = np.random.default_rng(seed)
    vocabulary = ["a", "b", "c", "d"]
    texts = [" ".join(rng.choice(vocabulary, size=rng.integers(1, 14))) for _ in range(8)]
    texts += [text.upper() + "!" for text in texts[:3]]
    return pl.DataFrame({
        "subject": [f"sub-{k}" for k in rng.integers(0, 6, n)],
        "text": [texts[k] for k in rng.integers(0, len(texts), n)],
        "part": rng.choice([*PARTS, "dropped"], n),
    }).with_columns(sample=pl.int_range(n).cast(pl.String))


def messy_windows(seed: int = 0, n: int = 40) -> pl.DataFrame:
    """Windows of few runs, parts at random."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame({
        "subject": [f"sub-{k}" for k in rng.integers(0, 3, n)],
        "story": [f"story{k}" for k in rng.integers(0, 3, n)],
        "segment": rng.integers(0, 60, n), "n_segments": rng.integers(1, 7, n),
        "tr_s": rng.choice([1.5, 2.0, 4.0], n),
        "part": rng.choice([*PARTS, "dropped"], n, p=[0.3, 0.2, 0.2, 0.3]),
    }).with_columns(sample=pl.int_range(n).cast(pl.String))


@pytest.fixture(scope="session")
def worlds() -> dict[str, Callable[..., pl.DataFrame]]:
    """The generators above, by name."""
    return {
        "clean_texts": clean_texts, "clean_windows": clean_windows, "messy_texts": messy_texts,
        "messy_windows": messy_windows,
    }
