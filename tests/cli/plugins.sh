#!/bin/bash
# Plug-ins on the command line: their places, their part in checkpoints, and their failures.
. tests/lib.sh
PROGRAM=build/demos/longjmp PLUGINS=demos/plugins

digest() { sed -n 's/^ *state *\([0-9a-f]*\) .*/\1/p' "$dir/err"; }

# Each file runs, in its own place.
for file in gshare perceptron tage lru srrip next_line flag_bits flag_last associative two_way btb \
	ittage; do
	run 0 run -o l2.size=64K --plugin "$PLUGINS/$file.lua" "$PROGRAM"
done
run 0 run --plugin "l2.prefetch=$PLUGINS/next_line.lua" --plugin \
	"l1i.replacement=$PLUGINS/lru.lua" --plugin "$PLUGINS/gshare.lua" \
	--stats "$dir/stats.json" "$PROGRAM"
check "L2 prefetches" [ "$(sed -n 's/.*"l2.prefetches": \([0-9]*\).*/\1/p' "$dir/stats.json")" -gt \
	10 ]
run 0 --batch --plugin "$PLUGINS/lru.lua" -e 'print l1d.replacement' "$PROGRAM"
says out external

run 125 run -o bpred.kind=external "$PROGRAM"
says err "bpred.kind is external, but no plug-in was given for the branch predictor: start with --plugin FILE.lua"
run 125 run --plugin nowhere.lua "$PROGRAM"
says err "cannot open nowhere.lua"
printf 'return\0' >"$dir/zero.lua"
run 125 run --plugin "$dir/zero.lua" "$PROGRAM"
says err "$dir/zero.lua: not a text: it has zero bytes"
run 125 run --plugin "l2.prefetch=$PLUGINS/lru.lua" "$PROGRAM"
says err "lru.lua is a plug-in with victim, which is for l1i.replacement, l1d.replacement or l2.replacement, not for 'l2.prefetch'"
run 125 run --plugin "l2.prefech=$PLUGINS/next_line.lua" "$PROGRAM"
says err "did you mean 'l2.prefetch'?"
run 125 run --plugin "$PLUGINS/gshare.lua" --plugin "$PLUGINS/perceptron.lua" "$PROGRAM"
says err "there is a branch predictor already, $PLUGINS/gshare.lua"
run 125 run --plugin demos/configs/classic5.lua "$PROGRAM"
says err "here is none of them"
run 125 run --plugin "bpred.kind=$PLUGINS/flag_last.lua" "$PROGRAM"
says err "flag_last.lua is a plug-in with flag, which is for xprof.predictor, not for 'bpred.kind'"
# Stages are chained in the order of the options.
run 0 --batch --plugin "$PLUGINS/two_way.lua" --plugin "$PLUGINS/associative.lua" -e 'goto 3000' \
	-e 'print sampler.compressor' -e 'view compressor' "$PROGRAM"
says out "external, external"
check "each at its place" test \
	"$(grep -o 'two_way.lua\|associative.lua' "$dir/out" | tr '\n' ' ')" \
	= 'two_way.lua associative.lua '
run 125 run $(printf -- "--plugin $PLUGINS/two_way.lua %.0s" 1 2 3 4 5) "$PROGRAM"
says err "there is a fourth compressor stage already, $PLUGINS/two_way.lua"
run 125 run -o 'sampler.compressor=P(4), external' --plugin "$PLUGINS/two_way.lua" --plugin \
	"$PLUGINS/associative.lua" "$PROGRAM"
says err "is a second compressor stage, but sampler.compressor is P(4), external; expected external once more"
run 125 run -o sampler.enable=true -o 'sampler.compressor=P(4), external' "$PROGRAM"
says err "sampler.compressor names external, but no plug-in was given for the compressor stage: start with --plugin FILE.lua"
run 125 run -o 'sampler.compressor=external, P(4)' --plugin "$PLUGINS/two_way.lua" "$PROGRAM"
says err "expected A or external"
# A single stage is the compressor; several form a chain.
run 0 --batch --plugin "$PLUGINS/two_way.lua" -e 'print sampler.compressor' -e 'goto 3000' \
	-e 'view compressor' "$PROGRAM"
says out "0 external"
says out "$PLUGINS/two_way.lua"
run 0 --batch -o 'sampler.compressor=P(4), external' --plugin "$PLUGINS/two_way.lua" \
	-e 'goto 3000' -e 'view compressor' "$PROGRAM"
