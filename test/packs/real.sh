# shellcheck shell=sh disable=SC2015,SC2154 # `a && pass || fail`: pass never fails; $pack is set by the test
# real.sh: what the tests of packs over real CLIs share: the program under test, a store of its own, and how a call is made and judged.
# A test says pack=NAME and reads this file; it exits 77 where that program is not installed.
LC_ALL=C
export LC_ALL
root=$(cd "$(dirname "$0")/../.." && pwd)
command -v "$pack" >/dev/null || { echo "$pack: skipped, it is not installed"; exit 77; }
tmp=$(mktemp -d) && tmp=$(cd "$tmp" && pwd -P) && [ -n "$tmp" ] || exit 1
servers=
cleanup() {
  for pid in $servers; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null; done
  rm -rf "$tmp"
}
trap cleanup EXIT
trap 'exit 1' HUP INT TERM
# HCP_BIN: the program under test, built here when it is not given. HCP_DRIVER: the sandbox driver, process (which works everywhere) by default
hcp=${HCP_BIN-}
[ -n "$hcp" ] || command -v go >/dev/null || { echo "$pack: skipped, no go to build hcp with, and no HCP_BIN"; exit 77; }
[ -n "$hcp" ] || { hcp=$tmp/hcp && (cd "$root" && CGO_ENABLED=0 go build -o "$hcp" .) || { echo "$pack: hcp does not build"; exit 1; }; }
unset HCP_PRINCIPAL HCP_SESSION HCP_DEPTH HCP_PROJECT
HCP_HOME=$tmp/store
export HCP_HOME
umask 077
mkdir "$HCP_HOME" "$tmp/shims"
ln -s "$hcp" "$tmp/shims/$pack"
failed=0 passed=0
pass() { passed=$((passed + 1)); }
fail() {
  failed=$((failed + 1))
  printf 'FAIL %s: %s\n' "$pack" "$*" >&2
}
is() { if [ "$2" = "$3" ]; then pass; else fail "$1: wanted <$2>, got <$3>"; fi; }
has() { case $3 in *"$2"*) pass ;; *) fail "$1: no <$2> in <$3>" ;; esac }
# call VERB ARGS: one envelope on the JSON face; the answer is left in $out
call() { out=$(printf '{"pack_id":"%s","verb_key":"%s","args":%s}' "$pack" "$1" "$2" | "$hcp" exec - 2>&1 </dev/stdin) && :; }
ok() {
  call "$1" "$2"
  has "$1 $2" '"ok":true' "$out"
}
# refused VERB ARGS WHY: it never gets as far as the program
refused() {
  call "$1" "$2"
  has "$1 $2" "\"error\":\"$3" "$out"
}
# shim WORD…: what is typed; stdout and stderr are left in $out, the exit in $code
shim() {
  code=0
  out=$("$tmp/shims/$pack" "$@" 2>&1 </dev/null) || code=$?
}
typed() {
  shim "$@"
  is "typed: $*: $out" 0 "$code"
}
finish() {
  printf '%s: %s passed, %s failed\n' "$pack" "$passed" "$failed"
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ] || exit 1
}
config() {
  cat >"$HCP_HOME/hcp.toml" && "$hcp" install "$1" >/dev/null && "$hcp" activate "$pack" >/dev/null || { echo "$pack: cannot be set up"; exit 1; }
}
