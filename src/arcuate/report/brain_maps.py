"""Brain maps with nilearn, drawn without a screen: glass brain, surface (the fsaverage that ships with nilearn),
and an interactive view as a page of its own. Nothing is downloaded.
"""

from __future__ import annotations

import base64
import io
import struct
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup

from arcuate.atomic import replacing
from arcuate.errors import ArcuateError, MissingExtra
from arcuate.report.blocks import Picture
from arcuate.report.svg import drawing, element

COLOURS = "cold_hot"
# Millimetres of MNI space that hold the whole cortex, from one side to the other.
BOX = ((-90.0, 90.0), (-125.0, 90.0), (-75.0, 100.0))
RESOLUTION = 110  # dots an inch: sharp on a page, small in bytes


def map_image(values: np.ndarray, *, coordinates: np.ndarray | None = None, mask_image: Path | None = None) -> Any:
    """A NIfTI image of one value a voxel, from the mask it was read with or from millimetres on a grid.

    Examples
    --------
    >>> corners = np.array([[0.0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]])
    >>> map_image(np.arange(4.0), coordinates=corners).shape
    (2, 2, 2)
    """
    _nilearn()
    if mask_image is not None:
        from nilearn.masking import unmask

        return unmask(np.nan_to_num(values), str(mask_image))
    if coordinates is None:
        raise ArcuateError("A brain map needs the voxels' coordinates or the mask they were read with.")
    if coordinates.shape != (len(values), 3):
        raise ArcuateError(f"{len(values)} values but coordinates of shape {coordinates.shape}. Give one a voxel.")
    import nibabel

    step, first = _grid(coordinates)
    index = np.rint((coordinates - first) / step).astype(int)
    if np.abs(index * step + first - coordinates).max() > 0.05 * step.max():
        raise ArcuateError("The coordinates lie on no regular grid, so they make no image. Give a mask image.")
    volume = np.zeros(index.max(axis=0) + 1, dtype=np.float32)
    volume[tuple(index.T)] = np.nan_to_num(values)
    affine = np.diag([*step, 1.0])
    affine[:3, 3] = first
    return nibabel.Nifti1Image(volume, affine)


def glass_brain(image: Any, title: str, threshold: float | None = None) -> Picture:
    """Maximum projections through a glass brain, in MNI space.

    Examples
    --------
    >>> coordinates = 4.0 * np.argwhere(np.ones((3, 3, 3)))
    >>> picture = glass_brain(map_image(np.arange(27.0), coordinates=coordinates), "scores")
    >>> picture.caption
    'scores. Glass brain, maximum along each direction.'
    """
    plotting = _nilearn()
    figure = _figure(9, 3)
    plotting.plot_glass_brain(
        image, figure=figure, threshold=threshold, cmap=COLOURS, colorbar=True, plot_abs=False, display_mode="lyrz"
    )
    return _picture(figure, f"{title}. Glass brain, maximum along each direction.")


def surface_map(image: Any, title: str, threshold: float | None = None) -> Picture:
    """The image on the inflated fsaverage5 surface, both hemispheres from outside and from between.

    Examples
    --------
    >>> coordinates = 4.0 * np.argwhere(np.ones((9, 9, 9))) - 16
    >>> image = map_image(np.ones(729), coordinates=coordinates)
    >>> surface_map(image, "scores").caption
    'scores. On the inflated fsaverage5 surface.'
    """
    plotting = _nilearn()
    from nilearn import datasets, surface

    mesh = datasets.fetch_surf_fsaverage("fsaverage5")  # ships with nilearn
    figure = _figure(10, 2.6)
    image = _covering(image)
    textures = {side: surface.vol_to_surf(image, mesh[f"pial_{side}"]) for side in ("left", "right")}
    top = max(float(np.nanmax(np.abs(texture))) for texture in textures.values()) or 1.0
    views = [("left", "lateral"), ("left", "medial"), ("right", "medial"), ("right", "lateral")]
    for place, (side, view) in enumerate(views, start=1):
        axes = figure.add_axes((0.235 * (place - 1), 0, 0.25, 1), projection="3d")
        plotting.plot_surf_stat_map(
            mesh[f"infl_{side}"], np.nan_to_num(textures[side]), hemi=side, view=view, axes=axes, figure=figure,
            bg_map=mesh[f"sulc_{side}"], threshold=threshold, cmap=COLOURS, vmax=top, colorbar=False,
            engine="matplotlib",
        )  # fmt: skip
        axes.set_box_aspect(None, zoom=1.35)
    _colour_bar(figure, top)
    return _picture(figure, f"{title}. On the inflated fsaverage5 surface.")


