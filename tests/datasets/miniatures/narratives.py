"""A small Narratives tree with every quirk of ds002345: real NIfTI and GIFTI, links, comma lists, CRLF."""

from __future__ import annotations

import json

import numpy as np

SHAPE = (4, 4, 3)
TR = 1.5

# subject, task, run, voxels, (onset, duration, type, audio)...
SCANS = [
    ("sub-001", "pieman", "1", SHAPE, [(0, 6, "music", "pieman"), (7.5, 30, "story", "pieman")]),
    ("sub-001", "pieman", "2", SHAPE, [(0, 6, "music", "pieman"), (7.5, 30, "story", "pieman")]),
    ("sub-002", "pieman", "", SHAPE, [(0, 6, "music", "pieman"), (7.5, 30, "story", "pieman")]),
    ("sub-002", "milkyway", "", SHAPE, [(0, 18, "music", "milkywayvodka"), (21, 24, "story", "milkywayvodka")]),
    ("sub-001", "slumlordreach", "", SHAPE, [
        (4.5, 4, "music", "slumlordreach"), (8.9, 18, "story", "slumlordreach"),
        (30, 4, "music", "slumlordreach"), (36, 21, "story", "slumlordreach")]),
    ("sub-002", "schema", "1", (6, 6, 5), [
        (5, 20, "movie", None), (27.2, 21, "story", "friends"),
        (50, 9, "movie", None), (60.1, 18, "story", "bigbang")]),
]
N_VOLUMES = 60


def stem_of(subject, task, run):
    return f"{subject}_task-{task}" + (f"_run-{run}" if run else "")


def signal_of(stem, shape=SHAPE, n=N_VOLUMES):
    """The volumes of a scan, x y z t, whole numbers as a scanner gives them."""
    seed = np.frombuffer(stem.encode(), np.uint8)
    return np.random.default_rng(seed).integers(100, 1500, (*shape, n)).astype(np.int16)


def write_bids(root, fetched=True):
    """The tree of OpenNeuro: no transcripts, no derivatives, no code; one scan is not fetched."""
    root.mkdir(parents=True, exist_ok=True)
    (root / "dataset_description.json").write_text(json.dumps({"Name": "Narratives", "BIDSVersion": "1.2.1"}))
    (root / "participants.tsv").write_text(
        "participant_id\tage\tsex\ttask\tcondition\tcomprehension\n"
        "sub-001\t22,23\tF,F\tpieman,slumlordreach\tn/a,n/a\tn/a,0.569\n"
        "sub-002\t20,20,20\tM,M,M\tpieman,milkyway,schema\tn/a,vodka,n/a\t0.9,10.0,n/a\n"
    )
    for subject, task, run, shape, events in SCANS:
        _write_scan(root, stem_of(subject, task, run), subject, task, shape, events, fetched)
    link = root / "sub-002/func/sub-002_task-milkyway_bold.nii.gz"
    link.unlink()
    link.symlink_to("../../.git/annex/objects/xx/yy/MD5E-s37451725--abc.nii.gz/MD5E-s37451725--abc.nii.gz")
    return root


def _write_scan(root, stem, subject, task, shape, events, fetched):
    folder = root / subject / "func"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{stem}_bold.json").write_text(json.dumps({
        "RepetitionTime": TR, "TaskName": task, "SliceTiming": [0.0] * shape[2],
        "SequenceName": f"epfid2d1_{shape[0]}", "NumberOfVolumesDiscardedByScanner": 3,
    }))
    lines = ["onset\tduration\ttrial_type\tstim_file"]
    lines += [f"{onset}\t{duration}\t{kind}\t{f'{audio}_audio.wav' if audio else 'n/a'}"
              for onset, duration, kind, audio in events]
    (folder / f"{stem}_events.tsv").write_text("\n".join(lines) + "\n")
    image = folder / f"{stem}_bold.nii.gz"
    if fetched:
        write_nifti(image, signal_of(stem, shape))
    else:
        image.symlink_to("../../.git/annex/objects/none")


def write_nifti(path, data):
    import nibabel

    image = nibabel.Nifti1Image(data, np.eye(4))
    image.header.set_zooms((3.0, 3.0, 4.0, TR)[:data.ndim])
    path.parent.mkdir(parents=True, exist_ok=True)
    nibabel.save(image, path)


def write_gifti(path, frames):
    """One data array a volume, as fMRIPrep writes surfaces."""
    import nibabel

    arrays = [
        nibabel.gifti.GiftiDataArray(frame.astype(np.float32), intent="NIFTI_INTENT_TIME_SERIES") for frame in frames
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    nibabel.save(nibabel.gifti.GiftiImage(darrays=arrays), path)


# Words with onsets in the audio file; the second story of slumlordreach lies later in the same file.
WORDS = {
    "pieman": [("So,", "so", 7.6), ("I’m", "i'm", 7.9), ("nan", "nan", None), ("null", "<unk>", 12.0),
               *((f"word{i}", f"word{i}", 13.5 + 1.1 * i) for i in range(20)), ("Thanks", "thanks", 55.0)],
    "milkywayvodka": [(f"vodka{i}", f"vodka{i}", 21 + 0.7 * i) for i in range(30)],
    "slumlordreach": [*((f"slum{i}", f"slum{i}", 4.4 + 0.9 * i) for i in range(18)),
                      *((f"reach{i}", f"reach{i}", 31.5 + 1.0 * i) for i in range(20))],
}


def write_transcripts(root, stories=tuple(WORDS)):
    """The part of the DataLad tree that OpenNeuro lacks: headerless align.csv with CRLF."""
    for story in stories:
        folder = root / "stimuli" / "gentle" / story
        folder.mkdir(parents=True, exist_ok=True)
        lines = [
            f'"{word}",{aligned},{onset},{onset + 0.3}' if "," in word
            else f"{word},,," if onset is None else f"{word},{aligned},{onset},{onset + 0.3}"
            for word, aligned, onset in WORDS[story]
        ]
        (folder / "align.csv").write_bytes("".join(f"{line}\r\n" for line in lines).encode("utf-8"))
    return root


def write_exclusions(root, *stems):
    (root / "code").mkdir(parents=True, exist_ok=True)
    exclusions = {task: {} for _, task, *_ in SCANS}
    for stem in stems:
        subject, task = stem.split("_")[:2]
        exclusions[task.removeprefix("task-")].setdefault(subject, []).append(stem)
    (root / "code" / "scan_exclude.json").write_text(json.dumps(exclusions))
