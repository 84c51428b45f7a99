"""Small tokenizers of every common family, trained in memory, once per process."""

from __future__ import annotations

import json
import string
from collections.abc import Callable
from functools import cache

from tokenizers import AddedToken, Regex, Tokenizer, decoders, normalizers, pre_tokenizers, processors
from tokenizers.models import BPE, Unigram, WordPiece
from tokenizers.trainers import BpeTrainer, Trainer, UnigramTrainer, WordPieceTrainer

MARKER = "▁"
BYTE_LEVEL_VOCAB = 700
MARKED_VOCAB = 1200
UNIGRAM_VOCAB = 600
WORDPIECE_VOCAB = 800
_QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
_ASCII = list(string.printable)
_BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(0x100)]

TRAINING_TEXT = """\
The beaver is a large rodent that builds dams, canals and lodges. A dam slows the river, and the pond behind it
keeps the lodge safe. Beavers don't hibernate; they store branches under the ice and eat the bark in winter.
"It's the engineer of the forest," she said, "and it's never idle." In 1984 there were 12,345 beavers in the
valley; by 2021 there were more than 300,000. They'll cut a tree of 15 cm in 50 minutes, won't they?
def count_dams(rivers, *, minimum=3):\r\n\ttotal = 0\r\n\tfor river in rivers:\r\n\t\ttotal += len(river.dams)\r\n
    return total if total >= minimum else None  # nothing else to see here\n\n\n{"name": "beaver", "age": 7}
Der Biber fällt Bäume für seine Burg; die Größe überrascht. Le castor bâtit un barrage près de la forêt où il naît.
El castor construye su presa en el río; el niño lo señala. Bóbr buduje tamę, żeby podnieść poziom wody w stawie.
Бобр строит плотину из веток и глины, чтобы поднять уровень воды. Ο κάστορας χτίζει φράγματα στο ποτάμι.
河狸用树枝和泥土筑坝,使河水上涨。它的巢穴建在水中,入口在水面以下。河狸是森林的工程师。
ビーバーは木の枝と泥でダムを作る。巣の入口は水の中にある。冬の間、彼らは木の皮を食べる。
비버는 나뭇가지와 진흙으로 댐을 만든다. 강물이 느려지고 연못이 생긴다. 겨울에는 나무껍질을 먹는다.
ऊदबिलाव नदी पर बाँध बनाता है। वह पेड़ काटता है और पानी को रोकता है। यह जंगल का इंजीनियर है।
บีเวอร์สร้างเขื่อนจากกิ่งไม้และโคลน ทางเข้ารังอยู่ใต้น้ำ มันกินเปลือกไม้ในฤดูหนาว
يبني القندس سدا من الأغصان والطين في النهر. مدخل بيته تحت الماء. القندس مهندس الغابة.
הבונה בונה סכר בנהר מענפים ומבוץ. הכניסה לביתו נמצאת מתחת למים.
"""


def _trained(tokenizer: Tokenizer, trainer: Trainer) -> Tokenizer:
    lines = TRAINING_TEXT.splitlines(keepends=True)
    tokenizer.train_from_iterator([*lines, *lines], trainer)  # twice, so that a rare word is no single one
    return tokenizer


@cache
def gpt2_like() -> Tokenizer:
    """Byte-level BPE as in GPT-2: no normalizer, the regular expression built in."""
    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=True)
    return _trained(tokenizer, _byte_level_trainer(["<|endoftext|>"]))


@cache
def qwen_like() -> Tokenizer:
    """Byte-level BPE as in Qwen: NFC, a Split of its own, added tokens that are not special."""
    tokenizer = Tokenizer(BPE())
    tokenizer.normalizer = normalizers.NFC()
    split = pre_tokenizers.Split(Regex(_QWEN_SPLIT), behavior="isolated")
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([split, byte_level])
    tokenizer.decoder = decoders.ByteLevel()
    _trained(tokenizer, _byte_level_trainer(["<|endoftext|>", "<|im_end|>"]))
    tokenizer.add_tokens([AddedToken("<think>", normalized=False), AddedToken("</think>", normalized=False)])
    return tokenizer