says out "1 external"
head -c 100000 /dev/urandom >"$dir/noise.lua"
run 125 run --plugin "$dir/noise.lua" "$PROGRAM"
mkdir "$dir/folder.lua"
run 125 run --plugin "$dir/folder.lua" "$PROGRAM"

# The commands in their comments run.
for file in "$PLUGINS"/*.lua; do
	count=0
	while IFS= read -r line; do
		limit=0
		[[ $line != *--max-insts* ]] || limit=124
		# shellcheck disable=SC2086 # words of a command
		run $limit ${line#cyclops }
		count=$((count + 1))
	done < <(sed -n 's/^--   //p' "$file" | sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' |
		tr -d "'" | sed -n '/^cyclops/p')
	check "$file has one" [ $count -gt 0 ]
done

# A plug-in that fails.
cat >"$dir/fails.lua" <<'LUA'
return {
	state = { calls = { 1, bits = 16 } },
	access = function(s, a)
		if s.calls:add(0, 1) == 500 then error "enough" end
	end,
}
LUA
run 125 run --plugin "$dir/fails.lua" "$PROGRAM"
says err "the prefetcher of L1D, $dir/fails.lua, failed in cycle "
says err "fails.lua:4: enough"
run 0 --batch --plugin "$dir/fails.lua" -e continue -e 'reverse-step 3' -e 'info program' \
	-e continue -e 'info program' "$PROGRAM"
check "it ends there twice" \
	[ "$(grep -c '^The run ends here: the prefetcher of L1D, .*enough' "$dir/out")" = 2 ]
says out "running, in "
says out "ended: the prefetcher of L1D"

# Checkpoints continue with the same plug-ins only.
plug=(-o bpred.update=commit --plugin "$PLUGINS/gshare.lua" --plugin "$PLUGINS/next_line.lua")
run 0 run "${plug[@]}" --summary "$PROGRAM"
whole=$(digest)
run 124 run "${plug[@]}" --max-cycles 2000 --save-to "$dir/at" "$PROGRAM"
run 0 run "${plug[@]}" --summary --restore "$dir/at" "$PROGRAM"
check "state $(digest), not $whole" [ "$(digest)" = "$whole" ]
run 125 run -o bpred.update=commit --restore "$dir/at" "$PROGRAM"
says err "no plug-in was given for the branch predictor, and it was saved with gshare.lua: start with"
sed 's/ >= 2/ >= 1/' "$PLUGINS/gshare.lua" >"$dir/other.lua"
run 125 run -o bpred.update=commit --plugin "$dir/other.lua" --plugin "$PLUGINS/next_line.lua" \
	--restore "$dir/at" "$PROGRAM"
says err "it was saved with another branch predictor than $dir/other.lua: with gshare.lua"
run 125 run -o bpred.update=commit --plugin "$PLUGINS/tage.lua" --plugin "$PLUGINS/next_line.lua" \
	--restore "$dir/at" "$PROGRAM"
says err "it was saved with another branch predictor than $PLUGINS/tage.lua: with gshare.lua"
sed 's/-- .*//' "$PLUGINS/gshare.lua" >"$dir/same.lua"
run 0 run -o bpred.update=commit --plugin "$dir/same.lua" --plugin "$PLUGINS/next_line.lua" \
	--restore "$dir/at" "$PROGRAM"
prof=(--plugin "$PLUGINS/flag_last.lua" --plugin "$PLUGINS/two_way.lua")
run 0 run "${prof[@]}" --summary build/demos/xprof/calls
whole=$(digest)
run 124 run "${prof[@]}" --max-cycles 20000 --save-to "$dir/prof" build/demos/xprof/calls
run 0 run "${prof[@]}" --summary --restore "$dir/prof" build/demos/xprof/calls
check "state $(digest), not $whole, with flags and a stage" [ "$(digest)" = "$whole" ]
run 125 run --plugin "$PLUGINS/flag_bits.lua" --plugin "$PLUGINS/two_way.lua" --restore \
	"$dir/prof" build/demos/xprof/calls
says err "it was saved with another profile flag predictor than $PLUGINS/flag_bits.lua: with flag_last.lua"
run 125 run --plugin "$PLUGINS/flag_last.lua" --plugin "$PLUGINS/associative.lua" --restore \
	"$dir/prof" build/demos/xprof/calls
says err "it was saved with another compressor stage than $PLUGINS/associative.lua: with two_way.lua"
sed 's/ + count < MOST/ + count <= MOST/' "$PLUGINS/two_way.lua" >"$dir/other.lua"
run 125 run --plugin "$PLUGINS/flag_last.lua" --plugin "$dir/other.lua" --restore "$dir/prof" \
	build/demos/xprof/calls
