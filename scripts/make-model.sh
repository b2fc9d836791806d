#!/bin/sh
# One embedded model, from text to a bundle with scores and card: make-model.sh en-de de-en
# Stopped at any place, the same command goes on: what is prepared stays, training resumes.
#
# DATA      folder of training and development data
# TRAIN     options of `dragoman model train`
# INITIAL   a bundle's folder to go on from, with its vocabulary; else a model from nothing
# MINUTES   train so long at most, then make a bundle of the best model so far
# OUTPUT    folder of the bundles
# VERSION   of the bundle
set -eu

recipe=$1
pair=$2
: "${DATA:=../shared/data}" "${MINUTES:=}" "${OUTPUT:=build/models}" "${VERSION:=0.1.0}"
: "${INITIAL:=}" "${TRAIN:=--steps 60000 --cooldown 12000 --guide-weight 0.3 --accumulate 2 --rate 1e-3
    --optimizer muon --compile --bucket-width 3 --validate-every 1000}"

dragoman=.venv/bin/dragoman
prepared=build/prepared-$recipe
run=build/run-$pair
trial=build/bundles
dev=$DATA/dev
tatoeba=$dev/tatoeba-dev.$recipe.tsv
mkdir -p build/scores "$trial"

# meta.json is written last: without it the preparation was not finished.
if [ ! -e "$prepared/meta.json" ]; then
    $dragoman model prepare "recipes/$recipe.toml" --data "$DATA" --output "$prepared" \
        ${INITIAL:+--vocabulary "$INITIAL/vocabulary.spm"} >/dev/null
fi

# shellcheck disable=SC2086 # options are words
$dragoman model train "$prepared" --pair "$pair" --run "$run" --validation "$tatoeba" \
    $TRAIN ${INITIAL:+--initial "$INITIAL"} ${MINUTES:+--minutes $MINUTES}

# Links for the check are there for one pair of languages.
links=$DATA/align/de-en-dev.tsv
[ "$recipe" = en-de ] && [ -e "$links" ] || links=
# Minutes, on the best model as it is now.
$dragoman model train-alignment "$run/best.pt" --prepared "$prepared" --pair "$pair" \
    --output "$run/aligned.pt" ${links:+--check "$links"}

# What rare words are in the other language, where there are texts that say which are worth it.
set --
for text in "$DATA/mono/${pair%-*}"/*.txt.xz; do
    [ ! -e "$text" ] || set -- "$@" --text "$text"
done
lexicon=
if [ $# -gt 0 ]; then
    lexicon=$run/lexicon.tsv
    [ ! -e "recipes/lexicon/$pair.tsv" ] || set -- "$@" --entries "recipes/lexicon/$pair.tsv"
    for list in firsts heads; do
        [ ! -e "recipes/lexicon/$pair.$list.tsv" ] || set -- "$@" --$list "recipes/lexicon/$pair.$list.tsv"
    done
    $dragoman model lexicon "$prepared" --pair "$pair" "$@" --output "$lexicon"
fi

# Which words are names: of the pairs, and of the texts that there are of both languages.
set --
for text in "$DATA/mono/${pair%-*}"/*.txt.xz; do
    [ ! -e "$text" ] || set -- "$@" --source-text "$text"
done
for text in "$DATA/mono/${pair#*-}"/*.txt.xz; do
    [ ! -e "$text" ] || set -- "$@" --target-text "$text"
done
for list in firsts heads formulas alone; do
    [ ! -e "recipes/lexicon/$pair.$list.tsv" ] || set -- "$@" --$list "recipes/lexicon/$pair.$list.tsv"
done
$dragoman model names "recipes/$recipe.toml" --data "$DATA" --pair "$pair" "$@" \
    ${lexicon:+--lexicon "$lexicon"} --output "$run/names.table"

export_bundle() { # folder, then options
    folder=$1
    shift
    $dragoman model export "$run/aligned.pt" --prepared "$prepared" --pair "$pair" \
        --names "$run/names.table" --calibration "$tatoeba" --version "$VERSION" --output "$folder/$pair" "$@"
}

export_bundle "$trial"
set --
for data in "$tatoeba" "$dev"/chat-dev.$recipe.tsv "$dev"/webdocs-dev.$recipe.tsv \
    "$dev/flores-dev.tsv" ${links:+"$links"}; do
    [ -e "$data" ] || continue
    name=$(basename "$data" | cut -d. -f1)
    $dragoman model evaluate --pair "$pair" --models "$trial" --data "$data" --json \
        >"build/scores/$pair-$name.json"
    set -- "$@" --scores "build/scores/$pair-$name.json"
done
export_bundle "$OUTPUT" "$@"
set --
for data in "$tatoeba" "$dev"/chat-dev.$recipe.tsv "$dev"/webdocs-dev.$recipe.tsv "$dev/flores-dev.tsv"; do
    [ ! -e "$data" ] || set -- "$@" --data "$data"
done
$dragoman model reliability --pair "$pair" --models "$OUTPUT" --limit 500 --write \
    --picture "build/scores/$pair-reliability.svg" "$@"
$dragoman model robustness --pair "$pair" --models "$OUTPUT" \
    --cases tests/robustness/cases.jsonl || echo "$pair: no cases of this pair"
