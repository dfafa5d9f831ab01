#!/bin/bash
# Sampled runs: their results are computed again, the same seed gives the same, parts and processes,
# kept units, phases, refusals, and invalid values.
. tests/lib.sh

words=demos/programs/input/words.txt
sort=(build/demos/sort "$words")
spec=n=60,U=500,W=1500
short=(--max-insts 4M)

# sample STATUS SPEC FILE ARGS...
sample() {
	local want=$1 spec=$2 file=$3
	shift 3
	run "$want" run --sample="$spec" --stats "$dir/$file" "$@"
}
agrees() { passes "$1 is what its units say" python3 tests/sample/check.py "$dir/$1" "${@:2}"; }

run 0 run --stats "$dir/full.json" "${sort[@]}"
cp "$dir/out" "$dir/full.out"
cp "$dir/out" "$dir/full.sort"
cp "$dir/full.json" "$dir/full.sort.json"
sample 0 $spec,seed=3 a.json "${sort[@]}"
check "the program's output is made once" same_bytes "$dir/out" "$dir/full.out"
says err 'instructions per cycle'
says err 'CPI stack'
says err 'bpred.mpki'
says err 'NOT within 2%'
agrees a.json full="$dir/full.json"
sample 0 $spec,seed=3 b.json "${sort[@]}"
check 'the same seed says the same' same_bytes "$dir/a.json" "$dir/b.json"
sample 0 $spec,seed=4 b.json "${sort[@]}"
units_of() { sed 's/"seed": [0-9]*//' "$dir/$1"; }
check 'another seed has other units' [ "$(units_of a.json)" != "$(units_of b.json)" ]
# Executing a program's units repeats none of its output.
run 0 run -o sim.terminal=true build/demos/branchy
cp "$dir/out" "$dir/full.out"
sample 0 $spec,seed=3 b.json -o sim.terminal=true build/demos/branchy
check 'units write nothing' same_bytes "$dir/out" "$dir/full.out"
sample 0 $spec,parts=3 a.json "${sort[@]}"
agrees a.json full="$dir/full.json"
sample 0 $spec,parts=3 b.json --jobs 2 "${sort[@]}"
check 'parts say the same, however many run at once' same_bytes "$dir/a.json" "$dir/b.json"
# A program whose length is found while its first part is measured.
sample 0 parts=3 a.json --jobs 3 "${sort[@]}"
check "the program's output is made once" same_bytes "$dir/out" "$dir/full.sort"
agrees a.json full="$dir/full.json"
sample 0 parts=3 b.json "${sort[@]}"
check 'parts say the same if none runs beside another' same_bytes "$dir/a.json" "$dir/b.json"

# Strata as close as possible: units overlap.
sample 124 n=1500,U=2000,W=500 a.json "${short[@]}" "${sort[@]}"
agrees a.json
check 'units overlap' python3 -c "import json, sys
at = sorted(u[0] for u in json.load(open(sys.argv[1]))['units'])
assert any(a + 2000 > b for a, b in zip(at, at[1:]))" "$dir/a.json"

# A target out of reach: passes grow by steps, all but the last.
sample 124 target=1%,U=500,W=500 a.json "${short[@]}" "${sort[@]}"
agrees a.json
check 'another pass for each step' python3 -c "import json, sys
assert json.load(open(sys.argv[1]))['sample']['passes'] == 4" "$dir/a.json"

# Programs whose period is that of the strata, or near it.
"${BASH_SOURCE[0]%/*}/periods.py" --units 200 --every 10000 --seeds 2 --periods 0.5,1,1.5 \
	--programs halves,mild,hits,steps --least 1 >"$dir/out" 2>"$dir/err"
check 'a period of the program is no error of the sample' [ $? = 0 ]
period=(build/tests/sample/periodic 10000 200 mul 50 wide 50)
sample 0 n=200 a.json "${period[@]}"
says err 'the CPI has a period near 10,'
says err 'NOT within 2%'
run 0 run --stats "$dir/period.json" "${period[@]}"
agrees a.json full="$dir/period.json"
# Nothing that units leave out is certain.
sample 0 n=200 a.json build/tests/sample/periodic 10000 200 wide 100
says err '%  of the instructions: a smaller part of the program may be without'
check 'no interval of the width 0' [ "$(grep -c '± 0.0000' "$dir/err")" = 0 ]

# Until the target is met; and how far it came where it can't be.
sample 0 target=5% a.json "${sort[@]}"
says err 'within 5%'
agrees a.json full="$dir/full.json"
sample 124 target=0.1%,confidence=0.9 a.json "${short[@]}" "${sort[@]}"
says err 'NOT within 0.1%'
agrees a.json
sample 0 $spec a.json --config wide6 "${sort[@]}"
agrees a.json width=8

