#!/bin/bash
# Cyclops built for another kind of host (`make other-host`: 64-bit Arm, under qemu-aarch64) gives
# the same output, cycles, statistics, views and arithmetic, and reads the same checkpoints. Skipped
# where it was not built.
. tests/lib.sh
host=$PWD/${OTHER_HOST:-build/aarch64}
if [ ! -x "$host/cyclops" ]; then
	echo "no build for another host: make other-host, which takes a quarter of an hour"
	echo "0 passed, 0 failed, 1 skipped"
	exit
fi
native=$CYCLOPS
printf '#!/bin/sh\nexec qemu-aarch64 -L %s/root %s/cyclops "$@"\n' "$host" "$host" >"$dir/other"
chmod +x "$dir/other"

# on HOST NAME ARGS...: `run ARGS`; its output, messages and statistics are $dir/NAME.HOST.*.
on() {
	local prefix=$dir/$2.$1 program=$native status=0
	[ "$1" = native ] || program=$dir/other
	"$program" run --stats "$prefix.json" "${@:3}" >"$prefix.out" 2>"$prefix.err" </dev/null ||
		status=$?
	sed -i '/ seconds$/d' "$prefix.err"
	echo "$status" >>"$prefix.err"
}

# same NAME ARGS...: a run has the same results on both.
same() {
	command="cyclops run ${*:2}"
	on native "$@"
	on other "$@"
	for kind in out err json; do
		passes "$kind of another host" diff "$dir/$1.native.$kind" "$dir/$1.other.$kind"
	done
}

words=demos/programs/input/words.txt
for program in linked fft matmul branchy "sort $words"; do
	for machine in default wide6 classic5; do
		# shellcheck disable=SC2086  # a program and its arguments
		same "${program%% *}-$machine" -c $machine --max-insts 30k build/demos/$program
	done
	# shellcheck disable=SC2086
	same "${program%% *}-functional" --functional --max-insts 1M build/demos/$program
done
same sampled --sample U=500,W=500,n=40 build/demos/linked
same devices -o oracle.enable=true -o oracle.values=true -o vsample.enable=true \
	-o sampler.enable=true -o 'sampler.select=value of load' --report oracle --report values \
	--max-insts 40k build/demos/sort $words
same plugin --plugin demos/plugins/tage.lua --max-insts 20k build/demos/sort $words

# Checkpoints move between hosts.
for from in native other; do
	program=$native
	[ $from = native ] || program=$dir/other
	"$program" run --max-insts 20k --save-to "$dir/$from.checkpoint" build/demos/sort $words \
		>/dev/null 2>"$dir/err"
	same "restored-$from" --restore "$dir/$from.checkpoint" --max-insts 20k \
		build/demos/sort $words
done
passes 'checkpoints of both hosts' cmp "$dir/native.checkpoint" "$dir/other.checkpoint"
passes 'statistics of the restored run' diff "$dir/restored-native.native.json" \
	"$dir/restored-other.other.json"

# All views, and floating point against qemu-riscv64.
counts env CYCLOPS="$dir/other" tests/golden/run.sh
counts env CYCLOPS="$dir/other" tests/diff/fp.sh
finish
