"""Volumes and surfaces of a scan: whether they are fetched, and their frames."""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from arcuate.errors import ArcuateError

State = Literal["here", "not fetched", "missing"]
ANNEX = b"/annex/objects/"

# Pipeline -> the `desc` of its final product.
PIPELINES = {"fmriprep": "preproc", "afni-smooth": "clean", "afni-nosmooth": "clean"}
DEFAULT_SPACE = "MNI152NLin2009cAsym"


@dataclass(frozen=True)
class Images:
    """The files of one scan's signal: one volume, or the two hemispheres of a surface."""

    files: tuple[Path, ...]

    @property
    def state(self) -> State:
        """Whether all files are here; a clone without content is 'not fetched', not 'missing'."""
        states = {state_of(path) for path in self.files} or {"missing"}
        return next(state for state in ("missing", "not fetched", "here") if state in states)  # type: ignore[return-value]

    @property
    def is_surface(self) -> bool:
        """Whether these are GIFTI surfaces."""
        return any(path.name.endswith(".gii") for path in self.files)


def state_of(path: Path) -> State:
    """Tell a file from an annex link whose content is elsewhere.

    Examples
    --------
    >>> state_of(Path("nowhere.nii.gz"))
    'missing'
    """
    if not path.exists():
        return "not fetched" if path.is_symlink() else "missing"
    if path.is_file() and path.stat().st_size < 1024 and path.read_bytes()[:len(ANNEX)] == ANNEX:
        return "not fetched"
    return "here"


def images_of(roots: Sequence[Path], stem: str, signals: str, space: str) -> Images:
    """The files that hold a scan's signal, raw or from a pipeline.

    Examples
    --------
    >>> images_of([Path("ds")], "sub-001_task-pieman", "raw", "").files[0].as_posix()
    'ds/sub-001/func/sub-001_task-pieman_bold.nii.gz'
    """
    subject = stem.split("_")[0]
    if signals == "raw":
        return Images((roots[0] / subject / "func" / f"{stem}_bold.nii.gz",))
    desc = PIPELINES[signals]
    for root in roots:
        folder = root / "derivatives" / signals / subject / "func"
        if space.startswith("fsaverage"):
            ending = "" if signals == "fmriprep" else f"_desc-{desc}"
            files = [folder / f"{stem}_space-{space}_hemi-{side}{ending}.func.gii" for side in "LR"]
        else:
            files = sorted(folder.glob(f"{stem}_space-{space}*_desc-{desc}_bold.nii.gz"))
            if len(files) > 1:
                raise ArcuateError(f"{files[0]} and {files[1]} are both {space}. Keep one resolution.")
        if files and any(path.exists() or path.is_symlink() for path in files):
            return Images(tuple(files))
    return Images(())


def read_frames(images: Images, first: int, length: int) -> npt.NDArray[np.float32]:
    """Volumes [first, first + length) as (length, ...): x, y, z of a volume, or vertices of both sides.

    Examples
    --------
    >>> read_frames(Images((Path("nowhere.nii.gz"),)), 0, 1)
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: nowhere.nii.gz cannot be read as NIfTI (...). Fetch it again.
    """
    if images.is_surface:
        sides = [_surface(path) for path in images.files]
        if len(sides[0]) != len(sides[1]):
            raise ArcuateError(
                f"{images.files[0]} has {len(sides[0])} volumes, {images.files[1].name} {len(sides[1])}. "
                "Fetch them again."
            )
        _refuse_short(images.files[0], len(sides[0]), first, length)
        return np.concatenate(sides, axis=1)[first:first + length]
    return _volume(images.files[0], first, length)


def _refuse_short(path: Path, n_volumes: int, first: int, length: int) -> None:
    if n_volumes < first + length:
        raise ArcuateError(
            f"{path} has {n_volumes} volumes but its story needs {first} to {first + length - 1}. "
            "Leave the scan out with --exclude-scan, or fetch it again."
        )


def volume_shape(path: Path) -> tuple[int, ...]:
    """x, y, z, t of a NIfTI file, from its header alone.

    Examples
    --------
    >>> volume_shape(Path("nowhere.nii.gz"))
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: nowhere.nii.gz cannot be read as NIfTI (...). Fetch it again.
    """
    shape = tuple(int(size) for size in _open(path).shape)
    if len(shape) != 4:
        raise ArcuateError(f"{path} has shape {shape}, expected x, y, z and time. Fetch it again.")
    return shape


def _open(path: Path) -> Any:
    import nibabel

    if path.is_dir():
        raise ArcuateError(f"{path} is a folder where an image is expected. Fetch the dataset again.")
    try:
        return nibabel.load(path)
    except Exception as error:  # nibabel passes on whatever gzip, zlib or expat raise
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> ArcuateError:
    kind = "GIFTI" if path.suffix == ".gii" else "NIfTI"
    reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    return ArcuateError(f"{path} cannot be read as {kind} ({reason}). Fetch it again.")


def _volume(path: Path, first: int, length: int) -> npt.NDArray[np.float32]:
    _refuse_short(path, volume_shape(path)[3], first, length)
    image = _open(path)
    try:
        if path.suffix == ".gz":
            # nibabel stops at the last voxel; reading to the end makes gzip compare its checksum
            with gzip.open(path) as file:
                image = type(image).from_bytes(file.read())
        proxy = image.dataobj
        # all voxels are read, so that a file that is cut off anywhere is seen; only the story is scaled
        data = np.asanyarray(proxy.get_unscaled())[..., first:first + length]
        slope, intercept = proxy.slope, proxy.inter
    except Exception as error:
        raise _unreadable(path, error) from error
    return np.moveaxis(data, -1, 0).astype(np.float32) * np.float32(slope) + np.float32(intercept)


def _surface(path: Path) -> npt.NDArray[np.float32]:
    """(volumes, vertices); the medial wall, NaN throughout, becomes 0."""
    arrays = [np.asarray(array.data, dtype=np.float32).ravel() for array in _open(path).darrays]
    if not arrays or len({array.shape for array in arrays}) != 1:
        raise ArcuateError(f"{path} holds {len(arrays)} arrays that are no series of one size. Fetch it again.")
    frames = np.stack(arrays)
    missing = np.isnan(frames)
    wall = missing.all(axis=0)
    if (missing.any(axis=0) & ~wall).any():
        vertex = int(np.argmax(missing.any(axis=0) & ~wall))
        raise ArcuateError(f"{path}: vertex {vertex} is NaN in some volumes only. Fetch it again.")
    frames[:, wall] = 0
    return frames
