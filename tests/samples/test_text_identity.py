"""When two texts are the same, against hand-made cases and the real ZuCo sentence list."""

import csv
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcuate.samples.text_identity import text_key, text_name, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hello, world!", "hello WORLD"),
        ("ﬁne", "fine"),
        ("e\u0301t\u00e9", "\u00e9te\u0301"),
        ("STRASSE", "straße"),
        ("40 km²", "40 km˝"),
        ("don’t", "don't"),
        ("a\u00a0b", "a b"),
    ],
)
def test_same_text(one, other):
    assert text_key(one) == text_key(other)


@pytest.mark.parametrize(("one", "other"), [("cat 1", "cat 2"), ("Müller", "Muller"), ("猫", "犬")])
def test_different_text(one, other):
    assert text_key(one) != text_key(other)


@given(st.text())
def test_key_is_stable_and_made_of_letters_and_digits(text):
    key = text_key(text)
    assert text_key(key) == key
    assert text_key(text.upper()) == text_key(text.upper().lower())
    assert all(character.isalnum() for character in key)


@given(st.text(alphabet=st.characters(codec="ascii")))
def test_the_fast_way_for_ascii_agrees_with_the_general_one(text):
    slow = unicodedata.normalize("NFKC", text).casefold()
    assert text_key(text) == "".join(c for c in slow if c.isalnum())


def test_key_is_the_words_joined():
    assert "".join(words("One, two — three")) == text_key("One, two — three") == "onetwothree"


def test_names_differ_where_keys_do():
    assert text_name("a") != text_name("b")


def test_zuco_has_1039_texts_of_which_47_are_in_both_reading_tasks(shared_data):
    with open(shared_data / "zuco" / "sentences.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    tasks: dict[str, set[str]] = {}
    for row in rows:
        tasks.setdefault(text_key(row["sentence"]), set()).add(row["task"])
    assert len(rows) == 1107
    assert len(tasks) == 1039
    assert sum({"NR", "TSR"} <= seen for seen in tasks.values()) == 47
