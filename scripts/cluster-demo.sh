#!/bin/sh
# Shows a cluster on one machine, without the Web: three nodes crawl the web that winnow web serves, one
# of them is killed (kill -9) in the middle, the other two take over, and the crawl finishes. At the
# end the crawl is verified, and the server says what it has seen. It takes about two minutes, uses loopback addresses only, and
# removes everything.
#
#   scripts/cluster-demo.sh [WINNOW]      the program, by default the one of go build ./cmd/winnow
set -eu
cd "$(dirname "$0")/.."
dir=$(mktemp -d)
pids=
clean() {
	for p in $pids; do kill -9 "$p" 2>/dev/null || :; done
	rm -rf "$dir"
}
trap clean EXIT
trap 'exit 130' INT TERM
winnow=${1:-$dir/winnow}
[ $# -gt 0 ] || go build -o "$winnow" ./cmd/winnow

host=127.0.0.1
peers=$host:17420,$host:17430,$host:17440
cluster="--cluster $peers --secret-file $dir/secret"
say() { echo; echo "== $*"; }

say "a web of 1,000 pages on 80 sites, and a secret"
"$winnow" web --pages 1000 --sites 80 --addresses 80 --listen 127.1.0.1:18080 --dns 127.1.0.1:15353 --duration 5m >"$dir/web" 2>&1 &
web=$!
pids=$web
"$winnow" node --new-secret "$dir/secret"

start() { # NAME PORT
	"$winnow" node --name "$1" --dir "$dir/$1" --listen "$host:$2" --peers "$peers" --secret-file "$dir/secret" >"$dir/$1.log" 2>&1 &
	pids="$pids $!"
}
say "three nodes: a, b and c, each with a broker"
start a 17420
start b 17430
b=$!
start c 17440
# shellcheck disable=SC2086 # the flags are words
for i in 1 2 3 4 5 6 7 8 9 10; do
	"$winnow" status $cluster >"$dir/status" 2>&1 && [ "$(grep -c ^node "$dir/status")" = 3 ] && break
	sleep 1
done
cat "$dir/status"

say "a crawl with 12 partitions"
# shellcheck disable=SC2086
timeout 240 "$winnow" crawl $cluster --name demo --partitions 12 --scope any --delay 400ms --allow-private --resolver 127.1.0.1:15353 \
	http://s00.example:18080/ >"$dir/crawl.out" 2>"$dir/crawl.err" &
crawl=$!
pids="$pids $crawl"
sleep 22
cat "$dir/crawl.err"

say "node b is killed: kill -9"
kill -9 "$b"
sleep 12
# shellcheck disable=SC2086
"$winnow" status $cluster --name demo

say "its lease ends after 30 s, others take over, and the crawl goes on"
rc=0
wait "$crawl" || rc=$?
tail -n +5 "$dir/crawl.err"
cat "$dir/crawl.out"

say "node b comes back; the crawl is brought into one directory and verified"
start b 17430
# shellcheck disable=SC2086
for i in 1 2 3 4 5 6 7 8 9 10; do
	[ "$("$winnow" status $cluster | grep -c ^node)" = 3 ] && break
	sleep 1
done
# shellcheck disable=SC2086
"$winnow" cluster gather -o "$dir/demo.crawl" $cluster --name demo
"$winnow" verify "$dir/demo.crawl"

say "what the server has seen"
kill -INT "$web"
wait "$web" || :
sed -n '/^requests/,$p' "$dir/web"
exit "$rc"
