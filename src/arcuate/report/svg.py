"""Safe inline SVG: every attribute and every text is escaped; colours come from the page's CSS variables."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from arcuate.report.text import shown


def element(tag: str, *children: object, **attributes: object) -> Markup:
    """Make one SVG element; ``class_`` is ``class``, other underscores become hyphens, None is left out.

    Examples
    --------
    >>> str(element("rect", element("title", "a < b"), x=1, class_="part", stroke_width=0.5))
    '<rect x="1" class="part" stroke-width="0.5"><title>a &lt; b</title></rect>'
    """
    pairs = (
        (name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items() if value is not None
    )
    opening = "".join(f' {name}="{escape(_number(value))}"' for name, value in pairs)
    inner = Markup("").join(
        child if isinstance(child, Markup) else escape(shown(child)) for child in children
    )
    return Markup(f"<{tag}{opening}>{inner}</{tag}>")  # each piece was escaped above


def drawing(width: float, height: float, children: Iterable[Markup], *, description: str) -> Markup:
    """Make a whole picture that scales with the page; `description` is what a screen reader says.

    Examples
    --------
    >>> str(drawing(10, 5, [element("circle", r=1)], description="a dot"))[:52]
    '<svg viewBox="0 0 10 5" width="10" height="5" role="'
    """
    return element(
        "svg", *children, viewBox=f"0 0 {_number(width)} {_number(height)}", width=width, height=height,
        role="img", aria_label=description, class_="drawing",
    )


def label(x: float, y: float, words: object, **attributes: object) -> Markup:
    """Write `words` at a point.

    Examples
    --------
    >>> str(label(1, 2, "sub-01", text_anchor="end"))
    '<text x="1" y="2" text-anchor="end">sub-01</text>'
    """
    return element("text", words, x=x, y=y, **attributes)


def _number(value: object) -> object:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else value
