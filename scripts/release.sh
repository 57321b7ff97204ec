#!/bin/sh
# Makes the archives of a release: for each platform one with the static binary, the man pages,
# the completions of bash, zsh and fish, and what is in deploy; and SHA256SUMS. The same commit
# and the same version of Go give the same bytes. It needs Go, git and GNU tar.
#
#   scripts/release.sh [DIR]    # where the archives go; dist by default
#   PLATFORMS="linux/amd64 darwin/arm64" scripts/release.sh
set -eu
cd "$(dirname "$0")/.."
out=$(mkdir -p "${1:-dist}" && cd "${1:-dist}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(git describe --tags --always)
date=$(git log -1 --format=%cI)
export CGO_ENABLED=0 LC_ALL=C
go build -trimpath -buildvcs=true -o "$work/winnow" ./cmd/winnow
"$work/winnow" man "$work/share"
for platform in ${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64}; do
	os=${platform%/*} arch=${platform#*/}
	name=winnow-$version-$os-$arch
	mkdir "$work/$name"
	GOOS=$os GOARCH=$arch go build -trimpath -buildvcs=true -o "$work/$name/winnow" ./cmd/winnow
	cp -R README.md CHANGELOG.md LICENSE deploy "$work/share" "$work/$name"
	tar -C "$work" --sort=name --mtime="$date" --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' \
		-cf - "$name" | gzip -9n >"$out/$name.tar.gz"
	rm -r "${work:?}/$name"
done
cd "$out"
sha256sum winnow-"$version"-*.tar.gz >SHA256SUMS
cat SHA256SUMS
