"""An HTML page: tags follow their words, scripts and addresses stay: python page.py [FILE]"""

import sys
from pathlib import Path

import dragoman

PAGE = '<p>Das <b>alte</b> Haus steht <a href="/karte">am Fluss</a>.</p><script>var x = 1</script>'

html = Path(sys.argv[1]).read_text() if len(sys.argv) > 1 else PAGE

with dragoman.load("de", "en") as translator:
    print(translator.translate(html, text_format="html").text)
