# One task list for people and CI. `make help` explains it.
.DEFAULT_GOAL := help
SHELL := /bin/sh

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8765
DATA ?= ../shared/data
CORE := $(shell find py/dragoman -name '*.py' -not -path '*/models/*')
WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*')

# Every task that `make help` lists.
.PHONY: $(shell sed -n "s/^\([a-z-]*\):.*\#\# .*/\1/p" $(MAKEFILE_LIST))

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $@

$(VENV)/.models: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[models]'
	touch $@

node_modules/.ready: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	touch $@

setup: $(VENV)/.ready node_modules/.ready ## Python environment in .venv, node packages in node_modules

setup-models: $(VENV)/.models ## The same with PyTorch and what else builds models

build/wheel/.ready: $(CORE) pyproject.toml $(VENV)/.ready
	rm -rf build/wheel
	$(BIN)/python -m build --wheel --no-isolation --outdir build/wheel . >/dev/null
	touch $@

wheel: build/wheel/.ready ## The core's own wheel, for Python and for Pyodide

# What is released, from sources: equal sources give equal bytes.
PACKAGES := build/packages
BUNDLES := $(patsubst %/manifest.json,%,$(wildcard models/*/manifest.json))

$(PACKAGES)/.python: $(CORE) $(wildcard models/*/* models/LICENSES/*) pyproject.toml README.md CHANGELOG.md scripts/model_wheel.py $(VENV)/.ready
	mkdir -p $(PACKAGES) && rm -f $(PACKAGES)/*.whl $(PACKAGES)/*.tar.gz
	$(BIN)/python -m build --no-isolation --outdir $(PACKAGES) . >/dev/null
	$(BIN)/python scripts/model_wheel.py $(BUNDLES) --output $(PACKAGES) >/dev/null
	touch $@

$(PACKAGES)/.javascript: build/web/index.html web/package.mjs web/version.mjs web/src/polyfill.ts docs/javascript.md
	mkdir -p $(PACKAGES) && rm -f $(PACKAGES)/*.tgz
	node web/package.mjs
	for package in build/npm/*; do npm pack --silent --pack-destination $(PACKAGES) "./$$package" || exit 1; done
	touch $@

packages: $(PACKAGES)/.python $(PACKAGES)/.javascript ## What pip and npm install, in build/packages

test-packages: packages node_modules/.ready ## What is built, installed into fresh environments and used as its users would
	scripts/ensure-browsers.sh
	$(BIN)/pytest tests/packages

# Built a second time from a copy of the sources, and compared.
AGAIN := build/again
PATHS := build/packages/*.whl build/packages/*.tar.gz build/packages/*.tgz build/extension/*.zip

test-reproducible: packages extension ## Two builds from the same commit are equal to the byte
	rm -rf $(AGAIN) && git clone --quiet . $(AGAIN)
	ln -s ../../$(VENV) $(AGAIN)/$(VENV) && cp -al node_modules $(AGAIN)/
	$(MAKE) -C $(AGAIN) -o $(VENV)/.ready -o node_modules/.ready packages extension
	sha256sum $(PATHS) | (cd $(AGAIN) && sha256sum --check)

release: packages extension test-packages ## Make and check what is published, in build/release, with an SBOM and SHA-256
	$(BIN)/python scripts/release.py

verify: setup ## Check the pinned runtimes and the vendored wheel against their hashes
	$(BIN)/python wasm/verify.py

# Touched only when it says something else than before.
CONTRACT := web/src/wire/contract.json
$(CONTRACT): web/contract.py $(CORE) $(VENV)/.ready
	$(BIN)/python web/contract.py

build/web/index.html: $(WEB_SOURCES) $(CONTRACT) $(wildcard kernel/dist/*) build/wheel/.ready node_modules/.ready $(wildcard models/*/*)
	$(BIN)/python wasm/verify.py
	node web/build.mjs

build: build/web/index.html ## The static files of the demo, in build/web

build/extension/.ready: build/web/index.html $(shell find extension -type f) node_modules/.ready
	node extension/build.mjs
	touch $@

extension: build/extension/.ready lint-extension ## The zips for Chrome and Firefox, in build/extension

lint-extension: build/extension/.ready ## What the store for Firefox would refuse
	npx --no-install web-ext lint --source-dir build/extension/firefox --output text >build/extension/lint.txt \
		|| { cat build/extension/lint.txt; exit 1; }

demo: build ## Set up, build, and serve the demo (PORT=8765)
	$(BIN)/dragoman serve --web build/web --port $(PORT)

lint: setup-models node_modules/.ready ## ruff, mypy strict, tsc strict, eslint
	$(BIN)/ruff check py tests wasm web scripts
	$(BIN)/ruff format --check py tests wasm web scripts
	$(BIN)/mypy
	npm run --silent typecheck
	npm run --silent lint

format: setup ## Rewrite the sources in the house format
	$(BIN)/ruff format py tests wasm web scripts
	$(BIN)/ruff check --fix py tests wasm web scripts

test-unit: setup ## Fast tests: no browser
	$(BIN)/pytest tests/py tests/stress tests/wasm -m "not slow" --hypothesis-profile=same
	npm test --silent

# Random cases, in shards of 5,000 with seeds of their own. One that passed leaves a file, so that a run that
# was broken off goes on after it, and begins again when the sources change.
CASES ?= 100000
RANDOM := build/random
SHARDS := $(shell seq $$((($(CASES) + 4999) / 5000)))
$(RANDOM)/%: export DRAGOMAN_CASES = 5000
$(RANDOM)/%: export DRAGOMAN_SEED = $(lastword $(subst -, ,$*))

$(RANDOM)/native-%: $(CORE) tests/support/markup_cases.py | setup
	$(BIN)/pytest -m hypothesis --hypothesis-seed=$* \
		tests/py/placement tests/py/html tests/py/markup/test_carry.py
	mkdir -p $(@D) && touch $@

$(RANDOM)/jsdom-%: $(shell find web/src/dom -type f) tests/web/dom/random-pages.ts | setup
	npx --no-install vitest run --typecheck.enabled=false tests/web/dom/random.test.ts
	mkdir -p $(@D) && touch $@

$(RANDOM)/browsers-%: $(shell find web/src/dom -type f) tests/web/dom/random-pages.ts | build
	scripts/ensure-browsers.sh
	$(BIN)/pytest tests/e2e/test_random_pages.py
	mkdir -p $(@D) && touch $@

test-markup: $(foreach host,native jsdom browsers,$(SHARDS:%=$(RANDOM)/$(host)-%)) ## Random cases of markup and pages, natively, in jsdom, in browsers; resumable (CASES=100000)

pictures: build extension ## Real pages (../shared/data/pages) before, translated, restored, into build/pictures
	scripts/ensure-browsers.sh
	DRAGOMAN_PICTURES=build/pictures $(BIN)/pytest tests/e2e/test_extension.py -k pictures

test-browser: build extension ## End to end in Chromium and Firefox, and parity in Pyodide
	scripts/ensure-browsers.sh
	$(BIN)/pytest tests/parity
	$(BIN)/pytest tests/e2e
	$(BIN)/pytest tests/bench

test: setup setup-models lint build extension ## Set up and run everything that must pass
	scripts/ensure-browsers.sh
	npm test --silent
# One process each: Playwright's event loop and those of the asyncio tests do not go together.
	$(BIN)/pytest tests/py tests/stress tests/wasm -m "not slow" --hypothesis-profile=same
	$(BIN)/pytest tests/parity
	$(BIN)/pytest tests/e2e
	$(BIN)/pytest tests/bench

stress: build ## 10,000 requests, streams, graphs with faults and cancels, natively and in Chromium
	scripts/ensure-browsers.sh
	$(BIN)/python -m tests.stress.native
	$(BIN)/python -m tests.stress.browser

models: setup-models ## Train and export the embedded models from DATA; resumable (MINUTES=60 a model)
	DATA=$(DATA) scripts/make-model.sh en-de de-en
	DATA=$(DATA) scripts/make-model.sh en-de en-de
	DATA=$(DATA) scripts/make-model.sh en-fr en-fr
	DATA=$(DATA) scripts/make-model.sh en-fr fr-en

bench-training: setup-models ## Target pieces a second of training, one line of JSON
	$(BIN)/python -m tests.bench.training

test-slow: setup-models ## What takes minutes a test: every kind of model learns a toy language
	$(BIN)/pytest tests/py/models -m slow

stress-corpus: setup ## 100,000 sentences, killed in the middle, with a fast fake model
	DRAGOMAN_STRESS=1 $(BIN)/pytest tests/py/corpus/test_run.py -k 100_000

bench: build extension setup-models ## Ours beside bergamot: build/bench.json, .md, .svg (BENCH=--quick); latency; a page
	scripts/ensure-browsers.sh
	$(BIN)/python -m tests.bench.peers --data $(DATA) $(BENCH)
	$(BIN)/python -m tests.bench.latency
	$(BIN)/python -m tests.bench.page
	$(BIN)/python -m tests.bench.smooth

bench-fidelity: setup ## Count figures, signs, names and loops on development sets (DATA=folder)
	$(BIN)/python tests/bench/fidelity.py --data $(DATA)

bench-glossary: setup-models ## Terms of a glossary on development sets, in each way of forcing them (DATA=folder)
	$(BIN)/python -m tests.bench.glossary --data $(DATA)

bench-graph: build setup-models ## Measure the decoding loop and its operators
	$(BIN)/python -m tests.bench.decoding_loop
	$(BIN)/python -m tests.bench.operators

clean: ## Remove what was built
	rm -rf build $(VENV) node_modules
