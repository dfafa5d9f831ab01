#!/bin/bash
# The pictures of the README and the manual in a browser: each text is as wide as its cells of the
# terminal.
. tests/lib.sh
. tests/site/lib.sh
if ! command -v chromium >/dev/null; then
	echo '# SKIP: no chromium: make setup'
	finish
	exit
fi
mkdir "$dir/site"
cp demos/screenshots/*.svg tests/site/pictures.js "$dir/site"
in_browser PICTURES pictures.js < <(cd "$dir/site" && printf '%s\n' *.svg)
finish
