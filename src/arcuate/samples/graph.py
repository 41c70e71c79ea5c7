"""The weighted subject × text graph that every split and every rate works on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

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
        n_samples = np.ones(len(subject_codes), np.int64) if samples is None else np.asarray(samples, np.int64)
        weight = n_samples.astype(float) if weights is None else np.asarray(weights, float)
        if len(subject_codes) == 0:
            raise ArcuateError("The table has no samples. Give at least one row.")
        pair, position = np.unique(subject_codes * len(text_names) + text_codes, return_inverse=True)
        return cls(
            subjects=subject_names, texts=text_names,
            subject_of_edge=pair // len(text_names), text_of_edge=pair % len(text_names),
            weights=np.bincount(position, weights=weight, minlength=len(pair)).astype(float),
            samples=np.bincount(position, weights=n_samples, minlength=len(pair)).astype(np.int64),
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
