# `make` lists the targets; `make test` is everything that continuous integration runs.

.DEFAULT_GOAL := help
.PHONY: help demo test features load test-http test-python test-node stages stages-c stages-http stages-python stages-node stages-bindings stages-watched \
	bench bench-quick bench-engine bench-python bench-node wheel tarball install uninstall library examples \
	conformance conformance-server fmt lint lint-python doc check-transcripts test-c test-watched update-docs update-header \
	update-transcripts update-budget update-benchmarks update-unicode update-conformance clean

STAGE := scripts/stage
VENV := target/venv
VENV_STAMP := $(VENV)/.stamp
PYTHON := $(VENV)/bin/python

CLIPPY := cargo clippy --workspace --all-targets -- -D warnings
DOC := env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps
REPORT := cargo run --quiet --release -p mcplite-bench --bin report --
SCHEMA_SUITE := cargo test -q --workspace --test json_schema_suite -- --nocapture
CHECKER_TESTS := $(PYTHON) -m unittest discover --start-directory tests --quiet
CHECK_SCHEMAS := $(PYTHON) tests/check_transcripts.py --require-coverage
CHECK_HTTP := $(PYTHON) -B tests/http/check_transcripts.py
CHECK_SDK := $(PYTHON) tests/check_sdk_types.py
CHECK_CLIENT := $(PYTHON) tests/check_official_client.py
README_BENCHMARKS := $(PYTHON) -B scripts/update-readme-benchmarks

# What the tests in C link: built for finding mistakes, not for speed.
LIBRARY := target/debug
SYSTEM_LIBRARIES := -lpthread -ldl -lm -lgcc_s -lc
EXAMPLES := target/examples-c
C_TESTS := $(PYTHON) tests/c/run.py --library $(LIBRARY)
C_FLAGS := -std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -Iinclude
CONFORMANCE_SERVER := target/conformance-c/server

# The Python package: built as a wheel, and met as users meet it, installed in a place of its own.
WHEELS := target/wheels
PYTHON_VENV := target/venv-python
PACKAGE_PYTHON := $(PYTHON_VENV)/bin/python
PYTEST := cd bindings-python && $(CURDIR)/$(PACKAGE_PYTHON) -B -m pytest -q
PYTHON_FIXTURES := $(PACKAGE_PYTHON) -B tests/conformance/python/server.py

# The Node package: packed as a tarball, and met as users meet it, installed in a folder of its own.
NODE_PACKAGE := target/node-package
TARBALL := $(NODE_PACKAGE)/mcplite.tgz
NODE_TEST := target/node-test
NODE_FIXTURES := node $(CURDIR)/tests/conformance/node/server.mjs

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: ## Show a server asking its client, and programs in C, Python and Node that use the installed library
	@cargo run -q -p mcplite-core --example exchange
	@scripts/demo-c
	@$(MAKE) --no-print-directory $(PYTHON_VENV)/.wheel
	@scripts/demo-python $(PYTHON_VENV)
	@$(MAKE) --no-print-directory tarball
	@scripts/demo-node $(TARBALL)

test: ## Run every check, each with its time
	@$(STAGE) test $(MAKE) --no-print-directory stages

stages:
	@$(STAGE) rustfmt cargo fmt --all --check
	@$(STAGE) clippy $(CLIPPY)
	@$(STAGE) features $(MAKE) --no-print-directory features
	@$(STAGE) core-lints scripts/check-core-lints
	@$(STAGE) schema-suite-files scripts/fetch-json-schema-suite
	@$(STAGE) tests cargo test --workspace
	@$(STAGE) panics cargo test -q -p mcplite-ffi --features fault-injection --test panics
	@$(STAGE) budget $(REPORT) --check
	@$(STAGE) schema-suite $(SCHEMA_SUITE)
	@$(STAGE) docs $(DOC)
	@$(STAGE) python-venv $(MAKE) --no-print-directory $(VENV_STAMP)
	@$(STAGE) transcript-checker $(CHECKER_TESTS)
	@$(STAGE) readme-benchmarks $(README_BENCHMARKS) --check
	@$(STAGE) transcript-schemas $(CHECK_SCHEMAS)
	@$(STAGE) http-transcript-schemas $(CHECK_HTTP)
	@$(STAGE) transcript-sdk $(CHECK_SDK)
	@$(STAGE) official-client $(CHECK_CLIENT)
	@$(MAKE) --no-print-directory stages-c stages-http
	@$(MAKE) --no-print-directory -j2 --output-sync=line stages-bindings stages-watched

