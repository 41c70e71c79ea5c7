"""Narratives: a tree with every quirk, the real metadata, and text aligned to volumes."""

from __future__ import annotations

import csv
import json
import math
from collections import defaultdict

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.datasets.miniatures import narratives as mini

import arcuate as arc
from arcuate.datasets.narratives.dataset import NarrativesOptions, plan_narratives
from arcuate.datasets.narratives.events import StoryPart, event_of, read_events, stories_of
from arcuate.datasets.narratives.images import state_of
from arcuate.datasets.narratives.runs import read_exclusions, read_participants, read_runs
from arcuate.datasets.narratives.transcripts import find_transcripts, read_alignment, segment_texts, window_texts
from arcuate.datasets.prepared import gather
from arcuate.datasets.registry import prepare
from arcuate.errors import ArcuateError
from arcuate.signals.store import SignalStore


@pytest.fixture(scope="module")
def bids(tmp_path_factory):
    return mini.write_bids(tmp_path_factory.mktemp("ds"))


@pytest.fixture(scope="module")
def transcripts(tmp_path_factory):
    return mini.write_transcripts(tmp_path_factory.mktemp("datalad"))


class TestRealMetadata:
    """The whole of the real metadata is read, and gives the published counts."""

    @pytest.mark.parametrize(("options", "counts"), [
        ({}, (228, 15, 234_210)), ({"shape": "any"}, (338, 29, 369_012)),
    ])
    def test_counts(self, shared_data, options, counts):
        table = arc.load("narratives", shared_data / "narratives", **options)
        assert (len(table.graph.subjects), len(table.graph.texts), len(table)) == counts

    def test_stories_derived_from_events_equal_the_runs_table(self, shared_data):
        """Our derivation, story by story, against all 1,015 rows made independently of it."""
        folder = shared_data / "narratives"
        scans = defaultdict(list)
        with open(folder / "events.csv", encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                scans[row["subject"], row["task"], row["run"]].append(event_of(row, "events.csv"))
        derived = {
            (*scan, part.story): part for scan, events in scans.items() for part in stories_of(events, str(scan))
        }
        with open(folder / "runs.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == len(derived) == 1015
        for row in rows:
            part, tr = derived[row["subject"], row["task"], row["run"], row["story"]], float(row["tr_s"])
            assert part.onset_tr(tr) == int(row["story_onset_tr"])
            assert part.n_trs(tr) == int(row["n_trs"])
            assert part.audio_start == float(row["audio_start_s"])
            assert f"{part.stim}_audio.wav" == row["stim_file"]

    def test_volumes_agree_with_the_authors_own_table(self, shared_data):
        """event_meta.json gives onset and length in TRs; only the known quirks differ."""
        meta = json.loads((shared_data / "narratives" / "event_meta.json").read_text())
        differing = defaultdict(int)
        agreeing = 0
        for run in read_runs(shared_data / "narratives"):
            listed = meta.get(run.task, {}).get(run.part.story)
            if listed is None:  # schema, and milkyway by version, are not in it
                continue
            if (listed["onset"], listed["duration"]) == (run.part.onset_tr(run.tr), run.n_trs):
                agreeing += 1
            else:
                differing[run.part.story] += 1
        # lucy's onset was changed in v1.1.3; two prettymouth scans began early
        assert (agreeing, dict(differing)) == (696, {"lucy": 16, "prettymouth": 2})

    def test_participants_agree_with_the_runs_table(self, shared_data):
        participants = read_participants(shared_data / "narratives" / "participants.tsv")
        runs = read_runs(shared_data / "narratives")
        assert len({subject for subject, _ in participants}) == 345
        listed = [run for run in runs if (run.subject, run.task) in participants]
        assert len(listed) == len(runs)

    def test_exclusions_agree_with_the_runs_table(self, shared_data):
        excluded = read_exclusions([shared_data / "narratives"])
        runs = read_runs(shared_data / "narratives")
        assert len(excluded) == 27
        assert {run.stem for run in runs if run.excluded} == excluded

    @pytest.mark.parametrize(("story", "words", "untimed"), [
        ("pieman", None, None), ("notthefallintact", 1601, 40), ("black", None, None),
    ])
    def test_transcripts_are_read_whole_and_put_into_segments(self, shared_data, story, words, untimed):
        root = shared_data / "narratives"
        path = find_transcripts([root])[story]
        aligned = read_alignment(path)
        assert len(aligned) == len(path.read_text(encoding="utf-8").splitlines()) - 1
        run = next(run for run in read_runs(root) if run.part.story == story)
        segments = segment_texts(aligned, run.part, run.tr)
        assert len(segments.texts) == run.n_trs
        placed = sum(len(text.split()) for text in segments.texts)
        spoken = sum(len(word.word.split()) for word in aligned if word.onset is not None)
        assert placed >= 0.99 * spoken
        if words:
            assert (len(aligned), segments.untimed) == (words, untimed)
            assert segments.outside == 1  # the misaligned first word, before the story

    def test_pieman_begins_where_it_was_checked_by_eye(self, shared_data):
        root = shared_data / "narratives"
        run = next(run for run in read_runs(root) if run.part.story == "pieman")
        texts = segment_texts(read_alignment(find_transcripts([root])["pieman"]), run.part, run.tr).texts
        assert texts[0].startswith("I began")


def test_a_tree_gives_its_stories(bids):
    runs = {run.name: run for run in read_runs(bids)}
    assert sorted(runs) == [
        "sub-001_task-pieman_run-1_story-pieman", "sub-001_task-pieman_run-2_story-pieman",
        "sub-001_task-slumlordreach_story-reach", "sub-001_task-slumlordreach_story-slumlord",
        "sub-002_task-milkyway_story-milkywayvodka", "sub-002_task-pieman_story-pieman",
        "sub-002_task-schema_run-1_story-bigbang", "sub-002_task-schema_run-1_story-friends",
    ]
    reach = runs["sub-001_task-slumlordreach_story-reach"]
    assert (reach.part.audio_start, reach.part.onset_tr(1.5), reach.n_trs) == (4.5, 24, 14)
    milky = runs["sub-002_task-milkyway_story-milkywayvodka"]
    assert (milky.condition, milky.comprehension, milky.shape) == ("vodka", "10.0", "4x4x3")


def test_not_fetched_is_not_missing(bids, tmp_path):
    assert state_of(bids / "sub-002/func/sub-002_task-milkyway_bold.nii.gz") == "not fetched"
    assert state_of(bids / "sub-001/func/sub-001_task-pieman_run-1_bold.nii.gz") == "here"
    assert state_of(bids / "nothing") == "missing"
    pointer = tmp_path / "pointer.nii.gz"
    pointer.write_text("/annex/objects/MD5E-s37451725--abc.nii.gz\n")
    assert state_of(pointer) == "not fetched"


@pytest.fixture(scope="module")
def prepared(bids, transcripts, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "narratives"
    done = prepare("narratives", bids, out, window=5, shape="4x4x3", transcripts=str(transcripts))
    return done, pq.read_table(out / "samples.parquet").to_pylist(), SignalStore.open(out / "signals")


def test_every_sample_has_its_volumes_and_its_words(prepared):
    """Brute force from the tree's own description, without any of the reader's code."""
    _, samples, store = prepared
    expected = {}
    for subject, task, run, shape, events in mini.SCANS:
        if task in ("milkyway", "schema"):
            continue
        stem = mini.stem_of(subject, task, run)
        told = [event for event in events if event[2] == "story"]
        for name, (onset, duration, _, audio) in zip(
            {"pieman": ["pieman"], "slumlordreach": ["slumlord", "reach"]}[task], told, strict=True
        ):
            first, n = round(onset / 1.5), round(duration / 1.5)
            for segment in range(n - 5 + 1):
                words = []
                for word, _, word_onset in mini.WORDS[audio]:
                    if word_onset is None:
                        continue
                    time = events[0][0] + word_onset
                    place = math.floor(time / 1.5 + 1e-9) - first
                    if onset <= time < onset + duration:
                        place = min(max(place, 0), n - 1)
                    if segment <= place < segment + 5:
                        words.append(word)
                frames = np.moveaxis(mini.signal_of(stem, shape), -1, 0)[first + segment:first + segment + 5]
                if words:
                    expected[f"{stem}_story-{name}:{segment}"] = (subject, name, segment, " ".join(words), frames)
    assert {sample["sample"] for sample in samples} == set(expected)
    for sample in samples:
        subject, story, segment, text, frames = expected[sample["sample"]]
        assert (sample["subject"], sample["story"], sample["segment"]) == (subject, story, segment)
        assert sample["text"] == text
        assert sample["n_segments"] == 5
        np.testing.assert_array_equal(store.window(sample["run"], sample["start"], sample["n_frames"]), frames)


def test_what_was_left_out_is_said(prepared):
    done, _, _ = prepared
    notes = "\n".join(done.notes)
    assert "2 stories in scans left out: not 4x4x3 but 6x6x5" in notes
    assert "1 not fetched" in notes
    assert "pieman: 1 words without times and 1 outside the story" in notes
    assert "no code/scan_exclude.json" in notes


def test_the_table_is_a_samples_table_of_stories(prepared):
    done, samples, _ = prepared
    table = arc.read_samples(done.folder / "samples.parquet")
    assert (table.unit, len(table)) == ("story", len(samples))
    about = json.loads((done.folder / "dataset.json").read_text())
    assert (about["name"], about["modality"], about["window"]) == ("narratives", "fmri", 5)
    assert about["frame_shape"] == [4, 4, 3]
    assert about["options"]["shape"] == "4x4x3"


def test_load_reads_the_same_table_without_signals(prepared, bids, transcripts):
    done, _, _ = prepared
    table = arc.load("narratives", bids, window=5, shape="4x4x3", transcripts=str(transcripts))
    assert table.identity_hash == arc.read_samples(done.folder / "samples.parquet").identity_hash


def test_exclusions_and_filters(bids, transcripts, tmp_path):
    second = tmp_path / "second"
    mini.write_transcripts(second)
    mini.write_exclusions(second, "sub-001_task-pieman_run-2")
    options = {"window": 5, "shape": "4x4x3", "transcripts": str(second)}

    def runs(**more):
        plan = plan_narratives(bids, NarrativesOptions(**{**options, **more}))
        return set(gather(plan)["run"].unique().to_pylist()), "\n".join(plan.notes)

    names, notes = runs()
    assert "sub-001_task-pieman_run-2_story-pieman" not in names
    assert "1 stories in scans left out: excluded by the dataset's authors" in notes
    assert len(runs(keep_excluded=True)[0]) == len(names) + 1
    assert runs(subjects=("sub-002",))[0] == {"sub-002_task-pieman_story-pieman"}
    assert runs(stories=("reach",))[0] == {"sub-001_task-slumlordreach_story-reach"}
    assert len(runs(exclude_scans=("sub-002_task-pieman",))[0]) == len(names) - 1
    with pytest.raises(ArcuateError, match="subject 'sub-009' is not known"):
        runs(subjects=("sub-009",))


def test_stories_without_transcript_are_left_out_with_a_note(bids, tmp_path):
    mini.write_transcripts(tmp_path, ["pieman"])
    plan = plan_narratives(bids, NarrativesOptions(window=5, shape="4x4x3", transcripts=str(tmp_path)))
    assert gather(plan)["story"].unique().to_pylist() == ["pieman"]
    assert any("slumlordreach: no transcript" in note for note in plan.notes)


def test_without_any_transcript_samples_have_no_text(bids):
    plan = plan_narratives(bids, NarrativesOptions(window=5, shape="4x4x3"))
    table = gather(plan)
    assert "text" not in table.column_names
    assert len(table) == sum(n - 4 for n in (20, 20, 20, 12, 14))


def test_a_clone_without_content_gives_the_runs_table(tmp_path):
    root = mini.write_bids(tmp_path / "clone", fetched=False)
    done = prepare("narratives", root, tmp_path / "out", shape="4x4x3", window=5)
    assert (done.table, done.has_signals, done.rows) == ("runs.parquet", False, 6)
    assert any("5 not fetched" in note for note in done.notes)
    table = arc.read_samples(done.folder / "runs.parquet", window=5)
    assert len(table) == sum(n - 4 for n in (20, 20, 20, 16, 12, 14))


def test_within_run_zscore(bids, transcripts, tmp_path):
    options = {"window": 5, "shape": "4x4x3", "transcripts": str(transcripts), "within_run": "zscore"}
    prepare("narratives", bids, tmp_path / "out", dtype="float16", **options)
    store = SignalStore.open(tmp_path / "out" / "signals")
    for run in store.runs:
        frames = store.array(run).astype(float)
        np.testing.assert_allclose(frames.mean(axis=0), 0, atol=2e-3)
        np.testing.assert_allclose(frames.std(axis=0), 1, atol=2e-3)


@pytest.fixture
def surfaces(transcripts, tmp_path):
    """Derivatives in the second root: surfaces with a medial wall, and a cleaned volume."""
    root = mini.write_bids(tmp_path / "raw", fetched=False)
    rng = np.random.default_rng(0)
    data = {}
    for subject, task, run, *_ in mini.SCANS:
        stem = mini.stem_of(subject, task, run)
        for side, n, wall in (("L", 10, [2, 3]), ("R", 11, [0])):
            frames = rng.normal(size=(mini.N_VOLUMES, n))
            for pipeline, ending in (("fmriprep", ""), ("afni-nosmooth", "_desc-clean")):
                folder = tmp_path / "second" / "derivatives" / pipeline / subject / "func"
                stored = frames.copy()
                stored[:, wall] = np.nan if pipeline == "fmriprep" else 0
                mini.write_gifti(folder / f"{stem}_space-fsaverage6_hemi-{side}{ending}.func.gii", stored)
            frames[:, wall] = 0
            data[stem, side] = frames
        volume = rng.normal(size=(5, 5, 5, mini.N_VOLUMES)).astype(np.float32)
        mini.write_nifti(tmp_path / "second/derivatives/afni-smooth" / subject / "func" /
                         f"{stem}_space-MNI152NLin2009cAsym_res-native_desc-clean_bold.nii.gz", volume)
        mini.write_nifti(tmp_path / "second/derivatives/afni-smooth" / subject / "func" /
                         f"{stem}_space-MNI152NLin2009cAsym_res-native_desc-sm6_bold.nii.gz", volume * 9)
        data[stem, "volume"] = volume
    mini.write_transcripts(tmp_path / "second")
    return root, tmp_path / "second", data


@pytest.mark.parametrize("pipeline", ["fmriprep", "afni-nosmooth"])
def test_surfaces_join_both_sides_and_blank_the_medial_wall(surfaces, tmp_path, pipeline):
    root, second, data = surfaces
    prepare("narratives", root, tmp_path / "out", window=5, shape="any", signals=pipeline, space="fsaverage6",
            transcripts=str(second))
    store = SignalStore.open(tmp_path / "out" / "signals")
    assert store.frame_shape == (21,)
    stem = "sub-002_task-milkyway"
    expected = np.concatenate([data[stem, "L"], data[stem, "R"]], axis=1)[14:30]
    np.testing.assert_allclose(store.array(f"{stem}_story-milkywayvodka"), expected, rtol=1e-6)


def test_volumes_of_a_pipeline(surfaces, tmp_path):
    root, second, data = surfaces
    prepare("narratives", root, tmp_path / "out", window=5, shape="any", signals="afni-smooth", transcripts=str(second))
    store = SignalStore.open(tmp_path / "out" / "signals")
    expected = np.moveaxis(data["sub-002_task-pieman", "volume"], -1, 0)[5:25]
    np.testing.assert_allclose(store.array("sub-002_task-pieman_story-pieman"), expected, rtol=1e-6)


def test_surface_with_a_passing_nan_is_refused(surfaces, tmp_path):
    root, second, data = surfaces
    frames = data["sub-002_task-pieman", "L"].copy()
    frames[3, 5] = np.nan
    path = second / "derivatives/fmriprep/sub-002/func/sub-002_task-pieman_space-fsaverage6_hemi-L.func.gii"
    mini.write_gifti(path, frames)
    with pytest.raises(ArcuateError, match="vertex 5 is NaN in some volumes only"):
        prepare("narratives", root, tmp_path / "out", window=5, shape="any", signals="fmriprep", space="fsaverage6",
                transcripts=str(second))
    assert not (tmp_path / "out").exists()


class TestWords:
    def test_windows_of_segments(self):
        texts = ["a b", "", "c", "d"]
        assert window_texts(texts, 2) == ["a b", "c", "c d"]
        assert window_texts(texts, 4) == ["a b c d"]
        assert window_texts(texts, 5) == []

    def test_words_at_the_rounded_edges_stay_in_the_story(self):
        # 29.5 s / 1.5 s = 19.67: the story starts at volume 20, which is 30.0 s; a word at 29.6 s belongs to it
        part = StoryPart("x", "x", onset=29.5, duration=9.0, audio_start=0.0)
        words = read_like([("a", 29.6), ("b", 29.4), ("c", 38.4), ("d", 38.6)])
        segments = segment_texts(words, part, 1.5)
        assert (segments.texts[0], segments.texts[-1], segments.outside) == ("a", "c d", 1)


def read_like(pairs):
    from arcuate.datasets.narratives.transcripts import AlignedWord

    return [AlignedWord(word, onset) for word, onset in pairs]


@pytest.mark.parametrize(("content", "words"), [
    ("onset\tduration\ttrial_type\n1\t2\tstory\n", "no column 'stim_file'"),
    ("onset\tduration\ttrial_type\tstim_file\nx\t2\tstory\ta.wav\n", "row 1: onset is 'x'"),
    ("onset\tduration\ttrial_type\tstim_file\n1\t2\tstory\n", "line 2: 3 fields"),
    ("onset\tduration\ttrial_type\tstim_file\n-1\t2\tstory\ta.wav\n", "no seconds of a scan"),
])
def test_bad_events(tmp_path, content, words):
    path = tmp_path / "events.tsv"
    path.write_text(content)
    with pytest.raises(ArcuateError, match=words):
        read_events(path)


def test_a_story_told_twice_in_an_unknown_file_is_refused():
    events = [event_of({"onset": str(i), "duration": "5", "trial_type": "story", "stim_file": "a_audio.wav"}, "x")
              for i in (1, 9)]
    with pytest.raises(ArcuateError, match="heard 2 times"):
        stories_of(events, "x")


@pytest.mark.parametrize(("content", "words"), [
    (b"word,aligned,1.0\r\n", "3 fields"), (b"a,a,x,1\r\n", "onset is 'x'"), (b"a,a,nan,1\r\n", "onset is 'nan'"),
    (b",a,1,2\r\n", "word is empty"), (b"", "no words"), (b"ok,ok,1,2\r\ncaf\xe9,cafe,2,3\r\n", "line 2: byte 0xe9"),
])
def test_bad_alignments(tmp_path, content, words):
    path = tmp_path / "align.csv"
    path.write_bytes(content)
    with pytest.raises(ArcuateError, match=words):
        read_alignment(path)


def test_participants_with_lists_of_different_lengths(tmp_path):
    path = tmp_path / "participants.tsv"
    path.write_text("participant_id\ttask\tcondition\tcomprehension\nsub-001\ta,b\tn/a\tn/a,n/a\n")
    with pytest.raises(ArcuateError, match="row 1: comma lists of different lengths"):
        read_participants(path)
