#!/bin/bash
# The page for browsers (make web) in headless Chromium: tours, links, playground, labs, files.
#
#   tests/web/run.sh [FOLDER]     build/web; PICTURES=FOLDER keeps pictures of what fails
# shellcheck source=tests/lib.sh
. tests/lib.sh
site=${1:-build/web}
skip() {
	echo "$1: nothing was tried"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
}
for needed in chromium node; do
	command -v $needed >/dev/null || skip "$needed is not there (make setup installs it)"
done
[ -f "$site/index.html" ] || skip "$site is not built (make web)"
all=
while IFS= read -r line; do
	case $line in
	'ok '*) check "$line" true ;;
	'not ok '*) check "${line#not }" false ;;
	done) all=1 ;;
	*) echo "$line" ;;
	esac
done < <(timeout "${TIMEOUT:-900}" node tests/web/drive.js "$(realpath "$site")" "$dir" "$PWD/build/demos/fib")
check 'all of it was tried' [ "$all" = 1 ]
finish
