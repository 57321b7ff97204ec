#!/bin/sh
# Makes the pictures of a report in docs: the report of the demo, 1280 and 400 pixels wide, on
# light and dark ground. It needs chromium, cwebp (Debian: chromium, webp) and fonts for the
# scripts in which the pages of the demo are written (fonts-noto-core, fonts-droid-fallback).
#
#   scripts/screenshots.sh [DIR]    # where the pictures go; docs by default
set -eu
cd "$(dirname "$0")/.."
out=$(mkdir -p "${1:-docs}" && cd "${1:-docs}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go run ./cmd/winnow --quiet demo --dir "$work/demo.crawl" >/dev/null
for width in 1280 400; do
	height=$((width == 1280 ? 1500 : 1900))
	for scheme in light dark; do
		# 0 is dark and 1 is light.
		chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
			--blink-settings=preferredColorScheme=$([ $scheme = dark ] && echo 0 || echo 1) \
			--window-size=$width,$height --screenshot="$work/shot.png" \
			"file://$work/demo.crawl/report/report.html" >/dev/null 2>&1
		cwebp -quiet -q 70 "$work/shot.png" -o "$out/report-$width-$scheme.webp"
	done
done
ls -l "$out"/report-*.webp
