"""The simulator: a dataset whose truth is known, the positive and the negative control of everything.

At SNR above 0 a decoder can win; at SNR 0 nothing may. It needs numpy and pyarrow only.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from arcuate.datasets.prepared import Plan, Prepared, Run, write_prepared
from arcuate.datasets.simulation.brain import Brain, as_volumes
from arcuate.datasets.simulation.grammar import LONGEST, word_numbers, write_sentences
from arcuate.datasets.simulation.layout import LAYOUTS, check_size
from arcuate.errors import ArcuateError, UnknownName

EEG_SENSORS = 840  # 105 channels × 8 bands, as in ZuCo
VOLUME_REGIONS = 6**3
ZUCO_TASKS = ("SR", "NR", "TSR")
# ZuCo repeats 47 of its 1,039 texts in two tasks; so does the simulated one, in proportion.
REPEATED_SHARE = 47 / 1039


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """What to simulate; the defaults finish in seconds.

    Attributes
    ----------
    layout : 'narratives', 'zuco', 'crossed' or 'sparse'
        Who heard what; 'zuco' is read (EEG), the others are listened to (fMRI) unless `modality` says so.
    sentences : int
        Sentences a story (EEG) or, told one after the other, the length of a story (fMRI).
    frame : 'regions' or 'AxBxC'
        fMRI frames as vectors of `regions` numbers, or as volumes of that many voxels.
    """

    layout: str = "narratives"
    modality: str | None = None
    subjects: int = 24
    stories: int = 8
    sentences: int = 20
    words_per_segment: int = 2
    window: int = 10
    tr: float = 1.5
    snr: float = 1.0
    regions: int = 64
    frame: str = "regions"
    seed: int = 1

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise UnknownName("layout", self.layout, LAYOUTS)
        check_size(self.subjects, self.stories)
        if not math.isfinite(self.snr) or self.snr < 0:
            raise ArcuateError(f"snr is {self.snr:g}. Give 0 (noise alone) or more.")
        for name in ("sentences", "words_per_segment", "window", "regions"):
            if getattr(self, name) < 1:
                raise ArcuateError(f"{name} is {getattr(self, name)}. Give 1 or more.")
        if self.modality not in (None, "eeg", "fmri"):
            raise UnknownName("modality", str(self.modality), ("eeg", "fmri"))
        _ = self.volume

    @property
    def kind(self) -> str:
        """'eeg' or 'fmri'."""
        return self.modality or ("eeg" if self.layout == "zuco" else "fmri")

    @property
    def volume(self) -> tuple[int, int, int] | None:
        """The voxels of a frame along each axis, or None for vectors of regions."""
        if self.frame == "regions":
            return None
        sides = self.frame.split("x")
        if len(sides) != 3 or not all(side.isdigit() and int(side) >= 6 for side in sides):
            raise ArcuateError(f"frame is {self.frame!r}. Give 'regions', or three sides >= 6 such as 64x64x27.")
        return int(sides[0]), int(sides[1]), int(sides[2])


def simulate(out: str | Path, **options: Any) -> Prepared:
    """Write a simulated dataset folder (samples.parquet, signals/, dataset.json), all or nothing.

    Parameters are those of `Simulation`.

    Examples
    --------
    >>> import tempfile
    >>> done = simulate(Path(tempfile.mkdtemp()) / "toy", layout="zuco", subjects=2, stories=3, sentences=4)
    >>> done.rows, done.subjects, done.frame_shape
    (24, 2, (840,))
    """
    simulation = Simulation(**options)
    return write_prepared(_plan(simulation), out, dtype="float16")


def stories_of(simulation: Simulation) -> dict[str, list[str]]:
    """The sentences of each story; no sentence stands in two stories but for ZuCo's planted repeats.

    Examples
    --------
    >>> list(stories_of(Simulation(layout="zuco", stories=3, sentences=2)))
    ['SR', 'NR', 'TSR']
    """
    names = [f"story-{number + 1:02d}" for number in range(simulation.stories)]
    if simulation.layout == "zuco":
        names = [*ZUCO_TASKS, *names][: simulation.stories]
    taken: set[str] = set()
    texts = {
        name: write_sentences(simulation.sentences, np.random.default_rng([simulation.seed, 3, number]), taken)
        for number, name in enumerate(names)
    }
    if simulation.layout == "zuco" and simulation.stories >= 3:
        n_repeated = round(REPEATED_SHARE * simulation.stories * simulation.sentences)
        for place in range(min(n_repeated, simulation.sentences)):
            texts["TSR"][place] = texts["NR"][-1 - place]
    return texts


def _plan(simulation: Simulation) -> Plan:
    texts = stories_of(simulation)
    layout = np.random.default_rng([simulation.seed, 4])
    pairs = LAYOUTS[simulation.layout](simulation.subjects, simulation.stories, layout)
    make = _reading if simulation.kind == "eeg" else _listening
    return Plan(
        dataset="simulated", modality="eeg" if simulation.kind == "eeg" else "fmri", kind="samples",
        runs=make(simulation, texts, pairs), n_runs=len(pairs),
        options=asdict(simulation), window=simulation.window if simulation.kind == "fmri" else None,
        notes=["Simulated: text from arcuate's own grammar, signals from a known mixing of it."],
    )


def _reading(simulation: Simulation, texts: dict[str, list[str]], pairs: list[tuple[int, int]]) -> Iterator[Run]:
    """EEG: a sample a sentence, `LONGEST` frames each."""
    names = list(texts)
    for subject, story in pairs:
        sentences = texts[names[story]]
        name, who = _names(subject, names[story])
        rows = {
            "sample": [f"{name}_{number:04d}" for number in range(len(sentences))],
            **_about_subject(subject, simulation.seed, len(sentences)),
            "story": [names[story]] * len(sentences),
            "text": sentences,
            "run": [name] * len(sentences),
            "start": [LONGEST * number for number in range(len(sentences))],
            "n_frames": [LONGEST] * len(sentences),
        }

        def frames(subject: int = subject, story: int = story, sentences: list[str] = sentences) -> npt.NDArray[Any]:
            brain = Brain.of_subject(subject, EEG_SENSORS, simulation.snr, simulation.seed)
            noise = np.random.default_rng([simulation.seed, 5, subject, story])
            return np.concatenate([brain.read(word_numbers(text), LONGEST, noise) for text in sentences])

        yield Run(name=name, rows=rows, frames=frames, meta={"subject": who, "story": names[story]})


def _listening(simulation: Simulation, texts: dict[str, list[str]], pairs: list[tuple[int, int]]) -> Iterator[Run]:
    """fMRI: a sample is a window of `window` segments of a story, told at a constant rate."""
    names = list(texts)
    size = simulation.words_per_segment
    for subject, story in pairs:
        told = " ".join(texts[names[story]]).split()
        segments = [told[start : start + size] for start in range(0, len(told), size)]
        n_windows = len(segments) - simulation.window + 1
        if n_windows < 1:
            raise ArcuateError(
                f"{names[story]} has {len(segments)} segments, fewer than the window of {simulation.window}. "
                "Simulate more sentences or a shorter window."
            )
        name, who = _names(subject, names[story])
        rows = {
            "sample": [f"{name}_{number:04d}" for number in range(n_windows)],
            **_about_subject(subject, simulation.seed, n_windows),
            "story": [names[story]] * n_windows,
            "segment": list(range(n_windows)),
            "n_segments": [simulation.window] * n_windows,
            "text": [" ".join(word for segment in segments[start : start + simulation.window] for word in segment)
                     for start in range(n_windows)],
            "run": [name] * n_windows,
            "start": list(range(n_windows)),
            "n_frames": [simulation.window] * n_windows,
        }

        def frames(subject: int = subject, story: int = story, segments: list[list[str]] = segments) -> Any:
            return _volumes(simulation, subject, story, segments)

        meta = {"subject": who, "story": names[story], "tr": simulation.tr}
        yield Run(name=name, rows=rows, frames=frames, meta=meta)


def _volumes(simulation: Simulation, subject: int, story: int, segments: list[list[str]]) -> npt.NDArray[Any]:
    volume = simulation.volume
    n_sensors = VOLUME_REGIONS if volume else simulation.regions
    brain = Brain.of_subject(subject, n_sensors, simulation.snr, simulation.seed)
    rng = np.random.default_rng([simulation.seed, 5, subject, story])
    heard = [word_numbers(" ".join(segment)) for segment in segments]
    response = brain.listen(heard, simulation.tr, rng)
    return as_volumes(response, volume, rng) if volume else response


def _names(subject: int, story: str) -> tuple[str, str]:
    who = f"sub-{subject + 1:03d}"
    return f"{who}_{story}", who


def _about_subject(subject: int, seed: int, n: int) -> dict[str, list[Any]]:
    rng = np.random.default_rng([seed, 6, subject])
    age, sex = int(rng.integers(18, 60)), "FM"[int(rng.integers(2))]
    return {"subject": [f"sub-{subject + 1:03d}"] * n, "age": [age] * n, "sex": [sex] * n}
