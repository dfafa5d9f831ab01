# Runs cmocka programs that share a bench and so have a folder of their own, and adds up. To be
# sourced at the top of the tree.
#
#   run_cmocka FOLDER     all programs $BUILD/tests/FOLDER/test_*; then the last line. Its status is
#                         whether all passed, and some ran
set -u
export CMOCKA_MESSAGE_OUTPUT=TAP
BUILD=${BUILD:-build/release}

run_cmocka() {
	local test out status start p f passed=0 failed=0
	for test in "$BUILD/tests/$1"/test_*; do
		[ -x "$test" ] || continue
		start=$SECONDS
		out=$("$test" 2>&1)
		status=$?
		p=$(grep -c '^ok ' <<<"$out") f=$(grep '^not ok ' <<<"$out" | grep -vc '# SKIP')
		if [ $status != 0 ] && [ "$f" = 0 ]; then
			f=1
		fi
		passed=$((passed + p)) failed=$((failed + f))
		echo "$(basename "$test"): $p passed, $f failed, $((SECONDS - start)) s"
		if [ "$f" != 0 ] || [ $((p + f)) = 0 ]; then
			echo "$out"
		fi
	done
	[ $((passed + failed)) != 0 ] || failed=1
	echo "$passed passed, $failed failed"
	[ $failed = 0 ]
}
