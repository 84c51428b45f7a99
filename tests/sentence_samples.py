"""Text for the tests of sentence ends: prose of each language, odd pieces, windows that hang plain pysbd."""

from __future__ import annotations

# Abbreviations, quotes, numbers, decimals, lists.
PROSE = {
    "am": 'ትናንት ወደ ገበያ ሄድኩ። እዚያ 3.5 ኪሎ ቡና ገዛሁ። ዋጋው ስንት ነበር? በጣም ውድ ነበር! እናቴ "ነገ እንሄዳለን" አለችኝ። 1. ቡና 2. '
    "ስኳር 3. ሻይ። ከዚያ በኋላ ወደ ቤት ተመለስን፤ ዝናብም ጣለ።",
    "ar": "وصل القطار الساعة 8:30 صباحا. هل رأيت أحدا هناك؟ قال الحارس: «لا أحد.» ثم مضى، ولم يعد. بلغ "
    "السعر 3.5 ريال في عام 2019. كتب د. سامي رسالة طويلة! اشترينا خبزا، وجبنا، وزيتا. انتهى "
    "اليوم.",
    "bg": "Вчера г-н Петров дойде в гр. Пловдив с влака от 8.30 ч. сутринта. Цената беше 12,50 лв. на "
    'човек. Кой го чакаше? Никой! "Ще се върна утре", каза той. Срещата е на ул. Иван Вазов 5. '
    "През 2010 г. тук имаше мост. 1. Мост 2. Път 3. Гара. Река Марица е наблизо, т.е. на 200 м. "
    "от къщата.",
    "da": "Hr. Jensen bor i Kbh. og arbejder for et firma med ca. 30 ansatte. Mødet er den 5. maj kl. "
    '10.30. Har du set rapporten? Ja! "Vi ses i morgen," sagde hun. Prisen steg med 3.5 procent, '
    "dvs. mere end ventet. Det var f.eks. tilfældet i 1998. 1. Brød 2. Smør 3. Mælk. I U.S.A. er "
    "reglerne anderledes. Vi ved det ikke.",
    "de": "Am 3. Januar traf Dr. Weber ca. 40 Gäste, u.a. Frau Prof. Klein, im alten Bahnhof. Es war "
    "kalt, z.B. nur -5. Grad am Morgen? „Kommen Sie herein! Es ist warm hier.“ Der Preis stieg "
    "um 2.5 Prozent bzw. 3 Euro. Wer wusste das? Niemand. Siehe Abb. 4 und S. 12 ff. des "
    "Berichts. 1. Brot 2. Butter 3. Käse. Der 2. Teil folgt.",
    "el": "Το τρένο έφτασε στις 8.30 το πρωί. Ποιος περίμενε στον σταθμό; Κανείς! «Θα γυρίσω αύριο», "
    "είπε ο οδηγός. Η τιμή ήταν 3.5 ευρώ το 2019. Ο κ. Παππάς διάβασε το γράμμα. 1. Ψωμί 2. Λάδι "
    "3. Τυρί. Μετά έβρεξε.",
    "en": "Dr. Lane moved to Washington, D.C., on Jan. 5, 2019, and met Mrs. Hall of Acme Inc. there. "
    '"It was a long trip," he said. "Would I do it again? Yes!" The fare was $3.50, i.e. 4.2 '
    "percent more than in the U.S. He left at 5 p.m. on Tuesday (see Fig. 3 and Sec. 2.1 of the "
    "report). They want: 1. bread 2. salt 3. oil. Was that all?! No... There were (a) costs, (b) "
    "risks and (c) dates. As shown before.[12] The end came in No. 7.",
    "es": "El Sr. Ruiz llegó a la Avda. Colón el 5 de ene. de 2019 con la Dra. Gil. ¿Quién lo "
    "esperaba? ¡Nadie! «Volveré mañana», dijo. El precio subió un 3.5 por ciento, p. ej. en Bs. "
    "As. y otras ciudades. Véase la pág. 12 del informe. 1. Pan 2. Sal 3. Aceite. En EE.UU. es "
    "distinto. La empresa tiene 1.200 empleados, etc. Fin.",
    "fa": "قطار ساعت 8:30 صبح رسید. چه کسی آنجا بود؟ هیچ کس! او گفت: «فردا برمی‌گردم.» قیمت نان 3.5 "
    "درصد بالا رفت. ما نان، پنیر، و چای خریدیم. سپس باران بارید و همه به خانه رفتند.",
    "fr": "M. Roux est arrivé à Lyon le 5 janv. 2019 avec Mme Petit et deux amis, cf. p. 12 du "
    "rapport. Qui l'attendait ? Personne ! « Je reviens demain. Attendez-moi », dit-il. Le prix "
    "a monté de 3.5 pour cent, c.-à-d. plus que prévu. Il pleuvait... La suite est connue. 1. "
    "Pain 2. Sel 3. Huile. Voir fig. 2, etc. L'été fut long.",
    "hi": 'कल मैं बाज़ार गया। वहाँ 3.5 किलो आलू खरीदे। क्या वह महँगा था? हाँ! माँ ने कहा, "कल फिर '
    'जाएँगे।" डॉ. शर्मा भी वहाँ थे। 1. आलू 2. चीनी 3. चाय। फिर बारिश होने लगी।',
    "hy": "Երեկ գնացի շուկա։ Այնտեղ գնեցի 3.5 կիլոգրամ խնձոր։ Ո՞վ էր սպասում ինձ։ Ոչ ոք։ «Վաղը կգամ», "
    "ասաց նա։ Պարոն Հ. Սարգսյանը կարդաց նամակը։ Հետո անձրև եկավ և բոլորը տուն գնացին։",
    "it": "Il sig. Rossi è arrivato a Torino il 5 gen. 2019 con la dott.ssa Neri e l'avv. Bianchi. Chi "
    "lo aspettava? Nessuno! «Torno domani», disse. Il prezzo è salito del 3.5 per cento, cioè "
    "ca. 40 euro. Si veda pag. 12 del rapporto. 1. Pane 2. Sale 3. Olio. La ditta è in p.zza "
    "Duomo, ecc. Poi piovve... Tutti a casa.",
    "ja": "昨日、東京駅に行きました。「電車は来ますか？」と彼は聞いた。いいえ！価格は3.5％上がった。彼"
    "女は（たぶん。そうだと思う）笑った。「明日また来ます。待っていて。」と言って、帰りました。そ"
    "の後、雨が降った。",
    "kk": "Кеше біз қалаға бардық. Пойыз 8.30 келді. Кім күтіп тұрды? Ешкім! «Ертең қайтамын», деді "
    "ол. Баға 3.5 пайызға өсті. А. Құнанбаев көшесі, 5 үй. 2010 ж. мұнда көпір болған. Қайда "
    "барасың? – деп сұрады. Кейін жаңбыр жауды.",
    "mr": 'काल मी बाजारात गेलो. तिथे 3.5 किलो बटाटे घेतले. ते महाग होते का? हो! आई म्हणाली, "उद्या परत '
    'जाऊ." 1. बटाटे 2. साखर 3. चहा. नंतर पाऊस आला.',
    "my": "မနေ့က ဈေးသို့ သွားခဲ့သည်။ အာလူး 3.5 ပိဿာ ဝယ်ခဲ့သည်။ ဈေးကြီးသလား? ဟုတ်သည်! အမေက မနက်ဖြန် သွားမည်ဟု ပြောသည်။ ထို့နောက် မိုးရွာသည်။",
    "nl": "Dhr. Visser woont in Utrecht en werkt bij een bedrijf met ca. 30 mensen, o.a. twee ing. van "
    'Philips. De vergadering is op 5 jan. om 10.30 uur. Heb je het rapport gezien? Ja! "Tot '
    'morgen," zei ze. De prijs steeg met 3.5 procent, d.w.z. meer dan verwacht. Zie art. 12 van '
    "de wet, blz. 4. 1. Brood 2. Zout 3. Olie. Het regende...",
    "pl": "Wczoraj dr Nowak przyjechał do Krakowa pociągiem o godz. 8.30 z prof. Lisem. Kto na niego "
    'czekał? Nikt! "Wrócę jutro", powiedział. Cena wzrosła o 3.5 proc., tj. więcej niż w 2010 r. '
    "w Gdańsku. Zob. s. 12 raportu itd. i ul. Długa 5. 1. Chleb 2. Sól 3. Olej. Potem padał "
    "deszcz... Wszyscy poszli do domu.",
    "ru": "Вчера г-н Петров приехал в г. Тулу поездом в 8.30 утра. Кто его ждал? Никто! «Вернусь "
    "завтра», сказал он. Цена выросла на 3.5 проц., т.е. больше, чем в 2010 г. в Москве. См. "
    "стр. 12 отчёта и ул. Ленина, д. 5. А. П. Чехов жил рядом. 1. Хлеб 2. Соль 3. Масло. Потом "
    "пошёл дождь... Все ушли домой.",
    "sk": "Včera prišiel Ing. Novák do Košíc vlakom o 8.30 hod. ráno 5. januára 2019. Kto ho čakal? "
    "Nikto! „Vrátim sa zajtra. Počkajte,“ povedal. Cena stúpla o 3.5 percenta, t. j. viac než "
    "čakali. Firma Alfa s. r. o. má sídlo na ul. Dlhá č. 5. Karol IV. vládol dlho. 1. Chlieb 2. "
    "Soľ 3. Olej. Potom pršalo... Všetci išli domov.",
    "ur": 'کل میں بازار گیا۔ وہاں 3.5 کلو آلو خریدے۔ کیا وہ مہنگے تھے؟ ہاں! ماں نے کہا، "کل پھر جائیں '
    'گے۔" پھر بارش ہونے لگی۔',
    "zh": "昨天我去了北京。火车8:30到站。谁在等他？没有人！「明天我会回来。等着我。」他说。价格上涨了"
    "3.5％。他读过《红楼梦。第一回》这本书。后来下雨了，大家都回家了。",
}

