#!/bin/bash
# Two libraries at one address in turn (tests/values/turns.c) have hotlists of their own, though
# tuples wait in the queue while libraries change. The summary of counts by address names the code.
. tests/lib.sh
cp build/tests/values/{turns,libturn-3.so,libturn-5.so} "$dir"
cat >"$dir/judge.lua" <<'EOF2'
local hotlists = require "cyclops.hotlists"
local m = cyclops.machine{ program = "turns", values = "results", set = { ["vsample.method"] = arg[1],
	["vsample.interval_min"] = 61, ["vsample.interval_max"] = 97, ["vsample.length"] = 3,
	["vsample.service"] = tonumber(arg[2]), ["values.method"] = "exact", ["oracle.enable"] = true } }
m:run{ cycles = 30000 }
local cycle = m.cycle
m:run()
local at = tonumber(m:output():match "at 0x(%x+)", 16)
local wrong, versions, newest = 0, 0, 0
for list in m.values:each "results" do
	if list.pc == at then
		versions, newest = versions + 1, math.max(newest, list.version or 0)
		wrong = wrong + (#list == 1 and list[1].value == 3 + 2 * ((list.version or 0) % 2) and 0 or 1)
	end
end
local profile = hotlists.profile(m)
local text = hotlists.csv(profile)
local both = hotlists.merge(profile, hotlists.parse(text))
for list in hotlists.each(both) do
	local one = profile[list.kind][list.pc | (list.version or 0) << 40]
	wrong = wrong + (one and 2 * one.vtot == list.vtot and 0 or 1)
end
local replaced = 0
for _, row in ipairs(m:view("hotlist 10000").rows) do
	replaced = replaced + (row.place == ("0x%x, replaced"):format(at) and 1 or 0)
end
local digest = m.values:digest()
m:go(cycle)
m:run()
print(wrong, newest, versions - replaced, m.values:digest() == digest,
	(m:report("oracle").summary:match "code at .*" or ""):gsub("0x%x+", "N"))
EOF2
for how in "handler 1" "handler 60" "upcall 1"; do
	# shellcheck disable=SC2086
	(cd "$dir" && "$CYCLOPS" lua judge.lua $how) >"$dir/out" 2>"$dir/err"
	check "$how: values of each library are apart" grep -qE \
		"^0	[45]	[01]	true	code at N to N was replaced: counts there are of all versions" "$dir/out"
done
finish
