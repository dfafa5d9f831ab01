#!/bin/bash
# A watchpoint on a variable of a call that is left without a return, by longjmp, an exception or
# its thread's end, says so and is off; a switch to another stack does not end it. Backwards it
# stops at the same changes.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh

flags=(-O0 -O2)
[ "${CYCLOPS_TEST_SCALE:-full}" = small ] && flags=(-O2)
for flag in "${flags[@]}"; do
	riscv64-linux-gnu-g++ "$flag" -g -static -march=rv64gc -o left \
		"$top/tests/cmd/left.cc" || exit 1
	# The function, the stop at which the call is over, and the number of changes before it.
	while read -r function times where changes; do
		# A line in which the last change and the frame's end commit in one cycle counts, too.
		go=() on=()
		for ((i = 0; i < times; i++)); do go+=(continue); done
		for ((i = 0; i < changes + 2; i++)); do on+=(continue); done
		batch 0 left "break $function" "${go[@]}" 'delete' 'watch kept if kept > n' \
			"${on[@]}" 'enable 2' reverse-continue
		line=$(grep -n 'kept: its call has ended, and it is off' out | head -1)
		check "$flag $function: it ends" grep -qE "its call has ended.* $where" <<<"$line"
		check "$flag $function: $changes changes" \
			[ "$(grep -c 'kept: .* -> ' out)" = $((changes + 1)) ]
		check "$flag $function: the program ends" grep -q 'exited with status 0' out
	done <<-END
		jumps 1 __longjmp 1
		jumps_to_caller 1 __longjmp 1
		is_signalled 1 __longjmp 1
		throws_it 1 _Unwind_RaiseException 1
		cleans_up 1 _Unwind_Resume 1
		switches 1 main 2
		switches 2 main 2
		ends 1 __longjmp 1
		ends 2 . 1
	END
done

finish
