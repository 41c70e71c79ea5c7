"""`arcuate split`: parse, split, print."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arcuate.errors import ArcuateError

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable
    from arcuate.splits.frontier import Frontier
    from arcuate.splits.record import Split

app = typer.Typer()

@app.command()
def split(
    table: Annotated[Path, typer.Argument(help="Samples table or runs table (CSV, TSV, Parquet, Feather).")],
    method: Annotated[str, typer.Option(help="a, b, c, d, e, f (as published) or optimal.")] = "optimal",
    ratio: Annotated[str, typer.Option(help="Sizes of train:val:test, or of train:test.")] = "8:1:1",
    seed: Annotated[int, typer.Option(help="The same seed gives the same bytes.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Split file, .csv or .parquet; its manifest goes beside it. "
                                                     "With --frontier: .html, .svg, .csv or .json.")] = None,
    tolerance: Annotated[float | None, typer.Option(help="optimal: how far a part's share may be off, "
                                                            "relative to it (0.1).")] = None,
    ratio_of: Annotated[str | None, typer.Option(help="optimal: samples, subjects or texts.")] = None,
    min_subjects: Annotated[int | None, typer.Option(help="optimal: fewest subjects a part.")] = None,
    min_texts: Annotated[int | None, typer.Option(help="optimal: fewest texts a part.")] = None,
    pin: Annotated[list[str] | None, typer.Option(help="optimal: NAME=PART; may be repeated.")] = None,
    stratify: Annotated[str | None, typer.Option(help="optimal: a column whose mix shall be alike in all parts, "
                                                         "as a secondary aim.")] = None,
    time_limit: Annotated[float | None, typer.Option(help="optimal: seconds (25).")] = None,
    smaller: Annotated[str | None, typer.Option(help="f: the side to cut: fewer, subjects or texts.")] = None,
    window: Annotated[int | None, typer.Option(help="Segments a sample spans (L); a runs table needs it.")] = None,
    near_duplicates: Annotated[str, typer.Option(help="Texts with this word 3-shingle Jaccard or more are one; "
                                                      "or off.")] = "0.8",
    ngram: Annotated[str, typer.Option(help="Texts with so many words in a row in common are one, for f, optimal "
                                            "and folds; or off.")] = "8",
    same_text: Annotated[list[str] | None, typer.Option(help="A=B: two texts or stories that are one; "
                                                                "may be repeated.")] = None,
    where: Annotated[list[str] | None, typer.Option(help="COLUMN=VALUE: only these rows; may be repeated.")] = None,
    folds: Annotated[int | None, typer.Option(help="K folds, cross-subject and cross-text.")] = None,
    scheme: Annotated[str, typer.Option(help="diagonal (K folds) or grid (K x K, each sample tested once).")]
    = "diagonal",
    repeats: Annotated[int, typer.Option(help="How often to make the folds, with other blocks.")] = 1,
    frontier: Annotated[bool, typer.Option("--frontier", help="Training data kept against test size.")] = False,
    test_shares: Annotated[str | None, typer.Option(help="With --frontier: at which, as in 0.05,0.1,0.2.")] = None,
    check: Annotated[Path | None, typer.Option(help="A split file: does it still fit this table?")] = None,
    indices: Annotated[Path | None, typer.Option(help="Also write row numbers by part, as JSON, for PyTorch.")]
    = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Split TABLE so that no subject and no text is on two sides, and keep the most data."""
    options = {"tolerance": tolerance, "ratio_of": ratio_of, "min_subjects": min_subjects, "min_texts": min_texts,
              "pins": tuple(pin) if pin else None, "time_limit": time_limit, "stratify": stratify, "smaller": smaller}
    given = {name: value for name, value in options.items() if value is not None}
    reading = {"window": window, "near_duplicates": _number(near_duplicates, "near-duplicates", 0.8),
               "same_text": same_text or [], "where": where or []}
    words = _number(ngram, "ngram", 8)
    _refuse_conflicts(frontier=frontier, folds=folds, check=check, method=method, indices=indices, scheme=scheme,
                      repeats=repeats, test_shares=test_shares, smaller=smaller)
    if check is not None:
        _check(table, check, reading, as_json)
        return
    if frontier:
        _frontier(_together(_read(table, reading), words), ratio, seed, given, test_shares, out, as_json)
        return
    if out is not None:
        from arcuate.splits.record import check_ending

        check_ending(out)  # before the work, not after it
    samples = _read(table, reading)
    if folds is not None:
        samples = _together(samples, words)
        made = _folds(samples, folds, scheme, repeats, seed, method, ratio, given)
    else:
        from arcuate.splits.methods import LEAK_FREE, method_of

        samples = _together(samples, words) if method in LEAK_FREE else samples
        made = method_of(method, ratio, seed, **given).split(samples)
    if made.manifest["table"] is not None:
        made.manifest["table"]["read"] = {**reading, "ngram": words}
    _write(made, out, indices)
    if as_json:
        typer.echo(json.dumps({**made.manifest, "out": str(out) if out else None}, ensure_ascii=False))
    else:
        _show(made, samples, out)