stages-c:
	@$(STAGE) library $(MAKE) --no-print-directory library
	@$(STAGE) headers $(PYTHON) tests/c/header.py
	@$(STAGE) c-tests $(C_TESTS)
	@$(STAGE) c-tests-shared $(C_TESTS) --shared
	@$(STAGE) cpp-checks $(PYTHON) tests/cpp/check.py --library $(LIBRARY)
	@$(STAGE) examples $(MAKE) --no-print-directory examples
	@$(STAGE) example-talks $(PYTHON) tests/examples/run.py $(EXAMPLES)
	@$(STAGE) official-clients $(PYTHON) -B tests/clients/run.py $(EXAMPLES)/everything
	@$(STAGE) host-allocator tests/allocator/run
	@$(STAGE) consumers $(PYTHON) tests/consumers/run.py
	@$(STAGE) shipped-library $(PYTHON) tests/c/run.py --library target/consumers/library --only transcripts process memory

# HTTP: the official suite first, then what it does not look at.
stages-http:
	@$(STAGE) conformance-server $(MAKE) --no-print-directory conformance-server
	@$(STAGE) conformance $(PYTHON) -B tests/conformance/run.py --server $(CONFORMANCE_SERVER)
	@$(STAGE) conformance-table $(PYTHON) -B tests/conformance/table.py --check
	@$(STAGE) http-transcripts $(PYTHON) -B tests/http/replay/run.py --library $(LIBRARY)
	@$(STAGE) http-examples $(MAKE) --no-print-directory examples
	@$(STAGE) http-hosts $(PYTHON) -B tests/http/hosts/run.py $(EXAMPLES) $(LIBRARY)
	@$(STAGE) http-proxy $(PYTHON) -B tests/http/proxy/run.py $(EXAMPLES)
	@$(STAGE) http-curl $(PYTHON) -B tests/http/curl/run.py $(EXAMPLES)
	@$(STAGE) http-document $(PYTHON) -B tests/http/document.py
	@$(STAGE) http-hostile $(PYTHON) -B tests/adversarial/http_run.py --library $(LIBRARY)
	@$(STAGE) http-load $(PYTHON) -B tests/http/load/run.py --library $(LIBRARY)

# The packages for other languages, beside what is watched: neither keeps two processors busy.
stages-bindings:
	@$(MAKE) --no-print-directory stages-python
	@$(MAKE) --no-print-directory stages-node

# The Python package, from its wheel.
stages-python:
	@$(STAGE) python-wheel $(MAKE) --no-print-directory wheel
	@$(STAGE) python-package-venv $(MAKE) --no-print-directory $(PYTHON_VENV)/.wheel
	@$(STAGE) python-lint $(MAKE) --no-print-directory lint-python
	@$(STAGE) python-tests sh -c '$(PYTEST)'
	@$(STAGE) python-conformance $(PYTHON) -B tests/conformance/run.py --required --results target/conformance-python --server $(PYTHON_FIXTURES)
	@$(STAGE) python-conformance-asgi $(PYTHON) -B tests/conformance/run.py --required --results target/conformance-asgi --server $(PYTHON_FIXTURES) --asgi

