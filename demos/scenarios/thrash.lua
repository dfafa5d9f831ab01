-- Thrashing: three arrays compete for the two ways of each set, in a cache that is nearly empty.
--
-- Expect: arrays that lie size / ways apart have their elements in the same set. Three of them in
-- two ways, read side by side, always miss, though the cache has room for twenty times as much.
-- Padding as long as an array cures it, a line of padding helps a little; and so do more ways, or a
-- larger cache.
-- See it: cyclops build/demos/scenarios/thrash, then: tbreak pass, continue, step 800, view l1d,
-- view mshr
local lab = require "lab"
local LOADS = 3 * 128 -- of a pass
lab.title "Cache thrashing, and its cure"

lab.say [[Three arrays of 1 KB, read side by side: a[0], b[0], c[0], a[1], ... The L1 data cache has 64 KB in two ways, so
	addresses 32 KB apart share a set. Each address waits for the value before it, so nothing hides a miss.]]

-- Misses and cycles of one pass, when the cache has seen the arrays before.
local function measure(label, set)
	local m = lab.machine("thrash", { set = set })
	lab.lap(m, label, 5, 1)
	local misses = m.l1d.misses
	local cycles = lab.lap(m, label, 0, 4)
	return (m.l1d.misses - misses) // 5, cycles, m
end

local rows, bars = {}, {}
for i, case in ipairs{
	{ "32 KB apart", "same" },
	{ "and a line", "line" },
	{ "and 1 KB", "kilobyte" },
	{ "32 KB apart, four ways", "same", { ["l1d.ways"] = 4 } },
	{ "32 KB apart, 128 KB", "same", { ["l1d.size"] = 128 * 1024 } },
	{ "32 KB apart, random", "same", { ["l1d.replacement"] = "random" } },
} do
	local misses, cycles = measure(case[2], case[3])
	rows[i], bars[i] = { case[1], misses, cycles }, { case[1], cycles }
end
lab.table({ "arrays", "misses of 384 loads", "cycles a pass" }, rows)
lab.bars(bars, "cycles")

lab.expect("32 KB apart: every load misses", rows[1][2], LOADS)
lab.expect(
	"a line of padding: 30 of 34 sets still have three lines, each lost before the next pass",
	rows[2][2], 3 * 30)
lab.expect("1 KB of padding: all stay, misses", rows[3][2], 0)
lab.expect("four ways: all stay, misses", rows[4][2], 0)
lab.expect("128 KB in two ways: the bad distance is 64 KB then, misses", rows[5][2], 0)
lab.holds("random replacement does not always evict the line that is needed next", rows[6][2] < LOADS
	and rows[6][2] > 0)
local _, slow = measure("same", { ["l2.latency"] = 20 })
lab.near("every miss waits for L2: 10 cycles more each if L2 takes 20", (slow - rows[1][3]) / LOADS,
	10, 1)

lab.say "Where the arrays lie, 32 KB apart and with 1 KB between: the first lines of `view l1d`, which draws each set."
for _, label in ipairs{ "same", "kilobyte" } do
	local _, _, m = measure(label)
	m:cmd "set width 96"
	local _, answer = m:cmd "view l1d"
	lab.quote(table.concat(answer.lines, "\n", 1, 5))
end

lab.done()
