"""Text from a small grammar: Zipfian words, stories with topics of their own, no sentence twice."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WORDS: dict[str, tuple[str, ...]] = {
    "NAME": tuple("anna boris clara david elena felix greta hugo irene jonas klara leon mona nina oscar petra".split()),
    "NOUN": tuple(
        "bird stone letter horse river lamp child garden coat apple clock door storm boat king song bread wolf "
        "mirror tree wheel basket candle fox ring table drum hat cup feather ladder map nail oven pear queen rope "
        "sailor tower umbrella violin window yarn anchor bell crown dog egg flute goat hammer island jar knife".split()
    ),
    "VERB": tuple(
        "found lost carried broke painted watched heard sold buried stole washed followed opened closed praised "
        "feared loved mended burned hid chased lifted measured named ordered pushed questioned repaired saved "
        "touched visited warmed answered borrowed counted dropped emptied filled guarded hunted".split()
    ),
    "ADJ": tuple(
        "old green quiet heavy bright small angry golden cold hungry strange gentle broken early famous dark soft "
        "proud empty wise clever dusty frozen hollow lonely narrow patient rusty silver tall".split()
    ),
    "ADV": tuple("slowly twice alone again quickly gladly secretly badly often early together bravely".split()),
    "PLACE": tuple("harbour forest kitchen market bridge school mountain cellar station church village desert".split()),
    "PREP": ("near", "behind", "under", "above", "inside", "beside"),
}
TEMPLATES = tuple(
    line.split()
    for line in (
        "the ADJ NOUN VERB the NOUN PREP the PLACE",
        "NAME VERB the ADJ NOUN and the NOUN",
        "NAME and NAME VERB the NOUN ADV",
        "PREP the PLACE the ADJ NOUN VERB NAME",
        "the NOUN of the PLACE VERB NAME ADV",
        "ADV NAME VERB a ADJ NOUN PREP the PLACE",
    )
)
VOCABULARY = tuple(sorted({"the", "a", "of", "and"}.union(*WORDS.values())))
LONGEST = max(len(template) for template in TEMPLATES)


def write_sentences(n: int, rng: np.random.Generator, taken: set[str] | None = None) -> list[str]:
    """`n` distinct sentences about one topic; those in `taken` are avoided, and new ones added to it.

    Within each word class the words follow Zipf's law, in an order drawn anew for each topic.

    Examples
    --------
    >>> write_sentences(2, np.random.default_rng(0))
    ['quickly leon filled a gentle flute near the harbour', 'quickly anna feared a frozen bread inside the school']
    """
    taken = set() if taken is None else taken
    topic = {kind: _zipf_order(words, rng) for kind, words in WORDS.items()}
    sentences: list[str] = []
    while len(sentences) < n:
        template = TEMPLATES[rng.integers(len(TEMPLATES))]
        sentence = " ".join(_draw(topic[slot], rng) if slot in topic else slot for slot in template)
        if sentence not in taken:
            taken.add(sentence)
            sentences.append(sentence)
    return sentences


def word_numbers(text: str) -> list[int]:
    """The place of each word of a simulated text in `VOCABULARY`.

    Examples
    --------
    >>> [VOCABULARY[number] for number in word_numbers("the fox")]
    ['the', 'fox']
    """
    return [_NUMBER[word] for word in text.split()]


_NUMBER = {word: number for number, word in enumerate(VOCABULARY)}


def _zipf_order(words: Sequence[str], rng: np.random.Generator) -> tuple[list[str], np.ndarray]:
    weight = 1.0 / (np.arange(len(words)) + 2.7)
    return [words[i] for i in rng.permutation(len(words))], np.cumsum(weight / weight.sum())


def _draw(topic: tuple[list[str], np.ndarray], rng: np.random.Generator) -> str:
    words, cumulative = topic
    return words[min(int(np.searchsorted(cumulative, rng.random())), len(words) - 1)]
