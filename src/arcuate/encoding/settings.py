"""What a user may ask of an encoding evaluation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from arcuate.encoding.select import Selection
from arcuate.errors import ArcuateError

SCORES = ("pairwise", "voxelwise", "rsa")
STANDARDISE = ("auto", "none", "features", "responses", "both")
ALPHAS = tuple(10.0**k for k in range(-1, 9))


@dataclass(frozen=True, kw_only=True)
class EncodingSettings:
    """All choices of `evaluate`; each is part of the result's signature.

    Parameters
    ----------
    alpha : float, or "cv" for one of `alphas` by voxel, chosen on the training part by `inner_folds`
    bands : random weightings of the feature groups that are tried with every alpha (banded ridge); 0: none
    folds : "leave-two-out", a number, or "runs"
    gap : scans next to a test block that are not fitted on
    scores : some of pairwise, voxelwise, rsa
    select : which voxels the pairwise scores see
    top : size of the voxelwise scores' best-voxel sets
    standardise : {"auto", "none", "features", "responses", "both"}
        z-scores fitted on the training part. auto: none for isolated stimuli (as published), both for scans.
    drift : degree of the polynomial drift by run that is fitted on training scans and taken out; -1: none
    voxelwise_folds : folds of the voxelwise scores where `folds` is leave-two-out
    partners, distance : of the pairwise scores of scans
    leave_out_lonely : leave out (and count) scans that have no partner, instead of refusing
    permutations : how many; 0 gives no p-values
    map_permutations : for the p-values of single voxels, each of which ends as soon as it is clearly not
        significant; 0: those of the scores
    null : {"shift", "block"}, the order of scans under the null; blocks are of `null_length`
    drop_voxels : leave out (and count) NaN and constant voxels, instead of refusing
    device : "cpu", or torch's name of a GPU for the search of alphas and for predictions, in single precision

    Examples
    --------
    >>> EncodingSettings(folds=5).n_folds
    5
    """

    alpha: float | Literal["cv"] = 10.0
    alphas: tuple[float, ...] = ALPHAS
    inner_folds: int = 5
    bands: int = 0
    folds: int | str = "leave-two-out"
    gap: int = 10
    scores: tuple[str, ...] = SCORES
    select: Selection = field(default_factory=Selection)
    top: int = 500
    standardise: str = "auto"
    drift: int = 1
    voxelwise_folds: int = 5
    partners: int = 1000
    distance: int = 20
    leave_out_lonely: bool = False
    permutations: int = 100
    map_permutations: int = 0
    null: str = "shift"
    null_length: int = 20
    drop_voxels: bool = False
    device: str = "cpu"
    seed: int = 1

    def __post_init__(self) -> None:
        unknown = [name for name in self.scores if name not in SCORES]
        if unknown or not self.scores:
            raise ArcuateError(f"scores are {','.join(self.scores)!r}. Use some of {', '.join(SCORES)}.")
        if self.standardise not in STANDARDISE:
            raise ArcuateError(f"standardise is {self.standardise!r}. Use one of {', '.join(STANDARDISE)}.")
        if self.alpha != "cv" and not (isinstance(self.alpha, int | float) and self.alpha > 0):
            raise ArcuateError(f"alpha is {self.alpha!r}. Give a positive number or 'cv'.")
        if isinstance(self.folds, str) and self.folds not in ("leave-two-out", "runs"):
            raise ArcuateError(f"folds are {self.folds!r}. Give 'leave-two-out', 'runs' or a number.")
        if self.bands < 0 or (self.bands and self.alpha != "cv"):
            raise ArcuateError(f"bands are {self.bands} and alpha is {self.alpha!r}. Banded ridge needs 'cv'.")
        for number in (self.permutations, self.map_permutations):
            if number < 0:
                raise ArcuateError(f"permutations are {number}. Give 0 or more.")

    @property
    def n_folds(self) -> int:
        """The number of folds where they are counted: also that of voxelwise scores beside leave-two-out."""
        return self.folds if isinstance(self.folds, int) else self.voxelwise_folds

    def zscores(self, kind: str) -> tuple[bool, bool]:
        """Whether features and responses are z-scored, for data of this kind.

        Examples
        --------
        >>> EncodingSettings().zscores("isolated"), EncodingSettings().zscores("continuous")
        ((False, False), (True, True))
        """
        choice = self.standardise
        if choice == "auto":
            choice = "none" if kind == "isolated" else "both"
        return choice in ("features", "both"), choice in ("responses", "both")
