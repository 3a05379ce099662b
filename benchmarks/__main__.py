"""Run every benchmark module of this folder, or those named: `python -m benchmarks agreement server`."""

from __future__ import annotations

import importlib
import pkgutil
import sys

import benchmarks


def main(wanted: list[str]) -> int:
    names = sorted(
        module.name
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if not module.ispkg and not module.name.startswith("_")
    )
    unknown = [name for name in wanted if name not in names]
    if unknown:
        print(f"no benchmark named {', '.join(unknown)}; there are {', '.join(names)}", file=sys.stderr)
        return 2
    for name in wanted or names:
        print(f"\n== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
