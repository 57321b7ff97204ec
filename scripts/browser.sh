#!/bin/sh
# Installs the browser with which the tests of the dashboard look at its pages: Debian's chromium.
# Without it these tests are skipped, and say so.
#
#   scripts/browser.sh
set -eu
command -v chromium >/dev/null && exit 0
[ "$(id -u)" = 0 ] || exec sudo "$0"
apt-get update
apt-get install --yes --no-install-recommends chromium
apt-get install --yes --no-install-recommends chromium-headless-shell || : # newer releases have it; --render is quicker with it