def _byte_level_trainer(special: list[str]) -> BpeTrainer:
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    return BpeTrainer(
        vocab_size=BYTE_LEVEL_VOCAB, special_tokens=special, initial_alphabet=alphabet, show_progress=False
    )


@cache
def llama_like() -> Tokenizer:
    """SentencePiece-style BPE as in Llama-2's file: the marker put before and for spaces by normalizers."""
    tokenizer = _marked_bpe()
    replace = normalizers.Replace(" ", MARKER)
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend(MARKER), replace])
    tokenizer.pre_tokenizer = None
    return tokenizer


@cache
def metaspace_like() -> Tokenizer:
    """SentencePiece-style BPE as in newer Llama-2 conversions: the marker put by Metaspace, before the first word."""
    tokenizer = _marked_bpe()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(MARKER, prepend_scheme="first", split=False)
    return tokenizer


@cache
def metaspace_split_like() -> Tokenizer:
    """As `metaspace_like`, but split at markers and the marker put before every stretch."""
    tokenizer = _marked_bpe()
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(MARKER, prepend_scheme="always", split=True)
    return tokenizer


@cache
def gemma_like() -> Tokenizer:
    """SentencePiece-style BPE as in Gemma: the marker for spaces only, runs of line ends as added tokens."""
    tokenizer = _marked_bpe()
    tokenizer.normalizer = normalizers.Replace(" ", MARKER)
    tokenizer.pre_tokenizer = pre_tokenizers.Split(" ", behavior="merged_with_previous")
    tokenizer.add_tokens([AddedToken(run, normalized=False) for run in ("\n\n", "\n\n\n", MARKER * 2)])
    return tokenizer


def _marked_bpe() -> Tokenizer:
    tokenizer = Tokenizer(BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(MARKER)  # trained on words, as SentencePiece does
    special = ["<unk>", "<s>", "</s>", *_BYTE_TOKENS]
    trainer = BpeTrainer(vocab_size=MARKED_VOCAB, special_tokens=special, initial_alphabet=_ASCII, show_progress=False)
    _trained(tokenizer, trainer)
    return _without_added(tokenizer, set(_BYTE_TOKENS))


def _without_added(tokenizer: Tokenizer, contents: set[str]) -> Tokenizer:
    """The tokenizer with some of its added tokens left in the vocabulary only."""
    settings = json.loads(tokenizer.to_str())
    settings["added_tokens"] = [token for token in settings["added_tokens"] if token["content"] not in contents]
    return Tokenizer.from_str(json.dumps(settings))


@cache
def xlm_roberta_like() -> Tokenizer:
    """Unigram as in XLM-R: NFKC, runs of spaces made one, Metaspace."""
    tokenizer = Tokenizer(Unigram())
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(MARKER)
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    trainer = UnigramTrainer(vocab_size=UNIGRAM_VOCAB, special_tokens=special, unk_token="<unk>", show_progress=False)
    _trained(tokenizer, trainer)
    tokenizer.add_special_tokens([AddedToken("<mask>", lstrip=True)])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)]
    )
    return tokenizer


@cache
def bert_like() -> Tokenizer:
    """WordPiece as in BERT uncased: lower case, accents stripped, truncation and padding set."""
    tokenizer = Tokenizer(WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    _trained(tokenizer, WordPieceTrainer(vocab_size=WORDPIECE_VOCAB, special_tokens=special, show_progress=False))
    cls, sep = tokenizer.token_to_id("[CLS]"), tokenizer.token_to_id("[SEP]")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )
    tokenizer.enable_truncation(max_length=16)
    tokenizer.enable_padding(length=16)
    return tokenizer


FAMILIES: dict[str, Callable[[], Tokenizer]] = {
    "gpt2": gpt2_like,
    "qwen": qwen_like,
    "llama": llama_like,
    "metaspace": metaspace_like,
    "metaspace_split": metaspace_split_like,
    "gemma": gemma_like,
    "xlm_roberta": xlm_roberta_like,
    "bert": bert_like,
}
