"""Every check, by name: adding one is one file and one line here."""

from __future__ import annotations

from dataclasses import dataclass

from arcuate.leakage.checks.ambiguous_ids import ambiguous_ids
from arcuate.leakage.checks.fitted_on_all import fitted_on_all
from arcuate.leakage.checks.identical_signals import identical_signals
from arcuate.leakage.checks.imbalance import imbalance
from arcuate.leakage.checks.near_duplicate_text import near_duplicate_text
from arcuate.leakage.checks.ngram_overlap import ngram_overlap
from arcuate.leakage.checks.subject_overlap import subject_overlap
from arcuate.leakage.checks.text_overlap import text_overlap
from arcuate.leakage.checks.window_overlap import closer_than_response, window_overlap
from arcuate.leakage.evidence import Check


@dataclass(frozen=True)
class Registered:
    """A check, what it asks in plain words, and what to do when it fires."""

    run: Check
    question: str
    remedy: str


_SPLIT = "Split again so that no subject and no text is on both sides: arcuate split --method optimal."

CHECKS: dict[str, Registered] = {
    "subject-overlap": Registered(subject_overlap, "Is a subject on both sides?", _SPLIT),
    "text-overlap": Registered(text_overlap, "Is a text on both sides?", _SPLIT),
    "near-duplicate-text": Registered(
        near_duplicate_text, "Do texts on two sides differ by a word or punctuation only?",
        "Split again with near-duplicates as one text: arcuate split --near-duplicates 0.8.",
    ),
    "window-overlap": Registered(
        window_overlap, "Do windows of one run overlap across the parts?", _SPLIT),
    "closer-than-response": Registered(
        closer_than_response, "Are windows of one run closer than the haemodynamic response?",
        "Leave a gap of at least 10 s between parts of one run, or split by subject and story.",
    ),
    "ngram-overlap": Registered(
        ngram_overlap, "Do texts on two sides share long passages?",
        "Put texts with shared passages on one side: declare them with arcuate split --same-text A=B.",
    ),
    "identical-signals": Registered(
        identical_signals, "Does one signal stand under two samples, or hold nothing?",
        "Find out which recording is the copy, and remove it before you split.",
    ),
    "fitted-on-all": Registered(
        fitted_on_all, "Were normalisation, PCA or voxel selection fitted on training samples only?",
        "Fit every statistic on the training part of this very split.",
    ),
    "imbalance": Registered(
        imbalance, "Are the parts whole, in ratio, and alike?",
        "Choose the ratio or another seed; report what differs.",
    ),
    "ambiguous-ids": Registered(
        ambiguous_ids, "May two spellings be one subject or story?",
        "Give each subject one spelling throughout the table, then split again.",
    ),
}
