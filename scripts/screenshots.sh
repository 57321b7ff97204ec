#!/bin/sh
# Makes the pictures in docs, 1280 and 400 pixels wide, on light and dark ground: of the report
# of the demo (report-*.webp), of a terminal in which a crawl runs (live-*.webp), and of the
# dashboard of such a crawl (dashboard-*.webp, dashboard-page-*.webp, dashboard-control-*.webp). It needs Go, chromium, cwebp and tmux (Debian: chromium, webp, tmux) and fonts for the scripts in which the
# pages of the demo are written (fonts-dejavu-core, fonts-noto-core, fonts-droid-fallback).
#
#   scripts/screenshots.sh [DIR]    # where the pictures go; docs by default
set -eu
cd "$(dirname "$0")/.."
out=$(mkdir -p "${1:-docs}" && cd "${1:-docs}" && pwd)
work=$(mktemp -d)
web=
trap 'tmux -S "$work/tmux" kill-server 2>/dev/null || :; [ -z "$web" ] || kill "$web" 2>/dev/null || :; rm -rf "$work"' EXIT
go build -o "$work/winnow" ./cmd/winnow

# shoot PAGE NAME WIDTH HEIGHT: pictures of a page on light and dark ground.
shoot() {
	for scheme in light dark; do
		# 0 is dark and 1 is light.
		chromium --headless=new --no-sandbox --disable-gpu --hide-scrollbars \
			--blink-settings=preferredColorScheme=$([ $scheme = dark ] && echo 0 || echo 1) \
			--window-size="$3,$4" --screenshot="$work/shot.png" "file://$1" >/dev/null 2>&1
		cwebp -quiet -q 70 "$work/shot.png" -o "$out/$2-$3-$scheme.webp"
	done
}

# page FONT: a page that shows what a terminal shows, as tmux captures it: text in which the codes
# of internal/show set a colour or end it.
page() {
	cat <<-END
		<!doctype html><meta charset=utf-8><style>
		:root { color-scheme: light dark }
		body { margin: 0; padding: 12px; background: light-dark(#fff, #16181d); color: light-dark(#1c1e21, #d7dae0) }
		pre { margin: 0; font: $1px/1.45 "DejaVu Sans Mono", monospace }
		.c2 { opacity: .65 }
		.c31 { color: light-dark(#b3261e, #ff7b72) }
		.c32 { color: light-dark(#1a7f37, #56d364) }
		.c33 { color: light-dark(#8a5a00, #e3b341) }
		.c36 { color: light-dark(#0b6e7f, #56d4dd) }
		</style><pre>
	END
	escape=$(printf '\033')
	sed -e 's/&/\&amp;/g; s/</\&lt;/g' -e "s/$escape\[\(2\|3[1236]\)m/<span class=c\1>/g" \
		-e "s/$escape\[\(0\|39\|0;10\)m/<\/span>/g" -e "s/$escape\[[0-9;]*m//g"
}

# live WIDTH COLUMNS FONT HEIGHT: a crawl in a window of so many columns, when it has run for a while.
live() {
	rm -rf "$work/crawl"
	mkdir "$work/crawl"
	tmux -S "$work/tmux" -f /dev/null new-session -d -x "$2" -y 24 \
		"cd '$work/crawl' && exec ../winnow crawl '$seed' --dir example.crawl --scope any --pages 3k --resolver '$resolver' \
		--allow-private --delay 900ms --ip-delay 20ms --ip-cap 0"
	sleep 20
	tmux -S "$work/tmux" capture-pane -e -p | page "$3" >"$work/live.html"
	tmux -S "$work/tmux" kill-session
	shoot "$work/live.html" live "$1" "$4"
}

"$work/winnow" web --json --pages 6k --sites 120 --mixed --min-latency 20ms --max-latency 200ms --listen 127.0.0.1:0 --dns 127.0.0.1:0 >"$work/web.json" 2>/dev/null &
web=$!
until [ -s "$work/web.json" ]; do sleep 0.1; done
field() { sed -n "1s/.*\"$1\":\[\{0,1\}\"\([^\"]*\)\".*/\1/p" "$work/web.json"; }
seed=$(field seeds) resolver=$(field resolver)
live 1280 128 16 300
live 400 44 14 360

echo 0123456789abcdef >"$work/token"
# The dashboard while a crawl runs. A test makes the pictures, because its pages never stop loading.
"$work/winnow" crawl "$seed" --dir "$work/example.crawl" --scope any --resolver "$resolver" --allow-private --delay 900ms --ip-delay 20ms \
	--ip-cap 0 --ui 127.0.0.1:0 --ui-token "$work/token" >"$work/crawl.log" 2>&1 &
crawl=$!
sleep 60
at=$(sed -n 's/.*dashboard at \(http:[^ ]*\)\/.*/\1/p' "$work/crawl.log")
mkdir "$work/pictures"
WINNOW_PICTURES="$work/pictures" WINNOW_DASHBOARD="$at" \
	WINNOW_PAGES="dashboard=/crawl/example.crawl/ dashboard-page=/crawl/example.crawl/page?url=$seed dashboard-control=/crawl/example.crawl/control" WINNOW_TOKEN=$(cat "$work/token") go test -count=1 -tags browser -run TestPictures ./dashboard
kill -INT "$crawl"
cp "$work"/pictures/*.webp "$out"

"$work/winnow" --quiet demo --dir "$work/demo.crawl" >/dev/null
shoot "$work/demo.crawl/report/report.html" report 1280 1500
shoot "$work/demo.crawl/report/report.html" report 400 1900
ls -l "$out"/live-*.webp "$out"/dashboard-*.webp "$out"/report-*.webp
