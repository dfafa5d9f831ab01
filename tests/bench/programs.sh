#!/bin/bash
# Host instructions of the machine with timing, of many programs: for each one that commits and for
# each one that is dispatched, wrong paths included, between runs of two lengths.
#
#   tests/bench/programs.sh [NAME...]      default: all of tests/bench/programs.txt that are built
. "$(dirname "$0")/lib.sh"

# find_program KIND NAME: sets `command`, `input` and the folder to run in. False: it is not built.
find_program() {
	local words
	folder=.
	if [ "$1" = demo ]; then
		demo "$2"
	else
		words=$(grep "^$2 " build/workloads/commands 2>/dev/null) || return
		read -ra words <<<"$words"
		command=("${words[1]}" "${words[@]:3}")
		folder=build/workloads/files
		input=$folder/${words[2]}
	fi
	[ -x "${command[0]}" ] || return
	command[0]=$PWD/${command[0]} input=$(realpath "$input")
}

# counts LENGTH: host instructions, committed instructions, dispatched instructions.
counts() {
	(
		CYCLOPS=$(realpath "$CYCLOPS")
		cd $folder && ir run --ff "$from" --max-insts "$1" --stats "$work/stats" \
			"${command[@]}"
	) && awk '$1 == "sim.insts" || $1 == "dispatch.insts" { print $2 }' "$work/stats"
}

# programs: reads NAME, earlier figures per committed and dispatched instruction, then counts of
# both lengths.
programs() {
	while IFS='|' read -r kind name from short long before; do
		[[ $kind != '#'* && ( $# = 0 || " $* " = *" $name "* ) ]] || continue
		find_program "$kind" "$name" || continue
		a=$(counts "$short") && b=$(counts "$long") || exit
		echo "$name ${before/|/ }" $a $b
	done < <(sed 's/ *| */|/g' tests/bench/programs.txt)
}

programs "$@" | awk '
	function put(name, ratio, was, now, was2, now2) {
		printf "| %-10s | %13s | %9s | %5s | %10s | %5s |\n", name, ratio, was, now, was2, now2
	}
	BEGIN {
		put("program", "of each one", "committed", "", "dispatched", "")
		put("", "dispatched", "before", "now", "before", "now")
		put("---", "---:", "---:", "---:", "---:", "---:")
	}
	{
		host = $7 - $4; insts = $8 - $5; entered = $9 - $6
		put($1, sprintf("%.2f", entered / insts), $2, sprintf("%.0f", host / insts),
			$3, sprintf("%.0f", host / entered))
		ratio += log(entered / insts)
		was += log($2); now += log(host / insts)
		was2 += log($3); now2 += log(host / entered)
		fflush()
	}
	END {
		if (NR)
			put("geomean", sprintf("%.2f", exp(ratio / NR)),
				sprintf("%.0f", exp(was / NR)), sprintf("%.0f", exp(now / NR)),
				sprintf("%.0f", exp(was2 / NR)), sprintf("%.0f", exp(now2 / NR)))
	}'
