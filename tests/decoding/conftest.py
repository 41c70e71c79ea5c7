"""Fixtures: the tiny datasets, written once."""

from __future__ import annotations

import pytest
from tests.decoding.tiny import Tiny, eeg_dataset, fmri_dataset


@pytest.fixture(scope="session")
def eeg(tmp_path_factory) -> Tiny:
    return eeg_dataset(tmp_path_factory.mktemp("eeg"))


@pytest.fixture(scope="session")
def fmri(tmp_path_factory) -> Tiny:
    return fmri_dataset(tmp_path_factory.mktemp("fmri"))
