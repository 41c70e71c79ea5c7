"""What is finished of a long evaluation, one file a subject and set of features: a killed run goes on from there."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import numpy as np

from arcuate.atomic import replacing
from arcuate.encoding.result import Cell, Evaluated, Measured


def write_finished(folder: Path | None, made_from: str, done: Evaluated) -> None:
    """Keep an evaluation under the fingerprint of all that it was made from; nothing without a folder.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> cells = {Cell("rsa", "pearson", None, None, "all"): Measured(0.5, 9)}
    >>> write_finished(folder, "ab12", Evaluated("1", "glove", cells, np.zeros((3, 1)), {"1/glove/r": np.ones(2)}))
    >>> found = read_finished(folder, "ab12")
    >>> found.cells == cells, found.maps["1/glove/r"].tolist(), read_finished(folder, "cd34")
    (True, [1.0, 1.0], None)
    """
    if folder is None:
        return
    cells = [[*cell, one.value, one.n, one.ties, one.undefined] for cell, one in done.cells.items()]
    about = json.dumps({"subject": done.subject, "features": done.features, "cells": cells, "maps": list(done.maps)})
    maps = {f"map{k}": values for k, values in enumerate(done.maps.values())}
    with replacing(_path(folder, made_from)) as temporary, open(temporary, "wb") as file:
        np.savez(file, about=np.array(about), null=done.null, **maps)  # type: ignore[arg-type]


def read_finished(folder: Path | None, made_from: str) -> Evaluated | None:
    """What was kept under this fingerprint, if anything; a file that cannot be read counts as nothing."""
    if folder is None or not _path(folder, made_from).is_file():
        return None
    try:
        with np.load(_path(folder, made_from), allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            cells = {Cell(*row[:5]): Measured(*row[5:]) for row in about["cells"]}
            maps = {name: file[f"map{k}"] for k, name in enumerate(about["maps"])}
            return Evaluated(about["subject"], about["features"], cells, file["null"], maps)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None


def _path(folder: Path, made_from: str) -> Path:
    return folder / f"{made_from[:32]}.npz"
