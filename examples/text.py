"""A text, its sentences with their scores, and which word became which: python text.py [TEXT]"""

import sys

import dragoman

text = sys.argv[1] if len(sys.argv) > 1 else "Ich habe ein Buch. Es ist neu."

with dragoman.load("de", "en") as translator:
    response = translator.translate(text)

print(response.text)
for sentence in response.sentences:
    mark = "  (likely to be bad)" if sentence.doubtful else ""
    print(f"{sentence.score:.2f}  {sentence.target.of(response.text)}{mark}")
words = response.alignment
if words:
    for source, target in words.links:
        print(
            words.source_words[source].of(text), "→", words.target_words[target].of(response.text)
        )
