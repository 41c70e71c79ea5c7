"""Small ZuCo results files with every quirk of the published ones, and what must come of each sentence."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import numpy as np
from tests.datasets.miniatures.matlab import EMPTY, Cell, Structs, write_mat5, write_mat73

BANDS = ("t1", "t2", "a1", "a2", "b1", "b2", "g1", "g2")
MEASURES = ("FFD", "SFD", "GD", "GPT", "TRT")
NAN = float("nan")


def fixated(rng, content, fixations=1, rejected=(), **changes):
    """A word that was looked at; fixations named in `rejected` have NaN in place of EEG."""
    eeg = [NAN if i in rejected else rng.normal(size=(105, 6)) for i in range(fixations)]
    word = {
        "content": content, "fixPositions": np.arange(1.0, fixations + 1), "nFixations": float(fixations),
        "meanPupilSize": 800.0, "rawEEG": Cell(eeg),
        "rawET": Cell(np.zeros((4, 0)) if i in rejected else rng.normal(size=(4, 6)) for i in range(fixations)),
    }
    for measure in MEASURES:
        absent = measure == "SFD" and fixations > 1
        word[measure] = EMPTY if absent else 75.0
        word[f"{measure}_pupilsize"] = EMPTY if absent else 800.0
        for band in BANDS:
            vector = np.full((1, 105), NAN) if len(rejected) == fixations else rng.uniform(0.1, 9, (1, 105))
            word[f"{measure}_{band}"] = EMPTY if absent else vector
            word[f"{measure}_{band}_diff"] = EMPTY if absent else rng.normal(size=(1, 48))
    return {**word, **changes}


def skipped(content, like):
    """A word that was not looked at: `[]`, not 0, everywhere."""
    return {**dict.fromkeys(like, EMPTY), "content": content}


def sentence(rng, content, words, rejected=False):
    """A row of sentenceData."""
    row = {"content": content, "rawData": NAN if rejected else rng.normal(size=(105, 20))}
    for band in BANDS:
        row[f"mean_{band}"] = np.full((1, 105), NAN) if rejected else rng.uniform(1, 5, (1, 105))
        row[f"mean_{band}_diff"] = rng.normal(size=(1, 48))
        row[f"mean_{band}_sec"] = NAN if rejected else rng.normal(size=(2, 105))
        row[f"answer_mean_{band}"] = EMPTY
    recorded = isinstance(words, Structs)
    fixations = {name: np.arange(3.0) for name in ("x", "y", "duration", "pupilsize")}
    row |= {"word": words, "omissionRate": 0.3, "allFixations": Structs([fixations]) if recorded else NAN,
            "wordbounds": np.zeros((max(1, len(words)), 4)) if recorded else NAN}
    return row


def without(words, *prefixes):
    """The same words, in files where no word had such a field."""
    return Structs({name: value for name, value in word.items() if not name.startswith(prefixes)} for word in words)


def all_quirks(seed=0):
    """Sentences and, for each, its fixated words' places, or how the reason for its rejection begins."""
    rng = np.random.default_rng(seed)
    plain = fixated(rng, "Plain")
    rows, expected = [], []

    def add(text, words, outcome, rejected=False):
        rows.append(sentence(rng, text, words, rejected))
        expected.append(outcome)

    add("Plain readers skip words.", Structs(
        [plain, fixated(rng, "readers"), skipped("skip", plain), fixated(rng, "words.")]), [0, 1, 3])
    add("A dash -- moves what follows it.", Structs(
        [fixated(rng, "A"), fixated(rng, "dash"), fixated(rng, "--"), fixated(rng, "moves"),
         skipped("what", plain), fixated(rng, "follows"), fixated(rng, "it.")]), [0, 1, 2, 3, 5, 6])
    add("Never recorded.", NAN, "not recorded (NaN)")
    add("Not recorded either.", EMPTY, "not recorded (empty)")
    add("Rejected as a whole.", Structs([plain, plain]), "sentence EEG: NaN", rejected=True)
    twice = [fixated(rng, "Two", 2, rejected=[1]), skipped("looks", plain), fixated(rng, "each.", 3)]
    add("Two looks each.", without(twice, "SFD"), [0, 2])
    add("Nobody looked.", without([skipped("Nobody", plain), skipped("looked.", plain)],
                                  "rawEEG", "rawET", "SFD", "GD", "FFD", "TRT", "GPT"), "no fixated word")
    add("Alone.", Structs([fixated(rng, "Alone.")]), [0])
    add("One fixation rejected.", Structs([plain, fixated(rng, "fixation", 1, rejected=[0])]), "word EEG: NaN")
    add("Wrong size.", Structs(
        [plain, fixated(rng, "size.", GD_a1=np.ones((1, 104)))]), "word EEG: wrong size")
    add("A field is gone.", without([plain, plain], "GD_b1"), "word EEG: missing field")
    add("An empty vector.", Structs([plain, fixated(rng, "vector.", GD_g2=EMPTY)]), "word EEG: empty")
    add("A scalar NaN.", Structs([plain, fixated(rng, "NaN.", GD_g2=NAN)]), "word EEG: NaN")
    reordered = [dict(reversed(word.items())) for word in (plain, fixated(rng, "film.1"))]
    add("A great film.1", Structs(reordered), [0, 1])
    columns = {f"GD_{band}": np.float32(plain[f"GD_{band}"].T) for band in BANDS}
    add("Single precision “columns”.", Structs([{**plain, **columns}, fixated(rng, "“columns”.")]), [0, 1])
    return Structs(rows), expected


def frames_of(sentence_row, places, measure="GD"):
    """The frames a reader must give for the words at `places`."""
    words = [sentence_row["word"][place] for place in places]
    return np.array([np.concatenate([np.ravel(word[f"{measure}_{band}"]) for band in BANDS]) for word in words])


WRITERS = {"5": write_mat5, "7.3": write_mat73}


@functools.cache
def _content(version, seed):
    """The bytes of a file, written once: an HDF5 file of thousands of small datasets takes its time."""
    rows, expected = all_quirks(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.mat"
        WRITERS[version](path, sentenceData=rows)
        return path.read_bytes(), rows, expected


def write_results(root, subject, task, version="5", seed=0, folder=None):
    """One results file in the folder a straight download has; returns its path, sentences and outcomes."""
    content, rows, expected = _content(version, seed)
    folder = root / (folder or {"5": f"task1- {task}", "7.3": f"task1 - {task}"}[version]) / "Matlab files"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"results{subject}_{task}.mat"
    path.write_bytes(content)
    return path, rows, expected
