"""What a reader's answer is worth, from 0 to 1, by the rules that each benchmark's owners publish.

A metric takes the answer, the references and the sample's classes; of several references the best one counts.  Words
are compared by the libraries that the owners use (`rouge` for LongBench, `rouge-score` for ZeroSCROLLS, `jieba` for
Chinese), edit similarity by `rapidfuzz`.
"""

from __future__ import annotations

import math
import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations
from typing import Any

Metric = Callable[[str, Sequence[str], Sequence[str]], float]  # answer, references, classes -> [0, 1]

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_CHINESE_MARKS = (
    "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣"
    "､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿–—‘’‛“”„‟…‧﹏."
)
_NO_MARKS = str.maketrans("", "", string.punctuation)
_NO_CHINESE_MARKS = str.maketrans("", "", string.punctuation + _CHINESE_MARKS)
_HALVED = 0.1  # exponential similarity halves with every ten percentage points
PARTIAL = 0.25  # of a point for some, and only right, options


def best(single: Callable[[str, str], float]) -> Metric:
    """A metric that takes the best of the references, 0 where there are none."""
    return lambda answer, references, classes: max((single(answer, one) for one in references), default=0.0)


def first_line(metric: Metric) -> Metric:
    """A metric of the answer's first line (LongBench: where examples go on after it)."""
    return lambda answer, references, classes: metric(answer.lstrip("\n").split("\n")[0], references, classes)


def words(text: str) -> list[str]:
    """Words in lower case without punctuation and articles (SQuAD's rule)."""
    return _ARTICLES.sub(" ", text.lower().translate(_NO_MARKS)).split()


def chinese_words(text: str) -> list[str]:
    """Words as `jieba` cuts them, without punctuation."""
    found = ("".join(word.lower().translate(_NO_CHINESE_MARKS).split()) for word in _jieba().cut(text))
    return [word for word in found if word]


def f1(answer: Sequence[str], reference: Sequence[str]) -> float:
    """Harmonic mean of precision and recall of the words.

    >>> round(f1(["paris", "france"], ["paris"]), 3)
    0.667
    """
    same = sum((Counter(answer) & Counter(reference)).values())
    return 2 * same / (len(answer) + len(reference)) if same else 0.0


def string_match_all(answer: str, references: Sequence[str], classes: Sequence[str]) -> float:
    """RULER: share of the references in the answer, whatever their case."""
    return sum(one.lower() in answer.lower() for one in references) / max(len(references), 1)


def string_match_part(answer: str, references: Sequence[str], classes: Sequence[str]) -> float:
    """RULER's questions: 1 as soon as one reference stands in the answer."""
    return float(any(one.lower() in answer.lower() for one in references))


def classification(answer: str, references: Sequence[str], classes: Sequence[str]) -> float:
    """LongBench: one over the classes named, if the right one is among them."""
    scores = [0.0]
    for reference in references:
        named = [name for name in classes if name in answer]
        named = [name for name in named if name == reference or name not in reference]
        scores.append(1 / len(named) if reference in named else 0.0)
    return max(scores)


def _numbered(answer: str, wanted: str) -> float:
    numbers = re.findall(r"\d+", answer)
    return numbers.count(wanted) / len(numbers) if numbers else 0.0


def count(answer: str, reference: str) -> float:
    """LongBench: share of the numbers in the answer that are the right one."""
    return _numbered(answer, reference)


def retrieval(answer: str, reference: str) -> float:
    """LongBench: the same for the number of a paragraph."""
    found = re.search(r"(?:Paragraph |段落)(\d+)", reference)
    return _numbered(answer, found[1]) if found else 0.0


def code_similarity(answer: str, reference: str) -> float:
    """LongBench: edit similarity of the first line that is neither comment nor fence."""
    from rapidfuzz import fuzz

    lines = (line for line in answer.lstrip("\n").split("\n") if not any(mark in line for mark in ("`", "#", "//")))
    return round(fuzz.ratio(next(lines, ""), reference)) / 100


def rouge_l(answer: str, reference: str) -> float:
    """LongBench: F of ROUGE-L by `rouge`."""
    if not answer.strip(" .") or not reference.strip(" ."):
        return 0.0  # the library raises on texts without words
    return float(_rouge().get_scores([answer], [reference], avg=True)["rouge-l"]["f"])


