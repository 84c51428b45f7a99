"""A rival in a process of its own, with its own weights, or with random ones of the published model's shape.

    python benchmarks/rival_worker.py NAME --tokenizer LLAMA_2_JSON --weights published [--device cuda] [--stand-in]
    python benchmarks/rival_worker.py NAME --tokenizer LLAMA_2_JSON --sample TEXT_FILE [--device cuda] [--stand-in]

The first line on stdout is a JSON object, `about` and `versions`.  From then on each line on stdin, `text`,
`question` and `target`, is answered by one: `seconds` and `text`, with random weights `seconds`, `tokens` (the rival's
own) and `compressed_tokens`.  What fails is answered by `error`.  Runs under any interpreter that has the rival's
package; of this project it imports the rivals' settings only, which need nothing.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from operator import itemgetter
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from beaver_compat.rivals import RIVALS, Compress, load_rival

SEED = 42
LEARNT_TOKENS = 4_000  # a text then has about as many as of tiktoken's; the rest of a vocabulary is never met
REMEMBERED_TEXTS = 1 << 16
PACKAGES = ("llmlingua", "transformers", "tokenizers", "torch", "numpy")


class Shape(NamedTuple):
    """A model.

    Attributes:
        folder: LLMLingua-2 knows its models by a part of their path.
        family: of its classes in transformers.
        head: the class is named family + head.
        special_tokens: of its tokenizer, by role.
        settings: what its configuration has beside the family's defaults.
        about: what is said of it beside its times.
    """

    folder: str
    family: str
    head: str
    special_tokens: dict[str, str]
    settings: dict[str, Any]
    about: str


SHAPES = {
    "llmlingua2-small": Shape(
        "bert-base-multilingual-cased",
        "Bert",
        "ForTokenClassification",
        {f"{role}_token": f"[{role.upper()}]" for role in ("pad", "unk", "cls", "sep", "mask")},
        {"vocab_size": 119_547},
        "bert-base-multilingual-cased",
    ),
    "llmlingua2": Shape(
        "xlm-roberta-large",
        "XLMRoberta",
        "ForTokenClassification",
        {
            "bos_token": "<s>",
            "pad_token": "<pad>",
            "eos_token": "</s>",
            "unk_token": "<unk>",
            "cls_token": "<s>",
            "sep_token": "</s>",
            "mask_token": "<mask>",
        },
        {
            "vocab_size": 250_002,
            "hidden_size": 1024,
            "num_hidden_layers": 24,
            "num_attention_heads": 16,
            "intermediate_size": 4096,
            "max_position_embeddings": 514,
            "type_vocab_size": 1,
        },
        "xlm-roberta-large",
    ),
    "longllmlingua": Shape(
        "llama",
        "Llama",
        "ForCausalLM",
        {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"},
        {
            "vocab_size": 32_000,
            "hidden_size": 768,
            "num_hidden_layers": 12,
            "num_attention_heads": 12,
            "intermediate_size": 2048,
            "max_position_embeddings": 4096,
        },
        "a Llama of 134M parameters, a fiftieth of the Llama-2-7b that it is published with",
    ),
}


class RememberingCounter:
    """Stands in for tiktoken's encoding where its vocabulary isn't at hand.

    On single words the tokenizers library is several times slower than tiktoken; that each word is encoded only
    once makes up for it.
    """

    def __init__(self, file: Path) -> None:
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(file))
        self.encode = lru_cache(REMEMBERED_TEXTS)(lambda text: tokenizer.encode(text, add_special_tokens=False).ids)


def save_model(folder: Path, shape: Shape, tokenizer: str) -> None:
    """A model with random weights, and its tokenizer, a tokenizer.json."""
    import torch
    import transformers

    torch.manual_seed(SEED)
    config = getattr(transformers, shape.family + "Config")(**shape.settings)
    model = getattr(transformers, shape.family + shape.head)(config)
    model.save_pretrained(folder)
    (folder / "tokenizer.json").write_text(tokenizer, encoding="utf-8")
    settings = {"tokenizer_class": shape.family + "Tokenizer", "do_lower_case": False, **shape.special_tokens}
    (folder / "tokenizer_config.json").write_text(json.dumps(settings), encoding="utf-8")


def learnt_tokenizer(shape: Shape, sample: str) -> str:
    """WordPiece for BERT, Unigram for XLM-RoBERTa, learnt from `sample`, with a vocabulary of the model's size."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    bert = shape.family == "Bert"
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]") if bert else models.BPE())
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=False) if bert else None
    words = pre_tokenizers.Sequence([pre_tokenizers.Metaspace(), pre_tokenizers.Punctuation()])
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer() if bert else words
    tokenizer.decoder = decoders.WordPiece() if bert else decoders.Metaspace()
    train = trainers.WordPieceTrainer if bert else trainers.BpeTrainer
    special = list(dict.fromkeys(shape.special_tokens.values()))
    learnt = train(vocab_size=LEARNT_TOKENS, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(sample.splitlines(), learnt)
    made = json.loads(tokenizer.to_str())
    ids = dict(made["model"]["vocab"])
    ids |= {f"[unused{index}]": index for index in range(len(ids), shape.settings["vocab_size"])}
    if bert:
        made["model"]["vocab"] = ids
    else:  # the trainer for Unigram cuts words to pieces; of a frequency list Zipf's law makes log probabilities
        scores = [[token, -math.log(index + 1)] for token, index in sorted(ids.items(), key=itemgetter(1))]
        made["model"] = {"type": "Unigram", "unk_id": ids["<unk>"], "vocab": scores, "byte_fallback": False}
    return json.dumps(made)


def count_with(tokenizer: Path) -> None:
    """Let a tokenizer.json stand in for tiktoken's encodings."""
    import tiktoken

    counter: Any = RememberingCounter(tokenizer)
    tiktoken.encoding_for_model = lambda model_name: counter


def load_random(name: str, device: str, sample: Path, tokenizer: Path) -> Any:
    """The rival's `PromptCompressor` with random weights; its files are gone again when it is loaded."""
    import llmlingua  # type: ignore[import-untyped]

    shape = SHAPES[name]
    read = tokenizer.read_text(encoding="utf-8")
    own = read if shape.family == "Llama" else learnt_tokenizer(shape, sample.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as root:
        folder = Path(root, shape.folder)
        folder.mkdir()
        save_model(folder, shape, own)
        return llmlingua.PromptCompressor(str(folder), device, use_llmlingua2=name.startswith("llmlingua2"))


def compress_random(rival: Any, request: dict[str, Any]) -> dict[str, Any]:
    """One call, timed; it returns strings, so nothing is left running on a GPU."""
    settings = RIVALS["llmlingua2" if rival.use_llmlingua2 else "longllmlingua"]
    contexts = request["text"].split("\n\n") if settings.paragraphs else [request["text"]]
    started = perf_counter()
    result = rival.compress_prompt(
        contexts, question=request["question"], target_token=request["target"], **settings.call
    )
    return {
        "seconds": perf_counter() - started,
        "tokens": len(rival.tokenizer.tokenize(request["text"])),
        "compressed_tokens": result["compressed_tokens"],
    }


def compress(rival: Compress, request: dict[str, Any]) -> dict[str, Any]:
    """One call, timed."""
    started = perf_counter()
    text = rival(request["text"], request["question"], request["target"])
    return {"seconds": perf_counter() - started, "text": text}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _answered(job: Callable[[], dict[str, Any]]) -> str:
    try:
        answer = job()
    except Exception as error:  # noqa: BLE001  whatever it is, it goes to the other process
        where = traceback.extract_tb(error.__traceback__)[-1]
        answer = {"error": f"{type(error).__name__} in {Path(where.filename).name}, {where.name}: {error}"}
    return json.dumps(answer)


def main(arguments: Sequence[str] | None = None) -> None:
    """Load the rival, then answer until stdin ends."""
    parser = argparse.ArgumentParser(description="Runs a rival, or times it with random weights.")
    parser.add_argument("name", choices=sorted({*SHAPES, *RIVALS}))
    parser.add_argument("--weights", help='"published", a name on the hub, or a folder; without it random ones')
    parser.add_argument("--sample", type=Path, help="text that the tokenizer of random weights learns from")
    parser.add_argument("--tokenizer", type=Path, required=True, help="Llama-2's tokenizer.json")
    parser.add_argument("--stand-in", action="store_true", help="count with Llama-2's tokenizer, not with tiktoken's")
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args(arguments)
    # What others print goes to stderr; here stdout is for answers alone.
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    os.environ |= {"TRANSFORMERS_VERBOSITY": "error", "HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    if not given.weights:
        os.environ["HF_HUB_OFFLINE"] = "1"
    rivals: list[Any] = []

    def load() -> dict[str, Any]:
        if given.stand_in:
            count_with(given.tokenizer)
        if given.weights:
            rivals.append(load_rival(given.name, None if given.weights == "published" else given.weights, given.device))
        else:
            rivals.append(load_random(given.name, given.device, given.sample, given.tokenizer))
        about = SHAPES[given.name].about if given.name in SHAPES else given.name
        versions = {name: _version(name) for name in (*PACKAGES, given.name)}
        return {"about": about, "versions": {name: found for name, found in versions.items() if found}}

    print(_answered(load), file=answers, flush=True)
    call = compress if given.weights else compress_random
    for line in sys.stdin if rivals else ():
        print(_answered(partial(call, rivals[0], json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
