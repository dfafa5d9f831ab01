#!/bin/bash
# gzip and bzip2, built from Debian's sources (make/debian.sh), laid out again without insertions
# and with all kinds of counters, run as before: under qemu-riscv64, independently of Cyclops, and
# here; and blocks are counted as the oracle counts them. All kinds, lua and larger inputs with
# CYCLOPS_TEST_SCALE=long. The unit tests and demo programs show sanitizers the same code: small
# skips it.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
input=demos/programs/input
programs=build/debian
skipped=0

# what PROGRAM: its runs, "INPUT ARGUMENTS", one per line.
head -n 1500 $input/words.txt >"$dir/words"
gzip -9 <$input/gpl-2.txt >"$dir/gz"
bzip2 -9 <$input/gpl-3.txt >"$dir/bz2"
head -c 3000 "$dir/bz2" >"$dir/short"
head -n 300 $input/words.txt >"$dir/few"
what() {
	case ${CYCLOPS_TEST_SCALE:-full}-$1 in
	full-gzip) printf '%s\n' "$dir/few -9nc" "$dir/gz -dc" ;;
	full-bzip2) printf '%s\n' "$dir/few -9c" "$dir/short -tvv" ;;
	*-gzip) printf '%s\n' "$input/gpl-3.txt -9nc" "$dir/words -1nc" "$dir/gz -dc" "$dir/gz -l" \
		"$dir/words -dc" ;;
	*-bzip2) printf '%s\n' "$input/gpl-2.txt -9c" "$dir/bz2 -dc" "$dir/short -tvv" ;;
	*-lua) printf '%s\n' "$dir/words tests/edit/real.lua" "$input/phrases.txt -" ;;
	esac
}

# right NAME FILE ARGUMENTS...: prints the path of the right answer.
right() {
	local key=$*
	echo "$dir/right ${key//\//_}"
}

# answer FILE COMMAND...: its output, and its status. The program's name is part of the output.
answer() {
	local status
	timeout 120 "${@:2}" <"$1" >"$dir/said" 2>"$dir/wrong"
	status=$?
	sha256sum <"$dir/said"
	sed "s,[^ ]*/\([a-z0-9.]*:\),\1,g" "$dir/wrong"
	echo "status $status"
}

try() {
	local name=$1 kind=$2 new=$dir/${2// /}/$1 from arguments tried=0
	mkdir -p "${new%/*}"
	# shellcheck disable=SC2086
	check "$name, $kind: instrumented" "$CYCLOPS" instrument -q --kind $kind -o "$new" \
		"$programs/$name"
	while read -r from arguments; do
		# shellcheck disable=SC2086
		answer "$from" qemu-riscv64 "$new" $arguments >"$dir/out"
		tried=1
		check "$name $arguments, $kind, under qemu" cmp "$dir/out" \
			"$(right "$name" "$from" "$arguments")"
		# shellcheck disable=SC2086
		answer "$from" "$CYCLOPS" run --functional "$new" $arguments >"$dir/out"
		check "$name $arguments, $kind, here" cmp "$dir/out" \
			"$(right "$name" "$from" "$arguments")"
	done < <(what "$name" | inputs_for "$kind")
	check "$name, $kind: is tried" [ $tried = 1 ]
}
# At scale full blocks' counters have the first input, others the last one.
inputs_for() {
	case ${CYCLOPS_TEST_SCALE:-full}-$1 in
	full-bb) head -n 1 ;;
	full-*) tail -n 1 ;;
	*) cat ;;
	esac
}

if [ "${CYCLOPS_TEST_SCALE:-full}" = small ]; then
	echo "0 passed, 0 failed, 1 skipped"
	exit
fi
# Each has blocks' counters and one kind more.
declare -A more=([gzip]=path [bzip2]=cct+path)
names=(gzip bzip2)
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || names+=(lua)
for name in "${names[@]}"; do
	if [ ! -x $programs/$name ] && [ -z "${CI:-}" ]; then
		echo "skipped: $(cat $programs/$name.skipped || echo "$programs/$name is not there; make debian-programs builds it")"
		skipped=$((skipped + 1))
		continue
	fi
	while read -r from arguments; do
		# shellcheck disable=SC2086
		answer "$from" qemu-riscv64 $programs/$name $arguments \
			>"$(right "$name" "$from" "$arguments")"
	done < <(what $name)
	kinds=(bb "${more[$name]}")
	[ "${CYCLOPS_TEST_SCALE:-full}" = full ] ||
		kinds=(nothing bb edge path "bb --type bb=3" callgraph cct cct+path)
	for kind in "${kinds[@]}"; do
		try $name "$kind"
	done
	while read -r from arguments; do
		check "$name $arguments: blocks as the oracle counts them" \
			eval '"$CYCLOPS" lua tests/edit/counts.lua "$dir/bb/$name" "$from" $arguments >"$dir/out" 2>"$dir/err"'
		[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || break
	done < <(what $name)
done

echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ "$failed" = 0 ]
