"""The papers' Tables 3 to 8 and Figure 5 in form, from a grid's rows, with the published figures beside ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from arcuate.experiments.decoding_results import SCORES, means
from arcuate.experiments.published_decoding import published_scores

Row = Mapping[str, Any]
PAPERS_MODELS = ("unicorn", "eeg2text")
SHOWN = ("bleu1", "bleu2", "bleu3", "rouge1_f")


@dataclass(frozen=True)
class PaperTable:
    """One table: what varies, our mean over seeds, and the published figure where there is one."""

    number: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]
    note: str = ""


def paper_tables(scores: Sequence[Row]) -> list[PaperTable]:
    """Every table that the rows suffice for."""
    base = [row for row in scores if row["train_input"] == "real"]
    every = [row for row in base if row["length"] == "1x"]
    once = [row for row in every if row["model"] in PAPERS_MODELS]
    tables = [
        _two_sided(
            "3", "Original and additional test set (teacher-forced, as published)",
            [row for row in once if row["generation"] == "teacher-forced" and row["test_input"] == "real"],
            "test_set", ("own", "additional"), ("original", "additional"), "additional_test", "test_set",
        ),
        _two_sided(
            "4", "Ordered and shuffled input (teacher-forced, as published)",
            [row for row in once if row["generation"] == "teacher-forced" and row["test_set"] == "own"],
            "test_input", ("real", "shuffled"), ("ordered", "shuffled"), "shuffled_input", "input",
        ),
        _two_sided(
            "4, free", "Ordered and shuffled input, free-running: what a decoder would have to do",
            [row for row in once if row["generation"] == "free" and row["test_set"] == "own"],
            "test_input", ("real", "shuffled"), ("ordered", "shuffled"), None, "input",
        ),
        _fair(every),
        _two_sided(
            "6", "With and without teacher forcing",
            [row for row in once if row["test_input"] == "real" and row["test_set"] == "own"],
            "generation", ("teacher-forced", "free"), ("teacher-forced", "free"), "teacher_forcing", "generation",
        ),
        _longer("7", "fmri", base), _longer("8", "eeg", base),
    ]
    return [table for table in tables if table.rows]


def _two_sided(
    number: str, title: str, rows: Sequence[Row], axis: str, sides: tuple[str, str], words: tuple[str, str],
    source: str | None, source_axis: str,
) -> PaperTable:
    """Method by method, two conditions side by side."""
    found = {
        (row["dataset"], row["model"], row["method"], row[axis]): row
        for row in means([row for row in rows if row[axis] in sides], ["dataset", "model", "method", axis])
    }
    lines = []
    for dataset, model, method in sorted({key[:3] for key in found}, key=_order):
        pair = [row for side in sides if (row := found.get((dataset, model, method, side)))]
        if len(pair) < len(sides):
            continue
        line: dict[str, Any] = {"dataset": dataset, "model": model, "method": method, "seeds": pair[0]["seeds"]}
        for name in SHOWN:
            for word, one in zip(words, pair, strict=True):
                line[f"{name} {word}"] = round(one[name], 2)
        for word in words:
            line[f"published rouge1_f {word}"] = _published(source, source_axis, word, dataset, model, method)
        lines.append(line)
    columns = ("dataset", "model", "method", "seeds", *(f"{name} {word}" for name in SHOWN for word in words),
               *(f"published rouge1_f {word}" for word in words))
    return PaperTable(number, title, columns, tuple(lines))


def _published(
    source: str | None, axis: str, word: str, dataset: str, model: str, method: str,
) -> float | None:
    if source is None:
        return None
    paper = "narratives" if dataset.startswith("narratives") else "zuco"
    if word in ("ordered", "teacher-forced"):  # the very same run as 'original'
        source, axis, word = "additional_test", "test_set", "original"
    found = published_scores(source, paper, model, method=method, **{axis: word})
    return found["rouge1_f"] if found else None


def _fair(once: Sequence[Row]) -> PaperTable:
    """Table 5 over all models and baselines: leak-free methods, free-running and, as published, forced."""
    chosen = [row for row in once if row["method"] in ("f", "optimal") and row["test_input"] == "real"
              and row["test_set"] == "own"]
    lines = []
    for row in means(chosen, ["dataset", "model", "method", "generation"]):
        paper = "narratives" if row["dataset"].startswith("narratives") else "zuco"
        known = published_scores("fair_benchmark", paper, row["model"]) if row["method"] == "f" else None
        shown = known and row["generation"] == "teacher-forced"
        lines.append({
            **{name: row[name] for name in ("dataset", "model", "method", "generation", "seeds")},
            **{name: round(row[name], 2) for name in SCORES},
            "published bleu1": known["bleu1"] if known and shown else None,
            "published rouge1_f": known["rouge1_f"] if known and shown else None,
        })
    lines.sort(key=lambda line: (line["dataset"], line["method"], line["generation"], -line["rouge1_f"]))
    columns = ("dataset", "method", "generation", "model", "seeds", *SCORES, "published bleu1", "published rouge1_f")
    return PaperTable("5", "A fair benchmark: leak-free splits, all models and baselines", columns, tuple(lines),
                      "The oracle is told the target; every other row must stay below it and should beat the others "
                      "that see no signal.")


def _longer(number: str, modality: str, base: Sequence[Row]) -> PaperTable:
    """Training length: epochs and learning rate, by method; teacher-forced on the own test set, as published."""
    is_fmri = modality == "fmri"
    chosen = [row for row in base if row["generation"] == "teacher-forced" and row["test_input"] == "real"
              and row["test_set"] == "own" and row["dataset"].startswith("narratives") == is_fmri
              and row["model"] in ("unicorn", "unicorn_random_encoder", "eeg2text")]
    found = means(chosen, ["dataset", "model", "method", "length"])
    names = ("bleu1", "bleu2", "bleu3", "bleu4", "rouge1_f", "rouge1_p", "rouge1_r")
    lines = [{**{name: row[name] for name in ("dataset", "model", "method", "length", "seeds")},
              **{name: round(row[name], 2) for name in names},
              "published bleu1": _published_length(row, is_fmri)}
             for row in sorted(found, key=lambda row: (*_order((row["dataset"], row["model"], row["method"])),
                                                       row["length"]))]
    title = f"Training length, {'fMRI' if is_fmri else 'EEG'} (teacher-forced, as published)"
    return PaperTable(number, title, ("dataset", "model", "method", "length", "seeds", *names, "published bleu1"),
                      tuple(lines), "'longer' is three times the epochs at a third of the learning rate.")


def _published_length(row: Row, is_fmri: bool) -> float | None:
    epochs = {("unicorn", "1x"): "10", ("unicorn_random_encoder", "1x"): "20",
              ("unicorn_random_encoder", "longer"): "30"} if is_fmri else {
        (model, length): number for model in ("unicorn", "eeg2text")
        for length, number in (("1x", "50"), ("longer", "80"))}
    number = epochs.get((row["model"], row["length"]))
    paper = "narratives" if is_fmri else "zuco"
    found = number and published_scores("longer_training", paper, row["model"], method=row["method"], epochs=number)
    return found["bleu1"] if found else None


def _order(key: Sequence[str]) -> tuple[Any, ...]:
    dataset, model, method = key
    return dataset, model, (method == "optimal", method)
