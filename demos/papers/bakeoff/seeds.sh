#!/bin/bash
# The bake-off over five seeds, in runs long enough for twenty deliveries at a budget of 3 %: 72
# million instructions of each program, as one read-out of the co-processor costs 5.4 % of two
# million. Days of one processor; results are kept by program and seed, so that an interrupted run
# continues.
#
#   demos/papers/bakeoff/seeds.sh [ARGS...]      ARGS are those of run.lua; INSTS=N for other
#   lengths
#   SEEDS="1 2" demos/papers/bakeoff/seeds.sh --programs sort --small
cd "$(dirname "$0")/../../.." || exit
out=${OUT:-build/papers/bakeoff-seeds}
seeds=${SEEDS:-1 2 3 4 5}
case " $* " in *" --small "* | *" --insts "*) ;; *) set -- --insts "${INSTS:-72000000}" "$@" ;; esac
for seed in $seeds; do
	demos/papers/bakeoff/run.sh --seed "$seed" --out "$out/$seed" "$@" >/dev/null || exit
done
"${CYCLOPS:-build/cyclops}" lua demos/papers/bakeoff/seeds.lua "$out" "$seeds" "$@" \
	>"$out/seeds.md" && cat "$out/seeds.md"
