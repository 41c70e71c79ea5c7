"""What every dataset of brain responses promises."""

from __future__ import annotations

import pytest

from arcuate.datasets.response_readers import ALIASES, RESPONSE_READERS, response_dataset
from arcuate.errors import ArcuateError


@pytest.mark.parametrize("name", RESPONSE_READERS)
def test_every_dataset_says_what_it_is_and_what_it_needs(name, tmp_path):
    dataset = RESPONSE_READERS[name]
    assert dataset.name == name
    assert all([dataset.title, dataset.licence, dataset.source, dataset.files, dataset.marker])
    assert dataset.kind in ("isolated", "continuous")
    assert not dataset.is_under(tmp_path)
    for call in (lambda: dataset.subjects(tmp_path), lambda: dataset.read(tmp_path, "1")):
        with pytest.raises(ArcuateError, match=str(tmp_path)):
            call()


@pytest.mark.shared
@pytest.mark.parametrize("name", RESPONSE_READERS)
def test_every_dataset_found_reads_every_subject(name, shared_data):
    dataset = RESPONSE_READERS[name]
    if not dataset.is_under(shared_data):
        pytest.skip(f"{name} is not among the real data")
    subjects = dataset.subjects(shared_data).names
    one = dataset.read(shared_data, subjects[-1])
    assert (one.kind, one.subject) == (dataset.kind, subjects[-1])
    with pytest.raises(ArcuateError, match=r"there is no subject 'nobody'\. Found"):
        dataset.read(shared_data, "nobody")


def test_the_papers_names_are_known():
    assert set(ALIASES) == {"words", "stories", "alice", "harry"}
    assert response_dataset("harry").name == "wehbe2014"
