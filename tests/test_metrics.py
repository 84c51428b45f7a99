"""Metrics: published examples of the libraries, and the owners' rules by eye."""

from __future__ import annotations

import pytest

from benchmarks.metrics import METRICS

OPTIONAL = {"rouge_l": "rouge", "rouge_l_line": "rouge", "rouge_l_zh": "jieba", "qa_f1_zh": "jieba"}
OPTIONAL |= {"rouge_geometric": "rouge_score", "code_similarity": "rapidfuzz"}

# `rouge`'s README: the F of ROUGE-L of its two example sentences.
HYPOTHESIS = (
    "the #### transcript is a written version of each day 's cnn student news program use this transcript to he    lp "
    "students with reading comprehension and vocabulary use the weekly newsquiz to test your knowledge of storie s you "
    "     saw on cnn student news"
)
REFERENCE = (
    "this page includes the show transcript use the transcript to help students with reading comprehension and "
    "vocabulary at the bottom of the page , comment for a chance to be mentioned on cnn student news . you must be a "
    "teac her or a student age # # or older to request a mention on the cnn student news roll call . the weekly "
    "newsquiz tests students ' knowledge of even ts in the news"
)
# `rouge-score`'s README: the fox and the dog.
FOX, DOG = "The quick brown fox jumps over the lazy dog", "The quick brown dog jumps on the log."
# Of 9 and 8 words: 6 the same, 2 of 8 and 7 pairs ("the quick", "quick brown"), 5 in order.
FOX_SCORE = (12 / 17 * 2 * 2 / 15 * 10 / 17) ** (1 / 3)


@pytest.mark.parametrize(
    ("metric", "answer", "references", "expected"),
    [
        ("string_match_all", "It is 12 and 15.", ["12", "13"], 0.5),
        ("string_match_all", "PARIS", ["Paris"], 1.0),
        ("string_match_part", "in paris", ["Rome", "Paris"], 1.0),
        ("string_match_part", "in Oslo", ["Rome", "Paris"], 0.0),
        ("qa_f1", "The Eiffel tower!", ["eiffel Tower", "a mast"], 1.0),
        ("qa_f1", "a big cat", ["the cat"], 2 / 3),
        ("qa_f1", "", ["cat"], 0.0),
        ("qa_f1_line", "\ncat\nQuestion: a dog", ["cat"], 1.0),
        ("qa_f1_zh", "我住在北京。", ["我住在北京"], 1.0),
        ("rouge_l", HYPOTHESIS, [REFERENCE], 0.44706),
        ("rouge_l", "", ["cat"], 0.0),
        ("rouge_l", "...", ["cat"], 0.0),
        ("rouge_l_line", "the cat\nthe dog", ["the cat"], 1.0),
        ("rouge_l_zh", "我住在北京", ["我住在北京"], 1.0),
        ("rouge_geometric", FOX, [DOG], FOX_SCORE),
        ("count", "The answer is 5, not 6", ["5"], 0.5),
        ("count", "five", ["5"], 0.0),
        ("retrieval", "Paragraph 12", ["Paragraph 12"], 1.0),
        ("retrieval", "Paragraph 12 or 13", ["Paragraph 12"], 0.5),
        ("retrieval", "段落3", ["段落3"], 1.0),
        ("code_similarity", "# a comment\nthis is a test\nmore", ["this is a test!"], 0.97),
        ("choice", "(B) He left.", ["B"], 1.0),
        ("choice", "C", ["(B) He left."], 0.0),
        ("choice", "none", ["B"], 0.0),
        ("options", "AC", ["AC"], 1.0),
        ("options", "A. C.", ["AC"], 1.0),
        ("options", "A", ["AC"], 0.25),
        ("options", "AB", ["AC"], 0.0),
        ("options", "", ["AC"], 0.0),
        ("judgement", "True.", ["True [fact: False]"], 1.0),
        ("judgement", "It is false", ["True [fact: False]"], 0.0),
        ("exponential_similarity", "about 70%", ["60%"], 0.5),
        ("exponential_similarity", "40", ["60%"], 0.25),
        ("exponential_similarity", "many", ["60%"], 0.0),
        ("concordance", "3, 2, 1", ["1, 2, 3"], 0.0),
        ("concordance", "1, 3, 2, 4", ["1, 2, 3, 4"], 5 / 6),
        ("concordance", "1, 1, 2", ["1, 2, 3"], 0.0),
    ],
)
def test_examples(metric: str, answer: str, references: list[str], expected: float) -> None:
    if metric in OPTIONAL:
        pytest.importorskip(OPTIONAL[metric])
    assert METRICS[metric](answer, references, []) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(
    ("answer", "reference", "expected"),
    [
        ("Place", "Place", 1.0),
        ("Place or Date", "Place", 0.5),
        ("Date", "Place", 0.0),
        ("", "Place", 0.0),
        ("Other Place", "Other Place", 1.0),  # a class inside the right one's name is not held against it
        ("Place\nQuestion: Date", "Place", 1.0),
    ],
)
def test_classification(answer: str, reference: str, expected: float) -> None:
    assert METRICS["classification"](answer, [reference], ["Place", "Date", "Other Place"]) == expected


@pytest.mark.parametrize("metric", METRICS)
def test_no_reference_is_worth_nothing(metric: str) -> None:
    if metric in OPTIONAL:
        pytest.importorskip(OPTIONAL[metric])
    assert METRICS[metric]("answer", [], []) == 0.0
