#!/bin/sh
# Renews the copy of uPlot in dashboard/static with npm, at the version below, with its licence.
#
#   scripts/uplot.sh
set -eu
version=1.6.32
cd "$(dirname "$0")/../dashboard/static"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm pack --silent --pack-destination "$work" "uplot@$version" >/dev/null
tar -xzf "$work/uplot-$version.tgz" -C "$work"
cp "$work/package/dist/uPlot.iife.min.js" uplot.js
cp "$work/package/dist/uPlot.min.css" uplot.css
cp "$work/package/LICENSE" uplot.LICENSE
