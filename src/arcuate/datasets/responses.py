"""The record that every reader of brain responses hands on: one subject, whole, as published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np

from arcuate.errors import ArcuateError

Kind = Literal["isolated", "continuous"]


@dataclass(frozen=True, eq=False)
class TimedWords:
    """Words of a continuous stimulus with their times in seconds, on the clock of the scans.

    Examples
    --------
    >>> len(TimedWords(("down", "the"), np.array([0.0, 0.4]), np.array([0.3, 0.6])))
    2
    """

    words: tuple[str, ...]
    onsets: np.ndarray
    offsets: np.ndarray

    def __post_init__(self) -> None:
        if not len(self.words) == len(self.onsets) == len(self.offsets):
            raise ArcuateError(
                f"{len(self.words)} words, {len(self.onsets)} onsets and {len(self.offsets)} offsets. "
                "Give one onset and one offset a word."
            )

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, eq=False, kw_only=True)
class BrainResponses:
    """One subject's responses and what the subject read or heard.

    Parameters
    ----------
    dataset, subject : str
    kind : {"isolated", "continuous"}
        Isolated: row i of `responses` answers stimulus i. Continuous: row i is scan i.
    responses : array or memory map, (stimuli or scans) × voxels
        As read: not detrended, scaled or selected. All of that is fitted by fold, on the training part.
    stimuli : tuple of str (isolated) or TimedWords (continuous)
    tr : float, seconds between scans (continuous only)
    onset_of_first_scan_s : float
        The time of scan 0 on the clock of the word times (Alice: 20 s).
    scan_times_s : array, optional
        The time of every scan, where they are not evenly spaced; else onset + i·TR.
    runs : integer array, one a row; all 0 by default
    repetitions : array (stimuli × repetitions × voxels), optional
        The single trials whose mean is `responses`; needed to select stable voxels and for that ceiling.
    coordinates : array (voxels × 3), optional, in the unit and space named by the dataset's page
    mask_image : path of a NIfTI mask whose nonzero voxels are the columns, optional
    rois : name -> integer columns, optional
    excluded : notes of what was left out and why, one string each; shown to the user

    Examples
    --------
    >>> one = BrainResponses(dataset="toy", subject="1", kind="isolated",
    ...                      responses=np.eye(2), stimuli=("cat", "dog"))
    >>> one.n_rows, one.n_voxels, one.runs.tolist()
    (2, 2, [0, 0])
    """

    dataset: str
    subject: str
    kind: Kind
    responses: np.ndarray
    stimuli: tuple[str, ...] | TimedWords
    tr: float | None = None
    onset_of_first_scan_s: float = 0.0
    scan_times_s: np.ndarray | None = None
    runs: np.ndarray = None  # type: ignore[assignment]  # filled in __post_init__
    repetitions: np.ndarray | None = None
    coordinates: np.ndarray | None = None
    mask_image: Path | None = None
    rois: Mapping[str, np.ndarray] = field(default_factory=dict)
    excluded: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.responses.ndim != 2 or 0 in self.responses.shape:
            raise ArcuateError(
                f"{self.name}: responses have shape {self.responses.shape}. Give (rows, voxels), none 0."
            )
        if self.runs is None:
            object.__setattr__(self, "runs", np.zeros(self.n_rows, dtype=np.int64))
        self._check_kind()
        self._check_lengths()

    def _check_kind(self) -> None:
        if self.kind == "isolated":
            if isinstance(self.stimuli, TimedWords):
                raise ArcuateError(f"{self.name}: isolated responses need one stimulus a row, not words.")
            if len(self.stimuli) != self.n_rows:
                raise ArcuateError(
                    f"{self.name}: {self.n_rows} responses but {len(self.stimuli)} stimuli. Give one a row."
                )
        elif self.kind == "continuous":
            if not isinstance(self.stimuli, TimedWords):
                raise ArcuateError(f"{self.name}: continuous responses need timed words as stimuli.")
            if not (self.tr or 0) > 0:
                raise ArcuateError(f"{self.name}: tr is {self.tr}. Give the seconds between two scans.")
        else:
            raise ArcuateError(f"{self.name}: kind is {self.kind!r}. Use 'isolated' or 'continuous'.")

    def _check_lengths(self) -> None:
        by_row = {"runs": self.runs, "scan_times_s": self.scan_times_s, "repetitions": self.repetitions}
        for what, values in by_row.items():
            if values is not None and len(values) != self.n_rows:
                raise ArcuateError(
                    f"{self.name}: {self.n_rows} rows but {len(values)} {what}. Give one a row."
                )
        voxels = {"coordinates": self.coordinates}
        if self.repetitions is not None:
            if self.repetitions.ndim != 3:
                raise ArcuateError(
                    f"{self.name}: repetitions have shape {self.repetitions.shape}. "
                    "Give (stimuli, repetitions, voxels)."
                )
            voxels["repetitions"] = self.repetitions[0].T
        for what, values in voxels.items():
            if values is not None and len(values) != self.n_voxels:
                raise ArcuateError(
                    f"{self.name}: {self.n_voxels} voxels but {what} for {len(values)}. Give one a voxel."
                )

    @property
    def name(self) -> str:
        return f"{self.dataset}/{self.subject}"

    @property
    def n_rows(self) -> int:
        return int(self.responses.shape[0])

    @property
    def n_voxels(self) -> int:
        return int(self.responses.shape[1])

    @property
    def times_s(self) -> np.ndarray:
        """The time of every scan on the clock of the words."""
        if self.scan_times_s is not None:
            return np.asarray(self.scan_times_s, dtype=np.float64)
        if self.tr is None:
            raise ArcuateError(f"{self.name} has isolated stimuli: its rows have no times.")
        return self.onset_of_first_scan_s + self.tr * np.arange(self.n_rows)
