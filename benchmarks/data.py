"""The datasets of the tables by name; any other name is a sample file, or a folder of them.

What a set needs comes from the Hugging Face Hub, or from `--data FOLDER` with the same files.  A set, or a task of it,
that can't be had is named with the reason, and the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from benchmarks.generated_sets import load_needle, load_ruler
from benchmarks.public_sets import load_leval, load_longbench, load_zeroscrolls
from benchmarks.samples import file_label, read_samples, sample_files
from benchmarks.sets import Data, Wanted

Loader = Callable[[Wanted, Data], None]

DATASETS: dict[str, Loader] = {
    "ruler": load_ruler,
    "needle": load_needle,
    "longbench": partial(load_longbench, chinese=False),
    "longbench21": partial(load_longbench, chinese=True),
    "zeroscrolls": load_zeroscrolls,
    "leval": load_leval,
}


def load(names: Sequence[str], wanted: Wanted) -> Data:
    """The datasets and files of these names.

    Raises:
        FileNotFoundError: a name that is neither a dataset nor a file or folder.
    """
    data = Data()
    for name in names:
        if name in DATASETS:
            DATASETS[name](wanted, data)
            continue
        for path in sample_files([name]):
            data.add(file_label(path), read_samples(path), wanted)
    return data
