#!/bin/bash
# Real programs on the tables' machine, gzip, bzip2 and a walk through a list that no cache holds:
# the part of the cost of block profiling (all functions, by the editor, without prediction) that
# stays when it is off. The paper's table V: 62 % (164.gzip), 81 % (255.bzip2), 33 % (181.mcf).
#
#     demos/papers/vaswani2003/real.sh >demos/papers/vaswani2003/real.md
#
# after `make debian-programs demos`; it takes some minutes.
set -u
cd "$(dirname "$0")/../../.." || exit 1
dir=$(mktemp -d) && trap 'rm -r "$dir"' EXIT
cat demos/programs/input/{gpl-2,gpl-3,lgpl-2.1}.txt >"$dir/text"
riscv64-linux-gnu-gcc -O2 -static -Wl,--emit-relocs -o "$dir/linked" demos/programs/small/linked.c \
	|| exit

# keeps NAME PAPER PROGRAM ARGS...
keeps() {
	local name=$1 paper=$2 kind cycles=()
	shift 2
	for kind in nothing bb=0 bb=0,on; do
		build/cyclops run -c vaswani2003 -o bdt.sets=0 --instrument $kind --stats \
			"$dir/stats.json" "$@" <"$dir/text" >/dev/null 2>&1 || exit
		cycles+=("$(sed -n 's/^ *"sim.cycles": \([0-9]*\),*/\1/p' "$dir/stats.json")")
	done
	awk '{ printf "| %-7s | %10d | %13.2f | %12.2f | %11.1f | %19s |\n", $1, $2, ($3 / $2 - 1) * 100, ($4 / $2 - 1) * 100, ($3 - $2) / ($4 - $2) * 100, "'"$paper"'" }' <<<"$name ${cycles[*]}"
}
cat <<'END'
# What stays of the cost of block profiling when it is off, in real programs

Made by [`real.sh`](real.sh); [README.md](README.md) explains it. All functions, by the executable editor, without prediction; the input of `gzip` and `bzip2` is three
licences, 80 KB. Overheads and what stays are in percent, over the program that the editor has laid out again with nothing in it.

| program |     cycles | off: overhead | on: overhead | of it stays | the paper's table V |
| ------- | ---------: | ------------: | -----------: | ----------: | ------------------: |
END
keeps gzip "62 (164.gzip)" build/debian/gzip -c
keeps bzip2 "81 (255.bzip2)" build/debian/bzip2 -c
keeps linked "33 (181.mcf)" "$dir/linked" 200000
