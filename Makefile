# What a developer types; `make help` lists it. Only Python >= 3.11 and make are needed.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/installed

.DEFAULT_GOAL := help
.PHONY: help install serve test unit check format docs reference bench stress build lock clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

install: $(STAMP) ## Create .venv with everything, pinned by config/requirements.lock

$(STAMP): pyproject.toml config/requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "graph-memory needs Python 3.11 or newer; set PYTHON=python3.x" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9,<1'
	@$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --requirement config/requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --editable .
	@touch $@

serve: $(STAMP) ## Serve MCP at http://127.0.0.1:8765/mcp, with a local Neo4j of its own
	@exec $(BIN)/graph-memory serve

test: $(STAMP) ## Run the whole suite against a real Neo4j
	@exec $(BIN)/python -m pytest -m 'not bench and not stress'

unit: $(STAMP) ## Run what needs no Neo4j, in seconds
	@exec $(BIN)/python -m pytest tests/unit

check: $(STAMP) ## Check format, lint, layers and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/pyright

format: $(STAMP) ## Format, and fix what can be fixed
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: $(STAMP) ## Build the documentation into docs/_build/html
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env -b html docs docs/_build/html

reference: $(STAMP) ## Write docs/reference from the code
	@$(BIN)/python docs/reference.py

bench: $(STAMP) ## Measure speed, as ratios within one run
	@exec $(BIN)/python -m pytest -m bench -s tests/benchmarks

stress: $(STAMP) ## Run the long tests
	@exec $(BIN)/python -m pytest -m stress

build: $(STAMP) ## Build sdist and wheel into dist/
	@$(BIN)/python -m build --installer uv

lock: $(STAMP) ## Pin every dependency again
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --group dev \
	  --no-emit-index-url --no-annotate --generate-hashes --output-file config/requirements.lock pyproject.toml

clean: ## Remove .venv and what was built
	@rm -rf .venv dist build .pytest_cache .ruff_cache .hypothesis docs/_build
