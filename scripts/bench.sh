#!/bin/sh
# What a policed call costs, beside a bare Go program that spawns /bin/true, in
# one paired run: with 1 and with 1,000 installed packs, with an empty and with
# a 100,000-line audit log; then what each linked library costs.
#   scripts/bench.sh [ROUNDS]
set -eu
cd "$(dirname "$0")/.."
rounds=${1:-200}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
export CGO_ENABLED=0
go build -trimpath -ldflags '-s -w' -o "$work/hcp" .
go build -trimpath -ldflags '-s -w' -o "$work/" ./test/bench ./test/bench/bare ./test/bench/link/...

pack() { # pack DIR ID: a pack whose bin is /bin/true
	mkdir -p "$1/$2"
	cat >"$1/$2/surface.json" <<-EOF
	{"pack_id":"$2","version":"1.0.0","kind":"wrap","description":"Runs true.",
	 "wrap":{"bin":"/bin/true","json_flag":[]},
	 "verbs":{"go":{"description":"Run it.","cli":["$2","go"]}}}
	EOF
	echo "{\"pack_id\":\"$2\",\"rows\":{\"go\":{\"operation\":\"read\"}}}" >"$1/$2/policy.json"
}

store() { # store NAME: a store with the pack "yes" active and a shim for it
	mkdir -p "$work/src"
	pack "$work/src" yes
	HCP_HOME=$work/$1 "$work/hcp" init >/dev/null
	HCP_HOME=$work/$1 "$work/hcp" install "$work/src/yes" >/dev/null
	HCP_HOME=$work/$1 "$work/hcp" activate yes >/dev/null
	HCP_HOME=$work/$1 "$work/hcp" shim install --shadow yes >/dev/null
}

store one
store many
i=0
while [ $i -lt 1000 ]; do
	pack "$work/many/packs" "p$i"
	i=$((i + 1))
done
chmod -R go-w "$work/many/packs"
store long
# 50,000 calls leave 100,000 lines: a start and an end each.
yes '{"pack_id":"yes","verb_key":"go"}' | head -n 50000 | HCP_HOME=$work/long "$work/hcp" exec --batch >/dev/null
lines=$(cat "$work"/long/state/audit/audit-*.jsonl | wc -l)

echo "a call, paired with a bare Go spawn ($rounds rounds; the long log has $lines lines)"
"$work/bench" "$rounds" \
	"bare Go spawn=$work/bare" \
	"1 pack, short log=env HCP_HOME=$work/one $work/one/shims/yes go" \
	"1,000 packs=env HCP_HOME=$work/many $work/many/shims/yes go" \
	"100,000-line log=env HCP_HOME=$work/long $work/long/shims/yes go" \
	"env and bare Go spawn=env HCP_HOME=$work/one $work/bare"
echo
echo "what a linked library costs a bare Go spawn"
"$work/bench" "$rounds" "bare Go spawn=$work/bare" \
	"encoding/json=$work/json" "toml=$work/toml" "gjson=$work/gjson" "isatty=$work/isatty" "kong=$work/kong"
