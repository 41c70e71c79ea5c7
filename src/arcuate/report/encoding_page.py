"""The page of one encoding evaluation: what predicts the brain, against permutation and against baselines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from arcuate.atomic import write_text
from arcuate.datasets.response_readers import response_dataset
from arcuate.encoding.result import EncodingResult
from arcuate.errors import ArcuateError
from arcuate.report.blocks import Block, Facts, Paragraph, Picture, Plot, Section, Verdict
from arcuate.report.brain_maps import glass_brain, grid_projections, map_image, surface_map
from arcuate.report.encoding_tables import LEVEL, ceiling_table, difference_table, notes_section, summary_table
from arcuate.report.layer_curve import layer_curves
from arcuate.report.page import render_page
from arcuate.report.violins import violin_plots

Lines = Sequence[Mapping[str, Any]]
# The verdict rests on one score that is named before the numbers are seen: the first of these that was asked for.
PRIMARY = (("pairwise", "pearson", "sum"), ("voxelwise", "r2_simple", None), ("rsa", "spearman", None))
BASELINES = ("random", "rate", "position", "autocorrelation")
# Brain maps on one page; the others are in maps.npz.
SHOWN_SUBJECTS = 4
NO_MAPS = "This dataset gives no coordinates of its columns, so no brain map can be drawn."


@dataclass(frozen=True, eq=False)
class Place:
    """Where a subject's voxels lie: a mask image, millimetres in MNI space, or indices of the subject's grid."""

    mask_image: Path | None = None
    coordinates: np.ndarray | None = None
    space: str = ""


def encoding_page(
    result: Mapping[str, Any],
    *,
    title: str = "Encoding: language features and brain responses",
    maps: Mapping[str, np.ndarray] | None = None,
    places: Mapping[str, Place] | None = None,
    rdms: Plot | None = None,
) -> str:
    """Render the JSON of `arcuate encode` as a page.

    Parameters
    ----------
    result : the JSON object of `arcuate encode --json`
    maps : "SUBJECT/FEATURES/r" -> one value a voxel, from maps.npz
    places : subject -> where the voxels lie; without it there are no brain maps
    rdms : a plot of `arcuate.report.rdm_picture`

    Examples
    --------
    >>> page = encoding_page({"scores": [], "summary": [], "differences": [], "ceilings": [], "notes": [],
    ...                       "settings": {}, "signature": "encode:toy"})
    >>> "encode:toy" in page
    True
    """
    for name in ("scores", "summary", "signature"):
        if name not in result:
            raise ArcuateError(f"The result lacks {name!r}. Give the result.json that `arcuate encode --out` writes.")
    sections = [*sections_of(result), *_maps_section(maps or {}, places or {})]
    if rdms is not None:
        sections.append(Section("rdms", "Dissimilarity of stimuli", (rdms,)))
    if result.get("notes"):
        sections.append(notes_section(result["notes"]))
    if result.get("settings"):
        facts = {name: _plain(value) for name, value in result["settings"].items()}
        sections.append(Section("settings", "Settings", (Facts(facts),)))
    return render_page(title, verdict_of(result["summary"], result.get("differences", ())), sections,
                       signature=result["signature"])  # fmt: skip


def write_encoding_page(result: EncodingResult, path: Path, *, dataset: str, root: Path) -> Path:
    """Write the page of a result; voxels are placed by reading the subjects whose maps are shown again.

    Examples
    --------
    >>> import tempfile
    >>> empty = EncodingResult((), (), (), (), (), {}, "encode:toy")
    >>> target = Path(tempfile.mkdtemp()) / "page.html"
    >>> write_encoding_page(empty, target, dataset="alice", root=Path("nowhere")).name
    'page.html'
    """
    chosen = list(dict.fromkeys(key.partition("/")[0] for key in result.maps))[:SHOWN_SUBJECTS]
    maps = {key: values for key, values in result.maps.items() if key.partition("/")[0] in chosen}
    known = response_dataset(dataset)
    places = {}
    for subject in chosen if known.space else ():
        one = known.read(root, subject)
        # Voxels that were left out have no value, and their places cannot be told.
        if all(len(values) == one.n_voxels for key, values in maps.items() if key.startswith(f"{subject}/")):
            places[subject] = Place(one.mask_image, one.coordinates, known.space)
    title = f"Encoding of {known.title.split(':')[0]}"
    return write_text(path, encoding_page(result.to_dict(), title=title, maps=maps, places=places))


def sections_of(result: Mapping[str, Any], prefix: str = "") -> list[Section]:
    """Scores, violins, layers, baselines and ceilings of one result; `prefix` keeps anchors apart.

    Examples
    --------
    >>> sections_of({"scores": [], "summary": []})
    []
    """
    sections = []
    if result["summary"]:
        sections.append(Section(f"{prefix}scores", "Scores over subjects", (summary_table(result["summary"]),)))
    plots = violin_plots(result["scores"], result["summary"])
    if plots:
        lead = "Averages over subjects hide how different they are."
        sections.append(Section(f"{prefix}violins", "Every subject", tuple(plots), lead))
    curves = layer_curves(result["summary"])
    if curves:
        sections.append(Section(f"{prefix}layers", "Layer by layer", tuple(curves)))
    blocks: list[Block] = []
    if result.get("differences"):
        blocks.append(difference_table(result["differences"]))
    if result.get("ceilings"):
        blocks.append(ceiling_table(result["ceilings"]))
    if blocks:
        sections.append(Section(f"{prefix}baselines", "Against baselines and the ceiling", tuple(blocks)))
    return sections


def verdict_of(summary: Lines, differences: Lines) -> Verdict:
    """Which features beat both their permutation null and every baseline, by the primary score.

    Examples
    --------
    >>> line = {"features": "glove", "score": "pairwise", "metric": "pearson", "match": "sum", "aggregate": None,
    ...         "voxels": "all", "mean": 0.6, "low": 0.55, "high": 0.65, "null_mean": 0.5, "p": 0.01}
    >>> verdict_of([line], []).word
    'Above chance'
    """
    cells = [line for line in summary if _is_primary(line, summary) and not is_baseline(line["features"])]
    tested = [line for line in cells if line.get("p") is not None]
    if not tested:
        return Verdict("Scores only", "No permutations were asked for, so chance is not known.", "neutral")
    what = " ".join(str(tested[0][key]) for key in ("score", "metric", "match") if tested[0][key])
    above = [line["features"] for line in tested if line["p"] <= LEVEL]
    losing = {d["features"] for d in differences if _is_primary(d, summary) and not (d["low"] or 0) > 0}
    better = [name for name in above if name not in losing]
    details = tuple(_detail(line) for line in tested)
    if not above:
        return Verdict("No evidence", f"No features beat permuted stimuli (p > {LEVEL:g}, {what}).", "caution", details)
    if not differences:
        return Verdict("Above chance", f"Better than permuted stimuli by {what}: {', '.join(above)}.", "good", details)
    if not better:
        sentence = (
            f"{', '.join(above)} beat permuted stimuli by {what}, but not every baseline: what they explain may be "
            "timing, drift or word identity."
        )
        return Verdict("Not beyond baselines", sentence, "caution", details)
    sentence = f"Better than permuted stimuli and than every baseline by {what}: {', '.join(better)}."
    return Verdict("Beyond baselines", sentence, "good", details)


def is_baseline(features: str) -> bool:
    """Whether features hold no language.

    Examples
    --------
    >>> is_baseline("rate+position"), is_baseline("rate+glove")
    (True, False)
    """
    return all(part.strip() in BASELINES for part in features.split("+"))


def brain_pictures(values: np.ndarray, place: Place, title: str) -> list[Picture]:
    """Maps of one subject: glass brain and surface in MNI space, projections of the own grid elsewhere.

    Examples
    --------
    >>> indices = np.argwhere(np.ones((2, 2, 2))).astype(float)
    >>> len(brain_pictures(np.arange(8.0), Place(coordinates=indices, space="voxel"), "P1"))
    1
    """
    if place.mask_image is not None or (place.space == "mni" and place.coordinates is not None):
        image = map_image(values, coordinates=place.coordinates, mask_image=place.mask_image)
        return [glass_brain(image, title), surface_map(image, title)]
    if place.coordinates is not None:
        return [grid_projections(values, place.coordinates, title)]
    return []


def _maps_section(maps: Mapping[str, np.ndarray], places: Mapping[str, Place]) -> list[Section]:
    if not maps:
        return []
    blocks: list[Block] = []
    for key, values in maps.items():
        subject, _, rest = key.partition("/")
        features, _, kind = rest.rpartition("/")
        if kind == "r" and subject in places:
            blocks += brain_pictures(values, places[subject], f"Subject {subject}, {features}: correlation by voxel")
    return [Section("maps", "Brain maps", tuple(blocks) or (Paragraph(NO_MAPS),))]


def _is_primary(line: Mapping[str, Any], summary: Lines) -> bool:
    there = {(one["score"], one["metric"], one["match"]) for one in summary}
    primary = next((cell for cell in PRIMARY if cell in there), None)
    same = (line["score"], line["metric"], line["match"]) == primary
    return same and line["aggregate"] in (None, "mean") and (line["score"] == "pairwise" or line["voxels"] == "all")


def _detail(line: Mapping[str, Any]) -> str:
    interval = "" if line["low"] is None else f" (95% {line['low']:.3f} to {line['high']:.3f})"
    return f"{line['features']}: {line['mean']:.3f}{interval}, permuted {line['null_mean']:.3f}, p = {line['p']:.3f}"


def _plain(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_plain(one)}" for name, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
