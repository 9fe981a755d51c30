# make demo and make test need Python 3.11 or newer, pip and make, and set up all else in .venv
# (with uv where it is there). A second call finds the environment as it was left and is quick.

SHELL := /bin/bash
VENV := .venv
BIN := $(VENV)/bin

# The first Python on the path that is new enough; make PYTHON=/path/to/python3.12 names another.
NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c '$(NEW_ENOUGH)' 2>/dev/null && echo $$p && break; done)

# Small matrices: threads of the linear algebra library only get in the tests' way.
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1
# Without bytecode on disk each of the processes that tests start compiles all it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test lint format docs pictures equations names clean

help:  ## what there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.ready-cli  ## choose 5 columns of a real table and write a report
	@$(BIN)/python examples/demo_table.py demo
	@$(BIN)/sksieve select demo/breast_cancer.csv -k 5 --label-column diagnosis --time 2s \
		--output demo/chosen.csv --report demo/report.html
	@echo
	@echo "The report is in $(CURDIR)/demo/report.html"

test: $(VENV)/.ready-dev  ## the whole test suite
	$(BIN)/python -m pytest -n 2

lint: $(VENV)/.ready-dev  ## style, types, layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.ready-dev  ## put the code in form
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.ready-dev  ## the documentation site, in docs/_build/html
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs docs/_build/html
	@echo "The site is in $(CURDIR)/docs/_build/html/index.html"

pictures: $(VENV)/.ready-dev  ## the pictures in docs/img, from today's code
	$(BIN)/python tools/pictures.py

equations: $(VENV)/.ready-dev  ## docs/equations.md: where each numbered formula stands
	$(BIN)/python tools/equation_index.py --write

names: $(VENV)/.ready-dev  ## the list of public names, from the catalogue
	$(BIN)/python tools/public_names.py --write

clean:  ## throw away the environment and the demo
	rm -rf $(VENV) demo docs/_build docs/_reports docs/gallery docs/methods docs/leaderboard

# $(1): the extra to install. The development environment holds the command line's too.
define install
	@$(if $(PYTHON),:,echo "No Python 3.11 or newer was found. $(HINT)" >&2; exit 1)
	@$(PYTHON) -c '$(NEW_ENOUGH)' 2>/dev/null || { \
		echo "$(PYTHON) is not Python 3.11 or newer ($$($(PYTHON) -V 2>&1)). $(HINT)" >&2; exit 1; }
	@echo "Setting up $(VENV): two or three minutes, once."
	@if command -v uv >/dev/null; then \
		[ -x $(BIN)/python ] || uv venv --quiet --python $(PYTHON) $(VENV) || exit 1; \
		uv pip install --quiet --python $(BIN)/python -e '.[$(1)]'; \
	else \
		[ -x $(BIN)/python ] || $(PYTHON) -m venv $(VENV) || exit 1; \
		$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[$(1)]'; \
	fi
endef
HINT = Name one: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)

$(VENV)/.ready-cli: pyproject.toml
	$(call install,cli)
	@$(BIN)/sksieve warmup
	@touch $@

$(VENV)/.ready-dev: pyproject.toml
	$(call install,dev)
	@touch $(VENV)/.ready-cli $@
