"""Documents: read into passages with elements, and written back from their translations.

    bytes --kind_of--> reader --> Document.passages --translate--> Document.write --> bytes

Whatever is no text stays as it was: each reader keeps the source, and the places of its passages in
it. Only the standard library is needed, and markdown-it-py for Markdown, so that all of it runs
under Pyodide too. A page in HTML is one passage, which the host's own parser reads (`html`).
"""
