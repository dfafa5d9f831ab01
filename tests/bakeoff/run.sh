#!/bin/bash
# `cyclops bakeoff` from outside: tests/bakeoff/check.py computes every number of its tables again,
# from raw profiles and the definitions of its words; a broken profiler scores worse.
. "$PWD/tests/lib.sh"
sort=(build/demos/sort demos/programs/list.txt)

mkdir "$dir/raw" "$dir/plots"
run 0 bakeoff -q -t -b 5,20 --looks 6 --max-insts 150k \
	-p vaswani,checks,zilles,ammons,sastry,random,profileme,burrows \
	-a blocks,edges,calls,values,latencies --plots "$dir/plots" \
	--raw "$dir/raw" --json "$dir/json" --csv "$dir/csv" "${sort[@]}"
silent err
says out 'blocks: how often each basic block was entered'
says out 'together, co-processor, sampler'
passes 'all cells once more' python3 tests/bakeoff/check.py "$dir/raw" "$dir/json" "$dir/csv" \
	"$dir/out" "$CYCLOPS" build/demos/sort
passes 'pictures are pictures' python3 - "$dir/plots" <<'EOF'
import os, sys, xml.dom.minidom
names = sorted(os.listdir(sys.argv[1]))
assert "front-blocks.svg" in names and "time-values.svg" in names and "budget-20.svg" in names, names
for name in names:
    xml.dom.minidom.parse(os.path.join(sys.argv[1], name))
EOF
cp "$dir/csv" "$dir/first"
run 0 bakeoff -q -b 5 --max-insts 150k -p ammons,sastry -a edges --csv - "${sort[@]}"
cp "$dir/out" "$dir/again"
run 0 bakeoff -q -b 5 --max-insts 150k -p ammons,sastry -a edges --csv - "${sort[@]}"
check 'the same numbers again' same_bytes "$dir/out" "$dir/again"

# Paths and contexts, to the program's end, on another machine; kinds that the program can't be
# instrumented for are reported.
run 0 bakeoff -q -c classic5 -p ammons -a paths,contexts --csv - build/demos/fib
says out 'fib,contexts,ammons,,,default,0.01'
says out 'fib,paths,ammons,,,default,0.1' # loops with several entrances are cut

# Without calls, all runs stop at the same execution of a block, so that counting code is exact.
run 0 bakeoff -q --max-insts 60k -p ammons -a blocks --csv - build/demos/sort -n 20000 \
	demos/programs/input/words.txt
says out 'sort,blocks,ammons,,,default,0.0' # the last cycle may commit some more
run 0 bakeoff -q --max-insts 60k -p ammons -a blocks build/demos/sort -n 20000 \
	demos/programs/input/words.txt
says out ' instructions, to execution '

# Runs don't end at a place that a program laid out again has reached more often.
passes 'where runs end' "$CYCLOPS" lua tests/bakeoff/stop.lua \
	"$(riscv64-linux-gnu-readelf -lW build/tests/bakeoff/segments | grep -c LOAD)"
# A dynamically linked program, its libraries in a sysroot, its input in a folder: profilers that
# insert no code handle it, too.
mkdir "$dir/lib" "$dir/words"
cp /usr/riscv64-linux-gnu/lib/{ld-linux-riscv64-lp64d.so.1,libc.so.6,libm.so.6} "$dir/lib"
run 0 bakeoff -q --max-insts 60k -p sastry --sysroot "$dir" --dir "/words=$dir/words" -a edges \
	--csv - build/tests/dynamic/unmoved
says out 'unmoved,edges,sastry,'
run 125 bakeoff -q --sysroot "$dir/none" -p sastry build/tests/dynamic/unmoved
says err "--sysroot $dir/none: no such folder"

# Handlers are found from any folder.
command='bakeoff elsewhere'
(cd "$dir" && "$CYCLOPS" bakeoff -q --max-insts 60k -p zilles,sastry -a blocks,edges \
	"$OLDPWD/build/demos/sort" "$OLDPWD/demos/programs/list.txt") >"$dir/out" 2>"$dir/err" ||
	failed=$((failed + 1))
says out 'zilles    1 one in'
# The judge finds no error in exact counts, and the damage in damaged ones.
passes 'perfect profilers' "$CYCLOPS" lua tests/bakeoff/perfect.lua
# A profiler that is broken.
passes 'broken profilers' "$CYCLOPS" lua tests/bakeoff/broken.lua
passes 'numbers of the page' python3 tests/bakeoff/prose.py docs/bakeoff.md \
	demos/papers/bakeoff/results.md