# Input from a pipe is kept for each execution.
command='cyclops run --sample anagram, from a pipe'
head -n 1 demos/programs/input/phrases.txt >"$dir/phrase"
"$CYCLOPS" run --stats "$dir/full.json" build/demos/anagram "$words" <"$dir/phrase" \
	>"$dir/full.out" 2>"$dir/err"
cat "$dir/phrase" | "$CYCLOPS" run --sample=$spec --stats "$dir/a.json" build/demos/anagram \
	"$words" >"$dir/out" 2>"$dir/err"
check 'output is made once' same_bytes "$dir/out" "$dir/full.out"
agrees a.json full="$dir/full.json"
"$CYCLOPS" run --sample=$spec --stats "$dir/b.json" build/demos/anagram "$words" <"$dir/phrase" \
	>"$dir/out" 2>"$dir/err"
check 'a file is as good as a pipe' same_bytes "$dir/a.json" "$dir/b.json"

# Other files.
sample 0 $spec a.csv "${sort[@]}"
says a.csv 'sim.insts,'
says a.csv ',exact'
says a.csv ',estimated'
sample 0 $spec a.txt "${sort[@]}"
says a.txt '±'
run 125 run --sample $spec --stats "$dir/none/a.json" "${sort[@]}"
says err none

# Units that are kept: the same again, however many at once; another core; what does not fit is
# refused.
points="$dir/points"
kept() { sample 0 "$1" "$2" --checkpoints "$points" "${@:3}" "${sort[@]}"; }
kept $spec,seed=3,parts=2 kept.json
check "the program's output is made once" same_bytes "$dir/out" "$dir/full.sort"
agrees kept.json full="$dir/full.sort.json"
kept '' again.json
check 'the same units say the same' same_bytes "$dir/kept.json" "$dir/again.json"
silent out
kept '' again.json --jobs 3
check 'however many are measured at once' same_bytes "$dir/kept.json" "$dir/again.json"
kept '' again.json -o pipe.rob_size=8 -o mem.latency=200
agrees again.json
check 'another core is slower' python3 -c "import json, sys
a, b = (json.load(open(f)) for f in sys.argv[1:])
assert all(abs(x[0] - y[0]) < 64 for x, y in zip(a['units'], b['units'], strict=True))
assert a['estimated']['sim.cpi']['value'] * 1.2 < b['estimated']['sim.cpi']['value']" "$dir/kept.json" "$dir/again.json"
for units in $spec ''; do # the status is the program's, both times
	sample 124 "$units" a.json --checkpoints "$dir/short" "${short[@]}" "${sort[@]}"
done
unfit() { # TEXT ARGS...
	run 125 run --sample --checkpoints "$points" "${@:2}"
	says err "$1"
	silent out
}
unfit 'add -o l1d.size=65536' -o l1d.size=32K "${sort[@]}"
unfit 'with bpred.kind=combined, not gshare' -o bpred.kind=gshare "${sort[@]}"
unfit 'with btb.sets=128, not 1' -o btb.sets=1 "${sort[@]}"
unfit 'name a new folder' --env A=1 "${sort[@]}"
unfit 'another program' build/demos/hello
unfit 'another --max-insts' --max-insts 3M "${sort[@]}"
run 125 run --sample=U=700 --checkpoints "$points" "${sort[@]}"
says err 'units of U=500, not 700'
run 125 run --checkpoints "$points" "${sort[@]}"
says err 'add --sample'
run 125 run --sample --checkpoints "$dir/none/points" "${sort[@]}"
says err none
printf x | dd of="$points/pass0-part001.points" bs=1 seek=5000 conv=notrunc 2>/dev/null
unfit 'is damaged' "${sort[@]}"
rm "$points/pass0-part000.points"
unfit 'No such file' "${sort[@]}"
sed -i 's/^passes 1/passes 9/' "$points/plan"
unfit 'its plan is damaged' "${sort[@]}"
echo >"$points/plan"
unfit 'no plan of live points' "${sort[@]}"
echo 'cyclops live points 1' >"$points/plan" # whose units were evenly spaced
unfit 'made by another version of cyclops; name a new folder' "${sort[@]}"

# Jobs of a sweep that differ only in the core share one job's checkpoints.
cat >"$dir/sweep.lua" <<END
return {
	configs = { d = "default" }, vary = { ["pipe.rob_size"] = { 8, 64 }, ["l1d.size"] = { "64K" } },
	programs = { sort = { "build/demos/sort", "$words" } },
	options = { sample = "n=40,U=500", checkpoints = "$dir/shared" },
	stats = { "sim.ipc", "sim.insts" }, out = "$dir/swept",
}
END
run 0 sweep "$dir/sweep.lua" -j 1
says out '2 done, 0 failed, 0 missing'
check 'one folder is shared' [ "$(echo "$dir"/shared-*)" \
	= "$(echo "$dir"/shared-????????????????)" ]
