"""The sentence lists of ZuCo 1.0, as its task materials hold them: three files, three dialects."""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from arcuate.datasets.text_files import read_rows, read_text
from arcuate.errors import ArcuateError

CONTROL = "CONTROL"
LISTED = "sentences.csv"


@dataclass(frozen=True)
class ListedSentence:
    """A sentence of a task; `index` is its row in the list and in the results files."""

    task: str
    index: int
    sentence_id: str
    paragraph_id: str
    sentence: str
    control: str
    label: str


def read_materials(root: Path) -> list[ListedSentence]:
    """All sentences of the tasks whose lists lie under `root`, in the order SR, NR, TSR.

    Reads the original files where there are any, else a `sentences.csv` made from them.

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> _ = (root / "sentiment_labels_task1.csv").write_bytes(
    ...     b"sentence_id;sentence;control;sentiment_label\\r\\n# -1 = negative\\r\\n5;Slow; silly.;;0\\r\\n")
    >>> read_materials(root)
    Traceback (most recent call last):
    arcuate.errors.ArcuateError: ...sentiment_labels_task1.csv, line 3: 5 fields... Fetch the file again.
    """
    sentences: list[ListedSentence] = []
    for task, (name, parse) in ORIGINALS.items():
        paths = sorted(root.rglob(name))
        if len(paths) > 1:
            raise ArcuateError(f"{paths[0]} and {paths[1]} are the same list twice. Name the folder of one.")
        if paths:
            sentences += [_listed(paths[0], task, index, row) for index, row in enumerate(parse(paths[0]))]
    if not sentences and (root / LISTED).is_file():
        return _read_listed(root / LISTED)
    return sentences


Fields = tuple[str, str, str, str, str]  # sentence_id, paragraph_id, sentence, control, label


def _listed(path: Path, task: str, index: int, fields: Fields) -> ListedSentence:
    sentence_id, paragraph_id, sentence, control, label = fields
    if not sentence.strip():
        raise ArcuateError(f"{path}: sentence {index} of {task} is empty. Fetch the file again.")
    return ListedSentence(task, index, sentence_id, paragraph_id, sentence, control, label)


def _records(path: Path, delimiter: str, sizes: tuple[int, ...]) -> list[list[str]]:
    """Rows below the header without remarks; each must have one of the sizes the real file has."""
    rows = csv.reader(read_text(path).splitlines()[1:], delimiter=delimiter)
    records = []
    for row in rows:
        if not row or row[0].startswith("#"):
            continue
        if len(row) not in sizes:
            raise ArcuateError(
                f"{path}, line {rows.line_num + 1}: {len(row)} fields, expected "
                f"{' or '.join(map(str, sizes))}. Fetch the file again."
            )
        records.append(row)
    return records


def _sentiment(path: Path) -> list[Fields]:
    # Five rows, those with a semicolon in the sentence, lack the control column.
    rows = [row if len(row) == 4 else [*row[:2], "", row[2]] for row in _records(path, ";", (3, 4))]
    return [(row[0], "", row[1], row[2], row[3]) for row in rows]


def _normal_relations(path: Path) -> list[Fields]:
    return [(row[0], row[1], row[2], row[3], row[4]) for row in _records(path, ",", (5,))]


def _specific_relations(path: Path) -> list[Fields]:
    # The header names three columns, the rows have four; control sentences have no relation.
    return [
        (row[0], row[1], row[2], *((CONTROL, "") if row[3] == CONTROL else ("", row[3])))
        for row in _records(path, ";", (4,))
    ]


def _read_listed(path: Path) -> list[ListedSentence]:
    names = ("sentence_id", "paragraph_id", "sentence", "control", "label")
    rows = read_rows(path, ",", ("task", "index", *names))
    return [
        _listed(path, row["task"], int(row["index"]), tuple(row[n] for n in names))  # type: ignore[arg-type]
        for row in rows
    ]


ORIGINALS: dict[str, tuple[str, Callable[[Path], list[Fields]]]] = {
    "SR": ("sentiment_labels_task1.csv", _sentiment),
    "NR": ("relations_labels_task2.csv", _normal_relations),
    "TSR": ("relations_labels_task3.csv", _specific_relations),
}


def read_duplicates(path: Path) -> list[tuple[str, str, str]]:
    """(sentence, id in NR, id in TSR) of the list of sentences in both tasks; CR line ends, BOM.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "duplicate_sentences.csv"
    >>> _ = path.write_bytes("sentence,a,b\\rHe won.,5-4,231-4".encode("utf-8-sig"))
    >>> read_duplicates(path)
    [('He won.', '5-4', '231-4')]
    """
    return [(row[0].strip(), row[1].strip(), row[2].strip()) for row in _records(path, ",", (3,))]
