#!/bin/bash
# Every view's text and JSON at two places of a small program, compared with what is kept in
# expected/.
#
#   tests/golden/run.sh            compare
#   UPDATE=1 tests/golden/run.sh   keep what is shown now; look at the difference before you commit
#                                  it
# Views of profile instructions, and what else shows them, are shown of profile.elf, too.
#
# A picture holds the form of a grid: columns, widths, order, marks. tests/unit/cells computes each
# cell, test_grid has JSON's form. So there is one picture of each kind: three cycles after another,
# with marks, and with arguments, in 80 columns; one in 120; the columns and three rows of JSON.
#
# The places are events of the program, not cycle numbers, so that a change in timing changes few
# pictures.
set -u
cd "$(dirname "$0")/../.." || exit 1
CYCLOPS=${CYCLOPS:-build/cyclops}
GUEST=tests/golden/guest.elf
PROFILED=tests/golden/profile.elf
EXPECTED=tests/golden/expected
SAMPLED=(-o sampler.enable=true -o 'sampler.select=value of load')
unset XDG_CONFIG_HOME
export HOME=/nonexistent
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# Arguments with which a view is shown, besides none: $extra.
arguments() {
	extra=
	case $1 in
	pipe) extra='400 12' ;;
	fu) extra=units ;;
	l1d) extra=nodes ;;
	l1i) extra=walk ;;
	l2) extra=3 ;;
	btb) extra=depth ;;
	bpred) extra=walk+28 ;;
	tlb) extra=nodes ;;
	mem) extra='nodes 64' ;;
	disasm) extra='main 6' ;;
	source) extra=guest.c:60 ;;
	cfg) extra='sum_series code' ;;
	stack) extra=6 ;;
	rename) extra=branches ;;
	stats) extra='l1d lsq' ;;
	hot) extra='functions since 5000' ;;
	branches) extra='all since last' ;;
	timeline) extra='5000 6000 10' ;;
	config) extra='lsq ras' ;;
	esac
}

# Lists of hundreds of lines are shown whole once, and elsewhere some of their groups.
groups() {
	case $1 in
	stats) echo ' cop l1d lsq' ;;
	config) echo ' lsq ras' ;;
	esac
}

# Commands that show each of the views, with its name after the first @.
each_view() {
	local view
	for view in $views; do
		printf '%s\n' "echo @ $view" "view $view$(groups "$view")${1:-}" 'echo @'
	done
}

# Commands that show views at up to three places, each as if alone.
show_all() {
	local places=$1 suffix=$2 view extra some
	printf '%s\n' 'break walk' 'break sum_series' continue 'step 200'
	each_view "$suffix"
	[ "$places" -ge 2 ] || return
	printf '%s\n' 'delete 1' continue continue 'step 70'
	for view in $views; do
		arguments "$view"
		some=$(groups "$view")
		if [ "$places" = 2 ]; then
			printf '%s\n' "echo @ $view" "view $view$some$suffix" 'echo @'
			continue
		fi
		echo "view $view$some$suffix"
		[ -z "$extra" ] ||
			printf '%s\n' "echo @ $view" "view $view $extra$suffix" 'echo @'
	done
	[ "$places" -ge 3 ] || return
	echo 'step 3'
	each_view "$suffix"
}

# The same of the program that profiles itself: two cycles after a skip turns out to be wrong; where
# fetch followed a call that is dropped; and where the stack has an entry that is never popped.
show_profiled() {
	local view extra
	printf '%s\n' 'catch flag_mispredict' 'ignore 1 9' continue
	printf 'view %s\n' $views
	echo 'step 2'
	each_view
	printf '%s\n' 'delete 1' 'catch profile_misfetch' 'ignore 2 5' continue
	each_view
	printf '%s\n' 'delete 2' 'break leave+8' continue
	for view in $views; do
		case $view in
		bdt) extra=loop ;;
		pflag) extra=1 ;;
		*) extra= ;;
		esac
		printf '%s\n' "echo @ $view" "view $view"
		[ -z "$extra" ] || printf '%s\n' 'echo ----' "view $view $extra"
		echo 'echo @'
	done
}

