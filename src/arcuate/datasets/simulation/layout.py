"""Who heard what: the designs of the field's datasets, as lists of (subject, story) numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from arcuate.errors import ArcuateError

Pairs = list[tuple[int, int]]


def crossed(n_subjects: int, n_stories: int, rng: np.random.Generator) -> Pairs:
    """Everybody hears everything, as in ZuCo.

    Examples
    --------
    >>> crossed(2, 2, np.random.default_rng(0))
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    return [(subject, story) for subject in range(n_subjects) for story in range(n_stories)]


def sessions(n_subjects: int, n_stories: int, rng: np.random.Generator) -> Pairs:
    """Stories are recorded in batches, and a subject takes part in one or two of them, as in Narratives.

    Examples
    --------
    >>> pairs = sessions(30, 9, np.random.default_rng(0))
    >>> {subject for subject, _ in pairs} == set(range(30)), {story for _, story in pairs} == set(range(9))
    (True, True)
    """
    n_batches = max(2, n_stories // 2)
    batch = np.sort(np.arange(n_stories) % n_batches)
    pairs: Pairs = []
    for subject in range(n_subjects):
        # Subjects take the batches in turn, so that no story is left without a listener.
        joined = {subject % n_batches}
        if rng.random() < 0.2:
            joined.add(int(rng.integers(n_batches)))
        pairs += [(subject, story) for story in range(n_stories) if batch[story] in joined]
    return pairs


def sparse(n_subjects: int, n_stories: int, rng: np.random.Generator) -> Pairs:
    """Each subject hears a few stories at random: no structure to exploit.

    Examples
    --------
    >>> pairs = sparse(40, 10, np.random.default_rng(0))
    >>> 1.5 < len(pairs) / 40 < 4
    True
    """
    pairs: Pairs = []
    for subject in range(n_subjects):
        n_heard = min(1 + int(rng.poisson(1.6)), n_stories)
        heard = {subject % n_stories, *rng.choice(n_stories, n_heard, replace=False).tolist()}
        pairs += [(subject, story) for story in sorted(heard)]
    return pairs


LAYOUTS: dict[str, Callable[[int, int, np.random.Generator], Pairs]] = {
    "narratives": sessions,
    "zuco": crossed,
    "crossed": crossed,
    "sparse": sparse,
}


def check_size(n_subjects: int, n_stories: int) -> None:
    """Refuse a layout with nobody or nothing in it.

    Examples
    --------
    >>> check_size(1, 1)
    """
    if n_subjects < 1 or n_stories < 1:
        raise ArcuateError(f"{n_subjects} subjects and {n_stories} stories are too few. Give at least 1 of each.")
