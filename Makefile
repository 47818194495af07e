# AIPC: `make run` to use it, `make test` to check it. Both set up first whatever is missing.

PYTHON ?= python3
AIPC := .venv/bin/aipc
SETUP := $(PYTHON) scripts/setup.py

.DEFAULT_GOAL := help
.PHONY: help run setup test test-long installer test-installer lint clean

help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 20

run: ## set up, then open the desktop on the sample case (with no display: answer in the terminal)
	@$(SETUP)
	@$(AIPC) demo

setup: ## environment, pinned packages, llama.cpp, models; quick when nothing is to do
	@$(SETUP) --vulkan

test: ## set up with every optional part, then run all that CI runs
	@$(SETUP) --with transformers --vulkan
	@scripts/check

test-long: ## counted fault runs, fuzzing, benchmarks
	@$(SETUP) --with transformers --vulkan
	@.venv/bin/python -m pytest -m long

installer: ## packages for PCs without a network, in dist/ (installers/README.md)
	@$(SETUP) --vulkan --models chat-default
	@.venv/bin/python installers/build.py

test-installer: ## install those in a bare Debian without a network, ask, and take them out again (as root)
	@.venv/bin/python installers/tests/journey.py

lint: ## ruff, mypy, import-linter
	@$(SETUP) --models none
	@scripts/check lint

clean: ## remove what was made here; wheels and models in the user's cache stay
	rm -rf .venv .models .cache build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache
	rm -rf .import_linter_cache .hypothesis .coverage .coverage.*
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
