#!/bin/bash
# The site that `make docs` builds, in a browser: each page renders, no link and no anchor is dead,
# nothing is written to the console, and the search finds what people look for. drive.js does it, in
# a page of its own beside the site's.
. tests/lib.sh
. tests/site/lib.sh
if ! command -v chromium >/dev/null || ! command -v mkdocs >/dev/null; then
	echo '# SKIP: no mkdocs or no chromium: make setup'
	finish
	exit
fi
passes 'the site is built' make -s docs
cp -r build/site "$dir/site"
cp tests/site/drive.js "$dir/site"
in_browser PAGES drive.js < <(cd "$dir/site" &&
	find . -name '*.html' ! -name 404.html ! -name driver.html | LC_ALL=C sort |
		sed 's/^\.\///')
finish