# Of a machine with a sampler: when messages are sent, and a cycle on; of samplers, of tagged
# counters and of the associative table after them.
show_sampled() {
	local view=$1 entry=
	printf '%s\n' 'catch compress if stage == 1 and act != "placed"' continue 'echo @' \
		"view $view" 'echo @' 'step' 'echo @' "view $view"
	[ "$view" = buckets ] && for entry in 1 '0 5' '1 0' '1 3'; do
		printf '%s\n' 'echo ----' "view buckets $entry"
	done
	echo 'echo @'
}

# Of a machine with a co-processor: an entry is found, a branch is mispredicted, and a record ends.
show_cop() {
	echo 'cop step 6'
	printf 'view %s\n' $views
	echo 'cop step'
	each_view
	printf '%s\n' 'catch micro if wrong' 'ignore 1 20' continue
	each_view
	printf '%s\n' 'delete 1' 'catch micro if at == 0 and not taken' continue
	each_view
	[[ " $views " == *" copfilter "* ]] || return
	printf '%s\n' 'lua m.cop:mask("high", "walk+0x18") m.cop:mask("low", "walk+0x20") m.cop:mask("low", "link_nodes")' 'echo @ copfilter' "view copfilter" 'echo @'
	printf '%s\n' 'lua m.cop:write{ { 0x28, 7 }, { 0x30, 3 }, { 0x20, 6 } }' \
		'echo @ copfilter' "view copfilter walk+0x18" 'echo @'
}

# Of a machine with a value sampler: in its interrupt, in the middle of an interpretation, waiting
# for data, at its end, and after it.
show_vsample() {
	local view=$1
	printf '%s\n' 'catch vsample if interprets' 'ignore 1 3' continue 'echo @' \
		"view $view" 'echo @' 'delete 1'
	printf '%s\n' 'catch interpret if place == 1' continue 'echo @' "view $view" \
		'echo @' 'step 4' 'echo @' "view $view" 'echo @' 'delete 2'
	printf '%s\n' 'watch vsample.phase if vsample.phase == "data"' continue 'echo @' \
		"view $view" 'echo @' 'delete 3'
	printf '%s\n' 'catch interpreted' continue 'step 300' 'echo @' "view $view" 'echo @'
}

# Of a machine that samples values: in the middle, a while later, and one list.
show_hotlist() {
	local view=$1
	printf '%s\n' 'break sum_series' continue 'echo @' "view $view 6" 'echo @' continue \
		'step 600' 'echo @' "view $view" 'echo @'
	printf '%s\n' 'echo @' "view $view walk+0x16" 'echo ----' \
		"view $view results 3" 'echo @'
}

# Of a machine with replay traps: when there is one, a cycle on, and later.
show_replay() {
	local view=$1
	printf '%s\n' 'catch replay' continue 'echo @' "view $view" 'echo @' step 'echo @' \
		"view $view" 'echo @'
	printf '%s\n' continue continue 'echo @' "view $view" 'echo @'
}

# Of the program that profiles itself, where a skip turns out to be wrong.
show_profiled_machine() {
	printf '%s\n' 'catch flag_mispredict' 'ignore 1 9' continue 'echo @' 'view machine' 'echo @'
}

# Of a textbook's pipeline: in a loop, cycle by cycle.
show_textbook() {
	printf '%s\n' 'break walk' continue 'step 40' 'echo @' "view machine" 'echo @' step \
		'echo @' "view machine" 'echo @' step 'echo @' "view machine" 'echo @'
}

# Of a machine whose oracle keeps calling contexts: in a call, in one that is collapsed, expanded as
# a whole, and one node.
show_contexts() {
	printf '%s\n' 'break sum_series' continue 'echo @' "view cct" 'echo @' 'step 3' \
		'echo @' "view cct" 'echo @'
	printf '%s\n' 'collapse main' 'echo @' "view cct" 'echo @' expand continue 'echo @' \
		"view cct all by calls"
	printf '%s\n' 'echo ----' "view cct sum_series" 'echo @'
}

