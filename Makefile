# One task list for people and CI. `make help` explains it.
.DEFAULT_GOAL := help
SHELL := /bin/sh

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8765
DATA ?= ../shared/data
CORE := $(shell find py/dragoman -name '*.py')
WEB_SOURCES := $(shell find web -type f -not -path '*/node_modules/*')

# Every task that `make help` lists, and parts of them.
.PHONY: $(shell sed -n "s/^\([a-z-]*\):.*\#\# .*/\1/p" $(MAKEFILE_LIST)) lint-python lint-web

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 16

# Nothing is installed but what has a hash in `locks/`. Three packages have no wheels and are built with what is
# installed here before them: pip would fetch that unchecked. The project itself comes after what it needs.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
LOCKED := $(PIP) --require-hashes --only-binary :all:
FROM_SOURCE := --no-binary eflomal,odfpy,srt --no-build-isolation

$(VENV)/.ready: pyproject.toml locks/build.txt locks/dev.txt
	$(PYTHON) -m venv $(VENV)
	$(LOCKED) -r locks/build.txt
	$(LOCKED) $(FROM_SOURCE) -r locks/dev.txt
	$(PIP) --no-deps --no-build-isolation -e .
	touch $@

# PyTorch is what the index at hand has of the version in pyproject.toml: for processors, or for an accelerator.
$(VENV)/.models: $(VENV)/.ready locks/models.txt
	$(LOCKED) $(FROM_SOURCE) -r locks/models.txt
	$(PIP) --no-build-isolation -e '.[models]'
	touch $@

node_modules/.ready: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	touch $@

setup: $(VENV)/.ready node_modules/.ready ## Python environment in .venv, node packages in node_modules

setup-models: $(VENV)/.models ## The same with PyTorch and what else builds models

