"""Which samples go together in a batch: by length where samples stand alone, by place where they overlap."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from arcuate.decoding.data import DecodingData
from arcuate.errors import ArcuateError

Rows = npt.NDArray[np.int64]
CHUNK_BATCHES = 32  # rows are sorted by length within so many batches, so that epochs still differ


def default_block(data: DecodingData, rows: Rows) -> int:
    """16 where neighbouring windows share frames, 1 where every sample has its own."""
    ordered = rows[np.argsort(data.first_frame[rows], kind="stable")]
    ends = data.first_frame[ordered] + data.n_frames[ordered]
    return 16 if np.any(data.first_frame[ordered][1:] < ends[:-1]) else 1


def plan_epoch(
    data: DecodingData, rows: Rows, tokens: npt.NDArray[np.int64], batch_size: int, *,
    block: int = 1, seed: tuple[int, ...] | None = None,
) -> list[Rows]:
    """Cut `rows` into batches of nearly equal size, none larger than `batch_size`.

    Parameters
    ----------
    tokens
        Number of target tokens of every row of the dataset.
    block
        1: rows of like length meet, and little is padded. More: runs of so many neighbouring windows
        stay together, so that a frame is fetched once and serves all windows that hold it.
    seed
        None keeps the order (evaluation); the order otherwise depends on it alone.
    """
    if len(rows) == 0:
        raise ArcuateError("There is no sample to make a batch of. Check that the part has rows in the split.")
    n_batches = -(-len(rows) // batch_size)
    generator = None if seed is None else np.random.default_rng(list(seed))
    if block > 1:
        ordered = rows[np.argsort(data.first_frame[rows], kind="stable")]
        blocks = [ordered[i:i + block] for i in range(0, len(ordered), block)]
        if generator is not None:
            blocks = [blocks[i] for i in generator.permutation(len(blocks))]
        return np.array_split(np.concatenate(blocks), n_batches)
    if generator is None:
        return np.array_split(_by_length(data, rows, tokens), n_batches)
    shuffled = rows[generator.permutation(len(rows))]
    # Whole batches to a chunk: only the last chunk ends in batches that are not full.
    chunk = CHUNK_BATCHES * batch_size
    batches = [
        batch
        for i in range(0, len(rows), chunk)
        for batch in np.array_split(
            _by_length(data, shuffled[i:i + chunk], tokens), -(-len(shuffled[i:i + chunk]) // batch_size)
        )
    ]
    return [batches[i] for i in generator.permutation(len(batches))]


def _by_length(data: DecodingData, rows: Rows, tokens: npt.NDArray[np.int64]) -> Rows:
    # The text's length first: the decoder and the vocabulary layer cost the most.
    return rows[np.lexsort((data.n_frames[rows], tokens[rows]))]


def share(batch: Rows, rank: int, world: int, accumulate: int) -> list[Rows]:
    """This process's part of a batch, in `accumulate` pieces; neighbours stay together.

    Examples
    --------
    >>> [piece.tolist() for piece in share(np.arange(8), rank=1, world=2, accumulate=2)]
    [[2, 3], [6, 7]]
    """
    if len(batch) < world * accumulate:
        raise ArcuateError(
            f"A batch of {len(batch)} samples cannot be shared among {world} processes with "
            f"accumulate={accumulate}. Use a larger batch, or fewer of them."
        )
    return [np.array_split(piece, world)[rank] for piece in np.array_split(batch, accumulate)]
