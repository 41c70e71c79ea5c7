"""The verdict: on real outputs, on planted effects, on collapsed and teacher-forced ones, on bad files."""

from __future__ import annotations

import csv
import json
import subprocess
import sys

import numpy as np
import pytest

from arcuate.decoding.verdict.baselines import constant_sentence, language_model_alone
from arcuate.decoding.verdict.collapse import collapse, looks_teacher_forced
from arcuate.decoding.verdict.judge import judge
from arcuate.decoding.verdict.predictions import Predictions, read_predictions
from arcuate.decoding.verdict.scoring import score_sets
from arcuate.errors import ArcuateError
from arcuate.metrics.text import METRICS, text_scores

WORDS = [f"word{n}" for n in range(400)]


def made_up(n_texts=40, n_subjects=5, right=0.0, seed=0, common=0.0):
    """Targets of random words; a share of an output's words is right, `common` are one word that many texts hold."""
    generator = np.random.default_rng(seed)
    texts = [["the", *generator.choice(WORDS, 7)] for _ in range(n_texts)]
    rows = [(text, f"s{subject}") for text in texts for subject in range(n_subjects)]
    outputs = []
    for text, _ in rows:
        drawn = generator.random(len(text))
        outputs.append(" ".join(
            word if u < right else "the" if u < right + common else generator.choice(WORDS)
            for word, u in zip(text, drawn, strict=True)
        ))
    return Predictions("made up", tuple(" ".join(t) for t, _ in rows), tuple(outputs), tuple(s for _, s in rows))


def quick(real, *controls, **options):
    return judge(real, controls, draws=500, baselines=False, **options)


class TestWords:
    def test_a_decoder_that_reads(self):
        found = quick(made_up(right=0.3), made_up(seed=0))
        assert found.verdict == "reads the brain"
        assert found.difference().low > 0
        assert found.retrieval.p < 0.01

    def test_a_decoder_that_does_not(self):
        found = quick(made_up(seed=0), made_up_again(seed=1))
        assert found.verdict == "no evidence"
        assert found.difference().low < 0 < found.difference().high

    def test_a_decoder_that_does_worse(self):
        assert quick(made_up(), made_up(right=0.3)).verdict == "worse than control"

    def test_likelier_words_alone_are_no_evidence(self):
        """More of a word that every text holds scores higher, on any text: that is not reading."""
        found = quick(made_up(common=0.12), made_up_again(seed=3))
        assert found.difference().p <= 0.05
        assert found.specific[0].p > 0.05
        assert found.verdict == "no evidence"
        assert "texts they were not made from" in found.sentence

    def test_all_controls_must_be_beaten(self):
        real, weak, strong = made_up(right=0.2), made_up(), made_up_again(seed=5, right=0.2)
        assert quick(real, weak).verdict == "reads the brain"
        found = quick(real, weak, strong)
        assert found.verdict == "no evidence"
        assert found.hardest == "made up (3)"

    def test_a_constant_never_reads(self):
        real = made_up()
        constant = Predictions("constant", real.targets, ("the the",) * len(real.targets), real.subjects)
        silent = Predictions("silent", real.targets, ("",) * len(real.targets), real.subjects)
        found = quick(constant, silent)
        assert found.real.collapse.collapsed
        assert found.verdict == "no evidence"
        assert "near-constant" in found.sentence

    def test_the_same_file_twice(self):
        found = quick(made_up(), made_up())
        assert (found.verdict, found.difference().value, found.difference().p) == ("no evidence", 0, 1)


def made_up_again(seed, right=0.0):
    """Other outputs for the targets of `made_up()`."""
    first, generator = made_up(), np.random.default_rng(seed + 100)
    outputs = tuple(
        " ".join(word if generator.random() < right else generator.choice(WORDS) for word in target.split())
        for target in first.targets
    )
    return Predictions("made up", first.targets, outputs, first.subjects)


def test_scores_are_those_of_the_metrics():
    real, control = made_up(right=0.3), made_up_again(seed=1, right=0.1)
    found = quick(real, control)
    expected = text_scores(real.targets, real.predicted)
    assert {name: of.value for name, of in found.real.scores.items()} == pytest.approx(expected)
    for name, metric in METRICS.items():
        gap = found.real.scores[name].value - found.controls[0].scores[name].value
        assert found.difference(name).value == pytest.approx(gap if metric.higher_is_better else -gap, abs=1e-9)


