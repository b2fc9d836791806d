"""Writes `cases.jsonl`, the corpus of the parity suite: `python -m tests.parity.write_cases`.

All texts are our own: sentences as they are written (`sentences.txt`), sentences composed of a
frame and its fillings (`FRAMES`), what is hard for offsets (`HARD`), and text with elements
(`MARKED`). No chance is involved: the same file comes out each time, and a change is reviewed as a
diff.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

CASES = Path(__file__).with_name("cases.jsonl")
SENTENCES = Path(__file__).with_name("sentences.txt")

# Frames with places to fill; every filling fits every other one in grammar and in sense.
FRAMES: dict[str, tuple[str, list[list[str]]]] = {
    "weather": (
        "{0} wird es in {1} {2}.",
        [
            ["Morgen", "Am Wochenende", "In der Nacht", "Heute Abend", "Übermorgen"],
            ["Köln", "Österreich", "den Alpen", "ganz Norddeutschland", "Zürich"],
            ["regnerisch und kühl", "bis zu 31 °C warm", "neblig, aber trocken"],
        ],
    ),
    "travel": (
        "{0} fährt {1} {2} nach {3}.",
        [
            ["Meine Schwester", "Herr Müller", "Der Chor", "Unsere Nachbarin Frau Öztürk"],
            ["jeden Dienstag", "zum ersten Mal", "trotz des Streiks"],
            ["mit dem Zug", "mit dem Fahrrad", "ohne Gepäck"],
            ["Straßburg", "Wien"],
        ],
    ),
    "wish": (
        "Ich möchte {0}, {1}.",
        [
            [
                "gern wissen", "nur sagen", "nicht glauben", "noch einmal betonen",
            ],
            [
                "dass sie recht hatte", "warum er gegangen ist", "wie teuer das wirklich war",
                "ob der Laden sonntags offen hat", "dass niemand etwas dafür kann",
            ],
        ],
    ),
    "shop": (
        "{0} kostet {1} Euro, {2}.",
        [
            ["Das blaue Hemd", "Die Fahrkarte", "Ein Kilo Spargel", "Der gebrauchte Laptop"],
            ["19,90", "1.250", "acht", "knapp 45"],
            ["aber nur noch heute", "und das ist viel zu teuer", "inklusive Mehrwertsteuer"],
        ],
    ),
    "order": (
        "{0} bitte {1}{2}",
        [
            ["Schließen Sie", "Öffnen Sie", "Überprüfen Sie", "Vergessen Sie nicht,"],
            ["das Fenster", "die Tür hinter sich", "alle Anhänge"],
            [".", "!", ", bevor Sie gehen.", " (siehe Anlage 3)."],
        ],
    ),
    "science": (
        "{0} {1}, {2}.",
        [
            [
                "Eine Studie aus Göttingen zeigt", "Neue Messungen legen nahe",
                "Die Biologin Dr. Weiß vermutet", "Viele Fachleute bezweifeln",
            ],
            [
                "dass Bienen Gesichter erkennen", "dass der Gletscher schneller schmilzt",
                "dass Schlaf das Gedächtnis stärkt",
            ],
            [
                "wenn auch nur in Grenzen", "als man 1990 noch annahm",
                "so die Zeitschrift „Natur & Technik“",
            ],
        ],
    ),
    "mail": (
        "{0}\n\n{1} {2}\n\n{3}",
        [
            ["Sehr geehrte Damen und Herren,", "Liebe Anna,", "Hallo zusammen!"],
            ["vielen Dank für Ihre Nachricht vom 3. März.", "ich bin leider krank."],
            ["Das Treffen findet am Montag statt.", "Können wir um 14:30 Uhr telefonieren?"],
            ["Mit freundlichen Grüßen\nJ. Schäfer", "LG, dein Max 😊"],
        ],
    ),
    "chat": (
        "{0} {1} {2}",
        [
            ["Haha", "Omg", "Na gut,", "Boah,", "Alles klar,"],
            ["das ist ja super", "ich komme später", "hab dich lieb", "wo seid ihr?"],
            ["😂", "👍🏽", "❤️", "🙈🙈", ":-)"],
        ],
    ),
    "history": (
        "Im Jahr {0} {1}; {2}.",
        [
            ["1492", "1789", "1871", "1989"],
            ["änderte sich vieles", "begann eine neue Zeit", "ahnte das noch niemand"],
            ["so steht es jedenfalls in den Büchern", "die Folgen spürt man bis heute"],
        ],
    ),
    "reported": (
        "{0} sagte{1} dass {2}.",
        [
            ["Der Sprecher", "Frau Dr. Übelacker", "Ein Augenzeuge"],
            [" am Mittwoch,", ",", " der Zeitung „Tag & Nacht“,"],
            [
                "das Feuer gelöscht sei", "die Züge wieder führen", "man mit 5 bis 7 % rechne",
                "er davon nichts gewusst habe",
            ],
        ],
    ),
    "paragraph": (
        "{0} {1} {2}",
        [
            [
                "Das Café an der Ecke macht um sieben auf.", "Der Winter war lang.",
                "Niemand hatte mit so vielen Gästen gerechnet!", "Was tun?",
            ],
            [
                "Dann sitzen dort schon die ersten Gäste, z. B. der alte Lehrer.",
                "Es schneite bis Ende April, und die Vorräte gingen zur Neige.",
                "„Wir brauchen mehr Stühle“, rief jemand.",
            ],
            [
                "Danach wurde es still.", "Erst am 21. Mai kam die Sonne zurück.",
                "So ist das eben ...",
            ],
        ],
    ),
    "lines": (
        "{0}\n{1}\n\n{2}\n",
        [
            ["Einkaufsliste:", "Tagesordnung", "Öffnungszeiten"],
            [
                "- Milch, Butter und 6 Eier", "1) Begrüßung\r\n2) Berichte",
                "Mo–Fr: 9–18 Uhr\tSa: 10–14 Uhr",
            ],
            ["Bitte nichts vergessen!", "   Änderungen vorbehalten.   "],
        ],
    ),
    "places": (
        "{0} liegt {1} von {2} entfernt{3}",
        [
            ["Das Dorf", "Der Flughafen", "Unser Büro"],
            ["drei Kilometer", "etwa eine Stunde", "keine 500 m"],
            ["der Küste", "der polnischen Grenze"],
            [".", ", nicht wahr?"],
        ],
    ),
    "cause": (
        "Weil {0}, {1}.",
        [
            [
                "der Strom ausgefallen war", "sie kein Wort Spanisch sprach",
                "das Geld nicht reichte", "es so heftig schneite",
            ],
            [
                "blieb der Laden geschlossen", "mussten wir zu Fuß gehen",
                "nahm ihr Onkel das Gespräch an", "verschob man die Hochzeit auf Juni",
            ],
        ],
    ),
}  # fmt: skip

LONG_LIST = ", ".join(
    f"{number} {thing}"
    for number, thing in zip(
        range(3, 60),
        ["Äpfel", "Birnen", "Tassen", "Bücher", "Schrauben", "Lampen", "Stühle", "Löffel"] * 8,
        strict=False,
    )
)

# What is hard for offsets; texts and where they come from need no sense.
HARD = {
    "emphasis": [
        "Das ist **sehr** wichtig, und _nicht_ ~~umsonst~~ *kostenlos*.",
        "**Hinweis:** Die Straße ist *heute* gesperrt. 😀 **Bitte umfahren!**",
        "*Alle Angaben ohne Gewähr.",
        "# Zutaten\n\n- **Mehl:** 500 g\n- Lehrer*innen & snake_case",
    ],
    "emoji": [
        "Heute ist ein schöner Tag ☀️!",
        "👨‍👩‍👧‍👦 Die ganze Familie kommt am Sonntag.",
        "Ich liebe 🇩🇪 und 🇫🇷, aber auch 🇨🇭.",
        "Das hast du toll gemacht 👏🏻👏🏽👏🏿!",
        "Der Arzt 👨‍⚕️ und die Pilotin 👩🏾‍✈️ sind verheiratet 💍.",
        "Drück 1️⃣, dann #️⃣, dann *️⃣.",
        "🎉🎉🎉 Herzlichen Glückwunsch zum 30. Geburtstag! 🎂",
        "Mathe 𝒜ℬ𝒞 und Noten 𝄞𝄢 im Text",
        "Der 𝐟𝐞𝐭𝐭𝐞 Text und der 𝓢𝓬𝓱𝓷ö𝓻𝓴𝓮𝓵",
        "Flagge von Schottland: 🏴󠁧󠁢󠁳󠁣󠁴󠁿. Schön, nicht?",
        "🏳️‍🌈 Vielfalt ist gut. 🏳️‍⚧️ Freiheit auch.",
        "😀",
        "😀😀😀 😀 Ja",
        "Er sagte 🤷‍♀️ und ging.",
        "a😀b😀c und d",
        "🧑🏿‍🤝‍🧑🏻 Freunde für immer 🧑‍🦽",
    ],
    "combining": [
        "U\u0308ber den Wolken muss die Freiheit wohl grenzenlos sein.",
        "Scho\u0308ne Gru\u0308ße aus Mu\u0308nchen!",
        "Das Cafe\u0301 öffnet um neun.",
        "Z\u0335a\u0336l\u0337g\u0338o\u0335 schreibt seltsam.",
        "Der Name e\u0302\u0323 hat zwei Zeichen u\u0308ber und unter dem e.",
        "A\u030angstro\u0308m war Physiker.",
        "n\u0303, o\u0308 und a\u0328 im Satz",
        "\u0301 Ein Akzent ohne Buchstaben",
        "Die Ligaturen ﬁ und ﬂ in Grafik und Flug: Graﬁk, ﬂiegen.",
        "½ Liter Milch, ¾ Pfund Mehl, 5 ㎏ Kartoffeln und ℃.",
        "Soft\u00adhy\u00adphens in Donau\u00addampf\u00adschiff",
        "Null\u200bbreite\u200c und \u2060Wort\u2060verbinder",
        "Vollbreite: ＡＢＣ １２３ und ｶﾀｶﾅ",
        "Arabische Ligatur ﷺ mitten im deutschen Satz.",
    ],
    "scripts": [
        "Das hebräische Wort שלום bedeutet Frieden.",
        "Auf Arabisch sagt man مرحبا, wenn man jemanden grüßt.",
        "Er schrieb: „Привет, как дела?“ und lachte.",
        "你好，世界！",
        "Das Zeichen 水 bedeutet Wasser, 火 bedeutet Feuer.",
        "我会说一点德语。 Ich spreche ein wenig Deutsch.",
        "こんにちは。 Guten Tag. さようなら。 Auf Wiedersehen.",
        "Ελληνικά und Deutsch in einem Satz",
        "Der Zug nach Žďár nad Sázavou hält in Český Těšín.",
        "नमस्ते heißt Guten Tag.",
        "\u202everkehrt\u202c herum und \u2067isoliert\u2069",
        "İstanbul, Łódź, Šibenik, Þingvellir und Ærø sind Orte.",
        "สวัสดี sagt man in Thailand.",
        "안녕하세요, sagte die Lehrerin.",
    ],
    "controls": [
        "",
        " ",
        "\n",
        "\t \r\n \u00a0",
        "Ein\x00Null\x00zeichen und\x07eine Glocke.",
        "\x1b[31mRot\x1b[0m und \x7f gelöscht",
        "\ufeffAm Anfang steht eine Marke.",
        "Zeile eins\u2028Zeile zwei\u2029Absatz\x85Ende\x0bvertikal\x0cSeite",
        "a\ufffeb\uffffc sind Noncharacters.",
        "Ein Ersatzzeichen \ufffd steht hier.",
        "Lone \ud83d und \ude00 Surrogate.",
        "\ud800",
        "Satz eins.\ud800 Satz zwei. \udc00",
        "Das Zeichen ▁ ist in SentencePiece besonders. ▁▁ auch.",
        "<unk> </s> <s> und <0x41> sind nur Text.",
        "Text   mit    vielen     Leerzeichen.   Und  noch  mehr.  ",
        "Geschütztes\u00a0Leerzeichen und\u202fschmales\u2009Leerzeichen",
        "<b>Fett</b> &amp; <a href=\"https://example.org/\">Link</a>",
        "{\"schlüssel\": [1, 2, 3], \"text\": \"Hallo\"}",
        "...",
        "?!",
        "--- *** ---",
        "12345",
        "ß",
        "A",
    ],
    "over-long": [
        "Donau" * 200,
        "Rhabarberbarbara" * 30 + " backt Kuchen.",
        "Auf dem Tisch lagen " + LONG_LIST + " und ein Hut.",
        "ha" * 400 + "!",
        "Das Wort " + "ü\u0308" * 90 + " hat viele Punkte.",
        "Achtung: " + "😀" * 120,
        " ".join(["und dann kam noch einer"] * 40),
        "https://example.org/" + "pfad-mit-vielen-teilen/" * 25,
        "Z" + "\u0335\u0321\u0344" * 60 + "algo kommt.",
        "你好" * 150 + " Ende des Satzes.",
    ],
}  # fmt: skip

# Text with elements: <i> inline, <o> opaque, <v/> void.
MARKED = [
    "Klick <i>hier</i> für mehr.",
    "<i>Alles</i> ist <i>fett</i>.",
    "Das ist <i>ein <i>sehr</i> wichtiger</i> Satz.",
    "Rufen Sie <o>print(x)</o> auf, dann <o>exit()</o>.",
    "Vor dem Bild<v/> und danach.",
    "Zeile eins.<v/>Zeile zwei.",
    "😀 Der <i>Hund</i> schläft 😴 im <i>Körbchen</i>.",
    "Gestern <i>habe ich das Buch</i> gelesen. <i>Es war</i> gut.",
    "<i>Erster Satz. Zweiter</i> Satz.",
    "Wort<i>teil</i>e und Haus<i>tür</i>en.",
    "<o>a@b.de</o> ist meine <i>Adresse</i>.",
    "Schreiben Sie an <i>info@example.org</i>, bitte.",
    "  <i> mit Rand </i>  und Raum  ",
    "<i></i>Leer<v/><v/> und <i><v/></i> voll.",
    "Am <i>Montag</i> fährt <i>sie</i> mit dem <i>Zug</i> nach <i>Köln</i>.",
    "<i><i><i>Tief</i> verschachtelt</i> ist das</i>.",
    "你好 <i>Welt</i>, <o>שלום</o> und guten Tag.",
    "<o>nur code</o>",
    "<i>Ein Satz, der <i>über</i> <v/> vieles <o>x = 1</o> hinweg</i> geht, <i>und</i> weiter.",
]
_TAG = re.compile(r"<(/?)([iov])(/?)>")
_KINDS = {"i": "inline", "o": "opaque", "v": "void"}


def marked(text: str) -> dict[str, Any]:
    """The text without its tags, and the elements with their ranges in UTF-16."""
    plain, read = "", 0
    elements: list[dict[str, Any]] = []
    opened: list[int] = []
    for tag in _TAG.finditer(text):
        plain += text[read : tag.start()]
        read = tag.end()
        at = len(plain.encode("utf-16-le")) // 2
        if tag[1]:
            elements[opened.pop()]["range"][1] = at
            continue
        parent = {"parent": opened[-1]} if opened else {}
        elements.append({"range": [at, at], "kind": _KINDS[tag[2]], **parent})
        if not tag[3]:
            opened.append(len(elements) - 1)
    return {"text": plain + text[read:], "elements": elements}


def cases() -> Iterator[dict[str, Any]]:
    for kind, texts in fixed().items():
        yield from numbered(kind, texts)
    for kind, (frame, fillings) in FRAMES.items():
        yield from numbered(kind, [frame.format(*filling) for filling in product(*fillings)])
    for kind, texts in HARD.items():
        yield from numbered(kind, texts)
    for number, text in enumerate(MARKED, 1):
        yield {"id": f"marked-{number:03}", **marked(text)}


def fixed() -> dict[str, list[str]]:
    """Sentences by kind: a heading in brackets, then a sentence a line."""
    found: dict[str, list[str]] = {}
    for line in SENTENCES.read_text("utf-8").split("\n"):
        if line.startswith("["):
            found[line.strip("[]")] = sentences = []
        elif line and not line.startswith("#"):
            sentences.append(line)
    return found


def numbered(kind: str, texts: list[str]) -> Iterator[dict[str, Any]]:
    for number, text in enumerate(texts, 1):
        yield {"id": f"{kind}-{number:03}", "text": text}


def line(case: dict[str, Any]) -> str:
    """JSON that can be read, where an editor would show what is there; escaped elsewhere."""
    plain = case["text"].replace("\n", "").isprintable()
    return json.dumps(case, ensure_ascii=not plain) + "\n"


def main() -> None:
    CASES.write_text("".join(map(line, cases())), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