# The Node package, from its tarball.
stages-node:
	@$(STAGE) node-tarball $(MAKE) --no-print-directory tarball
	@$(STAGE) node-tests $(PYTHON) -B scripts/test-node $(TARBALL)
	@$(STAGE) node-conformance env MCPLITE_MODULES=$(NODE_TEST) $(PYTHON) -B tests/conformance/run.py --required --results target/conformance-node --server $(NODE_FIXTURES)
	@$(STAGE) node-conformance-fetch env MCPLITE_MODULES=$(NODE_TEST) $(PYTHON) -B tests/conformance/run.py --required --results target/conformance-fetch --server $(NODE_FIXTURES) --fetch

# The same programs while a tool watches them; each tool first has to find a planted mistake.
stages-watched:
	@$(STAGE) address-sanitizer $(C_TESTS) --mode asan
	@$(STAGE) undefined-sanitizer $(C_TESTS) --mode ubsan
	@$(STAGE) thread-sanitizer $(C_TESTS) --mode tsan
	@$(STAGE) valgrind $(C_TESTS) --mode valgrind
	@$(STAGE) helgrind $(C_TESTS) --mode helgrind

install: ## Install the library, headers, pkg-config and CMake files under PREFIX (/usr/local)
	@scripts/install-library install

uninstall: ## Remove exactly what was installed under PREFIX
	@scripts/install-library uninstall

library: ## Build the library that the C tests link
	cargo build -q -p mcplite-ffi

