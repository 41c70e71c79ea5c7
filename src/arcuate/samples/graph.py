"""The weighted subject × text graph that every split and every rate works on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array, csr_array

from arcuate.errors import ArcuateError


@dataclass(frozen=True, eq=False)
class Graph:
    """Subjects on one side, text nodes on the other, an edge for each pair with samples.

    Nodes are sorted by name and edges by (subject, text), so equal tables give equal graphs.

    Examples
    --------
    >>> graph = Graph.from_edges(["s2", "s1", "s1"], ["t1", "t1", "t2"], weights=[3, 1, 2])
    >>> graph.subjects.tolist(), graph.texts.tolist(), graph.weights.tolist()
    (['s1', 's2'], ['t1', 't2'], [1.0, 2.0, 3.0])
    >>> graph.matrix().toarray()
    array([[1., 2.],
           [3., 0.]])
    """

    subjects: npt.NDArray[np.str_]
    texts: npt.NDArray[np.str_]
    subject_of_edge: npt.NDArray[np.int64]
    text_of_edge: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64]
    samples: npt.NDArray[np.int64]

    @classmethod
    def from_edges(
        cls, subjects: npt.ArrayLike, texts: npt.ArrayLike,
        weights: npt.ArrayLike | None = None, samples: npt.ArrayLike | None = None,
    ) -> Graph:
        """Build from parallel lists of names; repeated pairs are added up."""
        subject_names, subject_codes = np.unique(np.asarray(subjects, dtype=str), return_inverse=True)
        text_names, text_codes = np.unique(np.asarray(texts, dtype=str), return_inverse=True)
        return cls.from_codes(subject_names, text_names, subject_codes, text_codes, weights, samples)

    @classmethod
    def from_codes(
        cls, subjects: npt.NDArray[np.str_], texts: npt.NDArray[np.str_],
        subject_codes: npt.NDArray[np.int64], text_codes: npt.NDArray[np.int64],
        weights: npt.ArrayLike | None = None, samples: npt.ArrayLike | None = None,
    ) -> Graph:
        """Build from numbers into sorted lists of names; repeated pairs are added up."""
        if len(subject_codes) == 0:
            raise ArcuateError("The table has no samples. Give at least one row.")
        n_samples = np.ones(len(subject_codes), np.int64) if samples is None else np.asarray(samples, np.int64)
        weight = n_samples.astype(float) if weights is None else np.asarray(weights, float)
        # Sparse matrices add up repeated pairs in linear time, where a sort of all pairs would not.
        shape = (len(subjects), len(texts))
        ends = (subject_codes, text_codes)
        added = [coo_array((values, ends), shape=shape).tocsr() for values in (weight, n_samples)]
        for matrix in added:
            matrix.sum_duplicates()
        return cls(
            subjects=subjects, texts=texts,
            subject_of_edge=np.repeat(np.arange(len(subjects)), np.diff(added[0].indptr)),
            text_of_edge=added[0].indices.astype(np.int64),
            weights=added[0].data, samples=added[1].data,
        )

    @property
    def total(self) -> float:
        """All the weight there is: what 'retained' is a share of."""
        return float(self.weights.sum())

    @property
    def is_complete(self) -> bool:
        """Whether every subject has every text with one and the same weight."""
        crossed = len(self.weights) == len(self.subjects) * len(self.texts)
        return crossed and bool(np.all(self.weights == self.weights[0]))

    def matrix(self) -> csr_array:
        """Weights as a sparse subjects × texts matrix."""
        shape = (len(self.subjects), len(self.texts))
        return csr_array((self.weights, (self.subject_of_edge, self.text_of_edge)), shape=shape)
