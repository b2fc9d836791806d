#!/bin/sh
# How long the parts of a long task take.
#   timed.sh NAME COMMAND...   runs a part; the times so far are told where it fails
#   timed.sh                   tells the times, and forgets them
set -eu
times=build/times
tell() {
  awk '{ printf "%-12s %2d min %02d s\n", $1, $2 / 60, $2 % 60; all += $2 }
    END { printf "%-12s %2d min %02d s\n", "in all", all / 60, all % 60 }' "$times"
  rm "$times"
}
if [ $# = 0 ]; then
  tell
  exit
fi
name=$1
shift
mkdir -p build
began=$(date +%s)
status=0
"$@" || status=$?
echo "$name $(($(date +%s) - began))" >>"$times"
if [ $status != 0 ]; then tell; fi
exit $status
