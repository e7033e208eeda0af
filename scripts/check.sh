#!/bin/sh
# The one gate that CI and people run. FUZZTIME (default 10s) is per target.
set -eu
cd "$(dirname "$0")/.."
say() { printf '== %s\n' "$*"; }

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

say packs
sh test/packs/all.sh
for t in test/packs/*.sh; do
	case ${t##*/} in all.sh | lib.sh | ledger.sh | transit.sh | mail.sh) continue ;; esac
	code=0
	sh "$t" || code=$?
	case $code in
	0) ;;
	77) echo "$t: its program is not installed here" ;;
	*) exit "$code" ;;
	esac
done

say "go test"
HCP_REQUIRE_ISOLATION=${HCP_REQUIRE_ISOLATION-} go test -race ./...

say fuzz
for pkg in $(go list ./...); do
	for target in $(go test -list '^Fuzz' "$pkg" | grep '^Fuzz' || true); do
		go test -run '^$' -fuzz "^$target\$" -fuzztime "${FUZZTIME:-10s}" "$pkg"
	done
done

say govulncheck
if command -v govulncheck >/dev/null 2>&1; then
	govulncheck ./... || echo "govulncheck: no verdict here (its data could not be had)"
else
	echo "govulncheck: not installed"
fi
say passed
