# Everything runs in .venv, which the first target that needs it creates.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# On a busy machine torch's threads wait for each other.
OFFLINE := HF_HUB_OFFLINE=1 OMP_NUM_THREADS=1

.PHONY: demo test check bench rivals clean

demo: $(VENV)/installed
	$(BIN)/beaver compress docs/demo/gpl-3.0.txt --token-counter table --target-token 300 \
		--question "How many days do I have to cure a violation after I receive notice?"

# A process for each processor, of which each has one thread: every process holds a table and torch.
test: $(VENV)/installed-dev
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist worksteal

check: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Everything that needs no download and no reader, on samples generated here; a killed run goes on where it was.
bench: $(VENV)/installed-dev
	$(OFFLINE) $(BIN)/python benchmarks/tables.py retention --essays docs/demo --limit 2
	$(OFFLINE) $(BIN)/python benchmarks/tables.py ablations --essays docs/demo --limit 2
	$(BIN)/python benchmarks/latency.py --lengths 1k,16k,128k --runs 5 --counter table

# An environment for each family of rivals whose pins clash with ours.
rivals: .rivals/llmlingua/installed .rivals/selective-context/installed

.rivals/%/installed: constraints.txt benchmarks/rivals-%.txt
	$(PYTHON) -m venv .rivals/$*
	.rivals/$*/bin/pip install --quiet -c constraints.txt -r benchmarks/rivals-$*.txt
	$(if $(filter selective-context,$*),.rivals/$*/bin/pip install --quiet --no-deps selective-context==0.1.4)
	touch $@

clean:
	rm -rf $(VENV) .rivals build *.egg-info

# constraints.txt pins torch to the version that the tests ran with.  On Linux PyPI's is a CUDA build, of gigabytes;
# PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu offers pip the CPU build.
$(VENV)/installed: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet -c constraints.txt -e .
	touch $@

$(VENV)/installed-dev: $(VENV)/installed
	$(BIN)/pip install --quiet -c constraints.txt -e '.[dev,compare,bench,clients]'
	touch $@