# The one with microhttpd is built by its test, where that library is.
examples: library ## Build the examples in C
	@mkdir -p $(EXAMPLES)
	@for source in examples/c/*.c; do \
		case $$source in *everything_*|*microhttpd.c) continue ;; *everything.c) sources=$$(echo examples/c/everything*.c) ;; *) sources=$$source ;; esac; \
		$(CC) $(C_FLAGS) $$sources $(LIBRARY)/libmcplite.a $(SYSTEM_LIBRARIES) \
			-o $(EXAMPLES)/$$(basename $$source .c) || exit 1; \
	done

conformance: $(VENV_STAMP) conformance-server ## Run the official conformance suite, strictly
	@$(PYTHON) -B tests/conformance/run.py --server $(CONFORMANCE_SERVER)

conformance-server: library
	@mkdir -p $(dir $(CONFORMANCE_SERVER))
	@$(CC) $(C_FLAGS) -Itests/c/transcripts tests/conformance/c/*.c tests/c/transcripts/json.c \
		tests/c/transcripts/text.c $(LIBRARY)/libmcplite.a $(SYSTEM_LIBRARIES) -o $(CONFORMANCE_SERVER)

test-http: $(VENV_STAMP) ## Run the tests of HTTP only, the official suite among them
	@$(MAKE) --no-print-directory stages-http

test-python: $(VENV_STAMP) ## Run the tests of the Python package only
	@$(MAKE) --no-print-directory stages-python

test-node: $(VENV_STAMP) ## Run the tests of the Node package only
	@$(MAKE) --no-print-directory stages-node

test-c: $(VENV_STAMP) ## Run the tests of the C ABI only
	@$(MAKE) --no-print-directory stages-c

test-watched: $(VENV_STAMP) library ## Run the C tests under sanitizers and Valgrind only
	@$(MAKE) --no-print-directory stages-watched

wheel: $(VENV_STAMP) ## Build the wheel of the Python package
	@rm -rf $(WHEELS)
	@$(VENV)/bin/maturin build --quiet --release --manifest-path bindings-python/Cargo.toml --out $(WHEELS)

bench-python: wheel ## Measure the Python package beside its peers; takes minutes
	@$(PYTHON) -B bench/python/run.py --wheel $(WHEELS)/*.whl

tarball: ## Pack the npm package of this platform
	@scripts/pack-node $(NODE_PACKAGE)

bench-node: $(VENV_STAMP) tarball ## Measure the Node package beside its peers; takes minutes
	@$(PYTHON) -B bench/node/run.py --tarball $(TARBALL)

# What was measured goes into README.md, also if a target was missed.
bench: wheel tarball ## Measure mcplite beside everything that could be picked instead; takes half an hour
	@$(PYTHON) -B bench/native/run.py --wheel $(WHEELS)/*.whl --tarball $(TARBALL); \
		code=$$?; $(README_BENCHMARKS) && exit $$code

bench-quick: wheel tarball ## The same with few rounds, and a verdict on every target; about three minutes once all is built
	@$(PYTHON) -B bench/native/run.py --quick --wheel $(WHEELS)/*.whl --tarball $(TARBALL)

load: $(VENV_STAMP) ## Load and faults over HTTP in full, on a release build; takes minutes
	cargo build -q --release -p mcplite-ffi
	@$(PYTHON) -B tests/http/load/run.py --library target/release --full

bench-engine: ## Count what messages cost the engine: instructions and allocations
	@$(REPORT)

fmt: ## Format the Rust code
	cargo fmt --all

# What scripts/build-library builds besides the usual library: the smallest, and those in between.
features:
	@for features in "" exchange serve,exchange; do \
		cargo clippy -q -p mcplite-ffi --no-default-features --features "$$features" -- -D warnings || exit 1; \
	done

lint: ## Run clippy, and prove that the lints of the core bite
	$(CLIPPY)
	scripts/check-core-lints

lint-python: $(PYTHON_VENV)/.wheel ## Check style and types of the Python package
	@cd bindings-python && ../$(PYTHON_VENV)/bin/ruff check --quiet . && ../$(PYTHON_VENV)/bin/ruff format --quiet --check .
	@cd bindings-python && ../$(PACKAGE_PYTHON) -m mypy --strict --no-incremental python/mcplite

doc: ## Build the Rust documentation
	$(DOC)

check-transcripts: $(VENV_STAMP) ## Check the transcripts against the schemas and the SDK
	$(CHECKER_TESTS)
	$(CHECK_SCHEMAS)
	$(CHECK_HTTP)
	$(CHECK_SDK)

update-docs: ## Rewrite the tables of docs/protocol.md from the code
	UPDATE=1 cargo test -q -p mcplite-core --lib documentation

update-header: ## Rewrite include/mcplite.h and ffi/abi from the sources; read the diff
	UPDATE=1 cargo test -q -p mcplite-ffi --test header
	UPDATE=1 cargo test -q -p mcplite-ffi --test abi

update-conformance: conformance ## Run the official suite and write its results into README.md
	@$(PYTHON) -B tests/conformance/table.py

update-transcripts: ## Rewrite the server lines of the transcripts; read the diff
	UPDATE=1 cargo test -p mcplite-core --test transcripts --test http_transcripts

update-benchmarks: $(VENV_STAMP) ## Rewrite what README.md and docs/benchmarks say from native.json
	@$(README_BENCHMARKS)

update-budget: ## Rewrite bench/budget.txt from what is measured now; read the diff
	$(REPORT) --update-budget

update-unicode: ## Rewrite the general categories of characters from those of regex-syntax
	UPDATE=1 cargo test -q -p mcplite-core --lib pattern::tests::properties::the_table

clean: ## Remove everything that was built or downloaded
	rm -rf target

# Built anew whenever the requirements change, so that nothing is left over in it.
$(VENV_STAMP): tests/requirements.txt
	rm -rf $(VENV)
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

$(PYTHON_VENV)/.stamp: bindings-python/tests/requirements.txt
	rm -rf $(PYTHON_VENV)
	python3 -m venv $(PYTHON_VENV)
	$(PACKAGE_PYTHON) -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

# The wheel is whatever was built last.
$(PYTHON_VENV)/.wheel: $(PYTHON_VENV)/.stamp wheel
	@$(PACKAGE_PYTHON) -m pip install --quiet --disable-pip-version-check --no-deps --no-index --force-reinstall $(WHEELS)/*.whl
	@touch $@
