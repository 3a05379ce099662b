# Everything a newcomer types. `make demo` and `make test` need nothing done before them.
PYTHON ?= python3
PORT ?= 8000
VENV := .venv
BIN := $(VENV)/bin
LOCK := requirements.lock
STAMP := $(VENV)/.installed
# What running needs, a third of what the tests need; every pin is that of the other lock.
RUN_LOCK := requirements-run.lock
RUNS := $(VENV)/.runs
# Rooms that their own tests must cover: what is pure needs no server, no database and no other room's tests.
COVERED := protocols stats
# Tests of a file share what is costly; tests/conftest.py says which files begin first.
SPREAD := -n 3 --dist loadfile --no-loadscope-reorder
# Not the packages' own tests, nor what nobody imports: more than a quarter of all files.
COMPILE := -m compileall -q -j 0 -x '/(tests|pip|setuptools|mypyc?)/' $(VENV)/lib
APT := DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends

# Also where the environment forbids it: what pytest makes of the asserts is kept for the next run.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow check coverage audit bench docs lock browser format release

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 10

# Bytecode is compiled here: where PYTHONDONTWRITEBYTECODE is set, every start would pay for it again.
setup: $(STAMP) ## Make .venv with the goldmark command in it
	@$(BIN)/python -m compileall -q src plugins/boxscore/goldmark_boxscore
	@$(BIN)/python -c "from goldmark.web.pages.frame import compile_templates; compile_templates()"

$(STAMP): pyproject.toml $(LOCK)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $(LOCK)
	-$(BIN)/python $(COMPILE)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	touch $@ $(RUNS)

$(RUNS): pyproject.toml $(RUN_LOCK)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $(RUN_LOCK)
	-$(BIN)/python $(COMPILE)
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q src plugins/boxscore/goldmark_boxscore
	touch $@

demo: $(RUNS) ## Start Goldmark with sample campaigns (PORT=8000) and print the addresses
	$(BIN)/goldmark demo start --port $(PORT)

test: setup browser ## Run the tests, on SQLite and PostgreSQL, and in a real browser
	$(BIN)/python -m pytest $(SPREAD)

test-slow: setup browser ## Run what takes long: chaos, communities, long journeys, hundreds of examples
	$(BIN)/python -m pytest $(SPREAD) -m "slow or hypothesis" --hypothesis-profile many

# Chromium without a window where there is none yet: it needs less of everything, and half of the processor time.
browser:
	@command -v chromium-headless-shell >/dev/null || command -v chromium >/dev/null || command -v chromium-browser >/dev/null || \
	  command -v google-chrome >/dev/null || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	    { $(APT) chromium-headless-shell fonts-liberation || $(APT) chromium fonts-liberation; } >/dev/null; } || \
	  echo "No Chromium found and it could not be installed: the browser tests will be skipped."

check: setup ## Lint, types, documentation, coverage of the pure rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	$(BIN)/python -m pytest --quiet --no-header $(SPREAD) $(COVERED:%=tests/%) $(COVERED:%=--cov=goldmark.%) \
	  --cov-report=term:skip-covered --cov-fail-under=94

coverage: setup browser ## Run the whole suite and write which lines it reached to .cache/coverage
	$(BIN)/python -m pytest $(SPREAD) --cov=goldmark --cov-report=html

audit: setup ## Ask whether a pinned dependency has a known hole
	$(BIN)/uvx --quiet pip-audit --requirement $(LOCK) --require-hashes --disable-pip --progress-spinner off

release: setup ## Build what is published into dist/, with checksums
	rm -rf dist
	$(BIN)/python -m hatchling build --directory dist
	cd dist && sha256sum goldmark-* >SHA256SUMS

format: setup ## Format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: setup ## Serve the documentation while writing it
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

bench: setup ## Measure speed and memory; prints ratios, asserts nothing
	$(BIN)/python -m benchmarks

lock: ## Renew requirements.lock from pyproject.toml
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --all-extras --group dev \
	  --no-header --no-emit-index-url --quiet -o $(LOCK)
	$(BIN)/uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --constraint $(LOCK) \
	  --extra metrics --extra chinese --extra parquet --group build --no-header --no-emit-index-url --quiet -o $(RUN_LOCK)
