"""Real and control predictions must answer the same questions: the same targets, row by row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from arcuate.decoding.verdict.predictions import Predictions
from arcuate.errors import ArcuateError


def align(real: Predictions, control: Predictions) -> Predictions:
    """The control with its rows in the order of `real`; refused unless every target agrees.

    Rows are matched by `sample` where both files name their samples, by place otherwise.

    Examples
    --------
    >>> real = Predictions("real", ("a b", "c d"), ("x", "y"), samples=("1", "2"))
    >>> control = Predictions("noise", ("c d", "a b"), ("u", "v"), samples=("2", "1"))
    >>> align(real, control).predicted
    ('v', 'u')
    """
    if {real.generation, control.generation} == {"free", "teacher-forced"}:
        raise ArcuateError(
            f"{real.name} is {real.generation} but {control.name} is {control.generation}. "
            "Compare predictions made in the same way."
        )
    if real.samples and control.samples:
        control = _by_sample(real, control)
    if len(real.targets) != len(control.targets):
        raise ArcuateError(
            f"{real.name} has {len(real.targets)} rows but {control.name} has {len(control.targets)}. "
            "Give predictions for the same samples, or name the samples in a column 'sample' in both."
        )
    _refuse_differences("target", real, control, real.targets, control.targets)
    if real.subjects and control.subjects:
        _refuse_differences("subject", real, control, real.subjects, control.subjects)
    return control


def _by_sample(real: Predictions, control: Predictions) -> Predictions:
    assert real.samples is not None
    assert control.samples is not None
    row_of = {sample: row for row, sample in enumerate(control.samples)}
    for these, those, which in ((real, control, real.samples), (control, real, control.samples)):
        known = set(those.samples or ())
        missing = [sample for sample in which if sample not in known]
        if missing:
            raise ArcuateError(
                f"{len(missing)} samples of {these.name} are not in {those.name}: "
                f"{', '.join(missing[:5])}{', ...' if len(missing) > 5 else ''}. Predict the same samples."
            )
    order = [row_of[sample] for sample in real.samples]
    return replace(
        control,
        targets=tuple(control.targets[row] for row in order),
        predicted=tuple(control.predicted[row] for row in order),
        subjects=control.subjects and tuple(control.subjects[row] for row in order),
        samples=real.samples,
    )


def _refuse_differences(
    column: str, real: Predictions, control: Predictions, left: Sequence[str], right: Sequence[str],
) -> None:
    rows = [row for row, (a, b) in enumerate(zip(left, right, strict=True), start=1) if a.strip() != b.strip()]
    if rows:
        first = rows[0] - 1
        shown = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
        raise ArcuateError(
            f"{real.name} and {control.name} differ in {column!r} in {len(rows)} rows ({shown}). "
            f"Row {rows[0]}: {_cut(left[first])!r} against {_cut(right[first])!r}. "
            "Give both in one order, or name the samples in a column 'sample' in both."
        )


def _cut(text: str, most: int = 40) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
