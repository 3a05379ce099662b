"""`linear` against `random` on every task: the table in docs/how-to/benchmark.md, and how long it takes."""

from __future__ import annotations

from tests.baselines_page import PAGE, table_of, written


def main() -> None:
    print(table_of(told=lambda said: print(said, flush=True)))
    print("fresh" if written(PAGE.read_text(encoding="utf-8")) else "stale", "in", PAGE.name)


if __name__ == "__main__":
    main()
