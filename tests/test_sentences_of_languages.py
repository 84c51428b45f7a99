"""Texts in other languages than English: the sentence that answers is kept whole, under many budgets."""

from __future__ import annotations

import pytest
from kept_texts import kept

from beaver_compat import BeaverPromptCompressor

CHINESE = (
    "公司成立于2009年，总部位于云汀市滨河路，创始人林知远曾在海桥大学任教，后来因健康原因辞职，现有员工1460人，其中研发占43%。"
    "2022年营业收入为17.8亿元。LS型检测仪售价为3980元。“我们会继续扩大出口，并在临溪市建设第二座工厂。”董事长说。"
)
JAPANESE = (
    "本機は2018年に発売されました。5GHz帯ではつながりませんので、ルーターの設定を変えてください。"
    "SNSでは使い方の動画を毎週紹介しています。220V用の変圧器を使うと、時計が1日に三分ほど遅れます。"
)

GERMAN = (
    "Die Fähre fährt das ganze Jahr über. Die Bojen werden am 16. April ausgesetzt und am 29. Mai geborgen, bei Sturm"
    " verschiebt sich alles um eine Woche. Der Hafenmeister ist im 2. Obergeschoss zu finden. Die Miete steigt zum"
    " 1. Juni auf 901,00 Euro. Nach Rang 3. Danach kam keiner mehr."
)

DUTCH = (
    "De vergadering begon om acht uur en duurde niet lang. Voorzitter was mw. Hillegonda Terpstra. Notulist was dhr."
    " Sjoerd van Eijk. De boot van de fam. Bos ligt aan de steiger. Vragen kunnen naar tel. 030 555 0142."
)
SPANISH = (
    "El servicio lo gestiona la Sra. Remedios Artal, del Ayuntamiento. La obra la dirige el Sr. Ruiz con la Dra. Gil."
    " Las fotos son de la Avda. Goya, y el resto se verá en otoño. El local está cerrado los lunes por la tarde."
)


@pytest.mark.parametrize(
    ("text", "question", "answer", "budgets"),
    [
        (CHINESE, "营业收入是多少？", "2022年营业收入为17.8亿元。", range(25, 45)),
        (CHINESE, "检测仪售价多少？", "LS型检测仪售价为3980元。", range(25, 45)),
        (JAPANESE, "5GHzではつながりますか。", "5GHz帯ではつながりませんので、", range(35, 60)),
        (GERMAN, "Wann werden die Bojen geborgen?", "am 16. April ausgesetzt und am 29. Mai geborgen", range(44, 90)),
        (GERMAN, "Auf wie viel steigt die Miete?", "zum 1. Juni auf 901,00 Euro.", range(24, 60)),
        (DUTCH, "Wie was notulist?", "Notulist was dhr. Sjoerd van Eijk.", range(20, 80)),
        (SPANISH, "¿Quién gestiona el servicio?", "la Sra. Remedios Artal", range(28, 80)),
        (JAPANESE, "変圧器を使うと時計はどうなりますか。", "220V用の変圧器を使うと、", range(40, 60)),
    ],
)
def test_the_sentence_that_answers_is_kept(
    compressor: BeaverPromptCompressor, text: str, question: str, answer: str, budgets: range
) -> None:
    for budget in budgets:
        assert answer in kept(compressor, text, question, budget), budget