says err "it was saved with another compressor stage than $dir/other.lua"
run 125 run --plugin "$PLUGINS/two_way.lua" --restore "$dir/prof" build/demos/xprof/calls
says err "no plug-in was given for the profile flag predictor"
run 124 run --functional --max-insts 2000 --save-to "$dir/functional" "$PROGRAM"
run 0 run "${plug[@]}" --restore "$dir/functional" "$PROGRAM"
run 0 run "${plug[@]}" --ff 3000 --warmup "$PROGRAM"

# A configuration names plug-ins and firmware beside it, from whatever folder it is used.
cp "$PLUGINS"/gshare.lua "$PLUGINS"/next_line.lua build/demos/firmware/pcprofile.elf "$dir"
cat >"$dir/mine.lua" <<'LUA'
return {
	base = "wide6", bpred = { update = "commit" },
	files = { ["bpred.kind"] = "gshare.lua", ["l1d.prefetch"] = "next_line.lua" },
}
LUA
cycles() { sed -n "s/^  cycles *//p" "$dir/$1"; }
run 0 run --config wide6 -o bpred.update=commit --plugin "$PLUGINS/gshare.lua" \
	--plugin "$PLUGINS/next_line.lua" --summary "$PROGRAM"
want=$(cycles err)
check "there are cycles" [ -n "$want" ]
run 0 run --config "$dir/mine.lua" --summary "$PROGRAM"
check "as with the options: $want" [ "$(cycles err)" = "$want" ]
run 0 compare wide6 "$dir/mine.lua" -- "$PROGRAM"
says out "$want"
run 0 compare --plugin "$PLUGINS/gshare.lua" default "$dir/mine.lua" -- "$PROGRAM"
check "an option has precedence" [ "$(grep -c " $want " "$dir/out")" = 1 ]
run 0 run --config "$dir/mine.lua" -o bpred.kind=bimodal -o l1d.prefetch=none --summary "$PROGRAM"
check "so has -o" [ "$(cycles err)" != "$want" ]
echo "return { configs = { mine = '$dir/mine.lua' }, programs = { one = '$PROGRAM' } }" \
	>"$dir/sweep.lua"
run 0 sweep --out "$dir/results" "$dir/sweep.lua"
check "a sweep has them" grep -q "^mine,one,ok,,${want//,/}," "$dir/results/results.csv"
echo "print(cyclops.machine{ program = '$PROGRAM', config = '$dir/mine.lua' }:run().reason)" \
	>"$dir/machine.lua"
run 0 lua "$dir/machine.lua"
says out exit
echo "m = cyclops.machine{ program = '$PROGRAM' }; m:run(); print(m.cycle)" >"$dir/machine.lua"
run 0 lua --config "$dir/mine.lua" "$dir/machine.lua"
check "a script's option is for machines without one" [ "$(cat "$dir/out")" = "${want//,/}" ]
sed -i 's/ >= 2/ >= 1/' "$dir/gshare.lua"
run 0 sweep --out "$dir/results" "$dir/sweep.lua"
check "a changed plug-in is another machine" [ "$(ls "$dir/results/jobs" | wc -l)" = 2 ]
run 0 bakeoff --config "$dir/mine.lua" -p profileme --max-insts 20k "$PROGRAM"
echo 'return { files = { firmware = "pcprofile.elf" } }' >"$dir/firm.lua"
run 0 run --config "$dir/firm.lua" --summary "$PROGRAM"
cp "$dir/err" "$dir/beside"
run 0 run --firmware build/demos/firmware/pcprofile.elf --summary "$PROGRAM"
check "firmware, too" [ "$(cycles beside)" = "$(cycles err)" ]
# A session's microprogram is a twin's, too; the bake-off has its own, and firmware of its own.
run 125 bakeoff --config "$dir/firm.lua" -p profileme --max-insts 20k "$PROGRAM"
says err "firm.lua names firmware=$dir/pcprofile.elf, and the bake-off's profilers have firmware"
cp demos/microcode/edges.mic "$dir"
echo 'return { files = { cop = "edges.mic" } }' >"$dir/mic.lua"
run 0 --batch -c "$dir/mic.lua" -e "twin $dir/mic.lua pipe.rob_size=16" -e 'goto end' \
	-e 'view gap' "$PROGRAM"
