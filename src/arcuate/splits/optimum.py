"""Method optimal on a table: pins and strata by name, the solver on the graph, a Split with its proof."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from arcuate.errors import ArcuateError
from arcuate.samples.graph import Graph
from arcuate.splits.assemble import Coded, from_nodes
from arcuate.splits.greedy import greedy_parts
from arcuate.splits.manifest import DIGITS
from arcuate.splits.optimal import Problem, Solution, solve
from arcuate.splits.parts import EIGHT_ONE_ONE, Ratio
from arcuate.splits.record import Split

if TYPE_CHECKING:
    from arcuate.samples.table import SampleTable

MOST_STRATA = 10  # a column of more different numbers is cut into quarters


@dataclass(frozen=True, kw_only=True)
class Optimal:
    """The leak-free split that keeps the most, each part's share within `tolerance` of its ratio.

    Parameters
    ----------
    tolerance : how far a part's share may be off, relative to it: 0.1 allows 9-11% for a part of 10%
    ratio_of : 'samples' (retained weight), 'subjects' or 'texts'
    min_subjects, min_texts : the fewest that a part may have
    pins : strings 'NAME=PART'; 'subject:NAME=PART' or 'text:NAME=PART' where both have that name
    time_limit : seconds, after which the best split found is returned with its honest gap
    stratify : a column of subjects or of texts whose mix shall be alike in all parts, as a secondary aim

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> chain = pl.DataFrame({"subject": list("aabb"), "text_id": list("xyyz"), "weight": [5, 1, 2, 4]})
    >>> Optimal(ratio=Ratio(1, 1), tolerance=0.2).split(read_samples(chain)).manifest["retained"]
    0.9166666667
    """

    name: ClassVar[str] = "optimal"
    ratio: Ratio = EIGHT_ONE_ONE
    seed: int = 1
    tolerance: float = 0.1
    ratio_of: str = "samples"
    min_subjects: int = 1
    min_texts: int = 1
    pins: tuple[str, ...] = ()
    time_limit: float = 25.0
    stratify: str | None = None

    def split(self, table: SampleTable) -> Split:
        started = time.perf_counter()
        solution = self.solve(table)
        found = {
            "bound": round(solution.bound_share, DIGITS), "gap": round(solution.gap, DIGITS),
            "proved": solution.proved, "stopped": solution.stopped,
        }
        rows = table.rows()
        subject, text = Coded.of(rows["subject"]), Coded.of(rows["text_node"])
        return from_nodes(
            table, rows, solution.part_of_subject[subject.codes], solution.part_of_text[text.codes], self,
            found=found, started=started,
        )

    def solve(self, table: SampleTable) -> Solution:
        """The solver's answer on the table's graph; NotPossible where no split is feasible."""
        graph = table.graph
        subject_pins, text_pins = pinned(self.pins, graph, self.ratio.names)
        subject_strata, text_strata = strata(table, self.stratify)
        # f as a start: where f happens to meet the ratio, optimal is never behind it.
        fewer = len(graph.subjects) <= len(graph.texts)
        start = greedy_parts(
            graph.subject_of_edge, graph.text_of_edge, self.ratio, self.seed, cut_subjects=fewer
        )
        return solve(graph, Problem(
            ratio=self.ratio.shares, tolerance=self.tolerance, ratio_of=self.ratio_of,
            min_subjects=self.min_subjects, min_texts=self.min_texts, time_limit=self.time_limit,
            subject_pins=subject_pins, text_pins=text_pins, seed=self.seed,
            subject_strata=subject_strata, text_strata=text_strata, starts=(start,),
        ))


def pinned(
    pins: tuple[str, ...], graph: Graph, names: tuple[str, ...]
) -> tuple[dict[str, int], dict[str, int]]:
    """Pins of subjects and of texts, as name -> number of the part.

    Examples
    --------
    >>> graph = Graph.from_edges(["s1", "s2"], ["t1", "t2"])
    >>> pinned(("s1=test",), graph, ("train", "test"))
    ({'s1': 1}, {})
    """
    of_subject: dict[str, int] = {}
    of_text: dict[str, int] = {}
    for pin in pins:
        name, equals, part = pin.rpartition("=")
        if not equals or part not in names:
            raise ArcuateError(f"pin is {pin!r}. Write NAME=PART, where the part is one of {', '.join(names)}.")
        side, name = _side(name, graph, pin)
        chosen = of_subject if side == "subject" else of_text
        if chosen.setdefault(name, names.index(part)) != names.index(part):
            raise ArcuateError(f"{side} {name!r} is pinned to two parts. Pin it once.")
    return of_subject, of_text


def _side(name: str, graph: Graph, pin: str) -> tuple[str, str]:
    asked, colon, rest = name.partition(":")
    if colon and asked in ("subject", "text"):
        name, sides = rest, [asked]
    else:
        sides = ["subject", "text"]
    nodes = {"subject": graph.subjects, "text": graph.texts}
    found = [side for side in sides if name in set(nodes[side].tolist())]
    if not found:
        raise ArcuateError(
            f"pin is {pin!r}, but no {' and no '.join(sides)} is named {name!r} "
            f"(such as {', '.join(repr(str(nodes[side][0])) for side in sides)}). Name one of the table."
        )
    if len(found) == 2:
        raise ArcuateError(f"pin is {pin!r}, and both a subject and a text are named {name!r}. Write subject:{pin}.")
    return found[0], name


def strata(table: SampleTable, column: str | None) -> tuple[list[str] | None, list[str] | None]:
    """The stratum of each subject, or of each text, in the graph's order, by a column of the table.

    The column must have one value a subject (age, sex) or one a text (task); numbers with many
    values are cut into quarters.

    Examples
    --------
    >>> from arcuate.samples.read import read_samples
    >>> frame = pl.DataFrame({"subject": ["a", "b"], "text_id": ["x", "x"], "sex": ["f", "m"]})
    >>> strata(read_samples(frame), "sex")
    (['f', 'm'], None)
    """
    if column is None:
        return None, None
    # 'task' stands under the name 'story' in the rows
    own = next((name for name, original in table.columns.original.items() if original == column), column)
    rows = table.rows(own).select("subject", "text_node", stratum=pl.col(own))
    stratum = _labels(rows["stratum"])
    rows = rows.with_columns(stratum=stratum)
    of_subject = rows.select("subject", "stratum").unique()
    if len(of_subject) == len(table.graph.subjects):
        return _in_order(of_subject, "subject", table.graph.subjects), None
    of_text = rows.select("text_node", "stratum").unique()
    if len(of_text) == len(table.graph.texts):
        return None, _in_order(of_text, "text_node", table.graph.texts)
    mixed = of_subject.group_by("subject").len().filter(pl.col("len") > 1)["subject"].sort()[0]
    raise ArcuateError(
        f"stratify is {column!r}, which has one value neither a subject nor a text ({mixed!r} has several). "
        "Give a column of subjects, such as age or sex, or of texts, such as task."
    )


def _labels(values: pl.Series) -> pl.Series:
    numbers = values.cast(pl.Float64, strict=False)
    if numbers.null_count() > values.null_count() or numbers.n_unique() <= MOST_STRATA:
        return values.cast(pl.String).fill_null("(none)")
    edges = [numbers.quantile(share, "nearest") for share in (0.25, 0.5, 0.75)]
    place = np.searchsorted(np.asarray(edges, float), numbers.fill_null(float("inf")).to_numpy(), side="left")
    return pl.Series([f"quarter {number + 1}" for number in place])


def _in_order(labels: pl.DataFrame, key: str, names: Any) -> list[str]:
    known = dict(labels.iter_rows())
    return [known[name] for name in names.tolist()]
