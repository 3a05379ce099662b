"""CSV cells that a spreadsheet would run as a formula are made harmless, and restored exactly.

A cell that begins with one of `FORMULA_STARTS` (or with apostrophes before one) gets one apostrophe in front; reading
takes it away again. Both directions leave every other cell alone, so `restore(neutralise(cell)) == cell` always holds.
"""

from __future__ import annotations

import re

# The last four are the full-width forms, which East Asian spreadsheets read as the plain ones.
FORMULA_STARTS = "=+-@\t\r\n＝＋－＠"

_RUNS_OR_ESCAPED = re.compile(f"'*[{re.escape(FORMULA_STARTS)}]")
_ESCAPED = re.compile(f"'+[{re.escape(FORMULA_STARTS)}]")


def neutralise(cell: str) -> str:
    """A cell that a spreadsheet will show and not run."""
    return f"'{cell}" if _RUNS_OR_ESCAPED.match(cell) else cell


def restore(cell: str) -> str:
    """The cell as it was before `neutralise`; any other cell unchanged."""
    return cell[1:] if _ESCAPED.match(cell) else cell
