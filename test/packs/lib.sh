# shellcheck shell=sh disable=SC2015,SC2154 # $pack is set by the test
# lib.sh: what the pack tests share. Usage of each test: sh test/packs/<pack>.sh [SHELL [AWK]], for example
#   sh test/packs/ledger.sh "busybox sh" "busybox awk"
# It runs the pack's own CLI with that shell and that awk, in a fresh folder, and compares with expected/<pack>.txt.
# UPDATE=1 writes the expected file anew: read the difference before you believe it.
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
SH=${1:-sh}
AW=${2:-awk}
checker=$(command -v mawk || command -v awk)
tmp=$(mktemp -d) && [ -n "$tmp" ] || exit 1
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$tmp/path" "$tmp/work"
ln -s "$(command -v "${AW%% *}")" "$tmp/path/awk" # busybox looks at the name it was called by
PATH=$tmp/path:$PATH
cd "$tmp/work" || exit 1
failed=0 passed=0

# cli WORD…: the pack's program, with the shell under test
cli() {
  # shellcheck disable=SC2086
  $SH "$root/packs/$pack/bin/$pack" "$@"
}
fresh() { cd "$tmp" && rm -rf work && mkdir work && cd work || exit 1; }
pass() { passed=$((passed + 1)); }
fail() {
  failed=$((failed + 1))
  printf 'FAIL %s [%s, %s]: %s\n' "$pack" "$SH" "$AW" "$*" >&2
}
is() { if [ "$2" = "$3" ]; then pass; else fail "$1: wanted <$2>, got <$3>"; fi; }
has() { case $3 in *"$2"*) pass ;; *) fail "$1: no <$2> in <$3>" ;; esac }
# json NAME WORD…: succeeds, says nothing on stderr, and prints one JSON value in valid UTF-8; it is left in $out
json() {
  what=$1
  shift
  if out=$(cli "$@" 2>"$tmp/err"); then pass; else fail "$what: exit $?, $(cat "$tmp/err")"; fi
  [ ! -s "$tmp/err" ] && pass || fail "$what: stderr: $(cat "$tmp/err")"
  if why=$(printf '%s\n' "$out" | "$checker" -f "$here/json.awk"); then pass; else fail "$what: $why: $out"; fi
}
# refused NAME WORD…: exit 1, nothing on stdout, exactly one line on stderr; it is left in $err
refused() {
  what=$1
  shift
  out=$(cli "$@" 2>"$tmp/err") && fail "$what: succeeded" || is "$what: exit" 1 $?
  is "$what: stdout" '' "$out"
  is "$what: lines on stderr" 1 "$(($(wc -l <"$tmp/err")))"
  err=$(cat "$tmp/err")
  has "$what" "$pack: " "$err"
}
# show WORD…: one step of the transcript
show() {
  printf '$ %s' "$pack"
  for word do case $word in *' '* | '') printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac; done
  printf '\n'
  cli "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
  code=$?
  sed 's/^/  /' "$tmp/out"
  sed 's/^/! /' "$tmp/err"
  [ "$code" = 0 ] || printf '[%s]\n' "$code"
}
# transcript: compares stdin with the expected file
transcript() {
  cat >"$tmp/transcript"
  [ -z "${UPDATE-}" ] || cp "$tmp/transcript" "$here/expected/$pack.txt"
  if diff -u "$here/expected/$pack.txt" "$tmp/transcript"; then pass; else fail 'the transcript differs'; fi
}
finish() {
  printf '%s [%s, %s]: %s passed, %s failed\n' "$pack" "$SH" "$AW" "$passed" "$failed"
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ] || exit 1
}
# repeat WORD N: the word N times in a row
repeat() { "$checker" -v w="$1" -v n="$2" 'BEGIN { for (i = 0; i < n; i++) s = s w; print s }'; }
