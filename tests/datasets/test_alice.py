"""Alice: the fixed-width text files and the real data whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from arcuate.datasets import alice
from arcuate.datasets.response_readers import response_dataset
from arcuate.errors import ArcuateError


def write_alice(root: Path, values: np.ndarray, subject: str = "s18", radius: str = "10mm") -> Path:
    """Fixed width: three blanks before each number, two before a minus sign, as published."""
    folder = root / "alice_data_shared" / radius
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["".join(f"{value:16.7e}" for value in row) for row in values]
    path = folder / f"{subject}-timecourses.txt"
    path.write_text("\n".join(lines) + "\n", encoding="ascii", newline="\n")
    write_textgrid(root, [("sp", 12.0, 20.1), ("Alice", 20.1, 20.6), ("was ", 20.6, 21.0), ("", 21.0, 22.0),
                          ("Zeland", 22.0, 22.5)])  # fmt: skip
    return path


def write_textgrid(root: Path, intervals: list[tuple[str, float, float]], declared: int | None = None) -> Path:
    folder = root / "alice_stim_shared"
    folder.mkdir(parents=True, exist_ok=True)
    head = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", f"xmin = {intervals[0][1]}",
            f"xmax = {intervals[-1][2]}", "tiers? <exists>", "size = 1", "item []:", "    item [1]:",
            '        class = "IntervalTier"', '        name = "word"', f"        xmin = {intervals[0][1]}",
            f"        xmax = {intervals[-1][2]}",
            f"        intervals: size = {len(intervals) if declared is None else declared}"]  # fmt: skip
    for number, (word, start, end) in enumerate(intervals, start=1):
        head += [f"        intervals [{number}]:", f"            xmin = {start}", f"            xmax = {end}",
                 f'            text = "{word}"']  # fmt: skip
    path = folder / "story.TextGrid"
    path.write_text("\n".join(head) + "\n", encoding="ascii", newline="\n")
    return path


@pytest.fixture
def values() -> np.ndarray:
    values = np.random.default_rng(0).normal(100, 5, size=(362, 6))
    values[3, 2] = -1.5  # a minus sign takes one of the three blanks
    return values


def test_a_negative_value_does_not_shift_the_columns(tmp_path, values):
    write_alice(tmp_path, values)
    one = alice.read(tmp_path, "s18")
    assert np.allclose(one.responses, values, rtol=1e-7)
    assert one.responses[3, 2] == -1.5
    assert one.times_s[:2].tolist() == [20.0, 22.0]
    assert one.stimuli.words == ("Alice", "was", "Zealand")
    assert "'Zeland' to 'Zealand'" in one.excluded[0]
    assert alice.read(tmp_path, "s18", spelling="published").stimuli.words[2] == "Zeland"


def test_a_subject_of_zeros_is_named_as_left_out_and_refused(tmp_path, values):
    write_alice(tmp_path, values)
    path = write_alice(tmp_path, values * 0, subject="s33")
    path.write_text("0\t0\t0\t0\t0\t0\n" * 362)
    found = alice.subjects(tmp_path)
    assert found.names == ("s18",)
    assert found.excluded == ("s33: every value of s33-timecourses.txt is 0",)
    with pytest.raises(ArcuateError, match=r"holds only zeros\. Leave subject s33 out"):
        alice.read(tmp_path, "s33")


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda lines: lines[:-1], "361 scans, 362 expected"),
        (lambda lines: [*lines[:-1], lines[-1][:40]], "line 362: 3 values, 6 expected"),
        (lambda lines: [lines[0].replace("e+", "x+", 1), *lines[1:]], "could not convert"),
        (lambda lines: ["  nan" * 6, *lines[1:]], r"holds nan at row 0, column 0 \(6 such values in 6 columns\)"),
    ],
)
def test_odd_time_courses_are_refused(tmp_path, values, spoil, message):
    path = write_alice(tmp_path, values)
    path.write_text("\n".join(spoil(path.read_text().splitlines())) + "\n")
    with pytest.raises(ArcuateError, match=message):
        alice.read(tmp_path, "s18")


def test_a_textgrid_that_is_cut_off_is_refused(tmp_path, values):
    write_alice(tmp_path, values)
    write_textgrid(tmp_path, [("Alice", 20.1, 20.6)], declared=2423)
    with pytest.raises(ArcuateError, match="declares 2423 intervals but 1 are there"):
        alice.read(tmp_path, "s18")


# --- the real data, whole ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real(shared_data):
    dataset = response_dataset("alice")
    found = dataset.subjects(shared_data / "alice")
    return found, [dataset.read(shared_data / "alice", name) for name in found.names]


@pytest.mark.shared
def test_real_alice_has_27_subjects_362_scans_and_2127_words(real):
    found, responses = real
    assert len(found.names) == 27
    assert found.excluded == ("s33: every value of s33-timecourses.txt is 0",)
    assert {one.responses.shape for one in responses} == {(362, 6)}
    assert {len(one.stimuli) for one in responses} == {2127}
    first = responses[0]
    assert np.array_equal(first.times_s, 20 + 2 * np.arange(362))
    assert first.stimuli.words[:3] == ("Alice", "was", "beginning")
    assert first.stimuli.words[-1] == "cake"
    assert len(first.excluded) == 4  # the four slips of the transcript


@pytest.mark.shared
def test_real_alice_subjects_agree_with_each_other_as_measured(real):
    """Leave-one-out inter-subject correlation after a cubic detrend, region by region."""
    _, responses = real
    signal = np.stack([one.responses for one in responses])
    basis = np.linalg.qr(np.vander(np.linspace(-1, 1, 362), 4))[0]
    signal = signal - np.einsum("ij,kj,skv->siv", basis, basis, signal)
    signal /= signal.std(axis=1, keepdims=True)
    expected = {"LATL": 0.29, "RATL": 0.20, "LPTL": 0.40, "LIPL": 0.24, "LPreM": 0.21, "LIFG": 0.16}
    for column, region in enumerate(alice.REGIONS):
        of_region = signal[:, :, column]
        agreement = np.mean([
            np.corrcoef(of_region[i], np.delete(of_region, i, axis=0).mean(axis=0))[0, 1]
            for i in range(len(of_region))
        ])
        assert agreement == pytest.approx(expected[region], abs=0.006), region


@pytest.mark.shared
def test_real_alice_at_6mm_reads_too(shared_data):
    dataset = response_dataset("alice-6mm")
    assert len(dataset.subjects(shared_data / "alice").names) == 27
    assert dataset.read(shared_data / "alice", "s18").responses.shape == (362, 6)
