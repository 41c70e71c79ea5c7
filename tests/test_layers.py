"""Data flows one way: imports point down the list of architecture.md, siblings never meet."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "arcuate"
LAYERS: list[set[str]] = [
    {"cli"},
    {"report"},
    {"experiments"},
    {"decoding", "encoding"},
    {"leakage"},
    {"splits"},
    {"datasets"},
    {"signals"},
    {"samples"},
    {"metrics"},
]
BASE = {"errors", "atomic", "progress", "_version"}
DEPTH = {name: depth for depth, names in enumerate(LAYERS) for name in names}
FILES = sorted(path for path in SOURCE.rglob("*.py") if path.parent != SOURCE)


def imported(path: Path) -> set[str]:
    """The first-level parts of arcuate that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import; write the whole name"
            if node.module == "arcuate":
                found |= {alias.name for alias in node.names}
            elif node.module and node.module.startswith("arcuate."):
                found.add(node.module.split(".")[1])
        elif isinstance(node, ast.Import):
            found |= {alias.name.split(".")[1] for alias in node.names if alias.name.startswith("arcuate.")}
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_point_down(path):
    layer = path.relative_to(SOURCE).parts[0]
    for name in imported(path) - BASE - {layer, "__version__", "ArcuateError"}:
        assert name in DEPTH, f"{path} imports arcuate.{name}, which is in no layer"
        assert DEPTH[name] > DEPTH[layer], f"{layer} imports {name}, which is not below it"


def test_every_folder_is_in_a_layer():
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert folders <= set(DEPTH)


def test_a_forbidden_import_is_seen(tmp_path):
    upward = tmp_path / "bad.py"
    upward.write_text("def f():\n    from arcuate.report import page\n")
    assert imported(upward) == {"report"}
