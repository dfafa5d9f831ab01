#!/bin/bash
# Fills a folder with calling context trees, plans and records of sweeps for fuzz_profile to start
# from.
#
#   tests/fuzz/seeds_profile.sh FOLDER
set -eu
out=${1:?usage: tests/fuzz/seeds_profile.sh FOLDER}
mkdir -p "$out"
out=$(cd "$out" && pwd)
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
guest=$PWD/build/tests/cmd/contexts
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$CYCLOPS" instrument --kind cct+path --cct tree -o program "$guest" 2>/dev/null >&2
"$CYCLOPS" run --functional --rw program >/dev/null 2>&1
# After the header, which the target makes itself.
for first in 0 2; do { printf '%b' "\\$first" && tail -c +17 tree; } >"$out/tree$first"; done
head -c 2000 "$out/tree0" >"$out/begins"
echo 'return { out = "res", configs = { base = "vaswani2003" }, programs = { it = { "'"$guest"'" } }, options = { max_insts = 500 } }' >plan.lua
"$CYCLOPS" sweep -j 1 plan.lua >/dev/null 2>&1 || :
cat res/jobs/*.json | sed '1s/^/\x01/' >"$out/record"
printf '\1{"key": "a", "build": "b", "status": "failed", "reason": "c", "again": true, "stats": {}}' >"$out/failed"
{ printf '\4' && cat plan.lua; } >"$out/plan"
cat >plots.lua <<END
return {
	out = "res", configs = { base = "vaswani2003", small = { "vaswani2003", ["l1d.size"] = "8K" } },
	programs = { it = { "$guest", "a b" }, other = { "$guest", status = 3, max_cycles = 100 } },
	vary = { ["l1d.ways"] = { 2, 4 }, ["bpred.kind"] = { "gshare", "bimodal" } }, options = { max_insts = 500, ff = 100 },
	stats = { "sim.cycles", "l1d.misses" }, title = "It",
	plot = { y = "sim.ipc", x = "l1d.ways", series = "config", panels = "program", kind = "bars", relative = "base", mean = "harmonic", file = "one.svg" },
}
END
{ printf '\4' && cat plots.lua; } >"$out/plots"
