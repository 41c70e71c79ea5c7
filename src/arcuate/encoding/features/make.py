"""From a name such as "glove" or "rate+smollm2:12" to features whose rows match the responses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from arcuate.datasets.responses import BrainResponses, TimedWords
from arcuate.encoding.align import align
from arcuate.encoding.features.glove import refuse_unknown
from arcuate.encoding.features.language_model import SMOLLM2, locate
from arcuate.encoding.features.model_states import SURPRISAL, n_layers, text_states, word_states
from arcuate.encoding.features.options import FeatureOptions
from arcuate.encoding.features.record import Features
from arcuate.encoding.features.registry import FEATURES, POSITION, FeatureKind, feature_kind, parse_layer
from arcuate.encoding.features.word_properties import positions
from arcuate.encoding.features.words import words_of
from arcuate.errors import ArcuateError
from arcuate.metrics.signature import signature


class Design(NamedTuple):
    """What goes into the regression: row i of `features` explains row i of `responses`.

    The responses are those given, less the stimuli that had no features and were to be left out.
    """

    responses: BrainResponses
    features: Features


def make_features(spec: str, responses: BrainResponses, options: FeatureOptions | None = None) -> Design:
    """Make the features that `spec` names, for every stimulus or scan of `responses`.

    Parameters
    ----------
    spec : str
        A name of `FEATURES`, "position", or a Hugging Face model by name or path, each with ":" and a
        layer where it has layers; several joined by "+" stand side by side as groups for banded ridge.

    Examples
    --------
    >>> read = BrainResponses(dataset="toy", subject="1", kind="isolated", responses=np.eye(2),
    ...                       stimuli=("cat", "dog"))
    >>> made = make_features("random+length", read, FeatureOptions(dimensions=3))
    >>> made.features.values.shape, made.features.groups
    ((2, 4), (('random', 3), ('length', 1)))
    """
    options = options or FeatureOptions()
    names = [name.strip() for name in spec.split("+")]
    if not all(names):
        raise ArcuateError(f"features are {spec!r}. Name one or more, joined by '+'.")
    parts = [_part(name, responses, options) for name in names]
    keep = np.logical_and.reduce([part.keep for part in parts])
    if not keep.any():
        raise ArcuateError(f"{responses.name}: no stimulus has features {spec!r}. Are they in another language?")
    features = concatenate([part.features for part in parts])
    if keep.all():
        return Design(responses, features)
    lost = tuple(note for note in features.notes if "stimuli have no features" in note)
    return Design(_keep_rows(responses, keep, lost), replace(features, values=features.values[keep]))


def concatenate(parts: Sequence[Features]) -> Features:
    """Features side by side; each part keeps its groups, so that banded ridge can weigh them apart.

    Examples
    --------
    >>> both = concatenate([Features("a", np.zeros((2, 1)), "a"), Features("b", np.ones((2, 3)), "b")])
    >>> both.name, both.groups
    ('a+b', (('a', 1), ('b', 3)))
    """
    kinds = {(part.rows, len(part.values)) for part in parts}
    if len(kinds) != 1:
        seen = ", ".join(f"{p.name!r}: {len(p.values)} {p.rows}" for p in parts)
        raise ArcuateError(f"Features cannot stand side by side: {seen}. They need the same rows.")
    if len(parts) == 1:
        return parts[0]
    groups = tuple(group for part in parts for group in part.groups)
    if len({name for name, _ in groups}) != len(groups):
        raise ArcuateError(f"Features {'+'.join(p.name for p in parts)!r} name a part twice. Name each once.")
    return Features(
        "+".join(part.name for part in parts), np.hstack([part.values for part in parts]),
        " + ".join(part.signature for part in parts), rows=parts[0].rows, groups=groups,
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        of_time=tuple(name for part in parts for name in part.of_time),
    )  # fmt: skip


def layer_specs(name: str, every: int = 1) -> tuple[str, ...]:
    """One spec a layer of a model, for layer curves: every `every`-th from 0, and the last.

    Examples
    --------
    >>> layer_specs("smollm2", every=10)
    ('smollm2:0', 'smollm2:10', 'smollm2:20', 'smollm2:30')
    """
    last = n_layers(name)
    return tuple(f"{name}:{layer}" for layer in sorted({*range(0, last + 1, every), last}))


def read_layers(specs: Sequence[str], responses: BrainResponses, options: FeatureOptions) -> None:
    """Run each model once for all of its layers in `specs`, so that making them afterwards only reads the cache.

    Examples
    --------
    >>> read_layers(["random", "glove"], BrainResponses(dataset="toy", subject="1", kind="isolated",
    ...     responses=np.eye(2), stimuli=("cat", "dog")), FeatureOptions())
    """
    if options.cache is None:
        return
    wanted: dict[str, list[int | str]] = {}
    for part in dict.fromkeys(name.strip() for spec in specs for name in spec.split("+")):
        base, _, argument = part.partition(":")
        if base == SURPRISAL:
            wanted.setdefault(argument or SMOLLM2, []).append(SURPRISAL)
        elif base == SMOLLM2 or base not in (*FEATURES, POSITION):
            wanted.setdefault(base, []).append(parse_layer(base, argument))
    for model, layers in wanted.items():
        if isinstance(responses.stimuli, TimedWords):
            word_states(responses.stimuli.words, model, layers, options)
        else:
            text_states(responses.stimuli, model, layers, options)


@dataclass(frozen=True, eq=False)
class _Part:
    features: Features
    keep: np.ndarray


def _part(name: str, responses: BrainResponses, options: FeatureOptions) -> _Part:
    if name == POSITION:
        features = Features(name, positions(responses), signature(features=name, degree=3), rows="scans",
                            of_time=(name,))  # fmt: skip
        return _Part(features, np.ones(responses.n_rows, dtype=bool))
    base, _, argument = name.partition(":")
    kind = feature_kind(base)
    line = _signature(name, base, argument, kind, options)
    if isinstance(responses.stimuli, TimedWords):
        return _continuous(name, argument, kind, responses, options, line)
    return _isolated(name, argument, kind, responses, options, line)


def _continuous(name: str, argument: str, kind: FeatureKind, responses: BrainResponses,
                options: FeatureOptions, line: str) -> _Part:  # fmt: skip
    words = responses.stimuli
    assert isinstance(words, TimedWords)
    values, known = kind.of_words(words.words, argument, options)
    notes: tuple[str, ...] = ()
    if not known.all():
        _refuse_unless_asked(words.words, known, name, options)
        notes = (f"{name}: {_named(words.words, known)} are left out of their scans",)
        kept = np.flatnonzero(known)
        words = TimedWords(tuple(words.words[i] for i in kept), words.onsets[kept], words.offsets[kept])
    of_words = Features(name, values[known], line, rows="words", notes=notes)
    within = options.within_scan or kind.within_scan
    aligned = align(of_words, replace(responses, stimuli=words), options.alignment, within)
    return _Part(replace(aligned, signature=f"{aligned.signature}|within_scan:{within}"),
                 np.ones(responses.n_rows, dtype=bool))  # fmt: skip


def _isolated(name: str, argument: str, kind: FeatureKind, responses: BrainResponses,
              options: FeatureOptions, line: str) -> _Part:  # fmt: skip
    texts = responses.stimuli
    assert not isinstance(texts, TimedWords)
    if kind.of_texts is not None:
        return _Part(Features(name, kind.of_texts(texts, argument, options), line),
                     np.ones(len(texts), dtype=bool))  # fmt: skip
    words = [words_of(text) for text in texts]
    values, known = kind.of_words([word for of_text in words for word in of_text], argument, options)
    flat = [word for of_text in words for word in of_text]
    if not known.all():
        _refuse_unless_asked(flat, known, name, options)
    joined, keep = _joined(values, known, [len(of_text) for of_text in words], kind.over_words)
    notes = [] if known.all() else [f"{name}: {_named(flat, known)} are left out"]
    if not keep.all():
        lost = [text for text, kept in zip(texts, keep, strict=True) if not kept]
        if options.missing != "exclude":
            raise ArcuateError(f"Stimulus {lost[0]!r} holds no word for {name!r}. Leave it out (--missing exclude).")
        notes.append(f"{len(lost)} of {len(texts)} stimuli have no features and are left out: "
                     + ", ".join(repr(text[:30]) for text in lost[:5]))  # fmt: skip
    return _Part(Features(name, joined, line, notes=tuple(notes)), keep)


def _joined(values: np.ndarray, known: np.ndarray, counts: list[int], how: str) -> tuple[np.ndarray, np.ndarray]:
    text_of_word = np.repeat(np.arange(len(counts)), counts)
    sums = np.zeros((len(counts), values.shape[1]))
    np.add.at(sums, text_of_word[known], values[known])
    n_known = np.bincount(text_of_word[known], minlength=len(counts))
    keep = n_known > 0
    if how == "mean":
        sums[keep] /= n_known[keep, None]
    return sums, keep


def _refuse_unless_asked(words: Sequence[str], known: np.ndarray, name: str, options: FeatureOptions) -> None:
    if options.missing == "error":
        refuse_unknown(words, known, name)


def _named(words: Sequence[str], known: np.ndarray) -> str:
    unknown = list(dict.fromkeys(word for word, ok in zip(words, known, strict=True) if not ok))
    shown = ", ".join(unknown[:8]) + (", ..." if len(unknown) > 8 else "")
    return f"{int((~known).sum())} of {len(words)} words without a vector ({shown})"


def _keep_rows(responses: BrainResponses, keep: np.ndarray, notes: tuple[str, ...]) -> BrainResponses:
    assert not isinstance(responses.stimuli, TimedWords)
    return replace(
        responses,
        responses=responses.responses[keep],
        stimuli=tuple(s for s, kept in zip(responses.stimuli, keep, strict=True) if kept),
        runs=responses.runs[keep],
        repetitions=None if responses.repetitions is None else responses.repetitions[keep],
        excluded=(*responses.excluded, *notes),
    )


def _signature(name: str, base: str, argument: str, kind: FeatureKind, options: FeatureOptions) -> str:
    fields = {setting: getattr(options, setting) for setting in kind.settings}
    model = argument or SMOLLM2 if base == "surprisal" else base
    if base not in FEATURES or model == SMOLLM2:
        fields["weights"] = locate(model).content[:12]
    return signature(features=name, **fields).rsplit("|", 1)[0]
