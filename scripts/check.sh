#!/bin/sh
# The one gate that CI and people run. FUZZTIME (default 3s) is per target.
set -eu
cd "$(dirname "$0")/.."
began=$(date +%s)
say() { printf '== %s (%s s)\n' "$*" $(($(date +%s) - began)); }

say gofmt
unformatted=$(gofmt -l $(git ls-files '*.go' 2>/dev/null || find . -name '*.go'))
[ -z "$unformatted" ] || { echo "$unformatted"; exit 1; }

say vet
go vet ./...

say staticcheck
staticcheck=$(command -v staticcheck || echo "$(go env GOPATH)/bin/staticcheck")
[ -x "$staticcheck" ] || go install honnef.co/go/tools/cmd/staticcheck@v0.7.0
"$staticcheck" ./...

say cross-compile
for target in linux/arm64 darwin/arm64; do
	GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go build -o /dev/null .
	GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go vet ./...
done

say release
# What is handed out sets itself up without the source and without Go.
released=$(mktemp -d)
TARGETS="$(go env GOOS)/$(go env GOARCH)" scripts/release.sh 0.0.0-check "$released" >/dev/null
tar -C "$released" -xzf "$released"/hcp-0.0.0-check-*.tar.gz
(umask 077 && env -i HOME="$released/home" PATH=/usr/bin:/bin sh -euc '
	mkdir "$HOME" && cd "$HOME/.." && hcp-0.0.0-check-*/install.sh >/dev/null
	"$HOME/.local/bin/hcp" version | grep -q 0.0.0-check
	"$HOME/.local/share/hcp/shims/ledger" balance --json | grep -q "\"ok\":true"')
rm -rf "$released"

say packs
# The packs over real CLIs wait for their programs most of the time: all at once.
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
real="docker gh git kubectl npm psql wrap"
for t in $real; do
	(code=0; sh "test/packs/$t.sh" >"$logs/$t" 2>&1 || code=$?; echo "$code" >"$logs/$t.code") &
done
sh test/packs/all.sh
wait
for t in $real; do
	cat "$logs/$t"
	case $(cat "$logs/$t.code") in
	0 | 77) ;; # 77: its program is not installed here
	*) exit 1 ;;
	esac
done

say "go test"
# The walls' tests start the test binary hundreds of times, and a race-built one
# starts slowly; damaging a log at every byte is one long computation. These run
# without the detector, everything else with it.
plain='^(TestPrivate|TestWalls_|TestP9_Every)'
go test -race -skip "$plain" ./...
go test -run "$plain" ./internal/sandbox ./internal/audit

say fuzz
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-3s}" "$pkg"
	done
done

say govulncheck
if command -v govulncheck >/dev/null 2>&1; then
	govulncheck ./... || echo "govulncheck: no verdict here (its data could not be had)"
else
	echo "govulncheck: not installed"
fi
say passed