def rouge_l_chinese(answer: str, reference: str) -> float:
    """The same over the words that `jieba` cuts."""
    return rouge_l(*(" ".join(_jieba().cut(text)) for text in (answer, reference)))


def rouge_geometric(answer: str, references: Sequence[str], classes: Sequence[str]) -> float:
    """ZeroSCROLLS: geometric mean of ROUGE-1, -2 and -L, each the best over the references."""
    scored = [_rouge_score().score(reference, answer) for reference in references]
    kinds = ("rouge1", "rouge2", "rougeL")
    return math.prod(max((one[kind].fmeasure for one in scored), default=0.0) for kind in kinds) ** (1 / 3)


def choice(answer: str, reference: str) -> float:
    """ZeroSCROLLS' and L-Eval's exams: the first option named, A to D.

    >>> choice("(B) because", "B"), choice("A", "B")
    (1.0, 0.0)
    """
    named, right = (re.search(r"\b[A-D]\b", text) for text in (answer, reference))
    return float(bool(named and right and named[0] == right[0]))


def options(answer: str, reference: str) -> float:
    """L-Eval's coursera: 1 for exactly the right options, a quarter for some of them and no wrong one.

    >>> options("AB", "AB"), options("A", "AB"), options("AC", "AB")
    (1.0, 0.25, 0.0)
    """
    named = _letters(answer)
    right = _letters(reference)
    if named == right:
        return 1.0
    return PARTIAL if named and named < right else 0.0


def _letters(text: str) -> set[str]:
    first = re.match(r"\s*[A-D]{2,}\b", text)
    return set(first[0].strip()) if first else set(re.findall(r"\b[A-D]\b", text))


def judgement(answer: str, reference: str) -> float:
    """L-Eval's sci_fi: the first true or false (what stands in the document, not the fact in brackets)."""
    said, right = (re.search(r"true|false", text.lower()) for text in (answer, reference))
    return float(bool(said and right and said[0] == right[0]))


def exponential_similarity(answer: str, reference: str) -> float:
    """ZeroSCROLLS' space_digest: halves with every ten points between two percentages.

    >>> exponential_similarity("60%", "50%")
    0.5
    """
    said, right = (re.search(r"\d+(?:\.\d+)?", text) for text in (answer, reference))
    if not said or not right:
        return 0.0
    return float(0.5 ** (abs(float(said[0]) - float(right[0])) / 100 / _HALVED))


def concordance(answer: str, reference: str) -> float:
    """ZeroSCROLLS' book_sum_sort: share of pairs in the right order; 0 where it is no order of the same numbers.

    >>> concordance("1, 3, 2", "1,2,3") == 2 / 3
    True
    """
    said, right = ([int(number) for number in re.findall(r"\d+", text)] for text in (answer, reference))
    if sorted(said) != sorted(right) or len(set(right)) != len(right) or len(right) < 2:
        return 0.0
    pairs = list(combinations(right, 2))
    return sum(said.index(a) < said.index(b) for a, b in pairs) / len(pairs)


@cache
def _rouge() -> Any:
    from rouge import Rouge  # type: ignore[import-untyped]

    return Rouge()


@cache
def _rouge_score() -> Any:
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

    return RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=False)


@cache
def _jieba() -> Any:
    import logging
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its regular expressions are older than Python's rules for them
        import jieba  # type: ignore[import-untyped]
    jieba.setLogLevel(logging.WARNING)
    return jieba


METRICS: dict[str, Metric] = {
    "string_match_all": string_match_all,
    "string_match_part": string_match_part,
    "qa_f1": best(lambda answer, reference: f1(words(answer), words(reference))),
    "qa_f1_zh": best(lambda answer, reference: f1(chinese_words(answer), chinese_words(reference))),
    "rouge_l": best(rouge_l),
    "rouge_l_zh": best(rouge_l_chinese),
    "qa_f1_line": first_line(best(lambda answer, reference: f1(words(answer), words(reference)))),
    "rouge_l_line": first_line(best(rouge_l)),
    "rouge_geometric": rouge_geometric,
    "classification": first_line(classification),
    "count": best(count),
    "retrieval": best(retrieval),
    "code_similarity": best(code_similarity),
    "choice": best(choice),
    "options": best(options),
    "judgement": best(judgement),
    "exponential_similarity": best(exponential_similarity),
    "concordance": best(concordance),
}
