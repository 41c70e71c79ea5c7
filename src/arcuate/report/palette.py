"""Colours of every page and picture: safe for colour-blind readers, one set for light and one for dark."""

from __future__ import annotations

from collections.abc import Mapping

# Okabe & Ito's hues, moved apart in lightness as well, so that they also differ in grey print.
LIGHT: Mapping[str, str] = {
    "paper": "#fdfcfa", "card": "#ffffff", "ink": "#1d2126", "soft": "#58616b", "line": "#dcdad4",
    "wash": "#f3f1ec", "link": "#0b5a8f", "focus": "#0b5a8f",
    "good": "#14663f", "good-wash": "#e6f3ec", "bad": "#a4262c", "bad-wash": "#fbeaea",
    "caution": "#7a5200", "caution-wash": "#fbf1dc", "neutral": "#3a4652", "neutral-wash": "#eceff2",
    "train": "#3f7fb5", "val": "#e0a11b", "test": "#c4472d", "dropped": "#d3d0c9", "empty": "#f3f1ec",
}
DARK: Mapping[str, str] = {
    "paper": "#15181c", "card": "#1c2025", "ink": "#e8e6e1", "soft": "#a3abb4", "line": "#343a41",
    "wash": "#22272d", "link": "#7fbde8", "focus": "#9ccdf0",
    "good": "#7fd1a3", "good-wash": "#173226", "bad": "#f2938f", "bad-wash": "#3d1f20",
    "caution": "#e8bf6a", "caution-wash": "#372b14", "neutral": "#c2ccd6", "neutral-wash": "#262d34",
    "train": "#5b9bd0", "val": "#ecb94a", "test": "#e8735a", "dropped": "#4a5058", "empty": "#22272d",
}


def css_variables(colours: Mapping[str, str]) -> str:
    """Declare `colours` as CSS variables, to be used as ``var(--name)`` in pages and pictures.

    Examples
    --------
    >>> css_variables({"ink": "#000000", "paper": "#ffffff"})
    '--ink:#000000;--paper:#ffffff;'
    """
    return "".join(f"--{name}:{value};" for name, value in colours.items())