def _refuse_conflicts(**asked: Any) -> None:
    """Options that would be ignored are refused instead."""
    modes = [name for name in ("frontier", "folds", "check") if asked[name]]
    if len(modes) > 1:
        raise ArcuateError(f"--{' and --'.join(modes)} are different questions. Ask one at a time.")
    given = {"method": asked["method"] != "optimal", "indices": asked["indices"] is not None,
             "smaller": asked["smaller"] is not None, "scheme": asked["scheme"] != "diagonal",
             "repeats": asked["repeats"] != 1, "test-shares": asked["test_shares"] is not None}
    unused = {"frontier": ("method", "indices", "smaller", "scheme", "repeats"), "folds": ("test-shares",),
              "check": tuple(given)}.get(modes[0] if modes else "", ("scheme", "repeats", "test-shares"))
    for option in unused:
        if given[option]:
            what = f"--{modes[0]} takes no" if modes else "without --folds or --frontier there is no use for"
            raise ArcuateError(f"{what} --{option}. Leave it out.")


def _number(asked: str, option: str, example: float) -> float | None:
    """A number of the same kind as `example`, or None for 'off'."""
    if asked == "off":
        return None
    try:
        return type(example)(asked)
    except ValueError as error:
        raise ArcuateError(f"--{option} is {asked!r}. Give a number such as {example}, or off.") from error


def _together(samples: SampleTable, ngram: float | None) -> SampleTable:
    from arcuate.splits.together import kept_together

    return kept_together(samples, None, None if ngram is None else int(ngram))


def _read(path: Path, reading: dict[str, Any]) -> SampleTable:
    from arcuate.samples.read import read_samples

    return read_samples(path, **reading)


def _folds(
    samples: SampleTable, folds: int, scheme: str, repeats: int, seed: int, method: str, ratio: str,
    given: dict[str, Any],
) -> Split:
    from arcuate.splits.folds import CrossFolds

    if given or method != "optimal" or ratio != "8:1:1":
        asked = [f"--{name.replace('_', '-')}" for name in given]
        asked += ["--method"] * (method != "optimal") + ["--ratio"] * (ratio != "8:1:1")
        raise ArcuateError(f"--folds makes its own blocks and takes no {', '.join(asked)}. Leave it out.")
    return CrossFolds(folds=folds, scheme=scheme, repeats=repeats, seed=seed).split(samples)


def _write(made: Split, out: Path | None, indices: Path | None) -> None:
    from arcuate.atomic import write_text
    from arcuate.splits.record import write_split

    if out is not None:
        write_split(made, out)
    if indices is not None:
        numbers = {str(n): made.fold(n).indices() for n in made.folds} if made.folds else made.indices()
        write_text(indices, json.dumps(numbers) + "\n")


def _show(made: Split, samples: SampleTable, out: Path | None) -> None:
    from rich.console import Console
    from rich.table import Table

    known = made.manifest
    console = Console()
    console.print(f"{samples.source}: {samples.describe()}", highlight=False, soft_wrap=True)
    grid = Table(title=f"method {known['method']}, seed {known['seed']}", title_justify="left")
    grid.add_column("part")
    for name in ("samples", "of kept", "subjects", "texts"):
        grid.add_column(name, justify="right")
    for number, name in enumerate(known["parts"]):
        grid.add_row(name, f"{known['counts'][name]:,}", f"{known['ratios']['samples'][number]:.1%}",
                     f"{known['subjects'][name]:,}", f"{known['texts'][name]:,}")
    grid.add_row("dropped", f"{known['counts']['dropped']:,}", "", "", "")
    console.print(grid)
    for line in _lines(made, out):
        console.print(line, highlight=False, soft_wrap=True)