def test_a_resample_scores_as_if_scored_again():
    """The point of the statistics: weights times sums give what scoring the resampled files would."""
    real, control = made_up(right=0.4), made_up_again(seed=1, right=0.2)
    scorer, table = score_sets([real, control], list(METRICS)[:9])
    drawn = np.random.default_rng(0).integers(0, len(real.targets), len(real.targets))
    fast = scorer.of_all(table[drawn].sum(axis=0), 2)
    slow = [text_scores([one.targets[r] for r in drawn], [one.predicted[r] for r in drawn], scorer.metrics)
            for one in (real, control)]
    assert fast[:18] == pytest.approx([value for scores in slow for value in scores.values()])


class TestCollapse:
    def test_varied_outputs_are_not_collapsed(self):
        one = made_up()
        assert not collapse(one.targets, one.predicted).collapsed

    @pytest.mark.parametrize("outputs", [["same"], ["same", "other"], ["same"] * 6 + ["a", "b", "c", "d"], [""]])
    def test_few_outputs_are(self, outputs):
        one = made_up()
        assert collapse(one.targets, (outputs * 200)[: len(one.targets)]).collapsed

    def test_nearly_the_same_sentence_is_collapsed(self):
        one = made_up()
        outputs = [f"he was born in the city of new york in {n}" for n in range(len(one.targets))]
        assert collapse(one.targets, outputs).collapsed

    def test_perfect_outputs_are_not_teacher_forced(self):
        one = made_up()
        assert not looks_teacher_forced(one.targets, one.targets)


class TestBaselines:
    def test_the_constant_is_never_its_own_text(self):
        targets = ["the cat sat", "the cat ran", "a dog", "the cat sat"]
        assert all(a != b for a, b in zip(targets, constant_sentence(targets), strict=True))

    def test_the_language_model_never_saw_the_text(self):
        """Each text has its own words; a model of the other half cannot say them."""
        targets = [f"a{n} b{n} c{n}" for n in range(30)]
        for target, output in zip(targets, language_model_alone(targets), strict=True):
            assert output
            assert not set(target.split()) & set(output.split())


def write(path, rows, header=("target", "predicted"), encoding="utf-8"):
    with open(path, "w", newline="", encoding=encoding) as file:
        csv.writer(file).writerows([header, *rows])
    return path


ROWS = [("the cat sat", "a cat"), ("a dog ran", "the dog"), ("she read it", "he read")]


class TestFiles:
    def test_csv_tsv_and_jsonl_are_one(self, tmp_path):
        comma = write(tmp_path / "a.csv", ROWS)
        tab = tmp_path / "a.tsv"
        tab.write_text("target\tpredicted\n" + "".join(f"{t}\t{p}\n" for t, p in ROWS))
        lines = tmp_path / "a.jsonl"
        lines.write_text("".join(json.dumps({"target": t, "predicted": p}) + "\n" for t, p in ROWS))
        assert len({read_predictions(path).hash for path in (comma, tab, lines)}) == 1

    def test_the_free_column_is_taken_unless_told(self, tmp_path):
        path = write(tmp_path / "a.csv", [("t", "forced", "free"), ("u", "f", "g")],
                     ("target", "predicted_teacher_forced", "predicted_free"))
        assert read_predictions(path).predicted[0] == "free"
        assert read_predictions(path, teacher_forced=True).predicted[0] == "forced"

    def test_a_line_break_inside_quotes(self, tmp_path):
        path = write(tmp_path / "a.csv", [("one\ntwo", "x"), ("b", "y")])
        assert read_predictions(path).targets == ("one\ntwo", "b")

    @pytest.mark.parametrize(("text", "message"), [
        (b"", "is empty"),
        (b"target,predicted\n", "no rows"),
        (b"text,predicted\na,b\n", "no column 'target'. It has: text, predicted"),
        (b"target,output\na,b\n", "no column 'predicted' (nor 'predicted_free', nor 'predicted_teacher_forced')"),
        (b"target,predicted\na,b\n\xe9t\xe9,c\n", "line 3: byte 0xe9 is not UTF-8"),
        ("target,predicted\na,b\n".encode("utf-16"), "is not UTF-8"),
        ("target,predicted\na,b\n".encode("utf-16-le"), "NUL byte"),
        (b"target,predicted\na,b,c\n", "row 1: 3 fields but 2 columns"),
        (b"target,predicted\na,b\n ,c\n", "'target' is empty in row 2"),
    ])
    def test_bad_files_are_refused(self, tmp_path, text, message):
        path = tmp_path / "bad.csv"
        path.write_bytes(text)
        with pytest.raises(ArcuateError) as error:
            read_predictions(path)
        assert message in str(error.value)
        assert str(path) in str(error.value)

    @pytest.mark.parametrize(("lines", "message"), [
        ('{"target": "a", "predicted": "b"}\n{"target": "a"', "line 2"),
        ('["a"]', "line 1: list, not an object"),
        ('{"target": "a", "predicted": "b"}\n{"target": "a"}', "'predicted' is missing in row 2"),
    ])
    def test_bad_json_lines_are_refused(self, tmp_path, lines, message):
        path = tmp_path / "bad.jsonl"
        path.write_text(lines)
        with pytest.raises(ArcuateError, match=message):
            read_predictions(path)

    def test_other_formats_are_refused(self, tmp_path):
        with pytest.raises(ArcuateError, match=r"\.xlsx is not a predictions format"):
            read_predictions(tmp_path / "a.xlsx")


