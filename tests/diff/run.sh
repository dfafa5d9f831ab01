#!/bin/bash
# Random programs, run by qemu-riscv64 and by cyclops: registers, fcsr and memory must be equal at
# the end.
#
#   tests/diff/run.sh [MODE [FIRST COUNT]]
#
# MODE is functional, detailed, shaken (detailed with random parameters and a random start in
# functional mode), sampled (shaken, and the value sampler interprets pieces of the program all the
# time) or all.
# Without FIRST and COUNT the standard seeds are run, in batches of one program each. A seed that
# differs is named with the command that replays it alone, and so is its batch, in case it passes
# alone; the batch's program and outputs stay in $BUILD/tests/diff/random.
set -u
cd "$(dirname "$0")/../.." || exit 1

: "${BUILD:=build/release}" "${CYCLOPS:=build/cyclops}"
mode=${1:-all}
dir=$BUILD/tests/diff/random
passed=0 failed=0

# choose: for each line NAME VALUE..., of the input, an option with a random one of the values. No
# subshell draws: those have random numbers of their own.
choose() {
	local name values
	while read -r name values; do
		read -ra values <<<"$values"
		printf -- '-o %s=%s ' "$name" "${values[RANDOM % ${#values[@]}]}"
	done
}

# Random parameters for the machine, the same for the same seed.
shake() {
	RANDOM=$1
	choose <<-END
		pipe.fetch_width 1 2 4 8
		pipe.fetch_queue 1 2 4 16 32
		pipe.decode_width 1 2 4 8
		pipe.issue_width 1 2 4 8
		pipe.commit_width 1 2 4 8
		pipe.rob_size 2 3 8 16 64 128 200
		pipe.issue_queue 0 0 1 4 16
		pipe.in_order 0 0 0 1
		pipe.commit_delay 0 1 3
		pipe.memory_stage 0 0 1
		pipe.fetch_past_taken 0 1
		pipe.fetch_lines 1 1 2 16
		lsq.size 1 2 8 64
		lsq.speculate 0 1
		lsq.forward_latency 1 4
		fu.int 1 2 4
		fu.imuldiv 1 2
		fu.mem 1 2 4
		bpred.kind bimodal twolevel gshare combined taken nottaken
		bpred.update dispatch commit
		bpred.penalty 0 3 12
		btb.sets 0 4 128
		ras.size 0 1 8
		l1i.size 512 4096 65536
		l1d.size 512 4096 65536
		l1d.mshrs 0 1 8
		l1d.mshr_targets 0 1 8
		l1d.write_buffer 0 1 8
		pipe.completion in-order out-of-order
		pipe.waw order unit
		pipe.int_writes 0 0 1 2
		pipe.fp_writes 0 0 1 2
		fu.div 0 0 1
		l1d.ports 0 0 1 2
		l2.ports 0 0 1
		l2.mshrs 0 0 1 4
		mem.latency 1 20 100
		dtlb.sets 1 32
		lsq.replay_size 0 1
		lsq.replay_synonym 0 64 4096 32768
	END
	[ $((RANDOM % 2)) = 0 ] || echo "--ff $RANDOM"
}

# A frequent value sampler, deterministic for a seed. Upcalls write no frame: these programs use sp
# as an ordinary base, and the memory below it.
sample() {
	RANDOM=$1
	local all=(1 2 7 30) least
	least=${all[RANDOM % 4]}
	choose <<-END
		vsample.enable 1
		vsample.seed $1
		vsample.interval_min $least
		vsample.interval_max $((least + RANDOM % 40))
		vsample.frame_bytes 0
		vsample.every 1 1 1 3
		vsample.length 1 2 5 20 128
		vsample.skip 0 0 3
		vsample.capture all none
		vsample.queue 1 8 512
		vsample.service 0 1 50
		vsample.interrupt_cycles 1 9 90
		vsample.start_cycles 0 5
		vsample.inst_cycles 1 2 30
		vsample.tuple_cycles 0 1 9
		vsample.context_cycles 0 3
		vsample.method handler handler upcall bounce
		vsample.upcall_cycles 0 7
		vsample.return_cycles 0 7
		vsample.bounce_cycles 1 16 30
		vsample.bounce_step 1 5
		vsample.deadline 0 0 40
	END
}

# run MODE FIRST COUNT BATCH
run() {
	local mode=$1 at last=$(($2 + $3)) n options answer p f work
	for ((at = $2; at < last; at += $4)); do
		n=$((last - at < $4 ? last - at : $4))
		work=$dir/$mode-$at
		mkdir -p "$work"
		"$dir/gen" $at $n "$work/program" || exit 1
		if ! qemu-riscv64 -cpu rv64,Zfh=true,zbkb=true "$work/program" >"$work/reference" \
			</dev/null; then
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
		if ! "$CYCLOPS" run $options "$work/program" >"$work/output" 2>"$work/errors" \
			</dev/null; then
			echo "failed: $CYCLOPS run $options $work/program: $(head -n 3 "$work/errors")"
			failed=$((failed + 1))
		fi
		if answer=$("$dir/compare" "$work/reference" "$work/output" $at $n \
			"tests/diff/run.sh $mode"); then
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
	run detailed 101 40 40
	run shaken 1000 20 4
	run sampled 9000 20 4
	;;
*,all,long)
	run functional 1 4000 250
	run detailed 1 4000 250
	run shaken 5000 1000 20
	run sampled 9000 400 20
	;;
*,all,*)
	run functional 1 500 250
	run detailed 501 500 250
	run shaken 5000 120 20
	run sampled 9000 60 20
	;;
*) run "$mode" 1 1000 50 ;;
esac
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && [ "$passed" -gt 0 ]
