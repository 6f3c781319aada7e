# Everything runs in .venv, installed from requirements-dev.txt by hash.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
COMPILE := $(BIN)/pip-compile --generate-hashes --strip-extras --allow-unsafe \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host

# What `make demo` starts, and where: both can be given, as in `make demo SPEED=30`.
SPEED ?= 12
SANDBOX ?= $(HOME)/.local/state/node-fleet/sandbox
SANDBOX_PYTHON := PYTHONPATH=module_utils:roles/sandbox/files $(BIN)/python

# Ansible and its linter start their own tools by name, so the environment must come first on the path.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help setup demo down lint test sandbox unit bench docs lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## Create .venv and install the pinned packages

$(STAMP): requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
		{ echo "node-fleet needs Python 3.11 or newer: install it, then run make with PYTHON=python3.11 (now: $(PYTHON))." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "Python's venv module is incomplete: install it (on Debian and Ubuntu: apt-get install python3-venv)." >&2; exit 1; }
	@echo "== Installing the pinned packages into $(VENV); a first run takes a few minutes"
	$(PYTHON) -m venv --clear $(VENV)
	$(BIN)/pip install --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

demo: $(STAMP) ## Bring up a fleet on this machine and play a flash sale (SPEED=12)
	@$(SANDBOX_PYTHON) -m sandbox.demo --dir "$(SANDBOX)" --speed $(SPEED)

down: $(STAMP) ## Stop what `make demo` started and remove its files (KEEP=1 keeps them)
	@$(SANDBOX_PYTHON) -m sandbox down --dir "$(SANDBOX)" $(if $(KEEP),--keep)

lint: $(STAMP) ## Check style, types, layers, YAML and Ansible content
	@echo "== ruff" && $(BIN)/ruff check . && $(BIN)/ruff format --check .
	@echo "== mypy" && $(BIN)/mypy
	@echo "== import-linter" && PYTHONPATH=module_utils $(BIN)/lint-imports
	@echo "== yamllint" && $(BIN)/yamllint --strict .
	@echo "== ansible-lint" && $(BIN)/ansible-lint --offline --profile production

test: $(STAMP) ## Run the tests of the engine and of the tree
	@echo "== pytest tests/unit tests/integration" && $(BIN)/pytest -n auto tests/unit tests/integration

sandbox: $(STAMP) ## Run the tests of the sandbox on real servers (not part of make test yet)
	@echo "== binaries of the sandbox" && $(SANDBOX_PYTHON) -m sandbox binaries
	@echo "== pytest tests/sandbox" && $(BIN)/pytest tests/sandbox

unit: $(STAMP) ## Run only tests/unit
	@echo "== pytest tests/unit" && $(BIN)/pytest -n auto tests/unit

bench: $(STAMP) ## Measure how long a decision takes
	PYTHONPATH=module_utils:tests $(BIN)/python tests/bench/decide.py

docs: $(STAMP) ## Write the pages that are made from the code
	PYTHONPATH=module_utils $(BIN)/python docs/generate.py

# pip-tools is not part of the lock: it would have to lock itself.
lock: $(STAMP) ## Write the lock files anew from requirements*.in
	$(BIN)/pip install --disable-pip-version-check pip-tools==7.6.2
	CUSTOM_COMPILE_COMMAND="make lock" $(COMPILE) --upgrade --output-file requirements.txt requirements.in
	CUSTOM_COMPILE_COMMAND="make lock" $(COMPILE) --upgrade --output-file requirements-dev.txt requirements-dev.in

clean: ## Remove .venv and everything the tools have cached
	@test ! -d "$(SANDBOX)" || { echo "A sandbox is there: run make down first." >&2; exit 1; }
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis .ansible
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