class TestAlignment:
    real = Predictions("real", ("a b", "c d", "e f"), ("x", "y", "z"), samples=("1", "2", "3"))

    def test_samples_are_matched_by_name(self):
        turned = Predictions("real", self.real.targets[::-1], ("z", "y", "x"), samples=("3", "2", "1"))
        assert quick(self.real, turned).difference().value == 0

    @pytest.mark.parametrize(("control", "message"), [
        (Predictions("c", ("a b", "c d"), ("x", "y")), "real has 3 rows but c has 2"),
        (Predictions("c", ("a b", "c x", "e x"), ("x", "y", "z")),
         r"differ in 'target' in 2 rows \(2, 3\)\. Row 2: 'c d' against 'c x'"),
        (Predictions("c", real.targets, real.predicted, samples=("1", "2", "4")), "samples of real are not in c: 3"),
    ])
    def test_unequal_files_are_refused(self, control, message):
        with pytest.raises(ArcuateError, match=message):
            quick(self.real, control)

    def test_free_and_forced_are_not_compared(self):
        free = Predictions("a", ("t", "u"), ("x", "y"), generation="free")
        forced = Predictions("b", ("t", "u"), ("x", "y"), generation="teacher-forced")
        with pytest.raises(ArcuateError, match="a is free but b is teacher-forced"):
            quick(free, forced)

    def test_unequal_subjects_are_refused(self):
        one = Predictions("a", ("t", "u"), ("x", "y"), ("s1", "s2"))
        other = Predictions("b", ("t", "u"), ("x", "y"), ("s1", "s3"))
        with pytest.raises(ArcuateError, match=r"differ in 'subject' in 1 rows \(2\)"):
            quick(one, other)


