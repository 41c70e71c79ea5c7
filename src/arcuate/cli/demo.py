"""`arcuate demo`: all of it in two minutes, on simulated data."""

from __future__ import annotations

from pathlib import Path

import typer

app = typer.Typer()


@app.command()
def demo(out: Path = typer.Option(Path("demo-out"), help="Folder for the page and all that it is made from.")) -> None:
    """Simulate a dataset, split it as most papers did and leak-free, audit both, decode, judge: one page."""
    from arcuate.atomic import replacing_folder
    from arcuate.experiments.demo import run_demo
    from arcuate.report.audit_page import write_audit_page
    from arcuate.report.demo_page import write_demo_page

    with replacing_folder(out, overwrite=_ours(out)) as folder:
        found = run_demo(folder, typer.echo)
        command = "arcuate audit brain/samples.parquet split-c.csv split-optimal.csv --html audit.html"
        write_audit_page([shown.findings for shown in found.shown], folder / "audit.html", command)
        write_demo_page(found, folder / "index.html")
    typer.echo()
    for shown in found.shown:
        rates = shown.findings.rates
        verdict = shown.verdicts["brain"]
        real, shuffled = (one.scores["rouge1_f"].value for one in (verdict.real, verdict.controls[0]))
        typer.echo(
            f"method {shown.method:<8} audit: {shown.findings.verdict:<6} BSLR {rates.bslr['test_train']:5.1f}  "
            f"TSLR {rates.tslr['test_train']:5.1f}  kept {shown.split.manifest['retained']:6.1%}  "
            f"ROUGE-1 F {real:5.1f} (shuffled {shuffled:.1f})"
        )
    typer.echo(f"\nOpen {out / 'index.html'}; the audit of both splits is in {out / 'audit.html'}.")


def _ours(out: Path) -> bool:
    """A folder that an earlier demo wrote may be written again; anything else is left alone."""
    return (out / "index.html").is_file() and (out / "split-optimal.csv").is_file()
