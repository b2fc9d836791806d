"""Bad input: each text must come through every door whole."""

from __future__ import annotations

BAD_TEXTS = {
    "empty": "",
    "spaces": " \t \n ",
    "a word of 5,000 characters": "Donau" * 1_000,
    "lone surrogates": "Ja \ud83d nein. \udc00 Doch!\ud800",
    "NUL and controls": "\x00Ja\x01 nein\x02.\x00 \x1b[31mRot\x1b[0m\x7f\x85",
    "emoji": "👩\u200d👩\u200d👧 und 👍🏽. 1\ufe0f\u20e3 🇩🇪! ❤\ufe0f",
    "combining marks": "U\u0308ber E\u0301 Ä\u0323\u0302. \u0308",
    "many combining marks": "Z" + "\u0335\u0321" * 300 + "algo kommt. Ja.",
    "right to left": "Er sagte: שלום עולם. مرحبا بالعالم! Ja \u202eabc\u202c.",
    "Chinese": "你好，世界。这是中文！",
    "Chinese and German": "Das heißt 你好。Auf Deutsch: Hallo. 你好！",
    "only marks": "?!?! ... --- 12345 §$%",
    "line ends": "a\r\nb\rc\n\nd\u2028e\u2029f\vg\fh\x85i",
    "noncharacters": "a\ufffeb\uffff. \U0001ffff c",
    "no break": "ja, " * 2_000,
    "byte order mark": "\ufeffHallo. \u200bWelt\u00ad.",
}  # fmt: skip
