#!/bin/bash
# A machine with a stream sampler, in sessions: stops on tuples, components and messages, questions
# about them, and answers to invalid input. shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
guest=$top/tests/golden/guest.elf
like() { check "$1 should match '$2'" grep -qE -- "$2" "$1"; }

# sampled STATUS COMPRESSOR COMMAND...
sampled() {
	local want=$1 compressor=$2 args=()
	shift 2
	for c in "$@"; do args+=(-e "$c"); done
	run "$want" --batch -o sampler.enable=true -o "sampler.compressor=$compressor" \
		"${args[@]}" "$guest"
}
strata='H(C(P(4)), 64), A(4)'
tagged='T(64, hit=3, replace=2, evict=4), A(4)'

# ---- stopping on it ----
sampled 0 "$strata" "catch tuple if kind == 'value' and value == 0" continue
like out '^Catchpoint 1, tuple #[0-9]+, .*: value 0x0, kind value, tag 0, dropped false'
sampled 0 "$tagged" "catch compress if act == 'E5'" continue 'print sampler.component[0].act' \
	'view compressor'
like out '^Catchpoint 1, compress.* act E5, '
like out '^sampler.component\[0\].act = "E5"'
like out "├◆ +0 T\(64\) .*E5 in entry [0-9]+: too many misses: the entry is the new tuple's"
sampled 0 "$strata" 'catch message' continue 'print sampler.waiting' \
	'print sampler.selected == sampler.held' 'print sampler.component[0]' \
	'print sampler.component'
like out '^Catchpoint 1, message.* count 4, waiting 1, dropped false'
like out '^sampler.waiting = 1$'
like out '^sampler.selected == sampler.held = true'
like out '^sampler.component\[0\] = H\(C\(P\(4\)\), 64\)'
like out '^sampler.component = H\(C\(P\(4\)\), 64\), A\(4\)'
run 0 --batch -o sampler.enable=true -o sampler.select='edge' -e 'catch tuple' -e continue \
	-e 'view compressor' "$guest"
like out 'tuple #.* kind edge'
like out '┌◆ +selector .*link_nodes\+0x64 → link_nodes\+0x2c: this cycle'

# ---- watching it ----
sampled 0 "$strata" 'watch sampler.bucket[13]' continue continue continue continue
like out 'Watchpoint 1, sampler.bucket\[13\]: 0 of 4 -> 1 of 4'
like out 'Watchpoint 1, sampler.bucket\[13\]: 3 of 4 -> 0 of 4'
sampled 0 "$tagged" 'watch sampler.bucket[5].state' continue continue 'view buckets 0 5'
like out 'sampler.bucket\[5\].state: "empty" -> "valid"'
like out 'sampler.bucket\[5\].state: "valid" -> "evict"'
like out '^state +Evict, set 2 of 32, way 1 of 2'
like out '^last +◆ .*: this cycle'
like out 'E4 in entry 5: a miss'
sampled 0 "$strata" 'watch sampler.waiting' continue 'watch sampler.queued' 'delete 1' continue
like out 'Watchpoint 1, sampler.waiting: 0 -> 1'
like out 'Watchpoint 2, sampler.queued: [0-9]+ -> [0-9]+'

# ---- why ----
sampled 0 "$strata" 'catch tuple' continue why step step 'why tuple'
like out '^its tuple: .* selected this cycle: the next in the tuple queue'
like out 'selected [0-9]+ cycles? ago, [0-9,]+: component 0, H\(C\(P\(4\)\), 64\), hashes it to [0-9]+: stratum [0-9]+ stands at 1 of 4: no message'
sampled 0 "$strata" 'catch compress if act == "sampled"' continue 'why tuple'
like out 'ago, [0-9,]+: component 0, .* counted to 4: a message; it has counted 4; sent: .* × 4, which component 1 takes next cycle'
run 0 --batch -o sampler.enable=true -o sampler.tuple_queue=1 -e 'catch tuple if dropped' \
	-e continue -e 'why tuple' "$guest"
