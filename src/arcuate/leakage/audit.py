"""Audit a split: every rate and every check, one verdict."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from arcuate.errors import ArcuateError, UnknownName
from arcuate.leakage.checks import CHECKS
from arcuate.leakage.evidence import Evidence, NotChecked, Settings
from arcuate.leakage.findings import SEVERITIES, CheckRun, Finding, Findings
from arcuate.leakage.gather import Gathered, gather, read_statistics
from arcuate.leakage.rates import Over, mean_rates, rates
from arcuate.metrics.signature import signature
from arcuate.samples.read import read_samples
from arcuate.samples.table import SampleTable
from arcuate.splits.record import Split

if TYPE_CHECKING:
    from arcuate.signals.store import SignalStore


def audit(
    table: Any, split: Any = None, *, over: Over = "all", window: int | None = None, where: Iterable[str] = (),
    checks: Sequence[str] | None = None, settings: Settings | Mapping[str, Any] | None = None,
    signals: SignalStore | str | Path | None = None, statistics: Sequence[str | Path | Mapping[str, Any]] = (),
    name: str | None = None,
) -> Findings:
    """Find every leak in a split.

    Parameters
    ----------
    table
        A `SampleTable`, a file, or a frame of any library (pandas, polars, pyarrow, DuckDB, Dask, PySpark).
    split
        A `Split`, a file, a folder or mapping of ids; None where the table has a `part` column.
    over
        What the rates' mean runs over: 'all' subjects (texts) of the dataset, or those in 'test'.
    window, where
        As for `read_samples`.
    checks
        Names from `arcuate.leakage.checks.CHECKS`; all by default.
    settings
        Thresholds (`arcuate.leakage.evidence.Settings`), or a mapping of those that shall differ from the
        default; the ratio is the one in the split's manifest where none is given.
    signals
        A signal store, to look for identical, constant and NaN signals.
    statistics
        Files or records that say what normalisation was fitted on.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.DataFrame({"subject": ["a", "a", "b", "c"], "text": ["One.", "Two.", "Three.", "One!"],
    ...                      "part": ["train", "train", "test", "test"]})
    >>> found = audit(rows)
    >>> found.verdict, found.rates.bslr["test_train"], found.of("leak")[0].check
    ('leak', 0.0, 'text-overlap')
    >>> audit(rows, {"train": ["0", "1", "3"], "test": ["2"]}).raise_on_leak().verdict
    'clean'
    """
    samples = table if isinstance(table, SampleTable) else read_samples(table, window=window, where=where)
    chosen = _chosen(checks)
    about = read_statistics(statistics)
    folds = list(gather(samples, split, _store(signals)))
    limits = _limits(settings, folds[0].manifest)
    found: list[Finding] = []
    for fold in folds:
        findings, runs = _checked(fold, chosen, limits, about)
        found += findings
    each = tuple(rates(fold.tally, over) for fold in folds)
    return Findings(
        name=name or _name(split, samples), rates=mean_rates(each), findings=tuple(sorted(found, key=_worst_first)),
        checks=runs, signature=_signature(samples, folds, over, chosen, limits),
        sizes=folds[0].tally.sizes, manifest=folds[0].manifest or {},
        tallies=tuple(fold.tally for fold in folds), fold_rates=each if len(each) > 1 else (),
    )


def _checked(
    fold: Gathered, checks: Sequence[str], settings: Settings, statistics: tuple[Mapping[str, Any], ...]
) -> tuple[list[Finding], tuple[CheckRun, ...]]:
    """Run the checks on one fold."""
    evidence = Evidence(
        tally=fold.tally, windows=fold.windows, signals=fold.signals, statistics=statistics,
        split_sha256=fold.split_sha256, settings=settings,
    )
    findings: list[Finding] = []
    runs = []
    for name in checks:
        try:
            findings += [replace(finding, fold=fold.fold) for finding in CHECKS[name].run(evidence)]
            runs.append(CheckRun(name, True))
        except NotChecked as reason:
            runs.append(CheckRun(name, False, str(reason)))
    return findings, tuple(runs)


def _limits(settings: Settings | Mapping[str, Any] | None, manifest: Mapping[str, Any] | None) -> Settings:
    if isinstance(settings, Settings):
        return settings
    return replace(_from_manifest(manifest), **(settings or {}))


def _chosen(checks: Sequence[str] | None) -> list[str]:
    names = list(CHECKS) if checks is None else list(checks)
    for name in names:
        if name not in CHECKS:
            raise UnknownName("Check", name, CHECKS)
    return names


def _from_manifest(manifest: Mapping[str, Any] | None) -> Settings:
    """The ratio that the split was asked for, where its manifest says so."""
    options = (manifest or {}).get("options") or {}
    ratio = options.get("ratio")
    if ratio is None or options.get("ratio_of", "samples") != "samples":
        return Settings()
    try:
        values = tuple(float(value) for value in (ratio.split(":") if isinstance(ratio, str) else ratio))
    except (TypeError, ValueError) as error:
        raise ArcuateError(f"The manifest's ratio is {ratio!r}. Make the split again.") from error
    return Settings(ratio=values, tolerance=float(options.get("tolerance") or Settings.tolerance))


def _store(signals: SignalStore | str | Path | None) -> SignalStore | None:
    if not isinstance(signals, str | os.PathLike):
        return signals
    from arcuate.signals.store import SignalStore

    return SignalStore.open(signals)


def _name(split: Any, table: SampleTable) -> str:
    if isinstance(split, str | os.PathLike):
        return str(split)
    if isinstance(split, Split):
        return f"split {split.manifest.get('method', 'given')}"
    return table.source if split is None else "the given split"


def _worst_first(finding: Finding) -> tuple[int, int, int]:
    fold = -1 if finding.fold is None else finding.fold
    return SEVERITIES.index(finding.severity), list(CHECKS).index(finding.check), fold


def _signature(
    table: SampleTable, folds: Sequence[Gathered], over: str, checks: Sequence[str], settings: Settings
) -> str:
    splits = [fold.split_sha256 for fold in folds if fold.split_sha256]
    near = "off" if settings.near_duplicates is None else settings.near_duplicates
    return signature(
        audit="all-checks" if len(checks) == len(CHECKS) else "+".join(checks), over=over, unit=table.unit,
        window=table.window, near=near, ngram=settings.ngram, response=settings.response_s,
        counts=folds[0].tally.hash[:12], split=splits[0][:12] if splits else None,
        folds=len(folds) if len(folds) > 1 else None,
    )
