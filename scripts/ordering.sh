#!/bin/sh
# ordering.sh DATA [FLAG...]: renew docs/ordering.md, its pictures and docs/ordering.json.
#
# DATA has a folder for each graph: NAME/NAME.edges.gz|zst, "from to" on each line, and, if
# there are any, NAME/NAME.urls.gz, line i for page i. Of several snapshots NAME-DATE.edges.*,
# with NAME-DATE.nodes.gz, the newest is taken. Another graph is another folder.
#
# FLAGs go to winnow lab run leaderboard: --starts 4 is quicker, --policy names others, and
# --reuse docs/ordering.json crawls only under policies that are not published ones. The
# seven graphs of docs/ordering.md take 13 minutes of processor time on two cores, 7 with
# --reuse.
set -eu
[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
data=$(cd "$1" && pwd)
shift
here=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -C "$root" -o "$work/winnow" ./cmd/winnow

# newest FILE...: the last of those that exist.
newest() {
	found=
	for f; do [ ! -f "$f" ] || found=$f; done
	echo "$found"
}

graphs=
for dir in "$data"/*/; do
	name=$(basename "$dir")
	edges=$(newest "$dir$name"-[0-9][0-9][0-9][0-9]-*.edges.* "$dir$name".edges.*)
	[ -n "$edges" ] || continue
	urls=$(newest "$dir$name".urls.*)
	nodes=$(newest "${edges%.edges.*}".nodes.*)
	"$work/winnow" graph import --quiet --edges "$edges" ${urls:+--urls "$urls"} ${nodes:+--nodes "$nodes"} -o "$work/$name.wg" >/dev/null
	graphs="$graphs --graph $name.wg"
done
[ -n "$graphs" ] || { echo "ordering.sh: no graphs in $data" >&2; exit 1; }

# Names of files in FLAGs are meant from where the script was started.
for flag; do
	shift
	[ ! -f "$here/$flag" ] || flag=$here/$flag
	set -- "$@" "$flag"
done
cd "$work" # so that the page has the names of the graphs and no paths
./winnow lab run leaderboard $graphs --page ordering.md --out out "$@" >/dev/null
rm -f "$root"/docs/ordering-*.svg
cp ordering.md ordering-*.svg "$root/docs/"
cp out/leaderboard/summary.json "$root/docs/ordering.json"