like out 'dropped, the tuple queue was full'
run 0 --batch -o sampler.enable=true -o sampler.tuple_queue=1 -e 'catch tuple if dropped' \
	-e continue -e 'catch tuple if not dropped' -e 'delete 1' -e continue -e 'why tuple' \
	"$guest"
like out 'selected this cycle: (the next|waits) in the tuple queue'

# ---- the views ----
sampled 0 "$strata" 'catch tuple' continue 'step 2' 'view pipe'
like out '^ ● +#[0-9]+ +[a-z.]*(l[bhwd]u?|fl[wd]) '
run 0 --batch -e 'step 3000' -e 'view pipe' "$guest"
check 'no sampler, no marks' bash -c '! grep -q ● out'
for view in buckets 'buckets 0 3' compressor; do
	sampled 0 "$strata" 'step 5000' "view $view --json"
	sed -n '/^{"view"/,$p' out >json
	check "$view is JSON" "$json" <json
done
run 0 --batch -e 'view buckets' -e 'view compressor' "$guest"
check 'without a sampler both views say what gives one' \
	[ "$(grep -c -- '-o sampler.enable=true' out)" = 2 ]
sampled 0 'R(7)' 'step 3000' 'view buckets' 'view buckets 0 0' 'view compressor'
like out 'R\(7\) counts nothing'
like out 'of one tuple in 7, by chance'
like out '├. +0 R\(7\) .* lossy'
run 0 --batch -o sampler.enable=true -o sampler.reader=interrupt -e 'step 3000' \
	-e 'view compressor' "$guest"
like out 'interrupt 17 .*no reader of messages: start with --firmware'

# Figures beyond the hardware are there with the oracle only.
sampled 0 "$strata" 'break sum_series' continue 'view buckets' 'view buckets 0 13'
like out 'hottest .* tuples +bias +entropy'
like out "^oracle +[0-9]+ +tuples? selected for it, [0-9]+ times; unknown to the hardware"
run 0 --batch -o sampler.enable=true -o sampler.exact=false -e 'break sum_series' -e continue \
	-e 'view buckets' -e 'view buckets 0 13' "$guest"
check 'no oracle, no figures' bash -c '! grep -qE "oracle|entropy|bias" out'

# ---- nonsense ----
for words in 'sampler.bucket[64]:has entries 0 to 63' 'sampler.bucket[-1]:has entries 0 to 63' \
	'sampler.component[2]:has components 0 to 1' \
	'sampler.component.act:go by numbers' 'sampler.component[0].colour:received sent held' \
	'sampler.bucket[0].pc:has count of' \
	'sampler.component[1][0].state:has count of pc value tag used' 'sampler.bukket:no statistic or parameter'; do
	sampled 1 "$strata" "print ${words%%:*}"
	says err "${words#*:}"
done
sampled 1 "$strata" 'view buckets 2'
says err 'a component of the compressor 2 is out of range: 0 to 1'
sampled 1 "$strata" 'view buckets 1 4'
says err 'an entry of A(4) 4 is out of range: 0 to 3'
sampled 1 "$strata" 'view buckets many'
says err "'many' is not a number"
sampled 1 "$strata" 'view compressor 1'
says err 'takes no arguments'
sampled 1 "$strata" "catch compress if akt == 'E5'"
says err akt
sampled 1 "$strata" 'catch tuple if nosuch == 3'
check 'the condition is said once' grep -q "catch tuple if nosuch == 3: no register, symbol" err
sampled 1 "$strata" 'why tuple'
says err 'nothing was selected yet'
run 1 --batch -e 'why tuple' "$guest"
says err 'this machine has no sampler: start with -o sampler.enable=true'
run 1 --batch -e 'print sampler.bucket[0]' "$guest"
says err 'this machine has no sampler (sampler.enable = false)'
finish
