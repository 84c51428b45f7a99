"""What one call adds to this process's memory at its peak, the compressor loaded and the text read before.

Started by `latency.py` for every length; takes a JSON object on stdin and prints one with
`memory` (bytes) and `gpu_memory` (bytes, null on a CPU).
"""

from __future__ import annotations

import json
import re
import sys
from contextlib import suppress
from pathlib import Path

# Run as a script, it finds a package that isn't installed.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

WARM_UP = "The quick brown fox jumps over the lazy dog. " * 100

_STATUS = Path("/proc/self/status")
_RESET_PEAK = "5"  # what Linux takes in clear_refs for it


def memory_marks() -> tuple[int, int]:
    """Bytes of memory that this process has now, and those it had at its peak.

    `ru_maxrss` on Linux begins with what the parent process had, so it serves elsewhere only, as both.
    """
    if _STATUS.exists():
        kibibytes = dict(re.findall(r"^(Vm\w+):\s*(\d+) kB", _STATUS.read_text(), re.MULTILINE))
        return int(kibibytes["VmRSS"]) * 1024, int(kibibytes["VmHWM"]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # macOS: in bytes
    return peak, peak


def main() -> None:
    """Measure one call."""
    job = json.load(sys.stdin)
    import torch

    from beaver_compat import BeaverPromptCompressor

    compressor = BeaverPromptCompressor(job["model"], job["device"], token_counter=job["counter"])
    asked = {"question": job["question"], "target_token": job["target"]}
    compressor.compress(WARM_UP, **asked)
    with Path(job["text"]).open(encoding="utf-8", newline="") as file:
        text = file.read()
    gpu = torch.cuda.is_available() and compressor.table.device.type == "cuda"
    if gpu:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text(_RESET_PEAK)
    before, _ = memory_marks()
    gpu_before = torch.cuda.memory_allocated() if gpu else 0
    compressor.compress(text, **asked)
    _, peak = memory_marks()
    gpu_memory = torch.cuda.max_memory_allocated() - gpu_before if gpu else None
    print(json.dumps({"memory": peak - before, "gpu_memory": gpu_memory}))


if __name__ == "__main__":
    main()
