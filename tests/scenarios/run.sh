#!/bin/bash
# Every scenario in demos/scenarios/: its expectations hold, it has the commands for a reader, the
# index names it. And each can fail: with the parameter changed that its `breaks` line below names,
# it has to notice.
set -u
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
passed=0 failed=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

check() {
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $what"
		sed 's/^/  /' "$out" | grep -a 'FAILS\|lua:\|rror\|Sanitizer' | head -n 10
	fi
}

# NAME PARAMETER=VALUE: a machine that a scenario's laws don't hold on.
declare -A breaks
while read -r name set; do
	breaks[$name]=$set
done <<'END'
load_use l1d.latency=3
forwarding lsq.forward_latency=3
mispredict bpred.penalty=5
ras_overflow ras.size=6
btb_alias btb.ways=1
thrash l1d.replacement=random
mlp l1d.mshrs=3
window l1d.mshrs=2
memory_order lsq.predictor=none
replay_traps lsq.replay_size=false
structural fu.imuldiv=2
in_or_out bpred.kind=nottaken
write_buffer l1d.write_buffer=3
tlb_reach dtlb.ways=17
prefetch l1d.prefetch=none
predictors bpred.history=1
interrupt bpred.penalty=3
race os.slice=100000000
turns l1d.ways=2
three_ways vsample.bounce_cycles=60
END

has() { [[ $1 == *"$2"* ]]; }
readme=$(<demos/scenarios/README.md)
for script in demos/scenarios/*.lua; do
	name=${script##*/} name=${name%.lua}
	[ "$name" != lab ] || continue
	"$CYCLOPS" lua "$script" >"$out" 2>&1 </dev/null
	check "$script: exit status $?" [ $? = 0 ]
	p=0 f=1 widest=0 source=
	while IFS= read -r line; do
		[[ ! $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] ||
			p=${BASH_REMATCH[1]} f=${BASH_REMATCH[2]}
		[ ${#line} -le $widest ] || widest=${#line}
	done <"$out"
	check "$script: expectations" [ "${p:-0}" -gt 3 ] && check "$script: $f fail" [ "$f" = 0 ]
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	check "$script: no line over 110 columns" [ $widest -le 110 ]
	IFS= read -r -d '' source <"$script"
	for phrase in '-- Expect: ' '-- See it: cyclops'; do
		check "$script: its header has no '$phrase'" has "$source" $'\n'"$phrase"
	done
	check "demos/scenarios/README.md does not name $name" has "$readme" "\`$name\`"
	check "no parameter is known that $name notices" [ -n "${breaks[$name]:-}" ]
	"$CYCLOPS" lua "$script" "${breaks[$name]:-}" >"$out" 2>&1 </dev/null
	check "$script ${breaks[$name]:-}: status $?, it should fail" [ $? = 1 ]
	IFS= read -r -d '' said <"$out"
	check "$script ${breaks[$name]:-}: no expectation failed" has "$said" $'\n  FAILS'
done
for name in "${!breaks[@]}"; do
	check "no scenario is called $name" [ -e "demos/scenarios/$name.lua" ]
done

# The commands of the headers work: "cyclops ARGS, then: COMMAND, COMMAND".
while read -r found; do
	script=${found%%:*} line=${found#*:}
	line=${line#-- See it: cyclops }
	IFS=, read -ra typed <<<"${line#*, then: }"
	read -ra words <<<"${line%%, then: *}"
	commands=()
	for command in "${typed[@]}"; do
		[ "$line" = "${line%%, then: *}" ] || commands+=(-e "${command# }")
	done
	[ ${#commands[@]} = 0 ] || words=(--no-init --batch "${commands[@]}" "${words[@]}")
	"$CYCLOPS" "${words[@]}" >"$out" 2>&1 </dev/null
	status=$?
	check "$script: typed: ${line}: $(tail -n 1 "$out")" [ $status = 0 ]
done < <(awk '/^-- See it: / { line = $0; next }
	line && /^-- / { line = line substr($0, 3); next }
	line { print FILENAME ":" line; line = "" }' demos/scenarios/*.lua)

# A scenario needs no files: all of them run with --lua-safe, too; one stands for them.
"$CYCLOPS" lua --lua-safe demos/scenarios/load_use.lua >"$out" 2>&1 </dev/null
check "--lua-safe" [ $? = 0 ]
"$CYCLOPS" lua demos/scenarios/load_use.lua nonsense >"$out" 2>&1 </dev/null
check "nonsense behind a scenario: status 1" [ $? = 1 ]
check "says what is right" grep \
	-q "'nonsense': expected a parameter, as in l1d.latency=5" "$out"
"$CYCLOPS" lua demos/scenarios/load_use.lua l1d.latenci=3 >"$out" 2>&1 </dev/null
check "a parameter that isn't" grep -q "did you mean 'l1d.latency'" "$out"

# Coursework: each hand-in gets its points, and does not affect other hand-ins.
grade=demos/coursework/grade.lua
"$CYCLOPS" lua --lua-safe $grade demos/coursework/handed-in/*.lua >"$out" 2>&1 </dev/null
check "$grade: status $?" [ $? = 0 ]
while read -r line; do
	check "demos/coursework/README.md shows '$line'" grep -qF "$line" demos/coursework/README.md
done < <(head -n 4 "$out")
points() { sed -n "s/^$1\.lua .* \([0-9]*\) of 30\$/\1/p" "$out"; }
check "ada has most of the points" [ "$(points ada)" -ge 25 ]
for name in bob eve max zoe; do
	check "$name has no points" [ "$(points $name)" = 0 ]
done
check "eve kept what is not declared" grep -q "eve.lua:5: .* what a plug-in keeps is declared" \
	"$out"
check "max never ends" grep -q "max.lua:4: predict took more than lua.hook_budget" "$out"
check "zoe does not parse" grep -q "zoe.lua:4: 'end' expected" "$out"
check "grade.lua stands in its page as it is run" grep -qF "lua --lua-safe $grade" \
	demos/coursework/README.md
"$CYCLOPS" lua --lua-safe $grade demos/plugins/gshare.lua >"$out" 2>&1 </dev/null
check "gshare has all points" [ "$(points gshare)" = 30 ]
"$CYCLOPS" lua --lua-safe $grade >"$out" 2>&1 </dev/null
check "nothing handed in: status 1" [ $? = 1 ]
check "it asks for predictors" grep -q 'which predictors?' "$out"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
