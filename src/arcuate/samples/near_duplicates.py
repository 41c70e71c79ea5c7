"""Near-duplicate texts: MinHash LSH proposes pairs, exact Jaccard confirms them, single linkage joins them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from arcuate.errors import ArcuateError
from arcuate.samples.text_identity import words

SHINGLE_WORDS = 3
DEFAULT_THRESHOLD = 0.8
# 25 bands of 5 rows: a pair at Jaccard 0.85 is missed with probability 4e-7, one at 0.8 with 5e-5;
# what is proposed wrongly costs time only, since every pair is confirmed exactly.
BANDS, ROWS = 25, 5
DIGEST_CHUNK = 20_000
PAIR_CHUNK = 1_000_000
# A fixed seed: which texts count as near-duplicates must not depend on a user's --seed.
MINHASH_SEED = 1


@dataclass(frozen=True)
class NearPair:
    """Two texts (positions in the list given) and the Jaccard similarity of their shingles."""

    first: int
    second: int
    jaccard: float


def near_duplicate_pairs(
    texts: Sequence[str], threshold: float = DEFAULT_THRESHOLD, shingle_words: int = SHINGLE_WORDS
) -> list[NearPair]:
    """Every pair found whose word shingles have Jaccard similarity >= `threshold`, in order.

    A text shorter than a shingle counts as one shingle, its whole word sequence. Texts without
    letters or digits have no shingles and match nothing.

    Examples
    --------
    >>> near_duplicate_pairs(["the cat sat on the mat", "The cat sat on the mat!", "a dog"])
    [NearPair(first=0, second=1, jaccard=1.0)]
    """
    return near_pairs_of_shingles(Shingles.of_texts(texts, shingle_words), threshold)


def near_duplicate_groups(
    texts: Sequence[str], threshold: float = DEFAULT_THRESHOLD, shingle_words: int = SHINGLE_WORDS
) -> npt.NDArray[np.int64]:
    """A group number a text, by single linkage over the near-duplicate pairs.

    Examples
    --------
    >>> near_duplicate_groups(["one two three", "four five six", "one, two, three"]).tolist()
    [0, 1, 0]
    """
    pairs = near_duplicate_pairs(texts, threshold, shingle_words)
    return link(len(texts), [(pair.first, pair.second) for pair in pairs])


def link(n: int, pairs: Iterable[tuple[int, int]]) -> npt.NDArray[np.int64]:
    """Connected components of `n` things joined by `pairs`, numbered by first appearance.

    Examples
    --------
    >>> link(4, [(1, 3)]).tolist()
    [0, 1, 2, 1]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = np.array(list(pairs), dtype=np.int64).reshape(-1, 2)
    matrix = coo_array((np.ones(len(ends), np.int8), (ends[:, 0], ends[:, 1])), shape=(n, n))
    _, labels = connected_components(matrix.tocsr(), directed=False)
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse].astype(np.int64)