check 'results are those of samples' python3 -c "import csv, json, sys
rows = list(csv.DictReader(open(sys.argv[1])))
small, large = (float(r['sim.ipc']) for r in rows)
full = json.load(open(sys.argv[2]))
assert abs(large * full['sim.cycles'] / full['sim.insts'] - 1) < 0.1 and small < 0.9 * large
assert all(int(r['sim.insts']) == full['sim.insts'] for r in rows)" "$dir/swept/results.csv" "$dir/full.sort.json"
sed -i 's/n=40/m=40/' "$dir/sweep.lua"
run 125 sweep "$dir/sweep.lua"
says err "there is no 'm'"

# By phases.
simpoint() { # STATUS SPEC FILE ARGS...
	run "$1" run --simpoint "$2" --stats "$dir/$3" "${@:4}" "${sort[@]}"
}
simpoint 0 5,interval=500K a.json
check "the program's output is made once" same_bytes "$dir/out" "$dir/full.sort"
says err 'without a confidence interval'
check 'phases are weighed, and near the truth' python3 -c "import json, sys
r, full = (json.load(open(f)) for f in sys.argv[1:])
assert r['simpoint']['k'] == len(r['points']) == max(r['phases']) == 5 and r['simpoint']['confidence'] is None
n = full['sim.insts']
assert r['exact'] == {'sim.insts': n, 'sim.syscalls': full['sim.syscalls']} and len(r['phases']) == -(-n // 500000)
assert abs(sum(p[4] for p in r['points']) - 1) < 1e-9
for p in r['points']:
    lengths = [min(500000, n - 500000 * i) for i, k in enumerate(r['phases']) if k == p[0]]
    assert abs(sum(lengths) / n - p[4]) < 1e-9
    assert r['phases'][p[1] // 500000] == p[0]
cpi = sum(p[4] * p[3] / p[2] for p in r['points'])
assert abs(r['estimated']['sim.cpi']['value'] / cpi - 1) < 1e-4
assert abs(cpi / (full['sim.cycles'] / n) - 1) < 0.05" "$dir/a.json" "$dir/full.sort.json"
simpoint 0 5,interval=500K b.json
check 'the same seed says the same' same_bytes "$dir/a.json" "$dir/b.json"
simpoint 124 5,interval=500K,seed=7 b.json --max-insts 5M
says err '10 intervals'
simpoint 124 2,interval=500K a.csv --max-insts 2M
says a.csv sim.cpi,
simpoint 124 2,interval=500K a.txt --max-insts 2M
says a.txt sim.cpi
for word in 0 65 x 3,interval=9 3,interval=x 3,seed=-1 3,kind=2 '' 3, interval=1M; do
	run 125 run --simpoint "$word" "${sort[@]}"
	says err '--simpoint 10,interval=1M,seed=1'
done
run 125 run --simpoint 3 --sample "${sort[@]}"
says err 'one of the two'
run 125 run --simpoint 3 --warmup "${sort[@]}"
says err '--simpoint with --warmup'
run 125 run --simpoint 3,interval=1M build/demos/hello
says err 'a smaller one'

# Features that a sample lacks.
refused() { # WHAT ARGS...
	run 125 run --sample=$spec "${@:2}" "${sort[@]}"
	says err "--sample with $1"
	silent out
}
refused --functional --functional
refused --ff --ff 1000
refused --warmup --warmup
refused --max-cycles --max-cycles 1000
refused --history --history
refused --save-every --save-every 1M
refused --save-to --save-to x
refused --restore --restore x
refused --report --report sampler
refused --export --export callgrind=x
refused --firmware --firmware build/demos/firmware/idle.elf
refused --cop --cop demos/microcode/edges.mic
refused --plugin --plugin demos/plugins/gshare.lua
refused --values --values results
refused --rw --rw
refused '--dir :rw' --dir "/x=$dir:rw"
run 125 run --sample -o oracle.enable=true "${sort[@]}"
says err 'has the device'

# Values that are none.
wrong() { # SPEC TEXT
	run 125 run --sample="$1" "${sort[@]}"
	says err "$2"
	silent out
}
wrong U=0 '1 to'
wrong U=-1 'not a count'
wrong U=1e3 'not a count'
wrong U= 'not a count'
wrong U U=VALUE
wrong W=99999999999999999999 'too large'
wrong check=-1 'not a count'
wrong n=1 '2 to'
wrong n=none 'not a count'
wrong target=0 'more than 0'
wrong target=100% 'more than 0'
wrong target=-1% 'more than 0'
wrong target=nan 'more than 0'
wrong target=2%% 'more than 0'
wrong confidence=1 'more than 0'
wrong confidence= 'more than 0'
wrong parts=0 '1 to'
wrong parts=1000 '1 to'
wrong ,U=1 "there is no ''"
wrong tarjet=2% "did you mean 'target'"
wrong "$(printf 'U=%0300d' 1)" U=VALUE
run 125 run --sample=U=1G "${sort[@]}"
says err 'too few for two units'
# A word after it that is no option value is the program.
run 125 run --sample nothing.elf
says err nothing.elf

finish
