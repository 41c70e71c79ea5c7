"""The encoding page and its pictures: every subject is shown, foreign text stays text, maps need no screen."""

from __future__ import annotations

import base64
import io
import itertools
import re

import numpy as np
import pytest

from arcuate.errors import ArcuateError
from arcuate.report.brain_maps import glass_brain, map_image, surface_map, write_interactive_view
from arcuate.report.encoding_page import Place, brain_pictures, encoding_page, verdict_of
from arcuate.report.encoding_tables import notes_section
from arcuate.report.layer_curve import layer_curves
from arcuate.report.rdm_picture import rdm_plot
from arcuate.report.violins import violin_plots

METRICS, MATCHES = ("cosine", "euclidean", "pearson"), ("sum", "single", "strict")


def cell(features, score, metric, match=None, aggregate=None, voxels="all", **values):
    return {"features": features, "score": score, "metric": metric, "match": match, "aggregate": aggregate,
            "voxels": voxels, **values}  # fmt: skip


def result(features=("glove", "random"), n_subjects=5, p=0.01, means=(0.6, 0.5)):
    rng = np.random.default_rng(0)
    cells = [("pairwise", metric, match, None) for metric, match in itertools.product(METRICS, MATCHES)]
    cells += [("voxelwise", metric, None, how) for metric in ("ev", "r2", "r2_simple") for how in ("mean", "sum")]
    cells += [("rsa", metric, None, None) for metric in ("pearson", "spearman")]
    scores, summary, differences = [], [], []
    for name, mean in zip(features, means, strict=True):
        for one in cells:
            values = mean + 0.05 * rng.normal(size=n_subjects)
            scores += [cell(name, *one, subject=str(i), value=float(v), null_mean=0.5, p=p, n=10, ties=0, undefined=0)
                       for i, v in enumerate(values)]  # fmt: skip
            summary.append(cell(name, *one, mean=float(values.mean()), low=mean - 0.05, high=mean + 0.05,
                                n_subjects=n_subjects, null_mean=0.5, p=p))  # fmt: skip
            if name != "random":
                gap = mean - means[features.index("random")]
                differences.append(cell(name, *one, baseline="random", mean=gap, low=gap - 0.05, high=gap + 0.05,
                                        n_subjects=n_subjects))  # fmt: skip
    return {"scores": scores, "summary": summary, "differences": differences,
            "ceilings": [{"kind": "subjects", "voxels": "LPTL", "r": 0.4, "low": 0.35, "high": 0.45}],
            "notes": ["alice/s18: x is left out", "alice/s22: x is left out"], "settings": {"alpha": 10.0},
            "signature": "dataset:toy|arcuate:0"}  # fmt: skip


def test_the_page_holds_scores_violins_baselines_ceilings_notes_and_signature():
    page = encoding_page(result())
    for text in ("Beyond baselines", "pairwise pearson sum", "Every subject", "r2_simple", "LPTL",
                 "x is left out (2 subjects)", "dataset:toy|arcuate:0", "alpha"):  # fmt: skip
        assert text in page, text
    assert "http://" not in re.sub(r"http://www\.w3\.org/[\w/]+", "", page.split("<main")[1].split("<script")[0])


@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (390, "dark")])
def test_the_browser_draws_every_violin_and_asks_for_nothing(opened, width, scheme):
    indices = np.argwhere(np.ones((2, 2, 1))).astype(float)
    page = encoding_page(result(), maps={"1/glove/r": np.arange(4.0)},
                         places={"1": Place(coordinates=indices, space="voxel")})  # fmt: skip
    seen = opened(page, width=width, scheme=scheme)
    seen.page.wait_for_function("document.querySelectorAll('.js-plotly-plot').length === 4")
    seen.page.wait_for_function("document.querySelectorAll('#violins g.violins.trace').length >= 18")
    assert seen.page.locator("#maps image").count() == 1
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert seen.console == []
    assert [url for url in seen.requests if not url.startswith(("file:", "data:", "blob:"))] == []


def test_foreign_text_stays_text():
    odd = result(features=("<img src=x onerror=alert(1)>", "random"))
    odd["notes"] = ["</script><script>alert(1)</script>"]
    page = encoding_page(odd)
    assert "<img src=x" not in page
    assert "<script>alert(1)" not in page


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({}, "Beyond baselines"),
        ({"p": 0.2}, "No evidence"),
        ({"means": (0.6, 0.58)}, "Not beyond baselines"),
        ({"p": None}, "Scores only"),
    ],
)
def test_the_verdict_follows_the_primary_score(change, word):
    made = result(**change)
    assert verdict_of(made["summary"], made["differences"]).word == word


def test_a_file_that_is_no_result_is_refused():
    with pytest.raises(ArcuateError, match="lacks 'scores'"):
        encoding_page({"verdict": "leak"})