def grid_projections(values: np.ndarray, indices: np.ndarray, title: str) -> Picture:
    """Largest value along each axis of a subject's own grid, where no common space is known.

    Examples
    --------
    >>> grid_projections(np.arange(8.0), np.argwhere(np.ones((2, 2, 2))), "P1").caption
    "P1. Largest value along each axis of the subject's own grid; no common space is known."
    """
    if indices.shape != (len(values), 3):
        raise ArcuateError(f"{len(values)} values but indices of shape {indices.shape}. Give one a voxel.")
    index = np.rint(indices - indices.min(axis=0)).astype(int)
    volume = np.full(index.max(axis=0) + 1, -np.inf)
    volume[tuple(index.T)] = np.where(np.isnan(values), -np.inf, values)
    figure = _figure(9, 3)
    panels = figure.subplots(1, 3)
    limit = float(np.nanmax(np.abs(values))) or 1.0
    for axis, (panel, name) in enumerate(zip(panels, ("from the side", "from the front", "from above"), strict=True)):
        flat = volume.max(axis=axis)
        shown = panel.imshow(np.where(np.isinf(flat), np.nan, flat).T, origin="lower", cmap="RdBu_r", vmin=-limit,
                             vmax=limit, interpolation="nearest")  # fmt: skip
        panel.set_title(name, fontsize=9)
        panel.set_axis_off()
    figure.colorbar(shown, ax=list(panels), shrink=0.7)
    return _picture(figure, f"{title}. Largest value along each axis of the subject's own grid; "
                            "no common space is known.")  # fmt: skip


def write_interactive_view(image: Any, path: Path, title: str, threshold: float | None = None) -> Path:
    """A page with the image on a surface that can be turned; it holds all it needs.

    Examples
    --------
    >>> import tempfile
    >>> coordinates = 4.0 * np.argwhere(np.ones((9, 9, 9))) - 16
    >>> image = map_image(np.ones(729), coordinates=coordinates)
    >>> write_interactive_view(image, Path(tempfile.mkdtemp()) / "brain.html", "scores").name
    'brain.html'
    """
    plotting = _nilearn()
    view = plotting.view_img_on_surf(
        _covering(image), threshold=threshold, cmap=COLOURS, title=title, symmetric_cmap=True
    )
    with replacing(path) as temporary:
        view.save_as_html(str(temporary))
    return Path(path)


def _covering(image: Any) -> Any:
    """The image with zeros around it, so that every vertex of the surface lies inside."""
    import nibabel

    corners = np.array([(x, y, z, 1) for x in BOX[0] for y in BOX[1] for z in BOX[2]], dtype=float)
    voxels = (np.linalg.inv(image.affine) @ corners.T)[:3]
    before = np.maximum(0, np.ceil(-voxels.min(axis=1))).astype(int)
    after = np.maximum(0, np.ceil(voxels.max(axis=1) - np.array(image.shape) + 1)).astype(int)
    volume = np.pad(np.asarray(image.dataobj, dtype=np.float32), list(zip(before, after, strict=True)))
    affine = image.affine.copy()
    affine[:3, 3] -= affine[:3, :3] @ before
    return nibabel.Nifti1Image(volume, affine)


def _grid(coordinates: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    steps = []
    for axis in range(3):
        different = np.unique(np.round(coordinates[:, axis], 3))
        steps.append(float(np.diff(different).min()) if len(different) > 1 else 1.0)
    return np.array(steps), coordinates.min(axis=0)


def _colour_bar(figure: Any, top: float) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    place = figure.add_axes((0.96, 0.2, 0.012, 0.6))
    figure.colorbar(ScalarMappable(Normalize(-top, top), cmap=COLOURS), cax=place)


def _nilearn() -> Any:
    try:
        import matplotlib

        matplotlib.use("Agg")  # there may be no screen
        from nilearn import plotting
    except ImportError as error:
        raise MissingExtra("nilearn", "encoding") from error
    return plotting


def _figure(width: float, height: float) -> Any:
    try:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise MissingExtra("matplotlib", "encoding") from error
    return plt.figure(figsize=(width, height), facecolor="white")


def _picture(figure: Any, caption: str) -> Picture:
    """The figure as PNG inside an SVG: thousands of voxels would make a huge vector picture."""
    import matplotlib.pyplot as plt

    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=RESOLUTION, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
    # A PNG says its size in bytes 16 to 23.
    width, height = (float(side) for side in struct.unpack(">II", buffer.getvalue()[16:24]))
    data = "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")
    inner: Markup = element("image", href=data, width=width, height=height)
    return Picture(drawing(width, height, [inner], description=caption), caption)
