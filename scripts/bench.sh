#!/bin/sh
# What a policed call costs, beside a bare Go program that spawns /bin/true, in
# paired runs: with 1 and with 1,000 installed packs, with an empty and with a
# 100,000-line audit log; under each driver, beside bwrap where it is installed;
# and what each linked library costs.
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

store() { # store NAME DRIVER: a store with the pack "yes" active and a shim for it
	mkdir -p "$work/src"
	pack "$work/src" yes
	HCP_HOME=$work/$1 "$work/hcp" init >/dev/null
	printf '[sandbox]\nmin = "process"\ndriver = "%s"\n' "$2" >>"$work/$1/hcp.toml"
	HCP_HOME=$work/$1 "$work/hcp" install "$work/src/yes" >/dev/null
	HCP_HOME=$work/$1 "$work/hcp" activate yes >/dev/null
	HCP_HOME=$work/$1 "$work/hcp" shim install --shadow yes >/dev/null
}

call() { echo "$1=env HCP_HOME=$work/$2 $work/$2/shims/yes go"; }

store one process
store many process
store long process
i=0
while [ $i -lt 1000 ]; do
	pack "$work/many/packs" "p$i"
	i=$((i + 1))
done
chmod -R go-w "$work/many/packs"
# 50,000 calls leave 100,000 lines: a start and an end each.
yes '{"pack_id":"yes","verb_key":"go"}' | head -n 50000 | HCP_HOME=$work/long "$work/hcp" exec --batch >/dev/null
lines=$(cat "$work"/long/state/audit/audit-*.jsonl | wc -l)

echo "a call, paired with a bare Go spawn ($rounds rounds; the long log has $lines lines)"
"$work/bench" "$rounds" "bare Go spawn=env HCP_HOME=$work/one $work/bare" \
	"$(call '1 pack, short log' one)" "$(call '1,000 packs' many)" "$(call '100,000-line log' long)"

echo
echo "drivers, paired with the process driver"
store ns ns
store landlock landlock
set -- "$(call 'process' one)" "$(call 'landlock' landlock)" "$(call 'ns' ns)"
if command -v bwrap >/dev/null 2>&1; then
	set -- "$@" "bwrap --unshare-all alone=bwrap --unshare-all --die-with-parent --ro-bind / / --proc /proc --dev /dev --tmpfs /tmp /bin/true"
fi
"$work/bench" "$rounds" "$@"

if command -v git >/dev/null 2>&1; then
	echo
	echo "an agent's day with git: each call through the shim (driver auto), paired with bare git in a twin of the repository"
	HCP_HOME=$work/day "$work/hcp" init >/dev/null
	printf '[packs.git.env]\nGIT_AUTHOR_NAME = "Anna"\nGIT_AUTHOR_EMAIL = "anna@example.com"\nGIT_COMMITTER_NAME = "Anna"\nGIT_COMMITTER_EMAIL = "anna@example.com"\n' >>"$work/day/hcp.toml"
	HCP_HOME=$work/day "$work/hcp" install --replace ./packs/git >/dev/null
	HCP_HOME=$work/day "$work/hcp" activate git >/dev/null
	HCP_HOME=$work/day "$work/hcp" shim install --shadow git >/dev/null
	git init -q -b main "$work/bare-repo"
	(cd "$work/bare-repo" && git config user.name Anna && git config user.email anna@example.com && seq 200 >a.txt && git add . && git commit -qm first && echo more >>a.txt)
	cp -a "$work/bare-repo" "$work/shim-repo"
	day() { # day NAME SHIM-WORDS GIT-WORDS
		"$work/bench" "$rounds" "git $1=env -C $work/bare-repo git $3" "hcp $1=env -C $work/shim-repo HCP_HOME=$work/day $work/day/shims/git $2"
	}
	for side in bare shim; do # a commit needs a change first, on both sides
		printf '#!/bin/sh\necho x >>a.txt\nexec "$@"\n' >"$work/$side-change"
		chmod +x "$work/$side-change"
	done
	day switch 'switch main' 'switch -q main'
	day status status 'status --porcelain=v2 --branch'
	day diff diff 'diff --no-color'
	day add 'add a.txt' 'add --all -- a.txt'
	day log 'log' 'log --no-color -n50'
	"$work/bench" "$rounds" "git commit=env -C $work/bare-repo $work/bare-change git commit -qam m" \
		"hcp commit=env -C $work/shim-repo HCP_HOME=$work/day $work/shim-change $work/day/shims/git commit --all --message m"
fi

echo
echo "what a linked library costs a bare Go spawn"
"$work/bench" "$rounds" "bare Go spawn=$work/bare" \
	"encoding/json=$work/json" "toml=$work/toml" "gjson=$work/gjson" "isatty=$work/isatty" "kong=$work/kong" "MCP SDK (tests only)=$work/mcp"
