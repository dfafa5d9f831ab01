#!/bin/bash
# The page for browsers, as `cyclops web` publishes it, in headless Chromium: tours, links,
# playground, labs, files, frames, no network. PICTURES=FOLDER keeps pictures of what fails.
# shellcheck source=tests/lib.sh
. tests/lib.sh
skip() {
	echo "$1: nothing was tried"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
}
for needed in chromium node; do
	command -v $needed >/dev/null || skip "$needed is not there (make setup installs it)"
done
[ -f build/web/index.html ] || skip 'the page is not built (make web)'

mkdir -p "$dir/course/demos/tours" "$dir/other"
printf '# A tour of our course.\n# program: hello\n\n# Words of the course.\n\nstep 3\nview rob\n' \
	>"$dir/course/demos/tours/ours.cyc"
ln -s /etc/passwd "$dir/course/demos/tours/linked.cyc"
touch "$dir/other/mine"
run 125 web "$dir/other"
says err 'has other files'
run 125 web "$dir/pub" "$dir/other"
says err 'is no course'
check 'nothing is made then' [ ! -e "$dir/pub" ]
run 0 web "$dir/pub" "$dir/course"
says out ', 1 of them from '
run 0 web "$dir/pub" "$dir/course"
check 'links are not published' [ -z "$(grep -rl root: "$dir/pub/course")" ]
check 'the course is another version' [ "$(grep -c 'VERSION = "[0-9a-f]*-' "$dir/pub/service-worker.js")" = 1 ]

all=
while IFS= read -r line; do
	case $line in
	'ok '*) check "$line" true ;;
	'not ok '*) check "${line#not }" false ;;
	done) all=1 ;;
	*) echo "$line" ;;
	esac
done < <(timeout "${TIMEOUT:-900}" node tests/web/drive.js "$dir/pub" "$dir" "$PWD/build/demos/fib")
check 'all of it was tried' [ "$all" = 1 ]
finish
