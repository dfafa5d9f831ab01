#!/bin/bash
# The value sampler at absurd rates beside everything else at once: the oracle, the stream sampler
# with its firmware, the co-processor at work, profile instructions, and programs with code that
# counts. The program's own results are those without the value sampler: its output, its
# instructions, tuples that are selected, paths and blocks with their counts and instructions.
. tests/lib.sh
programs=$PWD/build/tests/edit
rates=("1 19 30 2" "1 1 1 0" "3 3 128 0" "1 50 4 20")
SCALE=${CYCLOPS_TEST_SCALE:-full}
[ "$SCALE" = long ] || rates=("1 19 30 2")

# An interrupt of firmware's between LR and SC makes the program try again, at another place for
# each of them: with firmware the counts are not compared.
beside=(-o oracle.enable=true -o oracle.values=all -o oracle.contexts=true --cop \
	tests/cop/slots.mic -o sampler.enable=true
	-o 'sampler.compressor=H(P(5), 64), A(4)' -o sampler.threshold=10 -o sampler.min_count=50
	-o 'sampler.select=value of load, edge tag 1, call tag 2, address of store tag 3')
firmware=(--firmware build/demos/firmware/sampler.elf -o sampler.reader=interrupt)
counts='sim\.insts|sim\.syscalls|sampler\.selected|oracle\.(insts|blocks|edges|calls)'

stat_of() { awk -v name="$2" '$1 == name { print $2 }' "$dir/$1"; }

# go NAME ARGS...: writes the output that must be equal to NAME, and statistics to NAME.stats;
# count_report: the report of the inserted code's counts, whose fourth column, cycles, depends on
# the machine.
go() {
	local name=$1 status
	shift
	command="cyclops run $*"
	rm -f "$dir/report.csv"
	timeout 100 "$CYCLOPS" run --stats "$dir/$name.stats" \
		${count_report:+--report "$count_report=$dir/report.csv"} "${beside[@]}" "$@" \
		>"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	{
		cat "$dir/out"
		echo "status $status"
		case " $* " in *" --firmware "*) ;; *) grep -E "^($counts) " "$dir/$name.stats" ;; \
			esac
		# Some of the C library's own functions try again: those of the program agree.
		[ -z "$count_report" ] || cut -d, -f1,3,5- "$dir/report.csv" | sort | case " $* " in
		*" --firmware "*) grep -E ',(main|descend),' ;;
		*) cat ;;
		esac
	} >"$dir/$name"
}

# together WHAT ARGS...: with firmware and without; in turn, but for scale long.
turn=0
together() {
	turn=$((turn + 1))
	[ "$SCALE" != long ] && [ $((turn % 2)) = 0 ] || beside_all "$@"
	[ "$SCALE" != long ] && [ $((turn % 2)) = 1 ] || beside_all "$1, with firmware" \
		"${firmware[@]}" "${@:2}"
}

beside_all() {
	local what=$1 rate min max length skip
	shift
	go right "$@"
	check "$what: it runs" grep -q '^status 0' "$dir/right"
	[ -z "$count_report" ] || check "$what: it counts" grep -q ',descend,' "$dir/right"
	check "$what: the co-processor has records" [ "$(stat_of right.stats cop.samples)" -gt 10 ]
	for rate in "${rates[@]}"; do
		read -r min max length skip <<<"$rate"
		go seen -o vsample.enable=true -o vsample.interval_min="$min" \
			-o vsample.interval_max="$max" -o vsample.every=1 \
			-o vsample.length="$length" \
			-o vsample.skip="$skip" -o vsample.interrupt_cycles=2 \
			-o vsample.start_cycles=1 -o vsample.inst_cycles=1 \
			-o vsample.tuple_cycles=0 "$@"
		check "$what, $rate: nothing of the program is different" diff "$dir/right" \
			"$dir/seen"
		check "$what, $rate: pieces of it are interpreted" \
			[ $((50 * $(stat_of seen.stats vsample.insts))) -gt \
			"$(stat_of seen.stats sim.insts)" ]
		case $what in *firmware) check "$what, $rate: its interrupts come between" \
			[ "$(stat_of seen.stats vsample.stop_interrupt)" -gt 0 ] ;; esac
	done
}

count_report=
for program in blocks calls checks; do # profile instructions and flags, as a compiler puts them in
	together "profile instructions, $program" build/demos/xprof/$program
done
together "profile instructions that are off" --instrument bb=1,path=2 "$programs/longjmp"
count_report=hot-paths
together "paths" --instrument path "$programs/longjmp"
# The profile depends on the seed alone: the same again, with and without snapshots, and another for
# another seed.
profile() {
	run 0 run --values results -o vsample.interval_min=50 -o vsample.interval_max=90 \
		-o vsample.seed="$2" --report values="$dir/$1.csv" "${@:3}" \
		build/demos/longjmp
}
profile one 1
check "it has values" [ "$(wc -l <"$dir/one.csv")" -gt 100 ]
profile again 1
check "one seed, one profile" cmp "$dir/one.csv" "$dir/again.csv"
profile snapshots 1 --history
check "snapshots don't matter" cmp "$dir/one.csv" "$dir/snapshots.csv"
profile other 2
check "another seed, another profile" bash -c "! cmp -s '$dir/one.csv' '$dir/other.csv'"
together "paths with counters" --instrument path+hw --metrics sim.insts,sim.cycles \
	"$programs/longjmp"
finish