check "the twin has it" grep -q '^total  *-\?[1-9]' "$dir/out"
echo 'return { files = { ["values.modules"] = "x.lua" } }' >"$dir/bad.lua"
run 125 run --config "$dir/bad.lua" "$PROGRAM"
says err 'values = { modules = "NAME.lua" }'
echo 'return { configs = { a = "none/a.lua" }, programs = { one = "x" } }' >"$dir/bad.lua"
run 125 sweep --out "$dir/none" "$dir/bad.lua"
says err "a sweep names files as from the current folder"
for case in "'../gshare.lua'|a configuration names files beside it" \
	"'none.lua'|none.lua: no such file beside bad.lua" "5|expected a file's name"; do
	echo "return { files = { ['bpred.kind'] = ${case%%|*} } }" >"$dir/bad.lua"
	run 125 run --config "$dir/bad.lua" "$PROGRAM"
	says err "bad.lua: files.bpred.kind: "
	says err "${case#*|}"
done
echo "return { files = { 'gshare.lua' } }" >"$dir/bad.lua"
run 125 run --config "$dir/bad.lua" "$PROGRAM"
says err 'files: expected what each file is for: ["bpred.kind"] = "gshare.lua"'
echo "return { files = { ['rob.size'] = 'gshare.lua' } }" >"$dir/bad.lua"
run 125 run --config "$dir/bad.lua" "$PROGRAM"
says err "'rob.size' is no place of a file; expected firmware, cop, or a parameter"

# The later setting has precedence: a preset's file, then --plugin, then a machine's own changes.
run 125 run --plugin "$PLUGINS/tage.lua" -o bpred.kind=gshare "$PROGRAM"
says err "tage.lua is a branch predictor, but bpred.kind is gshare; expected external"
run 0 run -o bpred.kind=bimodal --summary "$PROGRAM"
want=$(cycles err)
run 0 compare --plugin "$PLUGINS/tage.lua" default default,bpred.kind=bimodal -- "$PROGRAM"
check "a machine's own change" [ "$(grep -c " $want " "$dir/out")" = 1 ]
run 0 --batch -c "$dir/mine.lua" -e 'set bpred.kind bimodal' -e run -e 'print bpred.kind' \
	-e 'set config default' -e run -e 'print bpred.kind' -e 'set bpred.kind external' -e run \
	-e 'print bpred.kind' "$PROGRAM"
check "each run has the predictor set last" [ \
	"$(sed -n 's/^bpred.kind = "\(.*\)"/\1/p' "$dir/out" | tr '\n' ' ')" = \
	"bimodal combined external " ]
run 0 --batch -c "$dir/mine.lua" -e 'twin wide6 bpred.kind=bimodal l1d.prefetch=none' \
	-e 'goto end' -e 'view gap' "$PROGRAM"
check "a twin without the plug-ins is another machine" grep -q '^total  *-\?[1-9]' "$dir/out"
# A session reads plug-in files at its start; later commands can name only these.
run 0 --batch -c "$dir/mine.lua" -e "twin $dir/mine.lua pipe.rob_size=16" \
	-e "set config $dir/mine.lua" -e run "$PROGRAM"
for line in "twin $dir/mine.lua" "set config $dir/mine.lua"; do
	run 1 --batch -e "$line" "$PROGRAM"
	says err "mine.lua names bpred.kind=$dir/gshare.lua, and a session takes files at its start; use cyclops -c"
done
cat >"$dir/machine.lua" <<LUA
local function cycles(t)
	t.program = "$PROGRAM"
	local m = cyclops.machine(t)
	m:run()
	return m.cycle
end
print(cycles{ config = "$dir/mine.lua", set = { ["bpred.kind"] = "bimodal" } }
	== cycles{ config = "wide6", set = { ["bpred.kind"] = "bimodal", ["bpred.update"] = "commit" },
		prefetcher = "$PLUGINS/next_line.lua" })
print(pcall(cycles, { predictor = "$PLUGINS/tage.lua", set = { ["bpred.kind"] = "bimodal" } }))
LUA
run 0 lua "$dir/machine.lua"
says out true
says out "tage.lua is a branch predictor, but bpred.kind is bimodal; expected external"
# Files of the compressor make it a chain of them.
cp "$PLUGINS"/two_way.lua "$PLUGINS"/associative.lua "$dir"
echo "return { files = { ['sampler.compressor'] = { 'two_way.lua', 'associative.lua' } } }" \
	>"$dir/chain.lua"
run 0 --batch -c "$dir/chain.lua" -e 'print sampler.compressor' -e 'goto 3000' \
	-e 'view compressor' "$PROGRAM"
says out "external, external"
says out associative.lua

finish
