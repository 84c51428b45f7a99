"""Settings of the test run, and the compressor that most tests share."""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

from beaver_compat import BeaverPromptCompressor

settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")  # the same examples on every run; at a desk each run tries new ones


@pytest.fixture(scope="session")
def compressor() -> BeaverPromptCompressor:
    """The default settings, counting with the bundled table's tokenizer: nothing is fetched, nothing warns."""
    return BeaverPromptCompressor(token_counter="table")
