#!/bin/bash
# The site that `make docs` builds, in a browser: each page renders, no link and no anchor is dead,
# nothing is written to the console, and the search finds what people look for. drive.js does it, in
# a page of its own beside the site's.
. tests/lib.sh
if ! command -v chromium >/dev/null || ! command -v mkdocs >/dev/null; then
	echo '# SKIP: no mkdocs or no chromium: make setup'
	finish
	exit
fi
passes 'the site is built' make -s docs
cp -r build/site "$dir/site"
cp tests/site/drive.js "$dir/site"
{
	echo '<!doctype html><meta charset="utf-8"><title>driver</title><body><script>const PAGES = ['
	(cd "$dir/site" && find . -name '*.html' ! -name 404.html ! -name driver.html |
		LC_ALL=C sort | sed 's/^\.\/\(.*\)$/"\1",/')
	echo ']</script><script src="drive.js"></script>'
} >"$dir/site/driver.html"
while IFS= read -r line; do
	case $line in
	'ok '*) check "$line" true ;;
	'not ok '*) check "$line" false ;;
	done) all=1 ;;
	esac
done < <(python3 tests/site/browse.py "$dir/site" "$dir")
check 'all of it was tried' [ "${all:-0}" = 1 ]
finish
