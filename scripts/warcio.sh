#!/bin/sh
# An independent reader of WARC files for the tests of crawl/archive: npm's warcio.
#
#   scripts/warcio.sh install          fetch it with npm, once, into a cache directory
#   scripts/warcio.sh check            is it there?
#   scripts/warcio.sh index FILE...    run it; cdx-index likewise
#
# Tests never install: they must run without a network. WARCIO_DIR is another place.
set -eu
version=2.4.11
dir=${WARCIO_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/winnow/warcio-$version}
cli=$dir/node_modules/warcio/dist/cli.js
case ${1:-} in
install)
	mkdir -p "$dir"
	npm install --prefix "$dir" --no-audit --no-fund --no-save "warcio@$version"
	;;
check)
	test -f "$cli" && command -v node >/dev/null
	;;
index | cdx-index)
	exec node "$cli" "$@"
	;;
*)
	sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