def _lines(made: Split, out: Path | None) -> list[str]:
    known = made.manifest
    lines = [f"retained {known['retained']:.2%}"]
    if known["bound"] is not None:
        lines[0] += f", no split can keep more than {known['bound']:.2%} (gap {known['gap']:.2%}"
        lines[0] += ", proved optimal)" if known["proved"] else f"; stopped by {known.get('stopped', 'time')})"
    if made.folds:
        lines[0] += f", mean of {len(made.folds)} folds"
    for kind, shares in known["ratios"].items():
        lines.append(f"ratio by {kind}: {' : '.join(f'{share:.1%}' for share in shares)}")
    lines += [f"dropped {count:,}: {reason}" for reason, count in made.reasons().iter_rows()]
    lines.append(known["signature"])
    lines.append(f"written to {out} and {out}.manifest.json" if out else "not written; give --out FILE to keep it")
    return lines


def _check(path: Path, check: Path, reading: dict[str, Any], as_json: bool) -> None:
    from arcuate.splits.check import check_split
    from arcuate.splits.record import find_manifest

    manifest = find_manifest(check) or {}
    stored = (manifest.get("table") or {}).get("read")
    stored = stored and {name: stored[name] for name in reading}
    if stored and reading == {"window": None, "near_duplicates": 0.8, "same_text": [], "where": []}:
        reading = stored  # the split was made from the table as read so
    fit = check_split(check, _read(path, reading))
    if as_json:
        typer.echo(json.dumps({"fits": fit.fits, "checked": list(fit.checked), "problems": list(fit.problems)}))
    else:
        for problem in fit.problems:
            typer.echo(f"{check}: {problem}")
        typer.echo(f"{check} {'fits' if fit.fits else 'does not fit'} {path}")
    if not fit.fits:
        raise typer.Exit(1)


def _frontier(
    samples: SampleTable, ratio: str, seed: int, given: dict[str, Any], test_shares: str | None,
    out: Path | None, as_json: bool,
) -> None:
    from arcuate.splits.frontier import TEST_SHARES, frontier
    from arcuate.splits.optimum import Optimal
    from arcuate.splits.parts import Ratio

    method = Optimal(**{"time_limit": 5.0, **given, "ratio": Ratio.of(ratio), "seed": seed})
    found = frontier(samples, method, TEST_SHARES if test_shares is None else _shares(test_shares))
    if out is not None:
        _write_frontier(found, out)
    if as_json:
        typer.echo(json.dumps(found.as_dict()))
        return
    from rich.console import Console
    from rich.table import Table

    grid = Table(title=f"{samples.source}: training data kept against test size", title_justify="left")
    for name in ("test asked", "test share", "train kept", "test kept", "kept", "bound", "proved"):
        grid.add_column(name, justify="right")
    for point in found.points:
        shares = (point.asked, point.test_share, point.train_kept, point.test_kept, point.retained, point.bound)
        shown = ("yes" if point.proved else "no") if point.feasible else "not possible"
        grid.add_row(*("-" if share is None else f"{share:.1%}" for share in shares), shown)
    Console().print(grid)


def _shares(asked: str) -> list[float]:
    try:
        return [float(share) for share in asked.split(",")]
    except ValueError as error:
        raise ArcuateError(f"--test-shares is {asked!r}. Give shares such as 0.05,0.1,0.2.") from error


def _write_frontier(found: Frontier, out: Path) -> None:
    from arcuate.atomic import replacing, write_text

    if out.suffix == ".json":
        write_text(out, json.dumps(found.as_dict(), indent=2) + "\n")
    elif out.suffix == ".csv":
        import polars as pl

        with replacing(out) as temporary:
            pl.DataFrame(found.as_dict()["points"]).write_csv(temporary)
    else:
        from arcuate.report.frontier import write_frontier

        write_frontier(found, out)
