#!/bin/sh
# curl against `dragoman serve`: server.sh [ADDRESS]
set -eu
server=${1:-http://127.0.0.1:8765}

# A text.
curl -sf "$server/v1/translate" -H 'Content-Type: application/json' \
  -d '{"text": "Guten Morgen!", "source": "de", "target": "en", "alignment": "none"}'
echo

# Several, each with an outcome of its own.
curl -sf "$server/v1/batch" -H 'Content-Type: application/json' \
  -d '{"texts": ["Guten Morgen!", "Wo ist der Bahnhof?"], "source": "de", "target": "en"}'
echo

# Which language?
curl -sf "$server/v1/detect" -H 'Content-Type: application/json' -d '{"text": "Wo ist der Bahnhof?"}'
echo

# Text that is still being written: an object a line.
printf 'Guten Morgen! Wo ist der Bahnhof?\n' |
  curl -sfNT - -X POST -H 'Content-Type: text/plain' "$server/v1/stream?source=de&target=en"

# A document.
printf '# Brief\n\nDas ist **neu**.\n' |
  curl -sf --data-binary @- "$server/v1/documents?source=de&target=en&name=brief.md"
