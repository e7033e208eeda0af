#!/bin/sh
# Builds what is handed out: one archive a target with the binary, install.sh, the
# README and the commented configuration, and the SHA-256 of each. The same
# commit gives the same bytes.
#   scripts/release.sh VERSION [OUT]      (TARGETS="linux/amd64 …" builds only those)
set -eu
cd "$(dirname "$0")/.."
version=${1:?usage: scripts/release.sh VERSION [OUT]}
case $version in *[!0-9A-Za-z.+-]*) echo "release.sh: $version is no version" >&2; exit 1 ;; esac
out=${2:-dist}
commit=$(git rev-parse --short HEAD 2>/dev/null || echo none)
stamp=$(git log -1 --format=%ct 2>/dev/null || echo 0)
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
for target in ${TARGETS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}; do
	name=hcp-$version-${target%/*}-${target#*/}
	mkdir "$work/$name"
	GOOS=${target%/*} GOARCH=${target#*/} CGO_ENABLED=0 go build -trimpath -buildvcs=false \
		-ldflags "-s -w -X main.version=$version -X main.commit=$commit" -o "$work/$name/hcp" .
	cp install.sh README.md hcp.toml.example "$work/$name"
	chmod 755 "$work/$name" "$work/$name/hcp" "$work/$name/install.sh"
	chmod 644 "$work/$name/README.md" "$work/$name/hcp.toml.example"
	tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$stamp" -cf - "$name" | gzip -9n >"$work/$name.tar.gz"
	mv "$work/$name.tar.gz" "$out/$name.tar.gz"
done
(cd "$out" && sha256sum "hcp-$version"-*.tar.gz >SHA256SUMS && cat SHA256SUMS)