cut_shown() {
	awk '$0 == "@" { on = !on; if (on && n++) print "----"; next } on'
}

# all_views HOW [ARGS...]: what each_view() showed of each view goes to $work/VIEW.HOW.
all_views() {
	local how=$1
	shift
	[ $# -gt 0 ] || set -- "$GUEST"
	"$CYCLOPS" --batch "$@" 2>"$work/errors" |
		awk -v work="$work" -v how="$how" '
			/^@ / && !on { on = 1; file = work "/" $2 "." how; if (n[$2]++) print "----" >>file; next }
			$0 == "@" { on = 0; close(file); file = ""; next }
			on { print >>file }'
	if [ "${PIPESTATUS[0]}" != 0 ] || [ -s "$work/errors" ]; then
		cat "$work/errors"
		for view in $views; do echo failed >>"$work/$view.$how"; done
	fi
}

run() {
	[ $# -gt 0 ] || set -- "$GUEST"
	"$CYCLOPS" --batch "$@" 2>"$work/errors" | cut_shown
	if [ "${PIPESTATUS[0]}" != 0 ] || [ -s "$work/errors" ]; then
		cat "$work/errors"
		echo "failed"
	fi
}

# first, others: of pictures with lines ---- between them.
first() { sed '/^----$/,$d'; }
others() { sed '1,/^----$/d' "$1"; }

# A picture in a terminal with only ASCII: the same, sign by sign.
in_ascii() { LC_ALL=C.UTF-8 sed 'y/·─█▓…│░○┌└┘┐┬▶┴◐●▌→◀├↺/.-#%~|:o+++++>++*=><+@/' "$1"; }

one_view() {
	local view=$1
	echo "==== 80 columns"
	others "$work/$view.80"
	echo "==== 120 columns"
	others "$work/$view.120"
	in_ascii "$work/$view.80" | head -n "$(wc -l <"$work/$view.ascii")" |
		diff - "$work/$view.ascii" || echo "==== is another picture in ASCII"
	echo "==== JSON"
	awk '!/^  \{/ || ++rows <= 3' "$work/$view.json"
	case $view in
	pflag | bdt | fetchq | pipe | rob | disasm | source)
		echo "==== a program that profiles itself"
		cat "$work/$view.profiled"
		echo "==== the same in ASCII"
		first <"$work/$view.profiled-ascii"
		;;
	compressor | buckets)
		local strata='H(C(P(4)), 64), A(4)' \
			tagged='T(64, ways=2, hit=3, replace=2, evict=4), A(4)'
		echo "==== strata"
		show_sampled "$view" | COLUMNS=120 LC_ALL=C.UTF-8 run "${SAMPLED[@]}" \
			-o "sampler.compressor=$strata" "$GUEST"
		echo "==== tagged counters"
		show_sampled "$view" | COLUMNS=80 LC_ALL=C.UTF-8 run "${SAMPLED[@]}" \
			-o "sampler.compressor=$tagged" "$GUEST"
		echo "==== in 40 columns of ASCII"
		show_sampled "$view" | COLUMNS=40 LC_ALL=C run "${SAMPLED[@]}" \
			-o "sampler.compressor=$tagged" "$GUEST" | first
		;;
	vsample)
		local quick=(-o vsample.enable=true -o vsample.interval_min=1000 \
			-o vsample.interval_max=1100 -o vsample.interrupt_cycles=20
			-o vsample.start_cycles=10 -o vsample.inst_cycles=6 \
				-o vsample.tuple_cycles=4 -o vsample.length=6)
		echo "==== a value sampler"
		show_vsample "$view" | COLUMNS=120 LC_ALL=C.UTF-8 run "${quick[@]}" "$GUEST"
		echo "==== in 80 columns, with some skipped and some lost"
		show_vsample "$view" | COLUMNS=80 LC_ALL=C.UTF-8 run "${quick[@]}" \
			-o vsample.skip=5 -o vsample.queue=3 -o vsample.service=700 \
			-o vsample.context_cycles=0 -o vsample.capture='result context' "$GUEST" |
			first
		echo "==== in 40 columns of ASCII, by upcall"
		show_vsample "$view" | COLUMNS=40 LC_ALL=C run "${quick[@]}" \
			-o vsample.method=upcall "$GUEST" | first
		echo "==== by bouncing back"
		printf '%s\n' 'catch vsample if second' 'ignore 1 2' continue 'step 30' 'echo @' \
			"view $view" 'echo @' 'goto 5300' 'echo @' "view $view" 'echo @' |
			COLUMNS=120 LC_ALL=C.UTF-8 run "${quick[@]}" -o vsample.method=bounce \
			"$GUEST"
		;;
	hotlist)
		local eager=(--values results -o vsample.interval_min=100 \
			-o vsample.interval_max=200 -o vsample.every=1 \
			-o vsample.interrupt_cycles=20
			-o vsample.start_cycles=10 -o vsample.inst_cycles=6 \
				-o vsample.tuple_cycles=4 -o vsample.length=8 -o vsample.service=1)
		echo "==== hotlists of results"
		show_hotlist "$view" | COLUMNS=130 LC_ALL=C.UTF-8 run "${eager[@]}" \
			-o oracle.enable=true -o oracle.values=all "$GUEST"
		echo "==== in 80 columns, by Calder's table"
		show_hotlist "$view" | COLUMNS=80 LC_ALL=C.UTF-8 run "${eager[@]}" \
			-o values.method=top "$GUEST" | first
		echo "==== in 40 columns of ASCII"
		show_hotlist "$view" | COLUMNS=40 LC_ALL=C run "${eager[@]}" "$GUEST" | first
		echo "==== without modules"
		printf '%s\n' 'echo @' "view $view" 'echo @' | COLUMNS=80 LC_ALL=C.UTF-8 run \
			-o vsample.enable=true "$GUEST"
		;;
	replay)
		local traps=(--config burrows2000 -o l1d.size=2K -o lsq.replay_synonym=512 \
			-o oracle.enable=true)
		echo "==== replay traps, and their pairs"
		show_replay "$view" | COLUMNS=140 LC_ALL=C.UTF-8 run "${traps[@]}" \
			-o oracle.replays=true "$GUEST"
		echo "==== in 80 columns"
		show_replay "$view" | COLUMNS=80 LC_ALL=C.UTF-8 run "${traps[@]}" \
			-o oracle.replays=true "$GUEST" | first
		echo "==== without their count, in 60 columns of ASCII"
		show_replay "$view" | COLUMNS=60 LC_ALL=C run "${traps[@]}" "$GUEST" | first
		;;
	bakeoff)
		local judged=(-o oracle.enable=true -o oracle.blocks=true -o profileme.enable=true \
			-o profileme.interval_max=9
			-o sampler.enable=true -o sampler.select='edge of branch, call tag 1' \
				-o 'sampler.compressor=R(4)')
		echo "==== two profilers"
		show_replay "$view" | COLUMNS=120 LC_ALL=C.UTF-8 run "${judged[@]}" "$GUEST"
		echo "==== in 40 columns of ASCII"
		show_replay "$view" | COLUMNS=40 LC_ALL=C run "${judged[@]}" "$GUEST" | first
		;;
	machine)
		echo "==== a textbook's pipeline"
		show_textbook | COLUMNS=80 LC_ALL=C.UTF-8 run --config classic5 "$GUEST"
		echo "==== in ASCII"
		show_textbook | COLUMNS=100 LC_ALL=C run --config classic5 "$GUEST" | first
		echo "==== too narrow for a picture"
		show_textbook | COLUMNS=60 LC_ALL=C.UTF-8 run --config classic5 "$GUEST" | first
		echo "==== with all that profiles"
		show_textbook | COLUMNS=120 LC_ALL=C.UTF-8 run --cop tests/cop/slots.mic \
			-o oracle.enable=true -o profileme.enable=true -o vsample.enable=true \
			"${SAMPLED[@]}" "$GUEST"
		echo "==== and what profiles itself"
		show_profiled_machine | COLUMNS=80 LC_ALL=C.UTF-8 run "$PROFILED"
		;;
	cct)
		local exact=(-o oracle.enable=true -o oracle.contexts=true)
		echo "==== by the oracle"
		show_contexts | COLUMNS=120 LC_ALL=C.UTF-8 run "${exact[@]}" "$GUEST"
		echo "==== in 80 columns"
		show_contexts | COLUMNS=80 LC_ALL=C.UTF-8 run "${exact[@]}" "$GUEST" | first
		echo "==== in 40 columns of ASCII"
		show_contexts | COLUMNS=40 LC_ALL=C run "${exact[@]}" "$GUEST" | first
		;;
	cop | cop?*)
		echo "==== a program of slots"
		cat "$work/$view.cop-120"
		echo "==== in 80 columns"
		first <"$work/$view.cop-80"
		echo "==== in 40 columns of ASCII"
		first <"$work/$view.cop-40"
		;;
	esac
}

