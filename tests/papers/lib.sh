# shellcheck shell=bash disable=SC2154
# What the tests of demos/papers share, on top of tests/lib.sh. To be sourced at the top of the tree
# after
#
#   paper=FOLDER         below demos/papers
#
# Results go to $out, which is outside the tree. Runs are for full: other tests show sanitizers the
# same code.
. tests/lib.sh
here=demos/papers/$paper out=$dir/results

if [ "${CYCLOPS_TEST_SCALE:-full}" = small ]; then
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

# page STATUS NAME ARGS...
page() {
	local want=$1 name=$2
	shift 2
	run "$want" lua "$here/$name.lua" "$@"
}
sums() { check "$*" python3 tests/papers/check.py "$out/records" "$@"; }

# same_elsewhere NAME ARGS...: the page in $dir/out, with its results in $out, is the same, and so
# are its records, if they go to a deep folder of the tree.
same_elsewhere() {
	local name=$1 record deep made=0
	shift
	mkdir -p build/tests/papers
	deep=$(mktemp -d build/tests/papers/XXXXXX)
	sed "s#]($out/#](#" "$dir/out" >"$dir/here"
	page 0 "$name" "$@" --out "$deep/a/folder/far/down/whose name/is/of another length"
	sed "s#]($deep/a/folder/far/down/whose name/is/of another length/#](#" "$dir/out" \
		>"$dir/there"
	check "the page is the same wherever results go" cmp "$dir/here" "$dir/there"
	for record in "$deep/a/folder/far/down/whose name/is/of another length/records"/*.lua; do
		[ -e "$record" ] || continue
		made=$((made + 1))
		check "$(basename "$record") is the same wherever it is kept" cmp "$record" \
			"$out/records/$(basename "$record")"
	done
	check "it makes records" [ "$made" -gt 0 ]
	rm -r "$deep"
}

# refused NAME ARGS...: programs don't find their input, which is reached by links out of their
# tree: no table, no record, a message.
refused() {
	local name=$1 bad=$dir/bad
	shift
	mkdir -p "$bad/files/build/papers/$paper" "$bad/files/demos/programs" "$bad/elsewhere"
	ln -s "$bad/elsewhere" "$bad/files/build/papers/$paper/input"
	ln -s "$bad/elsewhere" "$bad/files/demos/programs/input"
	page 1 "$name" "$@" --out "$bad"
	says err ": no good run: "
	check "there is no table" [ "$(grep -c '^|' "$dir/out")" = 0 ]
	check "nothing is kept" [ -z "$(ls "$bad/records")" ]
	rm -r "$bad"
}
