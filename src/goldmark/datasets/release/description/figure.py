"""The distribution of types as a picture: SVG that we write ourselves, so that equal data give equal bytes anywhere."""

from __future__ import annotations

from html import escape

from goldmark.records.tables import Table

ROW, LEFT, WIDTH, RIGHT = 22, 250, 380, 150
STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2933}.fine{fill:#5b6770}.bar{fill:#0b6e99}.sub{fill:#7fb3c8}"
    ".line{stroke:#1f2933;stroke-width:1.2}"
    "@media (prefers-color-scheme:dark){text{fill:#e6ebef}.fine{fill:#a9b4bd}.bar{fill:#4fb3d9}.sub{fill:#2d6f8a}"
    ".line{stroke:#e6ebef}}"
)


def type_figure(table: Table, title: str) -> str:
    """Bars of the share of every type and subtype, with the interval as a line and the numbers written beside."""
    rows = table.records()
    top = max((float(row["percent_high"] or row["percent"] or 0) for row in rows), default=0.0) or 1.0
    height = 48 + ROW * len(rows) + 26
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + RIGHT} {height}" role="img" '
        f'aria-label="{escape(title, quote=True)}">',
        f"<style>{STYLE}</style>",
        f'<text x="12" y="26" font-weight="600">{escape(title)}</text>',
    ]
    for number, row in enumerate(rows):
        y = 44 + ROW * number
        share = float(row["percent"] or 0)
        kind, subtype = str(row["type"]), str(row["subtype"])
        parts.append(
            f'<text class="{"fine" if subtype else "kind"}" x="{30 if subtype else 12}" y="{y + 14}">'
            f"{escape(subtype or kind)}</text>"
            f'<rect class="{"sub" if subtype else "bar"}" x="{LEFT}" y="{y + 3}" '
            f'width="{_x(share, top):.1f}" height="{ROW - 8}"/>'
        )
        low, high = row["percent_low"], row["percent_high"]
        if isinstance(low, float) and isinstance(high, float):
            a, b, middle = LEFT + _x(low, top), LEFT + _x(high, top), y + ROW / 2 - 1
            parts.append(f'<line class="line" x1="{a:.1f}" x2="{b:.1f}" y1="{middle}" y2="{middle}"/>')
        parts.append(f'<text class="fine" x="{LEFT + WIDTH + 10}" y="{y + 14}">{share:.1f} % ({row["errors"]})</text>')
    note = "Share of errors with a type; lines are exact 95 % intervals."
    parts.append(f'<text class="fine" x="12" y="{height - 10}">{note}</text>')
    return "\n".join([*parts, "</svg>", ""])


def type_bars(table: Table) -> str:
    """The same as plain text."""
    rows = table.records()
    top = max((float(row["percent"] or 0) for row in rows), default=0.0) or 1.0
    names = [f"  {row['subtype']}" if row["subtype"] else str(row["type"]) for row in rows]
    width = max((len(name) for name in names), default=0)
    lines = [
        f"{name:<{width}}  {float(row['percent'] or 0):5.1f} %  {row['errors']:>6}  "
        + "#" * round(40 * float(row["percent"] or 0) / top)
        for name, row in zip(names, rows, strict=True)
    ]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _x(share: float, top: float) -> float:
    return WIDTH * share / top