passes 'the view' "$CYCLOPS" lua tests/bakeoff/view.lua

run 125 bakeoff
says err 'no program given; expected cyclops bakeoff'
run 125 bakeoff -q -p ammon build/demos/fib
says err "no profiler is called 'ammon'; expected vaswani"
run 125 bakeoff -q -a pathes build/demos/fib
says err "no question is called 'pathes'; expected blocks"
run 125 bakeoff -q -b much build/demos/fib
says err "'much' is no overhead in percent; expected 1,3,10"
run 125 bakeoff -q --max-insts 20 -p ammons build/demos/hello
says err 'nothing is executed often enough in its first 20 instructions'
run 125 bakeoff -q build/tests/threads/streams
says err 'the program has threads'
run 125 bakeoff --looks 0 build/demos/fib
says err 'expected 1 to 1000'
run 125 bakeoff --json - --csv - build/demos/fib
says err 'only one of them'
run 0 bakeoff -q --handlers "$dir/none" -p zilles,ammons -a edges build/demos/hello
says out 'zilles: '
says out "$dir/none/cop_flow.elf"
# Jobs for other hosts: a job for each program; then the runs of all hosts together.
for kind in parallel slurm; do
	command="demos/papers/bakeoff/run.sh --emit $kind"
	CYCLOPS=echo demos/papers/bakeoff/run.sh --emit $kind "$dir/$kind jobs" --insts 70000 \
		>"$dir/out" 2>"$dir/err" || failed=$((failed + 1))
	says out ' jobs'
	grep lisp "$dir/$kind jobs/jobs" | bash >"$dir/out"
	says out 'lua demos/papers/bakeoff/run.lua --insts 70000 --programs lisp'
done
check 'a job for each line' [ "$(SLURM_ARRAY_TASK_ID=1 bash "$dir/slurm jobs/bakeoff.sbatch")" \
	= "$(head -n 1 "$dir/slurm jobs/jobs" | bash)" ]
# Replacements of parallel and sbatch: the first runs each line, the second what the script's own
# options request.
mkdir "$dir/bin"
cat >"$dir/bin/parallel" <<'EOF'
#!/bin/bash
while IFS= read -r job; do bash -c "$job" || exit; done
EOF
cat >"$dir/bin/sbatch" <<'EOF'
#!/bin/bash
options=$(sed -n 's/^#SBATCH //p' "$1")
[[ $options =~ --array=1-([0-9]+) ]] || { echo "no array: $options" >&2 && exit 2; }
last=${BASH_REMATCH[1]}
[[ $options =~ --output=(.*)$ ]] || { echo "no output: $options" >&2 && exit 2; }
eval "output=${BASH_REMATCH[1]}"
for ((i = 1; i <= last; i++)); do SLURM_ARRAY_TASK_ID=$i bash "$1" >"${output//%a/$i}" 2>&1 || exit; done
EOF
chmod +x "$dir/bin/"*
n=$(wc -l <"$dir/slurm jobs/jobs")
check 'parallel runs all jobs' [ "$(PATH="$dir/bin:$PATH" "$dir/parallel jobs/run.sh" | grep -c 'run.lua --insts 70000 --programs')" = "$n" ]
passes 'sbatch takes its script' env PATH="$dir/bin:$PATH" sbatch "$dir/slurm jobs/bakeoff.sbatch"
check 'each task has its log' \
	[ "$(cat "$dir/slurm jobs/"*.log | grep -c 'run.lua --insts 70000 --programs')" = "$n" ]
demos/papers/bakeoff/run.sh --emit torque "$dir/x" >"$dir/out" 2>"$dir/err"
says err 'expected --emit parallel|slurm'

if [ "${CYCLOPS_TEST_SCALE:-full}" = long ]; then
	command='demos/papers/bakeoff/run.sh --small'
	demos/papers/bakeoff/run.sh --small --programs lisp --out "$dir/page" >"$dir/out" \
		2>"$dir/err" || failed=$((failed + 1))
	says out '**blocks**: how often'
	check 'a page' [ -s "$dir/page/results.md" ]
	check 'its picture' [ -s "$dir/page/budget-10.svg" ]
fi
finish
