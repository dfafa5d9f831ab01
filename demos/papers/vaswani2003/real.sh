#!/bin/bash
# Real programs on the tables' machine: what part of the cost of block profiling (all functions, by the editor, without prediction) stays when it is off,
# of gzip, bzip2 and a walk through a list that no cache holds. The paper's table V: 62 % (164.gzip), 81 % (255.bzip2), 33 % (181.mcf).
#
#     demos/papers/vaswani2003/real.sh        after `make debian-programs demos`; a minute
set -u
cd "$(dirname "$0")/../../.." || exit 1
dir=$(mktemp -d) && trap 'rm -r "$dir"' EXIT
head -c 120000 <(cat README.md TEACHING.md core/README.md) >"$dir/text"
riscv64-linux-gnu-gcc -O2 -static -Wl,--emit-relocs -o "$dir/linked" demos/programs/small/linked.c || exit

# keeps NAME PROGRAM ARGS...
keeps() {
	local name=$1 kind cycles=()
	shift
	for kind in nothing bb=0 bb=0,on; do
		build/cyclops run -c vaswani2003 -o bdt.sets=0 --instrument $kind --stats "$dir/stats.json" "$@" <"$dir/text" >/dev/null 2>&1 || exit
		cycles+=("$(sed -n 's/^ *"sim.cycles": \([0-9]*\),*/\1/p' "$dir/stats.json")")
	done
	awk '{ printf "%-7s off %5.1f %%, on %5.1f %%: %3.0f %% stays\n", $1, ($3 / $2 - 1) * 100, ($4 / $2 - 1) * 100, ($3 - $2) / ($4 - $2) * 100 }' <<<"$name ${cycles[*]}"
}
keeps gzip build/debian/gzip -c
keeps bzip2 build/debian/bzip2 -c
keeps linked "$dir/linked" 200000
