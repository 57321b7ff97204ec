#!/bin/sh
# An independent replayer of WACZ files, npm's @webrecorder/wabac, in Debian's chromium.
#
#   scripts/replay.sh install             fetch the replayer with npm, once, into a cache directory
#   scripts/replay.sh check               are it, node and chromium there?
#   scripts/replay.sh show FILE.wacz URL  open the file in the browser, print what the page has
#
# show prints one line of JSON: title, words, images and style sheets of the replayed page (those
# that were loaded, of all), and what the replayer says about hashes and signature. Tests never
# install: they must run without a network. REPLAY_DIR is another place.
set -eu
version=2.27.3
dir=${REPLAY_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/winnow/wabac-$version}
browser=${CHROMIUM:-chromium}
case ${1:-} in
install)
	mkdir -p "$dir"
	cd "$dir"
	npm pack --silent "@webrecorder/wabac@$version" >/dev/null
	tar xzf ./*.tgz --strip-components=2 package/dist/sw.js
	rm ./*.tgz
	;;
check)
	test -f "$dir/sw.js" && command -v node >/dev/null && command -v "$browser" >/dev/null
	;;
show)
	exec node "$(dirname "$0")/replay.mjs" "$dir/sw.js" "$browser" "$2" "$3"
	;;
*)
	sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
