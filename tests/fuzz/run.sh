#!/bin/bash
# Fuzzes each target for a while; fails if any finds something.
#
#   tests/fuzz/run.sh [BUILD [SECONDS [NAME...]]]      build/fuzz, 600 for each, all targets;
#                                                      FUZZ_TIMEOUT=N: seconds for one input, more
#                                                      on a busy machine
#
# Targets are BUILD/tests/fuzz/fuzz_*. Interesting inputs are kept in BUILD/corpus/NAME and starts
# the next run; tests/fuzz/seeds_NAME.sh, if there is one, makes the first. Inputs that once broke
# something are kept in tests/fuzz/regress/NAME and are always tried. A finding is left in
# BUILD/findings.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=$(realpath -m "${1:-build/fuzz}") # targets change their folder
SECONDS_EACH=${2:-600}
shift $(($# < 2 ? $# : 2))

# Damaged tables may request absurd amounts of memory: a refusal passes, a crash does not.
export ASAN_OPTIONS=${ASAN_OPTIONS:-allocator_may_return_null=1:detect_leaks=1:handle_sigill=1}

names=("$@")
if [ ${#names[@]} = 0 ]; then
	for target in tests/fuzz/fuzz_*.c; do
		name=$(basename "$target" .c)
		names+=("${name#fuzz_}")
	done
fi

status=0
for name in "${names[@]}"; do
	corpus=$BUILD/corpus/$name
	mkdir -p "$corpus" "$BUILD/findings"
	seeds=
	if [ -x "tests/fuzz/seeds_$name.sh" ]; then
		seeds=$BUILD/seeds/$name
		"tests/fuzz/seeds_$name.sh" "$seeds" || exit 1
	fi
	[ -d "tests/fuzz/regress/$name" ] && seeds+=" $PWD/tests/fuzz/regress/$name"
	log=$BUILD/fuzz_$name.log
	# shellcheck disable=SC2086 # folders without blanks
	if "$BUILD/tests/fuzz/fuzz_$name" -max_total_time="$SECONDS_EACH" -max_len=16384 \
		-len_control=0 -timeout="${FUZZ_TIMEOUT:-30}" -print_funcs=0 \
		-rss_limit_mb=4096 -malloc_limit_mb=4096 -print_final_stats=1 \
		-artifact_prefix="$BUILD/findings/$name-" "$corpus" $seeds >"$log" 2>&1; then
		runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
		coverage=$(grep -ao 'cov: [0-9]*' "$log" | tail -n 1)
		echo "fuzz_$name: ${runs:-0} inputs in $SECONDS_EACH s, ${coverage:-no coverage}, nothing found"
	else
		echo "fuzz_$name: FOUND SOMETHING, see $log"
		grep -aE 'ERROR: |Test unit written' "$log" | head -n 5
		status=1
	fi
done
exit $status
