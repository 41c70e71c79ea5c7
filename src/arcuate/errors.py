"""Errors that a user sees: what was wrong, the values seen, what to do."""

from __future__ import annotations

from collections.abc import Iterable


class ArcuateError(Exception):
    """Bad input or usage; the command line prints the message and exits with `exit_code`.

    Examples
    --------
    >>> ArcuateError("ratio is '8:0:1'. Give positive numbers.").exit_code
    2
    """

    exit_code = 2


class NotPossible(ArcuateError):
    """What was asked for cannot be had: a leak was found, no split is feasible, a control was not beaten."""

    exit_code = 1


class MissingExtra(ArcuateError):
    """A part of arcuate was used whose packages are not installed."""

    def __init__(self, package: str, extra: str):
        super().__init__(f"{package!r} is not installed. Run: pip install 'arcuate[{extra}]'")


class UnknownName(ArcuateError):
    """A name that is not in a registry."""

    def __init__(self, what: str, name: str, known: Iterable[str]):
        super().__init__(f"{what} {name!r} is not known. Known: {', '.join(sorted(known))}.")
