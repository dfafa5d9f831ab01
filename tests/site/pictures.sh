#!/bin/bash
# The pictures of the README and the manual in a browser: each text is as wide as the cells of the
# terminal that it stands in.
. tests/lib.sh
if ! command -v chromium >/dev/null; then
	echo '# SKIP: no chromium: make setup'
	finish
	exit
fi
mkdir "$dir/site"
cp demos/screenshots/*.svg tests/site/pictures.js "$dir/site"
{
	echo '<!doctype html><meta charset="utf-8"><title>pictures</title><body><script>const PICTURES = ['
	(cd "$dir/site" && printf '"%s",\n' *.svg)
	echo ']</script><script src="pictures.js"></script>'
} >"$dir/site/driver.html"
while IFS= read -r line; do
	case $line in
	'ok '*) check "$line" true ;;
	'not ok '*) check "$line" false ;;
	done) all=1 ;;
	esac
done < <(python3 tests/site/browse.py "$dir/site" "$dir")
check 'all of them were measured' [ "${all:-0}" = 1 ]
finish
