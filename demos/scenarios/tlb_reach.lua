-- The reach of a TLB: pages that it holds, times their size.
--
-- Expect: as long as the pages in use fit, no translation is ever missing; with one page more than
-- it holds, read in turn, LRU evicts exactly the one that is needed next, and every access pays
-- tlb.penalty. Larger pages reach farther.
-- See it: cyclops -o dtlb.sets=1 -o dtlb.ways=16 build/demos/scenarios/tlb_reach, then: tbreak
-- pass, continue, step 200, view tlb
local lab = require "lab"
lab.title "The reach of a TLB"

lab.say [[A fully associative TLB of 16 entries and pages of 8 KB reaches 128 KB. The program reads one word of each of N pages in
	turn, over and over.]]

-- Misses and cycles for each page of a pass.
local function measure(pages, set)
	set["dtlb.sets"] = 1
	set["dtlb.ways"] = set["dtlb.ways"] or 16
	local m = lab.machine("tlb_reach", { set = set })
	m:write(m.pages, pages, 8)
	lab.lap(m, "pass", 5, 1)
	local misses = m.dtlb.misses
	local cycles = lab.lap(m, "pass", 0, 10)
	return (m.dtlb.misses - misses) / 11 / pages, cycles / pages, m
end

local rows, bars, cost = {}, {}, {}
for i, pages in ipairs{ 4, 8, 12, 14, 16, 20, 32 } do
	local misses, cycles = measure(pages, {})
	rows[i] = { pages, pages * 8 .. " KB", misses, cycles }
	bars[i] = { pages .. " pages", cycles }
	cost[pages] = { misses, cycles }
end
lab.table({ "pages", "memory", "misses a read", "cycles a read" }, rows)
lab.bars(bars, "cycles")
local _, _, m = measure(20, {})
lab.say "Twenty pages in sixteen entries:"
local _, answer = m:cmd "view tlb"
lab.quote(table.concat(answer.lines, "\n", 1, 6))

-- The count of pages lies in a page of its own.
for _, pages in ipairs{ 4, 8, 12, 14 } do
	lab.expect(pages .. " pages fit, misses", cost[pages][1], 0.0)
end
for _, pages in ipairs{ 16, 20, 32 } do
	lab.holds(pages .. " pages and the one of the counter don't fit: all miss",
		cost[pages][1] >= 1)
end
local misses = measure(20, { ["dtlb.ways"] = 32 })
lab.expect("cure: 32 entries, misses", misses, 0.0)
misses = measure(20, { ["tlb.page"] = 32768 })
lab.expect("cure: pages of 32 KB, misses", misses, 0.0)
local _, slow = measure(32, { ["tlb.penalty"] = 150 })
lab.near("each miss costs tlb.penalty: 100 cycles more of it", slow - cost[32][2], 100, 1)

lab.done()
