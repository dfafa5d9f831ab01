#!/bin/bash
# Output of sweeps for shells, GNU parallel and Slurm, with words that these take apart (words.py):
# each job gets exactly the plan's words, and none is executed.
. tests/lib.sh
here=$PWD/tests/sweep guest=$PWD/build/tests/cli/guest
# Uses Slurm where it runs, else runs its tasks by hand.
. "$here/slurm_up.sh"
trap 'slurm_down; rm -rf "$dir"' EXIT
slurm_up "$dir/slurm" && real=1 || real=
echo "by Slurm${real:+ itself}${slurm_why:+, by hand: $slurm_why}"
canary() { check "nothing of it is executed" [ -z "$(find "$dir" -name CANARY)" ]; }

# The jobs' output, into $1, is the expected one.
printed() {
	local file
	for file in "$1"/logs/*.out; do cksum <"$file"; done | sort -u >"$dir/printed"
	passes "each job gets its words" diff <(sort -u expected) "$dir/printed"
	canary
}
# by_parallel FOLDER: GNU parallel or, if it is not installed, an imitation.
by_parallel() {
	command="$1/run.sh"
	if command -v parallel >/dev/null; then
		(cd / && "$1/run.sh" -j 2) >"$dir/out" 2>"$dir/err" </dev/null
	else
		bash -c 'while IFS= read -r job; do eval "$job" || exit 1; done <"$1/jobs"' - "$1" \
			>"$dir/out" 2>"$dir/err" </dev/null
	fi
	check "exit status $?" [ $? = 0 ]
}
# by_slurm FOLDER [TASKS]: the tasks of the array, or the first ones.
by_slurm() {
	local task tasks status logs=() log
	tasks=${2:-$(wc -l <"$1/jobs")}
	command="$1/sweep.sbatch"
	check "is a script" bash -n "$1/sweep.sbatch"
	if [ -n "$real" ]; then
		# All folders that its paths might name, and Slurm's own working directory.
		(cd / && sbatch --wait --parsable --array="1-$tasks" -- "$1/sweep.sbatch") \
			>"$dir/out" 2>"$dir/err" </dev/null
		status=$?
		check "Slurm runs it: $status $(tail -n 2 "$dir/slurm/slurmd.log")" [ $status = 0 ]
		for log in "$1"/slurm-*.out; do logs+=("$log"); done
		check "its logs lie there: ${#logs[@]}" [ "${#logs[@]}" = "$tasks" ]
		return
	fi
	for ((task = 1; task <= tasks; task++)); do
		(cd / && SLURM_ARRAY_TASK_ID=$task "$1/sweep.sbatch") >"$dir/out" 2>"$dir/err" \
			</dev/null
		check "task $task: exit status $?" [ $? = 0 ]
	done
}

# ---- all words ----
mkdir "$dir/all"
cd "$dir/all" || exit 1
cp "$guest" guest
python3 "$here/words.py" plan guest "o \$(touch CANARY)'\`touch CANARY\`*" config
run 0 sweep --emit parallel "p \$(touch CANARY)'*" plan.lua
by_parallel "$PWD/p \$(touch CANARY)'*"
printed o*
run 0 sweep --collect plan.lua
says out "0 failed, 0 missing"
rm -r o*
run 0 sweep --emit slurm "s \$(touch CANARY)'%A*" plan.lua
if [ "${CYCLOPS_TEST_SCALE:-full}" = long ]; then
	by_slurm "$PWD/s \$(touch CANARY)'%A*"
	printed o*
	run 0 sweep -j 2 --force plan.lua
	printed o*
else
	by_slurm "$PWD/s \$(touch CANARY)'%A*" 1
	check "gets its words" [ "$(cksum <"$(echo o*/logs/*.out)")" = "$(head -n 1 expected)" ]
	canary
fi
cyclops() { "$CYCLOPS" "$@"; }
command="the commands of --dry-run"
eval "$("$CYCLOPS" sweep --dry-run --force plan.lua | head -n 1)" >"$dir/said" 2>"$dir/err"
check "get their words" [ "$(cksum <"$dir/said")" = "$(head -n 1 expected)" ]
canary

# ---- folders: that of the work, of the results, of the scripts ----
# in_folders WORK OUT EMIT [WHY-PARALLEL [WHY-SLURM]]: a sweep of one job; where WHY is given, it is
# refused with these words.
in_folders() {
	local kind why
	cd "$dir" && mkdir -p -- "$1" && cd -- "$1" || exit 1
	cp "$guest" guest
	python3 "$here/words.py" one "$2"
	for kind in parallel slurm; do
		[ $kind = parallel ] && why=${4-} || why=${5-}
		rm -rf -- "./$2"
		if [ -n "$why" ]; then
			run 125 sweep --emit $kind "$3" plan.lua
			says err "$why"
			check "no script is written" [ -z "$(ls -A -- "./$3")" ]
		else
			run 0 sweep --emit $kind "$3" plan.lua
			by_$kind "$PWD/$3"
			printed "./$2"
			rm -r -- "./$3"
		fi
	done
}
in_folders "w \$(touch CANARY)'\`touch CANARY\`*?#" -out ./-emit
in_folders "w %A" $'o {= system("touch CANARY") =} \xff' "./e {1} %A #"
in_folders "w {= system('touch CANARY') =}" o e "parallel doesn't take '{' in a folder's name" ''
in_folders ' ;touch CANARY;# ' 'o ' ' e #x,y=z%j%N '
in_folders 'w \' --help e '' "slurm doesn't take '\\' in a folder's name"
in_folders 'w "' o e "don't survive a script" "don't survive a script"
in_folders plain $'o\ntouch CANARY' e "don't survive a script" "don't survive a script"
in_folders plain o $'e\ntouch CANARY' "don't survive a script" "don't survive a script"
canary
finish
