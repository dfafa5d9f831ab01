#!/bin/bash
# Random programs with Xprof mixed in, run by qemu-riscv64, where all of it does nothing, and by
# cyclops.
#
#   tests/xprof/diff.sh [SIDE [FIRST COUNT]]
#
# SIDE is on (all flags are on: every profile instruction executes, as it does for qemu) or off (all
# flags are off: qemu runs the same program with no-ops in their places). Each batch runs in
# functional mode, detailed, and with random parameters, once with a value sampler.
set -u
cd "$(dirname "$0")/../.." || exit 1

: "${BUILD:=build/release}" "${CYCLOPS:=build/cyclops}"
random=$BUILD/tests/diff/random
dir=$BUILD/tests/xprof/diff
passed=0 failed=0

# one_of VALUE...: a random one of them.
one_of() {
	shift $((RANDOM % $#))
	echo "$1"
}

# Random parameters for the machine, the same for the same seed.
shake() {
	RANDOM=$1
	printf -- '-o %s ' \
		xprof.bpred="$(one_of flag prediction-bit ignored-update)" \
		bdt.sets="$(one_of 0 1 4 64)" bdt.ways="$(one_of 1 2 4)" \
		bdt.min_block="$(one_of 1 2 4)" bdt.skip_penalty="$(one_of 0 0 3)" \
		bdt.replacement="$(one_of lru fifo)" \
		pipe.fetch_width="$(one_of 1 2 4 8)" pipe.fetch_lines="$(one_of 1 1 2 16)" \
		pipe.fetch_queue="$(one_of 1 2 4 16 32)" \
		pipe.decode_width="$(one_of 1 2 4 8)" pipe.issue_width="$(one_of 1 2 4 8)" \
		pipe.commit_width="$(one_of 1 2 4 8)" \
		pipe.rob_size="$(one_of 2 3 8 16 64 128 200)" \
		pipe.in_order="$(one_of 0 0 0 1)" pipe.fetch_past_taken="$(one_of 0 1)" \
		l1i.line="$(one_of 8 16 32 64)" \
		lsq.size="$(one_of 1 2 8 64)" lsq.speculate="$(one_of 0 1)" \
		l1d.latency="$(one_of 1 2 9)" \
		bpred.kind="$(one_of bimodal twolevel gshare combined taken nottaken)" \
		bpred.update="$(one_of dispatch commit)" bpred.penalty="$(one_of 0 3 12)" \
		btb.sets="$(one_of 0 4 128)" ras.size="$(one_of 0 1 8)" \
		l1i.size="$(one_of 512 4096 65536)" mem.latency="$(one_of 1 20 100)"
	one_of "" "--ff $RANDOM"
}

# The value sampler interprets pieces of the program all the time.
printf -v sampled -- '-o vsample.%s ' enable=1 interval_min=1 interval_max=20 every=1 length=7 \
	interrupt_cycles=2 start_cycles=0 inst_cycles=1 \
	tuple_cycles=0

# run SIDE FIRST COUNT BATCH
run() {
	local side=$1 at last=$(($2 + $3)) n p f options answer work
	for ((at = $2; at < last; at += $4)); do
		n=$((last - at < $4 ? last - at : $4))
		work=$dir/$side-$at
		mkdir -p "$work"
		"$random/gen" $at $n "$work/program" "$side" || exit 1
		if [ "$side" = off ]; then
			"$random/gen" $at $n "$work/plain" erased || exit 1
		else
			ln -sf program "$work/plain"
		fi
		if ! qemu-riscv64 -cpu rv64,Zfh=true,zbkb=true "$work/plain" \
			>"$work/reference" </dev/null; then
			echo "qemu-riscv64 failed on $work/plain"
			failed=$((failed + 1))
		fi
		f=0
		for options in --functional "" "$(shake $at)" "$(shake $((at + 1)))" \
			"$(shake $((at + 2))) $sampled"; do
			# shellcheck disable=SC2086
			if ! timeout 60 "$CYCLOPS" run $options "$work/program" >"$work/output" \
				2>"$work/errors" </dev/null; then
				echo "failed: $CYCLOPS run $options $work/program: $(head -n 3 "$work/errors")"
				f=1
			fi
			if ! answer=$("$random/compare" "$work/reference" "$work/output" $at $n \
				"tests/xprof/diff.sh $side"); then
				echo "${answer%$'\n'*}"
				echo "the batch: tests/xprof/diff.sh $side $at $n (cyclops run $options)"
				f=1
			fi
			read -r p _ <<<"${answer##*$'\n'}"
			passed=$((passed + p)) failed=$((failed + f))
		done
		[ $f = 0 ] && rm -r "$work"
	done
}

case $#,${CYCLOPS_TEST_SCALE:-full} in
3,*) run "$1" "$2" "$3" "$3" ;;
1,*) run "$1" 1 400 20 ;;
*,small)
	run on 1 4 4
	run off 5 4 4
	;;
*,long)
	run on 1 300 15
	run off 1 300 15
	;;
*)
	run on 1 30 15
	run off 46 30 15
	;;
esac
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
