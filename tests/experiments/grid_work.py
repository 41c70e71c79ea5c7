"""What the cells of the grid's tests do."""

from __future__ import annotations


def add(cell, folder, needed):
    return {"sum": cell.values["n"] + sum(result["sum"] for result in needed)}


def fail(cell, folder, needed):
    raise ValueError("planned to fail")


def interrupted(cell, folder, needed):
    raise KeyboardInterrupt