# fmt: off
PIECES = [
    ". ", "! ", "? ", ".", "!", "?", "...", " . . .", "?!", "!!!", "\n", "\r\n", " ", "  ", ",", ":", "--",
    "-", "'", '"', "“", "”", "‘", "’", "(", ")", "[", "]", "«", "»", "„", "<b>", "</", "\\", "&",
    "☝", "∯", "&ᓰ&", "ȸ", "Mr", "e.g", "U.S", "p.m", "No", "Inc", "1", "12", "1. ", "2. ", "1) ", "[1]",
    "a. ", "b. ", "(i) ", "(ii) ", "word", "Word", "She", "I", "中文", "。", "！", "「", "」", "Привет", "г.",
    "।", "؟", "۔", "é", "e\u0301", "\u0301", "\u200d", "😀", "👩\u200d💻", "\ud83d", "\ude00", "\x00", "\t",
    "°", ".pdf ",
]
# fmt: on

BOMBS = [
    "..[" + "111 " * 240 + "]",
    "..[" + "289852000000260698," * 50,
    "f." + "302205302116302416302500302513915" * 29 + "bd",
    "Rok bud." + "20277779838348438348430420032002" * 30,
    'src="url <iframe width="100%" height="166" ' * 23,
    "<a " * 330,
    "!" * 999 + "a",
    "?!" * 499 + "a",
    "." * 1000,
    "[" * 999,
    "]" + "[" * 998 + "\\",
    "“.\\" * 300 + "”",
    "(." * 500,
    "'" * 1000,
    " 'a" * 333,
    '" (' * 300,
    "1. " * 330,
    " ".join(f"{number}." for number in range(100)) * 3,
    "".join(f"({letter}) " for letter in "abcdefghijklmnopqrstuvwxyz") * 9,
    "a.b" * 333,
    "Mr. mr. MR. mR. " * 60,
    "。" * 1000,
    " " * 1000,
    "1." + " " * 990,
    ".\n" * 500,
    "∯." * 500,
    "\udc80." * 500,
]
