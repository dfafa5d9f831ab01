#!/bin/bash
# The papers' mechanisms against models written from the papers alone (models/*.py; their heads
# state what is equal and what has a bound): windows and accuracies (Vaswani, table V), metrics by
# path (Ammons), vreplay (Burrows), slots (Zilles), compressors with their curves, and types
# (Sastry, figures 7 to 10, 2.1).
. tests/lib.sh
if [ "${CYCLOPS_TEST_SCALE:-full}" = small ]; then
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
models=tests/papers/models input=demos/programs/input

# model NAME PYTHON-ARGS...: counts the model's checks.
model() {
	local name=$1
	shift
	counts python3 $models/$name.py "$@"
}

run 0 lua $models/vaswani.lua chess "$dir"
model vaswani "$dir"

program=build/demos/papers/ammons1997/regex
head -c 700 $input/gpl-2.txt >"$dir/text"
mkdir -p build/tests/papers
cp "$dir/text" build/tests/papers/models.txt
run 0 lua $models/ammons.lua $program "$dir" $input/patterns.txt build/tests/papers/models.txt
riscv64-linux-gnu-objdump -d $program >"$dir/disassembly"
model ammons "$dir/paths" "$dir/disassembly"

run 0 lua $models/burrows.lua build/demos/papers/ammons1997/compress "$dir" 200000 $input/words.txt
model burrows "$dir"

run 0 lua $models/zilles.lua build/demos/sort "$dir" 300000 $input/words.txt
model zilles "$dir"

counts "$CYCLOPS" lua $models/types.lua build/tests/papers/types
run 0 lua $models/sastry.lua build/demos/lisp 100000 25000 "$dir" $input/queens.lisp
model sastry "$dir"
finish
