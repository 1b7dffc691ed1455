# What a developer types; `make help` lists it. Only Python >= 3.11 and make are needed.
PYTHON ?= python3
BIN := .venv/bin
SERVE := .venv/serve
DEVELOP := .venv/develop
COMPILE = $(BIN)/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
  --no-emit-index-url --no-annotate --generate-hashes
UV_INSTALL = $(BIN)/uv pip install --quiet --no-deps --python $(BIN)/python
# Imports what commands and the server use, so that Python stores its bytecode: uv stores none, and
# where PYTHONDONTWRITEBYTECODE is set each command would compile 500 modules again, for a second.
STORE_BYTECODE = env -u PYTHONDONTWRITEBYTECODE ORT_DISABLE_TELEMETRY=1 $(BIN)/python -c 'import jwt, numpy, onnxruntime, \
  rich.progress, rich.table, tokenizers, graph_memory.api.service, graph_memory.cli.app, \
  graph_memory.local_neo4j.sharing, graph_memory.server.run, uvloop'

# Python may store the bytecode of tests: otherwise each of their many processes compiles its modules
# again, which takes eight seconds for those of torch.
PYTEST = env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest

.DEFAULT_GOAL := help
.PHONY: help install serve test unit check format docs reference bench stress soak build bundle lock clean

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-9s %s\n", $$1, $$2}'

install: $(DEVELOP) ## Create .venv with everything, pinned by config/requirements-dev.lock

$(SERVE): pyproject.toml config/requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "graph-memory needs Python 3.11 or newer; set PYTHON=python3.x" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9,<1'
	@$(UV_INSTALL) --require-hashes --requirement config/requirements.lock
	@$(STORE_BYTECODE) & storing=$$!; $(UV_INSTALL) --editable . \
	  && { wait $$storing || echo 'No bytecode is stored; commands will start slower.' >&2; }
	@touch $@

$(DEVELOP): $(SERVE) config/requirements-dev.lock
	@$(UV_INSTALL) --require-hashes --requirement config/requirements-dev.lock
	@touch $@

serve: $(SERVE) ## Serve MCP at http://127.0.0.1:8765/mcp, with a local Neo4j of its own
	@exec $(BIN)/graph-memory serve

test: $(DEVELOP) ## Run the whole suite against a real Neo4j, in three processes
	@exec $(PYTEST) -n auto --dist loadfile --no-loadscope-reorder -m 'not bench and not stress'

unit: $(DEVELOP) ## Run what needs no Neo4j, in seconds
	@exec $(PYTEST) tests/unit

check: $(DEVELOP) ## Check format, lint, layers and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/pyright

format: $(DEVELOP) ## Format, and fix what can be fixed
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

docs: $(DEVELOP) ## Build the documentation into docs/_build/html
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env -b html docs docs/_build/html

reference: $(DEVELOP) ## Write docs/reference from the code
	@$(BIN)/python docs/reference.py

bench: $(DEVELOP) ## Measure speed, as ratios within one run; GROWTH=folder adds the growth, MILLION=folder up to a million
	@$(if $(GROWTH),$(BIN)/python -m tests.benchmarks.growth --folder $(GROWTH) $(if $(MILLION),--million $(MILLION)))
	@exec $(BIN)/python -m pytest -m bench -s tests/benchmarks

stress: $(DEVELOP) ## Run the long tests
	@exec $(PYTEST) -m stress

soak: $(DEVELOP) ## Put a server under mixed load for 30 minutes; MINUTES= and MEMORIES= change it
	@exec $(BIN)/python -m tests.benchmarks.soak --minutes $(or $(MINUTES),30) --memories $(or $(MEMORIES),200000)

build: $(SERVE) ## Build sdist, wheel (with the weights of the default model) and bill of materials into dist/
	@rm -rf graph_memory/inference/model
	@cp -R "$$($(BIN)/python -c 'from graph_memory.inference import packaged_model as m; print(m.folder())')" \
	  graph_memory/inference/model
	@$(BIN)/uv build --quiet
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --constraint config/requirements-dev.lock cyclonedx-python-lib
	@PYTHONPATH=. $(BIN)/python config/sbom/sbom.py

bundle: build ## Build dist/graph-memory-*.mcpb, an extension for Claude Desktop
	@$(BIN)/python config/mcpb/bundle.py dist/*.whl

lock: $(SERVE) ## Pin every dependency again
	@$(COMPILE) --group weights --output-file config/requirements.lock
	@$(COMPILE) --group dev --constraint config/requirements.lock --output-file config/requirements-dev.lock

clean: ## Remove .venv and what was built
	@rm -rf .venv dist build graph_memory/inference/model .pytest_cache .ruff_cache .hypothesis docs/_build
