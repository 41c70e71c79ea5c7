"""The split that provably keeps the most data."""

from arcuate.splits.optimal.problem import Problem, Solution, is_allowed, kept
from arcuate.splits.optimal.solve import solve

__all__ = ["Problem", "Solution", "is_allowed", "kept", "solve"]