def test_every_subject_is_a_point_of_its_violin():
    made = result()
    plots = violin_plots(made["scores"], made["summary"])
    assert [plot.caption.split(":")[0] for plot in plots] == [
        "Pairwise accuracy", "Voxelwise scores, mean over voxels", "Voxelwise scores, sum over voxels", "RSA"
    ]  # fmt: skip
    pairwise = plots[0].figure["data"]
    violins = [trace for trace in pairwise if trace["type"] == "violin"]
    assert len(violins) == 9 * 2
    assert {(len(trace["y"]), trace["points"]) for trace in violins} == {(5, "all")}
    panels = {trace["xaxis"] for trace in pairwise}
    assert len(panels) == 9
    titles = [note["text"] for note in plots[0].figure["layout"]["annotations"]]
    assert titles[:3] == ["cosine · sum", "cosine · single", "cosine · strict"]
    nulls = [trace for trace in pairwise if trace["type"] == "scatter"]
    assert nulls[0]["y"] == [0.5, 0.5]


def test_layer_curves_need_three_layers_of_a_model():
    values = {"mean": 0.6, "low": 0.4, "high": 0.7}
    lines = [cell(f"smollm2:{k}", "pairwise", "cosine", "sum", **values) for k in (10, 0, 5)]
    assert layer_curves(lines)[0].figure["data"][0]["x"] == [0, 5, 10]
    assert layer_curves(lines[:2]) == []


def test_rdms_are_shown_by_rank_with_the_alike_pair_lowest():
    matrix = np.array([[0, 0.1, 0.9], [0.1, 0, 0.5], [0.9, 0.5, 0]])
    shown = rdm_plot({"brain": matrix}, ["cat", "dog", "car"]).figure["data"][0]["z"]
    assert shown[0][1] < shown[1][2] < shown[0][2]
    assert shown[0][1] == shown[1][0]
    with pytest.raises(ArcuateError, match=r"shape \(3, 3\), but there are 2 stimuli"):
        rdm_plot({"brain": matrix}, ["cat", "dog"])


def test_many_notes_are_shortened_and_counted():
    assert notes_section([f"note {i}" for i in range(50)]).blocks[0].items[-1] == "and 10 more, in the JSON"


# --- brain maps ----------------------------------------------------------------------------------------


def left_temporal():
    """Voxels of 4 mm around the head; the left temporal lobe is hot."""
    axes = [np.arange(-72.0, 73, 4), np.arange(-104.0, 73, 4), np.arange(-52.0, 77, 4)]
    coordinates = np.array(list(itertools.product(*axes)))
    values = np.exp(-((coordinates - [-56, -24, 4]) ** 2).sum(axis=1) / 300)
    return values, coordinates


def pixels(picture):
    from matplotlib.image import imread

    data = re.search(r'base64,([^"]+)"', str(picture.svg))[1]
    return imread(io.BytesIO(base64.b64decode(data)), format="png")[..., :3]


def coloured(image):
    """Columns with pixels that are not grey."""
    return np.flatnonzero((image.max(axis=2) - image.min(axis=2) > 0.3).any(axis=0)) / image.shape[1]


def test_an_image_from_coordinates_has_each_value_in_its_place():
    values, coordinates = left_temporal()
    image = map_image(values, coordinates=coordinates)
    hottest = np.unravel_index(np.argmax(image.get_fdata()), image.shape)
    assert (image.affine @ [*hottest, 1])[:3].tolist() == [-56, -24, 4]


def test_the_surface_shows_the_left_temporal_lobe_on_the_left_hemisphere_from_outside():
    values, coordinates = left_temporal()
    picture = surface_map(map_image(values, coordinates=coordinates), "toy", threshold=0.2)
    where = coloured(pixels(picture)[:, : int(0.9 * pixels(picture).shape[1])])  # without the colour bar
    assert len(where)
    assert where.max() < 0.35  # of four views from left to right, the first is the left hemisphere from outside


def test_the_glass_brain_is_drawn_without_a_screen(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    values, coordinates = left_temporal()
    picture = glass_brain(map_image(values, coordinates=coordinates), "toy", threshold=0.2)
    assert len(coloured(pixels(picture)))
    assert "<image" in picture.svg


def test_the_interactive_view_opens_offline(tmp_path):
    values, coordinates = left_temporal()
    path = write_interactive_view(map_image(values, coordinates=coordinates), tmp_path / "brain.html", "toy")
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"<(script|link)[^>]+(src|href)=[\"']https?:", text)


def test_coordinates_off_any_grid_are_refused():
    coordinates = np.random.default_rng(0).normal(size=(20, 3)) * 50
    with pytest.raises(ArcuateError, match="lie on no regular grid"):
        map_image(np.ones(20), coordinates=coordinates)


def test_a_page_with_maps_says_why_there_are_none():
    page = encoding_page(result(), maps={"1/glove/r": np.ones(4)})
    assert "gives no coordinates" in page
    indices = np.argwhere(np.ones((2, 2, 1))).astype(float)
    page = encoding_page(result(), maps={"1/glove/r": np.arange(4.0)},
                         places={"1": Place(coordinates=indices, space="voxel")})  # fmt: skip
    assert "Subject 1, glove: correlation by voxel" in page


def test_a_mask_image_is_a_place(tmp_path):
    import nibabel

    values, coordinates = left_temporal()
    image = map_image(np.ones(len(values)), coordinates=coordinates)
    nibabel.save(image, tmp_path / "mask.nii.gz")
    pictures = brain_pictures(values, Place(mask_image=tmp_path / "mask.nii.gz"), "toy")
    assert [picture.caption.split(". ")[1].split(" ")[0] for picture in pictures] == ["Glass", "On"]
