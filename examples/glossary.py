"""Words that must be said in one way, and names that stay: python glossary.py"""

import dragoman

TEXT = "Der Rechner steht bei Herrn Habicht."

said = dragoman.Glossary((dragoman.Term("Rechner", "workstation"),))
glossary = said | dragoman.Glossary.keeping(["Habicht"])

with dragoman.load("de", "en") as translator:
    response = translator.translate(TEXT, glossary=glossary)

print(response.text)
for use in response.terms or ():
    print(
        use.term.source,
        "→",
        use.target.of(response.text) if use.target else "-",
        f"({use.outcome})",
    )
