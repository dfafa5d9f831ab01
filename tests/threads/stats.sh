#!/bin/bash
# Statistics by thread: all together they are the machine's, whatever the mode, the machine and the
# way there; a switch's cycles are its own row.
within=build/tests
. tests/lib.sh
cp build/tests/threads/{steps,basic} "$dir"
cd "$dir" || exit 1
cat >sums.lua <<'X'
-- sums.lua PROGRAM ARGS...: of each counter, by cycles on the way and at the end, in any order.
local program, args = arg[1], { table.unpack(arg, 2) }
local counters = {}
local function check(m, what)
	local whole, sum, ended = {}, {}, nil
	for name, v in pairs(m.stats) do
		if math.type(v) == "integer" then whole[name] = v end
	end
	local n, parts = 0, { "switch", "ended" }
	for i = 1, 200 do parts[#parts + 1] = i end
	for _, part in ipairs(parts) do
		local ok, s = pcall(m.thread_stats, m, part)
		if ok then
			n = n + 1
			for name in pairs(whole) do sum[name] = (sum[name] or 0) + s[name] end
		else
			assert(tostring(s):find("there is no thread") or tostring(s):find("in `thread ended`"), tostring(s))
		end
	end
	for name, v in pairs(whole) do
		assert(sum[name] == v, ("%s: %s is %d, its parts %d"):format(what, name, v, sum[name]))
		counters[name] = true
	end
	return n
end
local threads = 0
for _, config in ipairs{ {}, { ["os.slice"] = 1000, ["os.switch"] = 0 }, { ["os.slice"] = 1000, ["os.switch"] = 1 },
                         { ["os.slice"] = 3000, ["os.switch"] = 700, ["oracle.enable"] = true } } do
	local m <close> = cyclops.machine{ program = program, args = args, config = config }
	for _, cycle in ipairs{ 20000, 90000, 40000, 60001, 90000, 90001 } do
		m:go(cycle)
		threads = math.max(threads, check(m, "cycle " .. cycle) - 2)
	end
	m:run()
	check(m, "the end")
	assert(m.stats["os.switches"] > 1)
	local switch = m:thread_stats("switch")
	assert(switch["sim.insts"] == 0, "a switch executes nothing")
	assert(switch["sim.cycles"] <= (config["os.switch"] or 1000) * m.stats["os.switches"], "a switch takes os.switch")
end
-- One cycle at a time comes to the same.
local config = { ["os.slice"] = 1500, ["os.switch"] = 30 }
local a <close> = cyclops.machine{ program = program, args = args, config = config }
local b <close> = cyclops.machine{ program = program, args = args, config = config }
a:go(45000)
b:go(25000)
for _ = 1, 20000 do b:step() end
assert(a:hash() == b:hash(), "steps and a run differ")
assert(not pcall(a.thread_stats, a, 0) and not pcall(a.thread_stats, a, "none") and not pcall(a.thread_stats, a, 999))
print(threads .. " threads")
X
run 0 lua sums.lua steps
says out '4 threads'
run 0 lua sums.lua basic detached mutex
check 'places of threads that have ended were taken' grep -q 'threads$' out

# The same at the prompt, in JSON, and of regions.
cycles() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["sim.cycles"])' "$1"; }
for part in 1 2 3 4 switch ended; do
	run 0 --batch -o os.slice=2000 -o os.switch=100 -e continue -e "stats thread $part --json" \
		steps
	sed -n '/^{/,$p' out >part.$part
done
run 0 run -o os.slice=2000 -o os.switch=100 --stats whole.json steps
sum=0
for part in 1 2 3 4 switch ended; do sum=$((sum + $(cycles part.$part))); done
check 'their cycles are the run' [ $sum = "$(cycles whole.json)" ]
switches=$(python3 -c 'import json; print(json.load(open("whole.json"))["os.switches"])')
check 'a switch takes what os.switch says, or the cycle of its call less' \
	[ "$(cycles part.switch)" -le $((100 * switches)) -a "$(cycles part.switch)" -ge \
	$((99 * switches)) ]
run 0 --batch -o os.slice=2000 -e 'goto 60000' -e 'stats 30000 50000 thread 2 sim.cycles' \
	-e 'stats thread 2 sim.cycles' -e 'view cpi since 50000 thread 3' \
	-e 'view slots thread switch' \
	-e 'view stats thread 2 sim.insts' -e 'view cpi thread 2 --json' steps
says out 'Thread 2, cycles 30,000 to 50,000'
says out 'CPI stack by the oldest  thread 3, since 50000, cycles 50,000 to 60,000'
says out 'switches of threads'
says out 'Statistics  thread 2'
awk '$1 == "sim.cycles" { gsub(",", "", $2); print $2 }' out >counted
check 'a region has a part of it' [ "$(sed -n 1p counted)" -lt "$(sed -n 2p counted)" \
	-a "$(sed -n 1p counted)" -gt 0 ]
for wrong in 'stats thread' 'stats thread x' 'stats thread 0' 'stats thread 9' \
	'stats thread 1 thread 2' 'view cpi functions thread 1' 'view hot thread 1' \
	'view timeline thread 1'; do
	run 1 --batch -e "$wrong" steps
	check "$wrong is refused in words" grep -q thread err
done

# Without timing, too.
cat >untimed.lua <<'X'
local m <close> = cyclops.machine{ program = arg[1], ff = 150000, config = { ["os.slice"] = 1000 } }
local sum = 0
for i = 1, 4 do
	local ok, s = pcall(m.thread_stats, m, i)
	sum = sum + (ok and s["sim.functional_insts"] or 0)
end
print(sum == m.stats["sim.functional_insts"] and sum > 100000 and m.stats["os.switches"] > 3 and "all of them" or sum)
X
run 0 lua untimed.lua steps
says out 'all of them'
finish
