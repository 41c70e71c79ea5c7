"""What a dataset of signals and texts is: one frozen record a dataset, made in that dataset's file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from arcuate.datasets.prepared import Plan
from arcuate.errors import ArcuateError


@dataclass(frozen=True, kw_only=True)
class SignalDataset:
    """A dataset: what it is, where it comes from, and how its files become samples and signals.

    Parameters
    ----------
    name : str, as in `arcuate prepare NAME`
    title : str, the people and the texts in one line
    modality : {"eeg", "fmri", "any"}
    size, licence, source, citation : str, as far as they are known
    obtain : the official address or the commands that fetch it
    files : str, what must lie under the root
    options : the frozen dataclass of its options
    plan : (root, options) -> Plan
    find : root -> what is found there in a few words, empty if nothing; cheap, reads no signal

    Examples
    --------
    >>> from arcuate.datasets.registry import DATASETS
    >>> DATASETS["narratives"].modality, sorted(DATASETS["zuco"].option_names)[:2]
    ('fmri', ['keep_partial', 'measure'])
    """

    name: str
    title: str
    modality: str
    size: str
    licence: str
    source: str
    citation: str
    obtain: tuple[str, ...]
    files: str
    options: type[Any]
    plan: Callable[[Path, Any], Plan]
    find: Callable[[Path], str]

    @property
    def option_names(self) -> tuple[str, ...]:
        """The options that its reader knows."""
        return tuple(field.name for field in fields(self.options))

    def plan_for(self, root: str | Path, options: Mapping[str, Any]) -> Plan:
        """Check the root and the options, and plan what to read."""
        root = Path(root)
        if not root.is_dir():
            what = "is a file, not a folder" if root.is_file() else "does not exist"
            raise ArcuateError(f"{self.name}: root {root} {what}. Give the folder that holds {self.files}.")
        for name in options:
            if name not in self.option_names:
                raise ArcuateError(
                    f"{self.name} has no option {name!r}. It has: {', '.join(self.option_names) or 'none'}."
                )
        return replace(self.plan(root, self.options(**options)), dataset=self.name)
