"""What an audit said of a split, read from its JSON where the audit itself cannot run."""

from __future__ import annotations

import json
import re
from pathlib import Path

from arcuate.decoding.data import split_hashes
from arcuate.errors import ArcuateError


def read_audit(file: str | Path, split: str | Path) -> str:
    """'clean' or 'leak', as `arcuate audit --json` said; an audit of another split is refused.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "s.csv").write_text("sample,part\\n1,train\\n2,test\\n")
    >>> known = sorted(split_hashes(folder / "s.csv"))[0]
    >>> _ = (folder / "a.json").write_text(json.dumps({"verdict": "clean", "signature": f"split:{known[:12]}|x:1"}))
    >>> read_audit(folder / "a.json", folder / "s.csv")
    'clean'
    """
    try:
        found = json.loads(Path(file).read_text(encoding="utf-8"))
        verdict, line = found["verdict"], str(found["signature"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ArcuateError(
            f"{file} is not what 'arcuate audit --json' prints ({type(error).__name__}). Make it again."
        ) from error
    match = re.search(r"(?:^|\|)split:([0-9a-f]+)", line)
    hashes = split_hashes(split)
    if match is None or not any(known.startswith(match.group(1)) for known in hashes):
        seen = match.group(1) if match else "none"
        raise ArcuateError(
            f"{file} is the audit of another split ({seen}) than {split} ({sorted(hashes)[0][:12]}). "
            "Audit this split."
        )
    if verdict not in ("clean", "leak"):
        raise ArcuateError(f"{file}: the verdict is {verdict!r}, not 'clean' or 'leak'.")
    return str(verdict)
