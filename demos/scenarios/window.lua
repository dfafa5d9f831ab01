-- A window-limited loop: how far a machine looks ahead decides how many misses it finds.
--
-- Expect: with one miss in sixteen instructions, a reorder buffer of 16 N entries holds N misses,
-- which overlap. Twice the window, half the time; until something else is the limit.
-- See it: cyclops build/demos/scenarios/window, then: tbreak sixteen, continue, step 300, view rob,
-- why, view cpi
local lab = require "lab"
lab.title "A loop that is limited by its window"

lab.say [[Instructions enter and leave the reorder buffer in order. The oldest here is a load that
	waits for memory; behind it the buffer fills, and later instructions are not even fetched.
	Registers for misses are plenty here, so the window alone counts.]]

local sizes = { 16, 32, 64, 128, 256 }
local lap, rows, bars = {}, {}, {}
for i, size in ipairs(sizes) do
	local m = lab.machine("window",
		{ set = { ["pipe.rob_size"] = size, ["l1d.mshrs"] = 0, ["tlb.penalty"] = 0,
		["mem.latency"] = 400, ["lsq.size"] = 128 } })
	lab.lap(m, "sixteen", 64, 1)
	local stalls, from = m.dispatch.stall_rob, m.cycle
	lap[size] = lab.lap(m, "sixteen", 0, 127)
	local full = (m.dispatch.stall_rob - stalls) / (m.cycle - from)
	rows[i] = { size, lap[size], full, 16 / lap[size] }
	bars[i] = { "window " .. size, lap[size] }
	if size == 64 then
		lab.say "A window of 64 while it waits: four misses under way, and no room for the fifth."
		m:run{ condition = "rob.count == 64" }
		m:step(200)
		lab.quote(m:cmd "view mshr")
	end
end
lab.table({ "pipe.rob_size", "cycles an iteration", "share of cycles when full", "IPC" }, rows)
lab.bars(bars, "cycles")

for _, size in ipairs{ 16, 32, 64, 128 } do
	lab.near(("from %d to %d entries: the time halves"):format(size, 2 * size), lap[2 * size],
		lap[size] / 2, 6)
end

lab.done()