class TestCommand:
    def test_exit_codes_and_json(self, arcuate, tmp_path):
        good, noise = made_up(right=0.4), made_up()
        for name, one in (("real", good), ("noise", noise)):
            rows = zip(one.targets, one.predicted, one.subjects, strict=True)
            write(tmp_path / f"{name}.csv", rows, ("target", "predicted", "subject"))
        done = arcuate("verdict", "real.csv", "--control", "noise.csv", "--json", "--draws", 300, "--html", "v.html")
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        assert said["verdict"] == "reads the brain"
        assert {"collapsed", "distinct_outputs", "samples", "distinct_targets", "scores", "difference",
                "signature"} <= set(said)
        assert {"bleu1", "bleu4", "rouge1_f", "wer"} <= set(said["scores"]["real"]) & set(said["scores"]["controls"][0])
        assert {"value", "low", "high", "p"} <= set(said["difference"]["rouge1_f"])
        assert (tmp_path / "v.html").read_text().startswith("<!doctype html>")
        done = arcuate("verdict", "noise.csv", "--control", "noise.csv", "--draws", 300)
        assert done.returncode == 1
        assert "NO EVIDENCE" in done.stdout

    def test_bad_input_is_one_line_and_exit_2(self, arcuate, tmp_path):
        write(tmp_path / "real.csv", ROWS)
        write(tmp_path / "other.csv", [*ROWS[:2], ("another text", "x")])
        done = arcuate("verdict", "real.csv", "--control", "other.csv")
        assert done.returncode == 2
        assert "1 rows (3)" in done.stderr
        assert "Traceback" not in done.stderr
        assert arcuate("verdict", "missing.csv", "--control", "other.csv").returncode == 2
        assert arcuate("verdict", "real.csv").returncode == 2
        done = arcuate("verdict", "real.csv", "--control", "real.csv", "--metric", "meteor")
        assert done.returncode == 2
        assert "meteor" in done.stderr

    def test_needs_neither_torch_nor_polars(self):
        """The core judges without the decoding extra, and starts fast."""
        code = ("import sys\nfrom arcuate.decoding.verdict.judge import judge\n"
                "from arcuate.decoding.verdict.predictions import Predictions\n"
                "p = Predictions('a', ('a b', 'c d', 'e f'), ('a', 'c', 'x'))\n"
                "judge(p, [p], draws=100)\n"
                "print({'torch', 'polars', 'sklearn', 'transformers', 'pandas'} & set(sys.modules))")
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert done.stdout.strip() == "set()", done.stderr


class TestRealOutputs:
    """Published T5 decoders of ZuCo, tested on EEG and on noise."""

    @pytest.fixture
    def read(self, shared_data):
        def read(tasks, train, test, teacher_forced=False):
            path = shared_data / "predictions" / f"t5_{tasks}_train-{train}_test-{test}.csv"
            return read_predictions(path, teacher_forced=teacher_forced, name=f"{train}/{test}")

        return read

    @pytest.mark.parametrize("tasks", ["task1_task2_taskNRv2", "task1_task2_task3"])
    def test_no_evidence(self, read, tasks):
        controls = [read(tasks, *pair) for pair in (("noise", "noise"), ("eeg", "noise"), ("noise", "eeg"))]
        real = read(tasks, "eeg", "eeg")
        assert judge(real, controls[:1], draws=2000, baselines=False).verdict == "no evidence"
        found = judge(real, controls, draws=2000)
        assert found.verdict == "no evidence"
        conditions = [part.name for part in (found.real, *found.controls)]
        assert conditions == ["eeg/eeg", "noise/noise", "eeg/noise", "noise/eeg"]

    def test_the_published_figures(self, read):
        tasks = "task1_task2_taskNRv2"
        found = judge(read(tasks, "eeg", "eeg"), [read(tasks, "noise", "noise")], draws=4000, baselines=False)
        assert found.distinct_targets == 104
        assert found.samples == 1407
        assert found.real.scores["rouge1_f"].value == pytest.approx(14.9, abs=0.05)
        assert found.controls[0].scores["rouge1_f"].value == pytest.approx(14.8, abs=0.05)
        gain = found.difference()
        assert gain.value == pytest.approx(0.10, abs=0.01)
        assert gain.low == pytest.approx(-0.4, abs=0.1)
        assert gain.high == pytest.approx(0.6, abs=0.1)
        assert not found.real.collapse.collapsed

    @pytest.mark.parametrize("tasks", ["task1_task2_taskNRv2", "task1_task2_task3"])
    @pytest.mark.parametrize("train", ["eeg", "noise"])
    @pytest.mark.parametrize("test", ["eeg", "noise"])
    def test_teacher_forcing_is_recognised(self, read, tasks, train, test):
        for forced in (True, False):
            one = read(tasks, train, test, forced)
            assert looks_teacher_forced(one.targets, one.predicted) == forced

    def test_teacher_forcing_is_warned_of(self, read):
        real, noise = (read("task1_task2_taskNRv2", kind, kind, True) for kind in ("eeg", "noise"))
        found = judge(real, [noise], draws=300, baselines=False)
        assert any("Teacher-forced" in warning for warning in found.warnings)
