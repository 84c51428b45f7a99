"""Questions that a number answers (how many, how long, when), and the stretches of text that have one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from beaver_compat.text.ascending import among, any_between, distinct, union
from beaver_compat.text.characters import DIGIT, WORD, Characters
from beaver_compat.tokenization import Tokenizer

Positions = NDArray[np.int64]

_LONGEST_QUESTION = 1024  # characters of it that are looked at, the last
_MEASURES = (
    "age|amount|cost|count|date|deadline|distance|duration|fee|height|length|limit|maximum|minimum|number|percentage|percent"
    "|population|price|proportion|quantity|salary|size|sum|speed|temperature|weight|width|year"
)
_ROMANCE_MEASURES = (
    "altezza|altura|costo|coste|custo|data|durata|duração|duración|edad|età|fecha|hora|horario|horário|idade|importe"
    "|importo|numero|número|percentuale|peso|plazo|porcentaje|prazo|precio|prezzo|preço|scadenza|superficie|tamaño"
    "|tamanho|tasa|tasso|taxa|temperatura|valor"
)
_ASKED = [
    "how (?:big|deep|expensive|far|fast|frequent(?:ly)?|heavy|high|large|late|long|low|many|much|often|old|short|small"
    "|soon|tall|thick|wide|young)(?!-)",
    # Not the conjunction, as in "What happens when the cable breaks?", nor conditions, as in "When should I call?".
    "when(?:'s| (?:are|did|do|does|had|has|have|is|was|were|will))",
    r"(?:what|which)(?:'s| is| was| are| were)?(?: (?:an?|the|its|his|her|their|our|your|my))?"
    rf"(?: (?!an?\b|the\b)\w+){{0,2}}? (?:{_MEASURES})s?"
    r"(?= (?:are|can|did|do|does|has|have|had|in|is|must|of|on|was|were|will|would)\b|\W*$)",
    rf"the (?:{_MEASURES})s? of|(?:at )?what (?:hour|time)",
    "wie ?(?:viele?|viel|alt|breit|gro(?:ß|ss)|häufig|hoch|lange?|oft|schnell|schwer|teuer|tief|weit)|was koste[nt]"
    "|wann (?:ist|sind|war|waren|wurden?|wird|hat|hatte|begann|beginnt|endete?)|um wie ?viel uhr"
    "|(?:ab|bis|seit|von) wann",
    "welche[mnrs]? (?:alter|anteil|anzahl|betrag|datum|dauer|größe|höhe|jahr|länge|menge|preis|tag|uhrzeit|zahl)",
    "combien|quel(?:le)?s? (?:est |était )?(?:l[ae] |l['’])?"
    "(?:année|âge|date|durée|heure|jour|montant|nombre|prix|taille|taux)|quand (?:a|est|ont|sont|fut|était)"
    "|(?:depuis|pour|partir de|jusqu['’]à) quand",
    "cu[aá]nt[oa]s?|cuándo|qué (?:año|cantidad|día|edad|fecha|hora|número|porcentaje|precio|tamaño)",
    "quant[aeio]s?|(?:em )?que (?:ano|data|idade)|a que horas|(?:in )?(?:che|quale) (?:anno|data|età|prezzo)|a che ora"
    "|(?:da|desde|até|entro|fino a) quando",
    rf"(?:cuál|qual) (?:es|era|fue|é|foi|è) (?:el|la|o|a|il|l['’])? ?(?:\w+ )?(?:{_ROMANCE_MEASURES})",
    "hoe (?:breed|diep|duur|groot|hoog|laat|lang|oud|snel|vaak|veel|ver|zwaar)|hoeveel|wat kost(?:en|te)?"
    "|wanneer (?:is|was|werd|heeft|begon)|(?:sinds|tot|vanaf) wanneer",
    "(?:do|na|od|po|w|za) il[eu]|jak (?:długo|często|daleko|dużo|wysok[aio])|(?:do|od|na) kiedy|o której|w którym roku",
    "kolik[ao]?|koľko|jak (?:dlouho|často|daleko)|ako (?:dlho|často|ďaleko)|(?:do|od)k[de]+y|v kterém roce",
    "скольк(?:о|и|их)|(?:в )?како[ейм]м? (?:год[уа]?|дат[аы]|размер|цен[аы])|как (?:долго|часто|далеко|давно)"
    "|в котором (?:году|часу)|какого числа|(?:до|с) как(?:ого|их) (?:времени|пор|часа|числа)",
    "kaç(?:a|ta|tan|tır|ı|ıncı)?|ne (?:kadar|zaman)|hangi (?:ay|gün|saat|tarih|yıl)\\w{0,6}",
    "hur (?:dyr[at]?|gammal|gamla|högt?|länge|långt?|många|mycket|ofta|stora?)|vad kostar|vilket (?:datum|år)",
    "hvor (?:dyrt?|gamle?|gammel|høyt?|højt?|lange?|langt|lenge|længe|mange|meget|mye|ofte|stort?)|hvad koster"
    "|hva koster|hvornår|hvilket år|hvilken dato",
    "kuinka (?:kauan|korkea|moni|monta|paljon|pitkä|suuri|usein|vanha)|milloin|montako|paljonko",
    "hány(?:adik|an|as|szor)?|meddig|mekkora|mennyi(?:be|en|ért)?|mikor(?:ra|tól)?|mióta"
    "|milyen (?:gyakran|hosszú|magas)",
    "πόσ(?:α|ες|η|ο|οι|ους|ων)|πότε|berapa|kapan|bao (?:lâu|nhiêu)",
    "ب?كم|متى|ما (?:تاريخ|ثمن|سعر|عدد|عمر|مدة|نسبة)",
]
# These are conjunctions, too, where a comma ends their clause: "Quand le câble casse, que faire ?"
_ASKED_FIRST = "cuando|când|ile|ilu|kdy|kedy|kiedy|når|när|quand|quando|wann|wanneer|когда"
# Of what is to be done, conditions are asked: "Wann darf der Vermieter die Wohnung betreten?"
_MODALS = (
    "d[aü]rf\\w*|k[aoö]nn\\w*|m[uü]ss\\w*|soll\\w*|doit|dois|devrai\\w*|faut|peut|peux|puis|debe|debo|puede|puedo|deve|devo"
    "|dev\\w+|pode|posso|può|kan|kunnen|mag|mogen|moet\\w*|måste|skal|ska|må|mogę|można|muszę|należy|mohu|můžu|musím"
    "|должен|можно|надо|нужно|следует"
)
_ASKED_WITHOUT_SPACES = (
    "多少|[几幾](?=[个個天年月人次岁歲点點号號名位家层層块塊小])|[几幾][时時]|多久|多[长長大高远遠]|[何哪]一?[时時年日天月]"
    "|什[么麼][时時][候间間]"
    "|いくつ|いくら|何(?:[人回個本枚台円歳才分秒番店階度割件社冊匹頭杯箱袋点位号週泊名倍種]|[かカヶ箇]所|キロ|パーセント)"
    "|いつ|ど[のれ][くぐ]らい|몇|얼마|언제|कितन|किस (?:तारीख|दिन|वर्ष|समय|साल)"
    "|(?<![\u0900-\u097f])कब(?![\u0900-\u097f])|กี่|เท่า(?:ไร|ไหร่)|เมื่อ(?:ไร|ไหร่)"
)
_NUMBER_WORDS = (
    "two three four five six seven eight nine ten eleven twelve thirteen"
    " fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty"
    " ninety hundred hundreds thousand thousands million millions billion billions dozen dozens once twice half percent"
    " year years month months week weeks day days hour hours minute minutes daily weekly monthly yearly annually"
    " January February April June July August September October November December"
    " Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
    " zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig hundert tausend Millionen Prozent"
    " Jahr Jahre Jahren Monat Monate Monaten Woche Wochen Tage Tagen Stunden Minuten"
    " deux trois quatre cinq huit neuf vingt cent mille années mois semaines jours heures minutes"
    " dos tres cuatro cinco seis siete ocho nueve diez veinte cien años meses semanas días horas minutos"
    " quattro cinque sette dieci venti cento milioni anni mesi settimane giorni minuti"
    " três quatro sete oito nove dez vinte milhões anos dias"
    " twee vijf zes zeven negen tien twintig honderd duizend miljoen jaar maanden weken dagen uur minuten"
    " два две три четыре пять шесть семь восемь девять десять двадцать сто тысяч миллионов год года лет месяцев недель"
    " дней часов минут процентов"
    " dwa dwie trzy cztery pięć sześć siedem osiem dziewięć dziesięć tysięcy milionów miesięcy godzin minut"
)
_WHOLE, _FIRST = 1, 2
_ID_BITS = 21
_words: WeakKeyDictionary[Tokenizer, NumberWords] = WeakKeyDictionary()
_AMOUNT = re.compile(
    rf"\b(?:{'|'.join(_ASKED)})\b|{_ASKED_WITHOUT_SPACES}"
    rf"|(?:^|[.!?:;\n])\W{{0,3}}(?:{_ASKED_FIRST})\b(?!\s(?:{_MODALS})\b)(?=[^,?]{{0,{_LONGEST_QUESTION}}}(?:\?|$))",
    re.I,
)


def asks_for_number(question: str) -> bool:
    """Whether a number seems to answer: an amount, a size, a date.

    >>> asks_for_number("How many days do I have?"), asks_for_number("Who was told when the cable broke?")
    (True, False)
    """
    return _AMOUNT.search(question[-_LONGEST_QUESTION:]) is not None


@dataclass(frozen=True)
class NumberWords:
    """The words for a number, a span of time or a date in a vocabulary.

    Attributes:
        kinds: for each token id, the last standing for all larger ones, too, whether it is such a word (1), the first
            piece of one (2), both (3), or neither, uint8.
        pairs: the words of two pieces, packed and ascending, int64.
        triples: the first three pieces of longer ones, packed and ascending, int64.
    """

    kinds: NDArray[np.uint8]
    pairs: Positions
    triples: Positions

    def among(self, ids: NDArray[np.int32], ends: Positions, characters: Characters) -> Positions:
        """Which of some tokens are such a word or begin one, ascending, int64.

        Args:
            ids: of the tokens, int32 [L].
            ends: the character behind each, int64 [L].
            characters: of the text.
        """
        kinds = self.kinds.take(ids, mode="clip")
        whole, first = np.flatnonzero(kinds & _WHOLE), np.flatnonzero(kinds[:-1] & _FIRST)
        if not first.size:
            return whole
        second, third = ids[first + 1], np.append(ids, 0)[first + 2]
        pair = _packed(ids[first], second)
        behind = characters.classes.take(ends[first + 1], mode="clip")
        over = ((behind & WORD) == 0) | (ends[first + 1] >= characters.size)
        found = (among(pair, self.pairs) & over) | among(_packed(pair, third), self.triples)
        return union(whole, first[found])


def number_words(tokenizer: Tokenizer) -> NumberWords:
    """The words for a number, a span of time or a date, as a vocabulary spells them."""
    known = _words.get(tokenizer)
    if known is not None:
        return known
    forms = [f" {form}" for word in _NUMBER_WORDS.split() for form in dict.fromkeys([word, word.capitalize()])]
    ids, offsets, limits = tokenizer.encode(forms)
    first, last = limits[:-1], limits[1:]
    first = first + ((offsets[first, 1] <= 1) & (last - first > 1))  # behind a token of the space
    sizes = last - first
    kinds = np.zeros(int(ids.max(initial=0)) + 2, dtype=np.uint8)
    kinds[ids[first[sizes == 1]]] |= _WHOLE
    kinds[ids[first[sizes > 1]]] |= _FIRST
    pairs, triples = first[sizes == 2], first[sizes > 2]
    found = NumberWords(
        kinds,
        distinct(np.sort(_packed(ids[pairs], ids[pairs + 1]))),
        distinct(np.sort(_packed(_packed(ids[triples], ids[triples + 1]), ids[triples + 2]))),
    )
    _words[tokenizer] = found
    return found


def _packed(first: NDArray[np.integer[Any]], second: NDArray[np.integer[Any]]) -> Positions:
    """Pieces as one number each."""
    return (first.astype(np.int64) << _ID_BITS) | second


def have_numbers(characters: Characters, starts: Positions, ends: Positions) -> NDArray[np.bool_]:
    """True for each of some stretches that has a number, digits that are not the end of a word (as in ``BERT2``).

    Args:
        characters: of the text.
        starts, ends: places of the stretches, int64 [S].

    Returns:
        bool [S].
    """
    digits = characters.places(DIGIT)
    begins = digits[(characters.classes[digits - 1] & WORD == 0) | (digits == 0)]
    return any_between(begins, starts, ends)
