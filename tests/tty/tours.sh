#!/bin/bash
# What each layout shows with tours of the pipeline and of each profiling system, two steps into it,
# at five sizes, compared with the texts kept in tests/tty/tours/NAME.xz; a person reads them with
# xzcat. Two tours at two sizes are looked at for each change, all of them at all sizes with
# CYCLOPS_TEST_SCALE=long.
#
#   tests/tty/tours.sh [TOUR...]             compare
#   UPDATE=1 tests/tty/tours.sh [TOUR...]    keep what is shown now; look at the difference before
#                                            you commit it
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

KEPT=tests/tty/tours
LAYOUTS='1:frontend 2:window 3:profilers 4:memory 5:source 6:machine'
SIZES='80x24 100x30 120x36 160x48 200x60'
TOURS=$*
if [ -z "$TOURS" ]; then
	TOURS='linked cop profile paths sampler values'
	if [ "${CYCLOPS_TEST_SCALE:-full}" != long ] && [ -z "${UPDATE:-}" ]; then
		SIZES='80x24 120x36'
		TOURS='linked cop'
	fi
fi

# Text that differs between hosts: how fast it was, and how many snapshots that made worth while.
picture() {
	screen | sed -E 's/[0-9]+ snapshots? /N snapshots /; s/ +(● live)/ \1/' |
		awk '/─ History ?─/ { cut = 1 } !cut { print } { last = $0 } END { if (cut) print last }'
}
steady() {
	picture >"$TTY_HOME/one"
	tail -n 1 "$TTY_HOME/one" | grep -qE " $1\$|\[$1\]" || return 1
	picture >"$TTY_HOME/two"
	cmp -s "$TTY_HOME/one" "$TTY_HOME/two"
}

# shot SIZE LAYOUT: the picture, under a heading.
shot() {
	wait_until steady "$2" || not_ok "$1: no layout $2"
	{
		printf '== %s %s\n' "$1" "$2"
		cat "$TTY_HOME/two"
	} >>"$TTY_HOME/now"
}

for tour in $TOURS; do
	: >"$TTY_HOME/now"
	for size in $SIZES; do
		open_terminal "${size%x*}" "${size#*x}"
		shell_runs "$CYCLOPS tour $tour"
		wait_for '─ Tour ' && wait_until drawn || not_ok "the tour opens: $tour"
		enter 'tour next'
		wait_for "─ Tour [a-z]+  2/" || not_ok "its second step: $tour"
		for layout in $LAYOUTS; do
			keys "${layout%:*}"
			shot "$size" "${layout/:/ }"
		done
	done
	if [ -n "${UPDATE:-}" ]; then
		xz -9e -c "$TTY_HOME/now" >"$KEPT/$tour.xz"
		ok
		continue
	fi
	# The sizes of the kept screens that were checked.
	xzcat "$KEPT/$tour.xz" |
		awk -v sizes=" $SIZES " '/^== / { on = index(sizes, " " $2 " ") } on' \
		>"$TTY_HOME/kept"
	if [ -s "$TTY_HOME/kept" ] && cmp -s "$TTY_HOME/kept" "$TTY_HOME/now"; then
		ok
	else
		not_ok "tour $tour is not as it was kept"
		diff "$TTY_HOME/kept" "$TTY_HOME/now" | head -n 40
	fi
done
finish
