#!/bin/sh
# findings.sh DATA [FLAG...]: renew docs/findings.md, which claims of the papers hold on real graphs.
#
# DATA has a folder for each graph, as for ordering.sh: NAME/NAME.edges.gz|zst with NAME.urls.gz,
# or snapshots NAME/NAME-DATE.edges.* with NAME-DATE.nodes.gz, of which the newest is taken and the
# newest of an earlier year as its history. Graphs of more than MOST links (default 200000) are left
# out: experiments solve PageRank hundreds of times in a crawl.
#
# FLAGs go to winnow lab run all, after --starts 5: intervals are over the seeds and five further start
# sets. Five graphs of 3,744 to 14,593 pages take eight minutes of processor time and 0.7 GB.
set -eu
[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
data=$(cd "$1" && pwd)
shift
most=${MOST:-200000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -C "$root" -o "$work/winnow" ./cmd/winnow

# import EDGES NAME: import an edge list with the URLs and ids beside it; its number of links.
import() {
	dir=$(dirname "$1")
	urls=$(ls "$dir/$(basename "$dir").urls."* 2>/dev/null || true)
	nodes=$(ls "${1%.edges.*}.nodes."* 2>/dev/null || true)
	"$work/winnow" graph import --json --edges "$1" ${urls:+--urls "$urls"} ${nodes:+--nodes "$nodes"} -o "$work/$2.wg" |
		sed -n 's/.*"links":\([0-9]*\).*/\1/p'
}

set -- --starts 5 "$@" --findings findings.md
for dir in "$data"/*/; do
	name=$(basename "$dir")
	old=
	for edges in "$dir$name".edges.* "$dir$name"-[0-9][0-9][0-9][0-9]-*.edges.*; do
		[ -f "$edges" ] || continue
		[ -z "${new:-}" ] || old=$new
		new=$edges
	done
	[ -n "${new:-}" ] || continue
	if [ "$(import "$new" "$name")" -le "$most" ]; then
		[ -z "$old" ] || import "$old" "$name-old" >/dev/null
		set -- "$@" --graph "$name.wg${old:+=$name-old.wg}"
	fi
	new=
done
cd "$work" # so that the page has the names of the graphs and no paths
./winnow lab run all "$@" >/dev/null
{
	sed -n 1,2p findings.md
	echo "Which claims of the papers hold on real graphs, which do not, and which cannot be told there. Made by \`scripts/findings.sh\` in $(LC_ALL=C date '+%B %Y'). Crawls begin at the home page of every site; intervals in square brackets are over the seeds and further start sets. Where pages need text, two synthetic webs of 20,000 pages take the place of the graphs. [The laboratory](lab.md) explains the experiments."
	echo
	sed 1,2d findings.md
} | sed 's/\([a-z0-9-]\)\.wg\b/\1/g' > "$root/docs/findings.md"
