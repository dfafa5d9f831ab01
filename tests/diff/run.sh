#!/bin/bash
# Random programs, run by qemu-riscv64 and by cyclops: registers, fcsr and memory must come out the same.
#
#   tests/diff/run.sh [MODE [FIRST COUNT]]
#
# MODE is functional, detailed, shaken (detailed with random parameters and a random start in functional mode), sampled (shaken, and the
# value sampler interprets pieces of the program all the time) or all.
# Without FIRST and COUNT the standard seeds are run, in batches of one program each. A seed that differs is named with
# the command that replays it alone, and so is its batch, in case it passes alone; the batch's program and
# outputs stay in $BUILD/tests/diff/random.
set -u
cd "$(dirname "$0")/../.." || exit 1

: "${BUILD:=build/release}" "${CYCLOPS:=build/cyclops}"
mode=${1:-all}
dir=$BUILD/tests/diff/random
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
		pipe.fetch_width="$(one_of 1 2 4 8)" pipe.fetch_queue="$(one_of 1 2 4 16 32)" \
		pipe.decode_width="$(one_of 1 2 4 8)" pipe.issue_width="$(one_of 1 2 4 8)" \
		pipe.commit_width="$(one_of 1 2 4 8)" pipe.rob_size="$(one_of 2 3 8 16 64 128 200)" \
		pipe.issue_queue="$(one_of 0 0 1 4 16)" pipe.in_order="$(one_of 0 0 0 1)" \
		pipe.commit_delay="$(one_of 0 1 3)" pipe.memory_stage="$(one_of 0 0 1)" pipe.fetch_past_taken="$(one_of 0 1)" pipe.fetch_lines="$(one_of 1 1 2 16)" \
		lsq.size="$(one_of 1 2 8 64)" lsq.speculate="$(one_of 0 1)" lsq.forward_latency="$(one_of 1 4)" \
		fu.int="$(one_of 1 2 4)" fu.imuldiv="$(one_of 1 2)" fu.mem="$(one_of 1 2 4)" \
		bpred.kind="$(one_of bimodal twolevel gshare combined taken nottaken)" \
		bpred.update="$(one_of dispatch commit)" bpred.penalty="$(one_of 0 3 12)" \
		btb.sets="$(one_of 0 4 128)" ras.size="$(one_of 0 1 8)" \
		l1i.size="$(one_of 512 4096 65536)" l1d.size="$(one_of 512 4096 65536)" \
		l1d.mshrs="$(one_of 0 1 8)" l1d.mshr_targets="$(one_of 0 1 8)" l1d.write_buffer="$(one_of 0 1 8)" \
		mem.latency="$(one_of 1 20 100)" dtlb.sets="$(one_of 1 32)" \
		lsq.replay_size="$(one_of 0 1)" lsq.replay_synonym="$(one_of 0 64 4096 32768)"
	one_of "" "--ff $RANDOM"
}

# A value sampler that can't wait, the same for the same seed.
sample() {
	RANDOM=$1
	local least
	least=$(one_of 1 2 7 30)
	printf -- '-o vsample.%s ' enable=1 interval_min="$least" interval_max=$((least + RANDOM % 40)) seed=$1 every="$(one_of 1 1 1 3)" \
		length="$(one_of 1 2 5 20 128)" skip="$(one_of 0 0 3)" capture="$(one_of all none)" queue="$(one_of 1 8 512)" \
		service="$(one_of 0 1 50)" interrupt_cycles="$(one_of 1 9 90)" start_cycles="$(one_of 0 5)" \
		inst_cycles="$(one_of 1 2 30)" tuple_cycles="$(one_of 0 1 9)" context_cycles="$(one_of 0 3)" \
		method="$(one_of handler handler upcall bounce)" upcall_cycles="$(one_of 0 7)" return_cycles="$(one_of 0 7)" \
		frame_bytes="$(one_of 0 64 1088)" bounce_cycles="$(one_of 1 16 30)" bounce_step="$(one_of 1 5)" deadline="$(one_of 0 0 40)"
}

# run MODE FIRST COUNT BATCH
run() {
	local mode=$1 at last=$(($2 + $3)) n options answer p f work
	for ((at = $2; at < last; at += $4)); do
		n=$((last - at < $4 ? last - at : $4))
		work=$dir/$mode-$at
		mkdir -p "$work"
		"$dir/gen" $at $n "$work/program" || exit 1
		if ! qemu-riscv64 "$work/program" >"$work/reference" </dev/null; then
			echo "qemu-riscv64 failed on $work/program"
			failed=$((failed + 1))
		fi
		case $mode in
		functional) options=--functional ;;
		detailed) options= ;;
		shaken) options=$(shake $at) ;;
		sampled) options="$(shake $at) $(sample $at)" ;;
		esac
		# shellcheck disable=SC2086
		if ! "$CYCLOPS" run $options "$work/program" >"$work/output" 2>"$work/errors" </dev/null; then
			echo "failed: $CYCLOPS run $options $work/program: $(head -n 3 "$work/errors")"
			failed=$((failed + 1))
		fi
		if answer=$("$dir/compare" "$work/reference" "$work/output" $at $n "tests/diff/run.sh $mode"); then
			rm -r "$work"
		else
			echo "${answer%$'\n'*}"
			echo "the batch: tests/diff/run.sh $mode $at $n (cyclops run $options)"
		fi
		read -r p _ f _ <<<"${answer##*$'\n'}"
		passed=$((passed + p)) failed=$((failed + f))
	done
}

case $#,$mode,${CYCLOPS_TEST_SCALE:-full} in
3,*) run "$mode" "$2" "$3" "$3" ;;
*,all,small)
	run functional 1 100 100
	run detailed 101 100 100
	run shaken 1000 40 4
	run sampled 9000 20 4
	;;
*,all,*)
	run functional 1 4000 250
	run detailed 1 4000 250
	run shaken 5000 1000 20
	run sampled 9000 400 20
	;;
*) run "$mode" 1 1000 50 ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
