#!/bin/bash
# Programs under a value sampler that interprets pieces of them all the time, up to every second
# instruction and more: output, exit, files and number of instructions equal those of the plain run,
# and of qemu-riscv64.
. tests/lib.sh
umask 022 # as tests/diff/os.sh
calls=$PWD/build/tests/values/calls
some=10 one=3 libc=(formats sorting searching regexes trees words locales converting calendars \
	mathematics jumping contexts options memory streams)
demos=(fib longjmp selfmod branchy linked matmul)
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || some=1 one=1 libc=(formats jumping contexts) \
	demos=(fib longjmp selfmod)

# MIN MAX EVERY LENGTH SKIP, and further options.
rates=(
	"1 1 1 1 0"
	"1 50 1 128 0 --config burrows2000"
	"1 1 1 128 128 -o pipe.commit_width=1"
	"7 7 1 1 50 -o vsample.capture=all -o vsample.queue=1 -o vsample.service=0"
	"2 50 1 7 0 -o pipe.rob_size=256 -o l1d.prefetch=stride -o l1i.prefetch=next-line"
	"50 50 3 16 5 --config classic5 -o l1d.write_buffer=1"
	"1 9 1 3 1 -o pipe.in_order=true -o l1d.mshrs=1"
	"1 40 1 6 2 -o vsample.method=upcall"
	"3 60 1 1 0 -o vsample.method=bounce"
	"1 5 2 33 9 -o lsq.speculate=true -o lsq.predictor=store-sets -o bpred.update=commit"
)
cheap=(-o vsample.interrupt_cycles=2 -o vsample.start_cycles=1 -o vsample.inst_cycles=1 \
	-o vsample.tuple_cycles=0
	-o vsample.upcall_cycles=1 -o vsample.return_cycles=1)

shopt -s globstar dotglob nullglob

# go NAME COMMAND...: in a fresh folder; its output, status and files are in NAME.
go() {
	local name=$1 status
	shift
	command=$*
	[ ! -d "$dir/place" ] || rm -r "$dir/place"
	mkdir "$dir/place"
	cd "$dir/place" || exit 1
	printf 'Tyger Tyger, burning bright,\nIn the forests of the night;\n\nWhat immortal hand or eye' >poem.txt
	{ "$@" <poem.txt >"$dir/$name" 2>"$dir/err"; } 2>/dev/null
	status=$?
	echo "status $status" >>"$dir/$name"
	cksum ** >>"$dir/$name" 2>&1
	cd "$OLDPWD" || exit 1
}

# The statistics in $dir/stats, as stats[NAME].
declare -A stats
read_stats() {
	local name value more
	stats=([sim.insts]= [vsample.insts]= [vsample.interpretations]= [stops]=0)
	while read -r name value more; do
		case $name in
		sim.insts | vsample.insts | vsample.interpretations) stats[$name]=$value ;;
		vsample.stop_*) stats[stops]=$((stats[stops] + value)) ;;
		esac
	done <"$dir/stats"
}

# sampled WHAT RATE COMMAND...: under the sampler, compared with $dir/right and $insts.
sampled() {
	local what=$1 rate=$2 min max every length skip more stops bounces=0
	read -r min max every length skip more <<<"$rate"
	shift 2
	# shellcheck disable=SC2086
	go seen "$CYCLOPS" run --rw --stats "$dir/stats" -o vsample.enable=true \
		-o vsample.interval_min="$min" -o vsample.interval_max="$max" \
		-o vsample.every="$every" -o vsample.length="$length" -o vsample.skip="$skip" \
		"${cheap[@]}" $more "$@"
	read_stats
	check "$what: output, status and files" same_bytes "$dir/right" "$dir/seen"
	[ -z "$insts" ] || check "$what: ${stats[sim.insts]} instructions, $insts without" \
		[ "${stats[sim.insts]}" = "$insts" ]
	[[ $rate == *bounce* ]] || check "$what: pieces of it are interpreted" \
		[ $((50 * ${stats[vsample.insts]})) -gt "${stats[sim.insts]}" ]
	# Between the two interrupts of a bounce the program may end.
	[[ $rate == *bounce* ]] && bounces=1
	stops=${stats[stops]}
	check "$what: each interpretation stops" [ $((${stats[vsample.interpretations]} - stops)) \
		-le "$bounces" ]
	check "$what: and once" [ "$stops" -le "${stats[vsample.interpretations]}" ]
}

turn=0
# all WHAT COUNT COMMAND...: with so many of the rates, the next ones each time.
all() {
	local what=$1 count=$2 i
	shift 2
	go reference qemu-riscv64 "$@"
	go right "$CYCLOPS" run --rw --stats "$dir/stats" "$@"
	read_stats
	insts=${stats[sim.insts]}
	[ "$what" = counted ] || check "$what: as under qemu-riscv64" same_bytes "$dir/reference" \
		"$dir/right"
	[ "$what" != clocks ] && [ "$what" != "os database" ] ||
		insts= # their paths depend on the time, and on random numbers from it
	for ((i = 0; i < count; i++)); do
		sampled "$what, ${rates[turn % ${#rates[@]}]}" "${rates[turn % ${#rates[@]}]}" "$@"
		turn=$((turn + 1))
	done
}

for part in pipes files signals clocks maps heap chance code atomics floats dense fault counted; do
	all $part $some "$calls" $part
done
# The C library, and the small demo programs: each at another rate.
for part in self redirect database devices abort assert; do
	all "os $part" 1 "$PWD/build/tests/diff/os/guest" $part
done
for part in "${libc[@]}"; do
	all "libc $part" 1 "$PWD/build/tests/diff/os/libc" "$part"
done
for part in nested patch lr.w lr.d amo.w amo.d; do
	all "stack $part" 1 "$PWD/build/tests/diff/os/stack" $part
done
for demo in "${demos[@]}"; do
	all "$demo" $one "$PWD/build/demos/$demo"
done
finish
