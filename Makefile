# Everything runs in .venv, which the first target that needs it creates.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test check bench clean

demo: $(VENV)/installed
	$(BIN)/beaver compress docs/demo/gpl-3.0.txt --token-counter table --target-token 300 \
		--question "How many days do I have to cure a violation after I receive notice?"

test: $(VENV)/installed-dev
	$(BIN)/python -m pytest

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Measures answer retention on your own files: make bench DATA=path/to/samples
bench: $(VENV)/installed-dev
	$(BIN)/python benchmarks/retention.py $(DATA) --budgets 500,1000,3000

clean:
	rm -rf $(VENV) build *.egg-info

# constraints.txt pins torch to a CPU build where one is at hand, so that nothing pulls gigabytes of CUDA.
$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -c constraints.txt -e .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/pip install --quiet -c constraints.txt -e '.[dev,compare,bench,clients]'
	touch $@
