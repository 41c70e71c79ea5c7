"""What an audit says: rates, findings, which checks ran, and one verdict. All of it frozen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from arcuate.errors import NotPossible
from arcuate.leakage.kinds import describe

if TYPE_CHECKING:
    from arcuate.leakage.tally import Tally

Severity = Literal["leak", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("leak", "warning", "info")


class LeakFound(NotPossible):
    """A split leaks: raised by `Findings.raise_on_leak`, so that a test or a build fails."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing that was found.

    `samples` counts the samples of the first of `parts` that are touched, `share` is their share of
    that part (0–1), `culprits` how many subjects, texts or runs are to blame; `examples` names the worst.
    """

    check: str
    severity: Severity
    parts: tuple[str, ...]
    samples: int
    share: float
    culprits: int
    examples: tuple[str, ...]
    message: str
    kind: str
    fold: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The finding as JSON has it."""
        return {
            "check": self.check, "severity": self.severity, "parts": list(self.parts),
            "samples": self.samples, "share": self.share, "examples": list(self.examples),
            "culprits": self.culprits, "message": self.message, "kind": describe(self.kind),
            **({} if self.fold is None else {"fold": self.fold}),
        }


@dataclass(frozen=True)
class CheckRun:
    """Whether a check ran, and if not, why: a check that could not run must not look like a clean one."""

    check: str
    ran: bool
    why_not: str = ""


@dataclass(frozen=True)
class Rates:
    """BSLR and TSLR in percent for each pair of parts ('test_train' ...); None where a part is empty."""

    over: str
    bslr: Mapping[str, float | None]
    tslr: Mapping[str, float | None]

    def to_dict(self) -> dict[str, Any]:
        """The rates as JSON has them."""
        return {"over": self.over, "bslr": dict(self.bslr), "tslr": dict(self.tslr)}


@dataclass(frozen=True, eq=False)
class Findings:
    """The result of `audit`.

    Examples
    --------
    >>> found = Findings(name="split.csv", rates=Rates("all", {}, {}), findings=(), checks=(), signature="x")
    >>> found.verdict, found.raise_on_leak() is found
    ('clean', True)
    """

    name: str
    rates: Rates
    findings: tuple[Finding, ...]
    checks: tuple[CheckRun, ...]
    signature: str
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    manifest: Mapping[str, Any] = field(default_factory=dict)
    tallies: tuple[Tally, ...] = ()
    fold_rates: tuple[Rates, ...] = ()
    reading: Mapping[str, Any] = field(default_factory=dict)

    @property
    def verdict(self) -> Literal["clean", "leak"]:
        """'leak' where any finding is a leak."""
        return "leak" if self.of("leak") else "clean"

    def of(self, severity: Severity) -> tuple[Finding, ...]:
        """The findings of one severity."""
        return tuple(finding for finding in self.findings if finding.severity == severity)

    def exit_code(self, strict: bool = False) -> int:
        """0 when clean, 1 on a leak, and with `strict` 1 on a warning as well."""
        return int(bool(self.of("leak") or (strict and self.of("warning"))))

    def raise_on_leak(self, strict: bool = False) -> Findings:
        """Raise `LeakFound` on a leak (with `strict`, on a warning too); otherwise return the findings."""
        if self.exit_code(strict):
            worst = (self.of("leak") or self.of("warning"))[:3]
            lines = "; ".join(
                f"{finding.message}{f' ({finding.examples[0]})' if finding.examples else ''}" for finding in worst
            )
            raise LeakFound(f"{self.name}: {lines}. Split again with: arcuate split --method optimal")
        return self

    def to_dict(self) -> dict[str, Any]:
        """The audit as `arcuate audit --json` prints it."""
        return {
            "split": self.name, "verdict": self.verdict, "rates": self.rates.to_dict(),
            "findings": [finding.to_dict() for finding in self.findings],
            "not_checked": {run.check: run.why_not for run in self.checks if not run.ran},
            "sizes": {part: dict(sizes) for part, sizes in self.sizes.items()},
            **({"folds": [rates.to_dict() for rates in self.fold_rates]} if self.fold_rates else {}),
            "signature": self.signature,
        }
