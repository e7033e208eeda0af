#!/bin/sh
# shellcheck disable=SC2015,SC2016 # `a && pass || fail`: pass never fails; awk programs and hostile words are meant as they stand
# Runs the pack tests under every pair of shell and awk that this machine has; exit 1 when one of them fails.
dir=$(dirname "$0")
status=0 ran=0
for pair in dash:mawk bash:gawk 'busybox sh:busybox awk' sh:awk; do
  shell=${pair%%:*} awk=${pair#*:}
  command -v "${shell%% *}" >/dev/null && command -v "${awk%% *}" >/dev/null || { echo "skipped: no $shell with $awk here"; continue; }
  for pack in ledger transit mail; do
    ran=$((ran + 1))
    sh "$dir/$pack.sh" "$shell" "$awk" || status=1
  done
done
[ "$ran" -gt 0 ] || status=1
exit "$status"
