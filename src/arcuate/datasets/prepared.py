"""What a reader of signals hands on, a run at a time, and the folder that `prepare` makes of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy.typing as npt

from arcuate._version import __version__
from arcuate.atomic import replacing_folder, write_text
from arcuate.errors import ArcuateError, UnknownName
from arcuate.progress import track
from arcuate.signals.store import SignalStore, SignalWriter
from arcuate.signals.write import DTYPES

if TYPE_CHECKING:
    import pyarrow as pa

ABOUT = "dataset.json"
SIGNALS = "signals"


@dataclass(frozen=True, kw_only=True)
class Run:
    """One recording: the rows it gives to the table, and its frames, read only when called for.

    `frames` is absent where the signal is not on disk; then the rows have no `run` and `start`.
    """

    name: str
    rows: Mapping[str, Sequence[Any]]
    frames: Callable[[], npt.ArrayLike] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    rejected: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()

    @property
    def n_rows(self) -> int:
        """How many rows it gives to the table."""
        return len(next(iter(self.rows.values()), ()))

    def without_frames(self) -> Run:
        """The same run; the memory of frames already read is given back."""
        return replace(self, frames=None)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that a dataset's root gives under some options; runs are read as they are asked for."""

    dataset: str
    modality: Literal["eeg", "fmri"]
    kind: Literal["samples", "runs"]
    runs: Iterable[Run]
    n_runs: int
    options: Mapping[str, Any]
    notes: Sequence[str] = ()
    window: int | None = None

    @property
    def table_name(self) -> str:
        """The table's file in the prepared folder."""
        return f"{self.kind}.parquet"


@dataclass(frozen=True, kw_only=True)
class Prepared:
    """What was written, counted: nothing is left out without a line here."""

    folder: Path
    dataset: str
    table: str
    rows: int
    subjects: int
    stories: int
    runs: int
    frames: int
    frame_shape: tuple[int, ...]
    rejected: Mapping[str, int]
    notes: Sequence[str]

    @property
    def has_signals(self) -> bool:
        """Whether there is a signal store beside the table."""
        return self.frames > 0


def gather(plan: Plan) -> pa.Table:
    """The plan's table, without any signal.

    Examples
    --------
    >>> run = Run(name="a", rows={"subject": ["s1"], "text": ["Hello."]})
    >>> gather(Plan(dataset="toy", modality="eeg", kind="samples", runs=[run], n_runs=1, options={})).to_pylist()
    [{'subject': 's1', 'text': 'Hello.'}]
    """
    runs = track(plan.runs, f"Reading {plan.dataset}", total=plan.n_runs)
    return _table(plan, [run.without_frames() for run in runs])


def write_prepared(plan: Plan, out: str | Path, dtype: Literal["float16", "float32"] = "float32") -> Prepared:
    """Write the table, the signal store where there are signals, and `dataset.json`; all or nothing.

    Examples
    --------
    >>> import tempfile
    >>> rows = {"subject": ["s1"], "text": ["Hello."], "run": ["a"], "start": [0], "n_frames": [2]}
    >>> run = Run(name="a", rows=rows, frames=lambda: [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
    >>> plan = Plan(dataset="toy", modality="eeg", kind="samples", runs=[run], n_runs=1, options={})
    >>> done = write_prepared(plan, Path(tempfile.mkdtemp()) / "toy")
    >>> done.rows, done.frames, done.frame_shape, sorted(path.name for path in done.folder.iterdir())
    (1, 2, (3,), ['dataset.json', 'samples.parquet', 'signals'])
    """
    import pyarrow.parquet as pq

    out = Path(out)
    if dtype not in DTYPES:  # also where there turns out to be no signal to store
        raise UnknownName("Signal type", str(dtype), DTYPES)
    with replacing_folder(out) as folder:
        kept, store = _write_signals(plan, folder, dtype)
        table = _table(plan, kept)
        pq.write_table(table, folder / plan.table_name)
        prepared = Prepared(
            folder=out, dataset=plan.dataset, table=plan.table_name, rows=len(table),
            subjects=_distinct(table, "subject"), stories=_distinct(table, "story"), runs=len(kept),
            frames=store.total_frames if store else 0, frame_shape=store.frame_shape if store else (),
            rejected=dict(sum((Counter(run.rejected) for run in kept), Counter())),
            notes=[*plan.notes, *(note for run in kept for note in run.notes)],
        )
        write_text(folder / ABOUT, json.dumps(_about(plan, prepared, store, dtype), indent=2) + "\n")
    return prepared


def _write_signals(plan: Plan, folder: Path, dtype: Any) -> tuple[list[Run], SignalStore | None]:
    """Runs without their frames, in order; the store appears with the first run that has frames."""
    kept: list[Run] = []
    writer: SignalWriter | None = None
    try:
        for run in track(plan.runs, f"Preparing {plan.dataset}", total=plan.n_runs):
            if run.frames is not None and run.n_rows:
                writer = writer or SignalWriter(folder / SIGNALS, dtype=dtype).__enter__()
                writer.add(run.name, run.frames(), run.meta)
            kept.append(run.without_frames())
    except BaseException as error:
        if writer:
            writer.__exit__(type(error), error, error.__traceback__)
        raise
    if writer is None:
        return kept, None
    writer.__exit__(None, None, None)
    return kept, SignalStore.open(folder / SIGNALS)


def _table(plan: Plan, runs: Sequence[Run]) -> pa.Table:
    import pyarrow as pa

    tables = [pa.table(dict(run.rows)) for run in runs if run.n_rows]
    if not tables:
        raise ArcuateError(
            f"{plan.dataset}: no usable row is left ({_reasons(runs)}). Check the root and the filters."
        )
    return pa.concat_tables(tables, promote_options="permissive").combine_chunks()


def _reasons(runs: Sequence[Run]) -> str:
    counts = sum((Counter(run.rejected) for run in runs), Counter())
    return "; ".join(f"{n} × {reason}" for reason, n in counts.most_common(4)) or f"{len(runs)} runs were found"


def _distinct(table: pa.Table, column: str) -> int:
    return len(table[column].unique()) if column in table.column_names else 0


def _about(plan: Plan, prepared: Prepared, store: SignalStore | None, dtype: str) -> dict[str, Any]:
    return {
        "name": plan.dataset, "modality": plan.modality, "table": prepared.table, "kind": plan.kind,
        "window": plan.window, "signals": SIGNALS if store else None,
        "frame_shape": list(prepared.frame_shape), "dtype": dtype if store else None,
        "signals_sha256": store.sha256 if store else None, "options": dict(plan.options),
        "counts": {"rows": prepared.rows, "subjects": prepared.subjects, "stories": prepared.stories,
                   "runs": prepared.runs, "frames": prepared.frames},
        "rejected": dict(sorted(prepared.rejected.items())), "notes": list(prepared.notes),
        "arcuate": __version__,
    }