# With what renews locks and looks for advisories; its own environment, which nothing is tested with.
TOOLS := build/tools
$(TOOLS)/.ready: locks/tools.txt
	$(PYTHON) -m venv $(TOOLS)
	$(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r locks/tools.txt
	touch $@

# UPGRADE: a package's name, or all of them.
UPGRADE ?=
lock: $(TOOLS)/.ready ## Renew locks/ of pyproject.toml, and say what has changed (UPGRADE=NAME, UPGRADE=all)
	$(TOOLS)/bin/python scripts/lock.py --uv $(TOOLS)/bin/uv $(if $(filter all,$(UPGRADE)),--upgrade-all,$(UPGRADE:%=--upgrade %))

audit: $(TOOLS)/.ready ## Advisories about what is locked; says so where a service cannot be asked
	$(TOOLS)/bin/python scripts/audit.py --pip-audit $(TOOLS)/bin/pip-audit

build/wheel/.ready: $(CORE) pyproject.toml $(VENV)/.ready
	rm -rf build/wheel
	$(BIN)/python -m build --wheel --no-isolation --outdir build/wheel . >/dev/null
	touch $@

wheel: build/wheel/.ready ## The core's own wheel, for Python and for Pyodide

# What is released, from sources: equal sources give equal bytes.
PACKAGES := build/packages
BUNDLES := $(patsubst %/manifest.json,%,$(wildcard models/*/manifest.json))

$(PACKAGES)/.python: $(CORE) $(wildcard models/*/* models/LICENSES/*) pyproject.toml README.md CHANGELOG.md scripts/model_wheel.py scripts/data_wheel.py $(VENV)/.ready
	mkdir -p $(PACKAGES) && rm -f $(PACKAGES)/dragoman-*.whl $(PACKAGES)/dragoman_model_*.whl $(PACKAGES)/*.tar.gz
	$(BIN)/python -m build --no-isolation --outdir $(PACKAGES) . >/dev/null
	$(BIN)/python -m scripts.model_wheel $(BUNDLES) --output $(PACKAGES) >/dev/null
	touch $@

$(PACKAGES)/.page: build/web/index.html scripts/page_wheel.py scripts/data_wheel.py $(wildcard models/LICENSES/*) $(VENV)/.ready
	mkdir -p $(PACKAGES) && rm -f $(PACKAGES)/dragoman_page-*.whl
	$(BIN)/python -m scripts.page_wheel --output $(PACKAGES) >/dev/null
	touch $@

$(PACKAGES)/.javascript: build/web/index.html web/package.mjs web/version.mjs web/src/polyfill.ts docs/javascript.md
	mkdir -p $(PACKAGES) && rm -f $(PACKAGES)/*.tgz
	node web/package.mjs
	for package in build/npm/*; do npm pack --silent --pack-destination $(PACKAGES) "./$$package" || exit 1; done
	touch $@

packages: $(PACKAGES)/.python $(PACKAGES)/.page $(PACKAGES)/.javascript ## What pip and npm install, in build/packages

test-packages: packages node_modules/.ready ## What is built, installed into fresh environments and used as its users would
	scripts/ensure-browsers.sh
	$(BIN)/pytest tests/packages

# The window of `dragoman app`: the extra is 260 MB to fetch, so that it is no part of `test-packages`.
APP := build/app
$(APP)/.ready: locks/app.txt
	$(PYTHON) -m venv $(APP)
	$(APP)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r locks/app.txt
	touch $@

test-app: packages $(APP)/.ready ## The window of `dragoman app` under Xvfb, used and closed; a picture in build/pictures
	$(BIN)/pytest tests/packages/test_desktop.py

# Built a second time from a copy of the sources, and compared.
AGAIN := build/again
PATHS := build/packages/*.whl build/packages/*.tar.gz build/packages/*.tgz build/extension/*.zip

test-reproducible: packages extension ## Two builds from the same commit are equal to the byte
	rm -rf $(AGAIN) && git clone --quiet . $(AGAIN)
	ln -s ../../$(VENV) $(AGAIN)/$(VENV) && cp -al node_modules $(AGAIN)/
	$(MAKE) -C $(AGAIN) -o $(VENV)/.ready -o node_modules/.ready packages extension
	sha256sum $(PATHS) | (cd $(AGAIN) && sha256sum --check)

release: packages extension docs test-packages ## Make and check what is published, in build/release, with an SBOM and SHA-256
	$(BIN)/python scripts/release.py

verify: setup ## Check the pinned runtimes and the vendored wheel against their hashes
	$(BIN)/python wasm/verify.py

# Touched only when it says something else than before.
CONTRACT := web/src/wire/contract.json
$(CONTRACT): web/contract.py $(CORE) $(VENV)/.ready
	$(BIN)/python web/contract.py

build/documents/libraries.zip: web/documents.py locks/dev.txt $(VENV)/.ready
	$(BIN)/python web/documents.py $@

build/web/index.html: $(WEB_SOURCES) $(CONTRACT) build/documents/libraries.zip $(wildcard kernel/dist/*) build/wheel/.ready node_modules/.ready $(wildcard models/*/*)
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

build/docs/.ready: mkdocs.yml typedoc.json scripts/docs_site.py $(shell find docs py/dragoman -type f -name '*.*' -not -name '*.pyc') $(shell find web/src -name '*.ts') $(wildcard *.md) $(VENV)/.ready node_modules/.ready
	npx --no-install typedoc --logLevel Warn
	NO_MKDOCS_2_WARNING=1 SOURCE_DATE_EPOCH=0 $(BIN)/mkdocs build --strict --quiet
	touch $@

docs: build/docs/.ready ## The documentation as a site, in build/docs (open index.html)

lint: setup-models node_modules/.ready ## ruff, mypy strict, tsc strict, eslint
	@$(MAKE) --no-print-directory --jobs=2 --output-sync lint-python lint-web

lint-python: setup-models
	$(BIN)/ruff check py tests wasm web scripts examples
	$(BIN)/ruff format --check py tests wasm web scripts examples
	$(BIN)/mypy

lint-web: node_modules/.ready
	npm run --silent typecheck
	npm run --silent lint

format: setup ## Rewrite the sources in the house format
	$(BIN)/ruff format py tests wasm web scripts examples
	$(BIN)/ruff check --fix py tests wasm web scripts examples

# Side by side: no test knows of another. A process takes 0.7 GB.
UNIT := $(BIN)/pytest tests/py tests/stress tests/fuzz tests/wasm -m "not slow" --hypothesis-profile=same \
	--numprocesses logical --maxprocesses 4 --dist worksteal

test-unit: setup ## Fast tests: no browser
	$(UNIT)
	npm test --silent

# Random cases, in shards of 5,000 with seeds of their own. One that passed leaves a file, so that a run that
# was broken off goes on after it, and begins again when the sources change.
CASES ?= 100000
RANDOM := build/random
SHARDS := $(shell seq $$((($(CASES) + 4999) / 5000)))
$(RANDOM)/%: export DRAGOMAN_CASES = 5000
$(RANDOM)/%: export DRAGOMAN_SEED = $(lastword $(subst -, ,$*))

$(RANDOM)/native-%: $(CORE) tests/support/cases/markup_cases.py | setup
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

$(RANDOM)/trees-%: $(CORE) tests/parity/test_page_trees.py tests/parity/compare_pages.mjs | setup
	$(BIN)/pytest tests/parity/test_page_trees.py
	mkdir -p $(@D) && touch $@

test-trees: $(SHARDS:%=$(RANDOM)/trees-%) ## Random and real pages through engines that copy, shout, or do anything, judged by parse5 (CASES=100000)

pictures: build extension ## Real pages (../shared/data/pages) before, translated, restored, into build/pictures
	scripts/ensure-browsers.sh
	DRAGOMAN_PICTURES=build/pictures $(BIN)/pytest tests/e2e/extension/test_pictures.py

tour: build extension ## The demo and the extension in pictures, in German and English, into build/tour
	scripts/ensure-browsers.sh
	DRAGOMAN_TOUR=build/tour $(BIN)/pytest tests/e2e/extension/test_tour.py

test-browser: build extension ## End to end in Chromium and Firefox, and parity in Pyodide
	scripts/ensure-browsers.sh
	$(BIN)/pytest tests/parity
	$(BIN)/pytest tests/e2e
	$(BIN)/pytest tests/bench

test-docs: build docs ## Every code block of the documentation, and the examples
	scripts/ensure-browsers.sh
	$(BIN)/pytest tests/docs

# What each part took is told at the end.
PART := scripts/timed.sh

test: setup setup-models ## Set up and run everything that must pass
	@rm -f build/times
	@$(PART) lint $(MAKE) --no-print-directory lint
	@$(PART) build $(MAKE) --no-print-directory build extension docs
	@scripts/ensure-browsers.sh
	@$(PART) vitest npm test --silent
# One process each: Playwright's event loop and those of the asyncio tests do not go together.
	@$(PART) py $(UNIT)
	@$(PART) parity $(BIN)/pytest tests/parity
# Browsers on a busy machine now and then fail by themselves: what fails is tried once more, and told ("R").
	@$(PART) e2e $(BIN)/pytest tests/e2e --reruns 1
	@$(PART) docs $(BIN)/pytest tests/docs
	@$(PART) bench $(BIN)/pytest tests/bench
	@$(PART)

# TARGET: a name of tests/fuzz/targets.py, or all of them.
TARGET ?= all
fuzz: setup ## Inputs made to break what reads files, pages, messages; minutes to hours (TARGET=html CASES=1000000)
	$(BIN)/python -m tests.fuzz.run --target $(TARGET) --cases $(CASES)

REQUESTS ?= 10000
test-hardening: setup ## Mixed requests to a server whose workers are killed, with a full disk and bad clients (REQUESTS=100000)
	$(BIN)/python -m tests.stress.hardening --requests $(REQUESTS)

stress: build ## 10,000 requests, streams, graphs with faults and cancels, natively and in Chromium
	scripts/ensure-browsers.sh
	$(BIN)/python -m tests.stress.native
	$(BIN)/python -m tests.stress.browser

models: setup-models ## Train models from DATA into build/models; resumable (MINUTES=60 a model)
	DATA=$(DATA) scripts/make-model.sh en-de de-en
	DATA=$(DATA) scripts/make-model.sh en-de en-de
	DATA=$(DATA) scripts/make-model.sh en-fr en-fr
	DATA=$(DATA) scripts/make-model.sh en-fr fr-en

bench-training: setup-models ## Target pieces a second of training, one line of JSON
	$(BIN)/python -m tests.bench.training

test-slow: setup-models ## What takes minutes a test: every kind of model learns a toy language
	$(BIN)/pytest tests/py/models -m slow

# Published sizes beside exact NumPy, a process each; one that passed leaves a file, as random cases do.
PUBLISHED := $(foreach network,tiny base-memory base,$(foreach pieces,32000 64000 2x32000,$(network)-$(pieces)))
build/published/%: $(CORE) $(wildcard py/dragoman/engines/libraries/*) tests/support/reference/kernel_order.py tests/support/published.py | setup
	$(BIN)/pytest "tests/py/engines/test_published_sizes.py::test_300_sentences_are_what_numpy_says[$*]"
	mkdir -p $(@D) && touch $@

test-published: $(PUBLISHED:%=build/published/%) ## 300 sentences of each published size beside exact NumPy; resumable

stress-fetch: setup ## 100 times kill -9 at random moments of a fetch
	DRAGOMAN_KILLS=100 $(BIN)/pytest tests/py/cli/test_store.py -k killed

stress-corpus: setup ## 100,000 sentences, killed in the middle, with a fast fake model
	DRAGOMAN_STRESS=1 $(BIN)/pytest tests/py/corpus/test_resume.py -k 100_000

bench: build extension setup-models ## Ours beside bergamot: build/bench.json, .md, .svg (BENCH=--quick); latency; a page
	scripts/ensure-browsers.sh
	$(BIN)/python -m tests.bench.peers --data $(DATA) $(BENCH)
	$(BIN)/python -m tests.bench.pages.latency
	$(BIN)/python -m tests.bench.pages.page
	$(BIN)/python -m tests.bench.pages.smooth
	$(BIN)/python -m tests.bench.beams --data $(DATA)
	$(BIN)/python -m tests.bench.glossary --data $(DATA)

bench-fidelity: setup ## Count figures, signs, names and loops on development sets (DATA=folder)
	$(BIN)/python tests/bench/fidelity.py --data $(DATA)

bench-glossary: setup-models ## Terms of a glossary on development sets, in each way of forcing them (DATA=folder)
	$(BIN)/python -m tests.bench.glossary --data $(DATA)

bench-graph: build setup-models ## Measure the decoding loop and its operators
	$(BIN)/python -m tests.bench.graph.decoding_loop
	$(BIN)/python -m tests.bench.graph.operators

clean: ## Remove what was built
	rm -rf build $(VENV) node_modules
