# `make` lists the targets; `make test` is everything that continuous integration runs.

.DEFAULT_GOAL := help
.PHONY: help demo test stages bench bench-quick fmt lint doc check-transcripts update-docs \
	update-transcripts update-budget update-unicode clean

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
CHECK_SDK := $(PYTHON) tests/check_sdk_types.py
CHECK_CLIENT := $(PYTHON) tests/check_official_client.py

help: ## List the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: ## Run a small exchange between a client and the engine
	@cargo run -q -p mcplite-core --example exchange

test: ## Run every check, each with its time
	@$(STAGE) test $(MAKE) --no-print-directory stages

stages:
	@$(STAGE) rustfmt cargo fmt --all --check
	@$(STAGE) clippy $(CLIPPY)
	@$(STAGE) core-lints scripts/check-core-lints
	@$(STAGE) schema-suite-files scripts/fetch-json-schema-suite
	@$(STAGE) tests cargo test --workspace
	@$(STAGE) budget $(REPORT) --check
	@$(STAGE) schema-suite $(SCHEMA_SUITE)
	@$(STAGE) docs $(DOC)
	@$(STAGE) python-venv $(MAKE) --no-print-directory $(VENV_STAMP)
	@$(STAGE) transcript-checker $(CHECKER_TESTS)
	@$(STAGE) transcript-schemas $(CHECK_SCHEMAS)
	@$(STAGE) transcript-sdk $(CHECK_SDK)
	@$(STAGE) official-client $(CHECK_CLIENT)

bench: bench-quick ## Count and time what messages cost; takes minutes
	cargo bench -p mcplite-bench --bench workloads

bench-quick: ## Count what messages cost: instructions and allocations
	@$(REPORT)

fmt: ## Format the Rust code
	cargo fmt --all

lint: ## Run clippy, and prove that the lints of the core bite
	$(CLIPPY)
	scripts/check-core-lints

doc: ## Build the Rust documentation
	$(DOC)

check-transcripts: $(VENV_STAMP) ## Check the transcripts against the schemas and the SDK
	$(CHECKER_TESTS)
	$(CHECK_SCHEMAS)
	$(CHECK_SDK)

update-docs: ## Rewrite the tables of docs/protocol.md from the code
	UPDATE=1 cargo test -q -p mcplite-core --lib documentation

update-transcripts: ## Rewrite the server lines of the transcripts; read the diff
	UPDATE=1 cargo test -p mcplite-core --test transcripts

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
