"""The registry of datasets of brain responses: a dataset is one file and one line here."""

from __future__ import annotations

from arcuate.datasets.alice import ALICE, ALICE_6MM
from arcuate.datasets.cognival import COGNIVAL
from arcuate.datasets.dehghani2017 import DEHGHANI2017
from arcuate.datasets.mitchell2008 import MITCHELL2008
from arcuate.datasets.narratives.responses import NARRATIVES
from arcuate.datasets.nifti_events import NIFTI
from arcuate.datasets.pereira2018 import PEREIRA2018
from arcuate.datasets.response_dataset import ResponseDataset
from arcuate.datasets.wehbe2014 import WEHBE2014
from arcuate.errors import UnknownName

RESPONSE_READERS: dict[str, ResponseDataset] = {
    MITCHELL2008.name: MITCHELL2008,
    DEHGHANI2017.name: DEHGHANI2017,
    ALICE.name: ALICE,
    ALICE_6MM.name: ALICE_6MM,
    WEHBE2014.name: WEHBE2014,
    **COGNIVAL,
    **PEREIRA2018,
    **NARRATIVES,
    NIFTI.name: NIFTI,
}

# The names of the datasets in Beinborn et al. 2019.
ALIASES = {d.paper_name: name for name, d in RESPONSE_READERS.items() if d.paper_name}


def response_dataset(name: str) -> ResponseDataset:
    """The dataset called `name`, or by its name in the paper.

    Examples
    --------
    >>> response_dataset("words").name
    'mitchell2008'
    >>> response_dataset("tales")
    Traceback (most recent call last):
    arcuate.errors.UnknownName: dataset 'tales' is not known. Known: ...
    """
    name = ALIASES.get(name, name)
    if name not in RESPONSE_READERS:
        raise UnknownName("dataset", name, RESPONSE_READERS)
    return RESPONSE_READERS[name]