passed=0 failed=0
views=$("$CYCLOPS" --batch -e view "$GUEST" </dev/null | awk '{ print $1 }')
mkdir -p "$EXPECTED"
# One session shows many views, each as if it were alone; but history's memory is more where others
# were shown, and of 16 views a session remembers what they were to mark what has changed: of eight,
# with their arguments.
together() {
	local views=$1
	show_all 1 '' | COLUMNS=80 LC_ALL=C all_views ascii
	show_all 1 ' --json' | LC_ALL=C.UTF-8 all_views json
}
marked() {
	local views=$*
	show_all 3 '' | COLUMNS=80 LC_ALL=C.UTF-8 all_views 80
	show_all 2 '' | COLUMNS=120 LC_ALL=C.UTF-8 all_views 120
}
profiled() {
	local views="pflag bdt fetchq pipe rob disasm source"
	show_profiled | COLUMNS=120 LC_ALL=C.UTF-8 all_views profiled "$PROFILED"
	show_profiled | COLUMNS=80 LC_ALL=C all_views profiled-ascii "$PROFILED"
}
with_cop() {
	local views all
	mapfile -t all < <(grep '^cop' <<<"$1")
	views=${all[*]}
	show_cop | COLUMNS=120 LC_ALL=C.UTF-8 all_views cop-120 --cop tests/cop/slots.mic \
		"$GUEST"
	show_cop | COLUMNS=80 LC_ALL=C.UTF-8 all_views cop-80 --cop tests/cop/slots.mic "$GUEST"
	show_cop | COLUMNS=40 LC_ALL=C all_views cop-40 --cop tests/cop/slots.mic "$GUEST"
}
profiled
with_cop "$views"
mapfile -t others < <(grep -vx history <<<"$views")
together "${others[*]}"
together history
marked history
for ((k = 0; k < ${#others[@]}; k += 8)); do
	marked "${others[@]:k:8}"
done
for view in $views; do
	one_view "$view" >"$work/$view.txt"
	if [ -n "${UPDATE:-}" ]; then
		cp "$work/$view.txt" "$EXPECTED/$view.txt"
	fi
	if diff -u "$EXPECTED/$view.txt" "$work/$view.txt" >"$work/diff"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED: view $view is not as expected (UPDATE=1 $0 keeps it as it is now)"
		head -n 40 "$work/diff"
	fi
done
# Expected texts without a command are removed.
for file in "$EXPECTED"/*.txt; do
	view=${file##*/}
	if [[ " ${views//$'\n'/ } " != *" ${view%.txt} "* ]]; then
		echo "FAILED: $file belongs to no view"
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
