#!/bin/bash
# One table of all costs beside their earlier figures: `make bench`. Nothing passes or fails.
#
#   tests/bench/table.sh [PART...]      default: all parts of tests/bench/figures.txt
#
# Each part prints rows; tests/bench/figures.txt has their earlier values and their goals.
# programs, workloads, hooks, watches, sampler and compress are parts that have tables of their own,
# which come when they are named.
set -u
cd "$(dirname "$0")/../.." || exit 1

BUILD=${BUILD:-build/release}
CYCLOPS=${CYCLOPS:-build/cyclops}
figures=tests/bench/figures.txt
parts=$(awk -F ' *[|] *' '!/^#/ && NF && !seen[$1]++ { print $1 }' $figures)

trim() { sed 's/^ *//; s/ *$//' <<<"$1"; }
# shellcheck disable=SC2059
put() { printf "$line" "$1" "${once[$1]:--}" "${before[$1]:--}" "${goal[$1]:--}" "$2"; }

named=("$@")
[ $# -gt 0 ] || mapfile -t named <<<"$parts"

# "NAME   median X ms, worst Y ms" is two rows, "NAME FIGURE" one; " MORE FIGURE" belongs to the
#         name before it.
history_rows() {
	"$BUILD/tests/bench/history" "${@:2}" </dev/null | awk -v guest="$1" '
		{ more = sub(/^  /, "") }
		match($0, /  +/) {
			name = more ? above ", " substr($0, 1, RSTART - 1) : guest ", " substr($0, 1, RSTART - 1)
			rest = substr($0, RSTART + RLENGTH)
			above = more ? above : name
			n = split(rest, part, ", ")
			unit = rest ~ / ms$/ ? "ms" : rest ~ /^mean .* cycles, / ? "cycles" : ""
			for (i = 1; i <= n && unit; i++) {
				split(part[i], word, / +/)
				printf "%s, %s, %s\t%s\n", name, word[1], unit, word[2]
			}
			if (rest ~ /^-?[0-9.]+ % of the run/)
				printf "%s, %% of the run\t%s\n", name, substr(rest, 1, index(rest, " ") - 1)
			else if (!unit)
				printf "%s\t%s\n", name, rest
		}'
}

rows() {
	case $1 in
	detailed | functional | timeline | warming | sampling) "tests/bench/$1.sh" ;;
	stops | traces) tests/bench/watched.sh "$1" ;;
	history)
		history_rows '50 MB' build/tests/bench/large
		history_rows '100 MB at random' build/tests/bench/large 100 100
		history_rows 'sort' build/demos/sort demos/programs/input/words.txt
		;;
	screen)
		"$BUILD/tests/bench/keys" start "$CYCLOPS" build/demos/hello
		"$BUILD/tests/bench/keys" screen "$CYCLOPS" --ff 3M -e 'step 1000' \
			build/tests/bench/hot
		;;
	esac
}

declare -A own=([workloads]=tests/bench/run.sh [programs]=tests/bench/programs.sh \
	[hooks]=tests/bench/hooks.sh [watches]=tests/bench/stops.sh
	[sampler]=tests/bench/sampler.sh [compress]=$BUILD/tests/bench/compress)

declare -A once before goal
while IFS='|' read -r part name a b c; do
	[[ $part != '#'* && -n $name ]] || continue
	name=$(trim "$name")
	once[$name]=$(trim "$a") before[$name]=$(trim "$b") goal[$name]=$(trim "$c")
done <$figures

line='| %-62s | %9s | %9s | %7s | %9s |\n'
# Joins a part's output with earlier figures line by line; then prints the rows that the part did
# not.
join() {
	local -A printed
	local name now part
	while IFS=$'\t' read -r name now; do
		put "$name" "$now"
		printed[$name]=1
	done
	while IFS='|' read -r part name _; do
		name=$(trim "$name")
		[ "$(trim "$part")" != "$1" ] || [ -n "${printed[$name]:-}" ] || put "$name" missing
	done <$figures
}

for part in "${named[@]}"; do
	if [[ -z ${own[$part]:-} && $'\n'$parts$'\n' != *$'\n'$part$'\n'* ]]; then
		echo "no part is called '$part'; there are" $parts "${!own[@]}" >&2
		exit 1
	fi
done
shown=
for part in "${named[@]}"; do
	[ -z "$shown" ] || echo
	shown=yes
	if [ -n "${own[$part]:-}" ]; then
		"${own[$part]}"
		continue
	fi
	sed -n "s/^#$part: //p" $figures
	# shellcheck disable=SC2059
	printf "$line" "$part" once before goal now
	# shellcheck disable=SC2059,SC2046
	printf "$line" "$(printf -- '-%.0s' {1..62})" --------: --------: ------: --------:
	rows "$part" | join "$part"
done
