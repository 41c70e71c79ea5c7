"""The record of what a decoder said: written as CSV with its settings beside it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arcuate.atomic import write_text


@dataclass(frozen=True, kw_only=True)
class Predictions:
    """One row a sample; either free-running or teacher-forced, and the name of the column says which."""

    subject: tuple[str, ...]
    sample: tuple[str, ...]
    target: tuple[str, ...]
    predicted: tuple[str, ...]
    teacher_forced: bool
    settings: Mapping[str, Any]
    signature: str

    @property
    def column(self) -> str:
        """The name of the predicted column in files."""
        return "predicted_teacher_forced" if self.teacher_forced else "predicted_free"

    def write(self, path: str | Path) -> Path:
        """Write `path` (CSV or TSV) and `path` + ".json" with settings and signature.

        Examples
        --------
        >>> import tempfile
        >>> said = Predictions(subject=("s1",), sample=("0",), target=("the cat",), predicted=("a cat",),
        ...                    teacher_forced=False, settings={"beams": 1}, signature="model:x")
        >>> print(said.write(Path(tempfile.mkdtemp()) / "p.csv").read_text())
        subject,sample,target,predicted_free
        s1,0,the cat,a cat
        <BLANKLINE>
        """
        path = Path(path)
        out = io.StringIO()
        writer = csv.writer(out, delimiter="\t" if path.suffix == ".tsv" else ",", lineterminator="\n")
        writer.writerow(["subject", "sample", "target", self.column])
        writer.writerows(zip(self.subject, self.sample, self.target, self.predicted, strict=True))
        write_text(path, out.getvalue())
        about = {"settings": dict(self.settings), "signature": self.signature}
        write_text(path.with_name(path.name + ".json"), json.dumps(about, indent=1))
        return path
