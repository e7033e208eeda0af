#!/bin/sh
# Sets up hcp for the user who runs it, without root: puts the binary in place
# (built here, or a ready one beside this script), writes a first configuration,
# the bundled packs and their shims, and tells the one line for the shell. Twice
# is harmless. Arguments are those of hcp init.
#   PREFIX=$HOME/.local ./install.sh
#   ./install.sh --agent claude
set -eu
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd)
bindir=${PREFIX:-${HOME:?HOME is not set}/.local}/bin
mkdir -p "$bindir"
new=$bindir/.hcp.$$
trap 'rm -f "$new"' EXIT INT TERM

if [ -f "$here/go.mod" ]; then
	command -v go >/dev/null 2>&1 || { echo "install.sh: go is not on PATH; it builds hcp (https://go.dev/dl)" >&2; exit 1; }
	commit=$(git -C "$here" rev-parse --short HEAD 2>/dev/null || echo none)
	(cd "$here" && CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.commit=$commit" -o "$new" .)
elif [ -f "$here/hcp" ]; then
	cp "$here/hcp" "$new"
else
	echo "install.sh: neither the source nor a ready hcp in $here" >&2
	exit 1
fi
chmod 0755 "$new"
mv -f "$new" "$bindir/hcp" # a running hcp keeps its old file
ln -sf hcp "$bindir/hcpx"

echo "installed $bindir/hcp"
"$bindir/hcp" init "$@"
case ":$PATH:" in
*":$bindir:"*) ;;
*) echo "and for hcp itself: export PATH=$bindir:\"\$PATH\"" ;;
esac
