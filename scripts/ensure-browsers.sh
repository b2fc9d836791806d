#!/bin/sh
# Chromium and Firefox for the end-to-end tests: the system's own, installed when they are missing.
# CHROMIUM_PATH and FIREFOX_PATH name others.
set -eu

missing=""
if [ -z "${CHROMIUM_PATH:-}" ] && ! command -v chromium >/dev/null; then missing="chromium"; fi
if [ -z "${FIREFOX_PATH:-}" ] && ! command -v firefox-esr >/dev/null; then
    missing="$missing firefox-esr"
fi
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then as_root=""; else as_root="sudo -n"; fi
if ! command -v apt-get >/dev/null; then
    echo "The browser tests need:$missing. Install them, or set CHROMIUM_PATH and FIREFOX_PATH." >&2
    exit 1
fi
echo "Installing $missing"
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -q
# shellcheck disable=SC2086 # word splitting is meant
$as_root apt-get install -y -q --no-install-recommends $missing