@dataclass(frozen=True, eq=False)
class Shingles:
    """Sorted distinct shingle numbers of each text, one after the other.

    Shingles are numbered, not hashed: the Jaccard similarities computed from them are exact.
    """

    numbers: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        return np.diff(self.offsets)

    def of(self, text: int) -> npt.NDArray[np.int64]:
        return self.numbers[self.offsets[text] : self.offsets[text + 1]]

    @classmethod
    def of_texts(cls, texts: Sequence[str], shingle_words: int = SHINGLE_WORDS) -> Shingles:
        """Shingle every text; the vocabulary is numbered by first appearance."""
        vocabulary: dict[str, int] = {}
        flat: list[int] = []
        lengths = np.empty(len(texts), np.int64)
        for position, text in enumerate(texts):
            numbers = [vocabulary.setdefault(word, len(vocabulary) + 1) for word in words(text)]
            # Short texts are padded with 0, which is no word, to one whole shingle.
            if 0 < len(numbers) < shingle_words:
                numbers += [0] * (shingle_words - len(numbers))
            flat += numbers
            lengths[position] = len(numbers)
        return cls._from_words(np.array(flat, np.int64), lengths, shingle_words)

    @classmethod
    def _from_words(cls, flat: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64], size: int) -> Shingles:
        shingle = flat
        for step in range(1, size):
            # Number pairs (prefix, next word) afresh at each step, so that no product overflows.
            following = np.append(flat[step:], np.zeros(min(step, len(flat)), np.int64))
            shingle = np.unique(shingle * (flat.max(initial=0) + 1) + following, return_inverse=True)[1]
        owner = np.repeat(np.arange(len(lengths)), lengths)
        place = np.arange(len(flat)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        starts = place <= np.repeat(lengths, lengths) - size
        pairs = np.unique(owner[starts] * (shingle.max(initial=0) + 1) + shingle[starts])
        counts = np.bincount(pairs // (shingle.max(initial=0) + 1), minlength=len(lengths))
        return cls(pairs % (shingle.max(initial=0) + 1), np.concatenate([[0], np.cumsum(counts)]))

    @classmethod
    def union(cls, shingles: Shingles, group: npt.NDArray[np.int64], n_groups: int) -> Shingles:
        """The shingles of all texts of a group together: a story's, from its windows'."""
        width = shingles.numbers.max(initial=0) + 1
        pairs = np.unique(np.repeat(group, shingles.sizes) * width + shingles.numbers)
        counts = np.bincount(pairs // width, minlength=n_groups)
        return cls(pairs % width, np.concatenate([[0], np.cumsum(counts)]))


def near_pairs_of_shingles(shingles: Shingles, threshold: float) -> list[NearPair]:
    """Pairs of shingle sets with exact Jaccard >= `threshold`, proposed by MinHash LSH.

    Examples
    --------
    >>> near_pairs_of_shingles(Shingles.of_texts(["a b c d", "a b c e"]), 0.3)
    [NearPair(first=0, second=1, jaccard=0.3333333333333333)]
    """
    if not 0 < threshold <= 1:
        raise ArcuateError(f"near-duplicates is {threshold:g}. Give a number above 0 and up to 1, or 'off'.")
    pairs = []
    for first, second in _candidates(shingles):
        # Sets of too different sizes cannot be similar enough: no need to compare them.
        smaller, larger = np.sort([shingles.sizes[first], shingles.sizes[second]], axis=0)
        near = smaller >= threshold * larger
        first, second = first[near], second[near]
        shared = _shared(shingles, first, second)
        jaccard = shared / (shingles.sizes[first] + shingles.sizes[second] - shared)
        keep = jaccard >= threshold
        pairs += [NearPair(*row) for row in zip(
            first[keep].tolist(), second[keep].tolist(), jaccard[keep].tolist(), strict=True)]
    return sorted(pairs, key=lambda pair: (pair.first, pair.second))


def _candidates(shingles: Shingles) -> Iterator[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]]:
    """Distinct pairs of texts that share a band of their MinHash digest, in chunks."""
    kept = np.flatnonzero(shingles.sizes)
    if len(kept) <= 500:  # so few that all pairs are cheaper than digests, and nothing can be missed
        first, second = np.triu_indices(len(kept), 1)
        yield kept[first], kept[second]
        return
    digests = _digests(shingles, kept).reshape(len(kept), BANDS, ROWS)
    buckets = np.stack([_bucket_numbers(digests[:, band]) for band in range(BANDS)], axis=1)
    for band in range(BANDS):
        first, second = _pairs_within(buckets[:, band])
        for start in range(0, len(first), PAIR_CHUNK):
            one, other = first[start : start + PAIR_CHUNK], second[start : start + PAIR_CHUNK]
            # A pair is looked at in the first band that it shares, and never again.
            fresh = ~np.any(buckets[one, :band] == buckets[other, :band], axis=1)
            yield kept[one[fresh]], kept[other[fresh]]


def _digests(shingles: Shingles, kept: npt.NDArray[np.int64]) -> npt.NDArray[np.uint32]:
    from rensa import RMinHash

    digests = np.empty((len(kept), BANDS * ROWS), np.uint32)
    offsets = np.append(shingles.offsets[kept], len(shingles.numbers))
    # Spread the consecutive shingle numbers over 64 bits: MinHash expects hashes.
    hashed = _mixed(shingles.numbers.astype(np.uint64))
    for start in range(0, len(kept), DIGEST_CHUNK):
        stop = min(start + DIGEST_CHUNK, len(kept))
        low, high = offsets[start], offsets[stop]
        matrix = RMinHash.digest_matrix_from_flat_token_hashes(
            hashed[low:high], (offsets[start : stop + 1] - low).astype(np.uint64), BANDS * ROWS, MINHASH_SEED
        )
        digests[start:stop] = matrix.to_rows()
    return digests


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """splitmix64, a bijection: distinct numbers stay distinct."""
    mixed = numbers * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _bucket_numbers(rows: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint64]:
    bucket = np.zeros(len(rows), np.uint64)
    for column in range(rows.shape[1]):
        bucket = _mixed(bucket ^ rows[:, column].astype(np.uint64))
    return bucket


def _pairs_within(bucket: npt.NDArray[np.uint64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All pairs of positions that lie in one bucket, smaller position first."""
    order = np.argsort(bucket, kind="stable")
    starts = np.flatnonzero(np.append(True, np.diff(bucket[order]) != 0))
    sizes = np.diff(np.append(starts, len(order)))
    first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for size in np.unique(sizes[sizes > 1]):
        members = order[starts[sizes == size][:, None] + np.arange(size)]
        one, other = np.triu_indices(size, 1)
        first.append(members[:, one].ravel())
        second.append(members[:, other].ravel())
    one, other = np.concatenate(first), np.concatenate(second)
    return np.minimum(one, other), np.maximum(one, other)


def _shared(shingles: Shingles, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """How many shingles the two texts of each pair share, exactly."""
    width = shingles.numbers.max(initial=0) + 1

    def entries(texts: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        sizes = shingles.sizes[texts]
        places = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        numbers = shingles.numbers[np.repeat(shingles.offsets[texts], sizes) + places]
        return np.repeat(np.arange(len(texts)), sizes) * width + numbers

    common = np.intersect1d(entries(first), entries(second), assume_unique=True)
    return np.bincount(common // width, minlength=len(first))
