-- m:timeline: bins that add up to the machine's counts, equal in the past; the contents of `view
-- timeline`.
local check = require "check"
local GUEST = "build/tests/lua/guest"
local m = cyclops.machine{ program = GUEST }
m:run()
local newest = m.cycle

local all = m:timeline()
check.eq(all.first, 0)
check.eq(all.newest, newest)
check.ok(#all > 32 and #all <= 64, "some rows")
local sum = { cycles = 0, insts = 0, mispredicts = 0, l1d_misses = 0, l1i_misses = 0, l2_misses = 0,
	memory = 0, base = 0 }
for i, b in ipairs(all) do
	check.eq(b.from, i == 1 and 0 or all[i - 1].to)
	check.eq(b.cycles, b.to - b.from)
	check.ok(i == #all or b.cycles == all.width, "a whole row")
	check.eq(b.ipc, b.insts / b.cycles)
	for _, name in ipairs{ "cycles", "insts", "mispredicts", "l1d_misses", "l1i_misses",
		"l2_misses" } do
		sum[name] = sum[name] + b[name]
	end
	sum.memory, sum.base = sum.memory + b.cpi.memory, sum.base + b.cpi.base
	check.ok(#b.where > 0, "a place")
end
check.eq(sum.cycles, newest)
check.eq(sum.insts, m.stats["sim.insts"])
check.eq(sum.mispredicts, m.stats["bpred.mispredicts"])
check.eq(sum.l1d_misses, m.stats["l1d.misses"])
check.eq(sum.l1i_misses, m.stats["l1i.misses"])
check.eq(sum.l2_misses, m.stats["l2.misses"])
check.eq(sum.memory, m.stats["cpi.memory"])
check.eq(sum.base, m.stats["cpi.base"])

-- The past has the same; a part has that part's counts.
m:go(newest // 3)
local again = m:timeline{}
check.eq(#again, #all)
for i, b in ipairs(again) do
	check.eq(b.insts, all[i].insts)
	check.eq(b.pc, all[i].pc)
end
local part = m:timeline{ from = 205, to = 707, rows = 1 }
check.eq(#part, 1)
check.eq(part[1].to, 707)
m:go(205)
local before = m.stats["sim.insts"]
m:go(707)
check.eq(part[1].insts, m.stats["sim.insts"] - before)
check.eq(m.cycle, 707)
local view = m:view "timeline"
check.eq(view.columns[2], "from")
check.eq(view.rows[1].ipc, m:timeline{ rows = 32 }[1].ipc)

check.fails(function() m:timeline{ from = 5, to = newest + 1 } end, "are not recorded")
check.fails(function() m:timeline{ rows = 0 } end, "rows are 1 to 512")
check.fails(function() m:timeline{ rows = 513 } end, "rows are 1 to 512")
check.fails(function() m:timeline(3) end, "table expected")
check.fails(function() m:timeline{ from = "x" } end, "", false)
m:go(10)
local asked = false
m:on("commit", function()
	if not asked then check.fails(function() m:timeline() end, "m:timeline", false) end
	asked = true
end)
m:run()
check.ok(asked)
check.done()
