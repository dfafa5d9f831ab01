-- The write buffer: a store is done when it has committed, not when its line has come.
--
-- Expect: eight stores to lines in memory, then 300 cycles of other work. A buffer of eight takes
-- them all, and they cost almost nothing; a smaller one holds back commit until a line has come,
-- and the window fills up.
-- See it: cyclops -o l1d.write_buffer=2 build/demos/scenarios/write_buffer, then: tbreak burst,
-- continue, step 60, view mshr, why
local lab = require "lab"
lab.title "The write buffer"

lab.say [[A store writes the cache after it has committed. If its line is not there, it waits in the write buffer, and the program
	goes on. With the buffer full, the next store can't commit, and neither can any later
	instruction.]]

-- Cycles of an iteration, cycles of it in which a store was held back, and the machine.
local function measure(entries, latency)
	local m = lab.machine("write_buffer",
		{ set = { ["l1d.write_buffer"] = entries, ["mem.latency"] = latency,
		["tlb.penalty"] = 0 } })
	lab.lap(m, "burst", 20, 1)
	local full = m.l1d.write_buffer_full
	local lap = lab.lap(m, "burst", 0, 50)
	return lap, (m.l1d.write_buffer_full - full) // 51, m
end

local _, _, m = measure(2, 100)
m:run{ until_event = "store" }
m:step(30)
lab.say "A buffer of two, in the middle of a burst. Each entry waits for its line:"
print()
local _, answer = m:cmd "view mshr"
for _, line in ipairs(answer.lines) do
	if line:find "^what" or line:find "^write" then
		print("    " .. line)
	end
end

local lap, rows, bars = {}, {}, {}
for i, entries in ipairs{ 1, 2, 4, 8, 16 } do
	local held
	lap[entries], held = measure(entries, 100)
	rows[i] = { entries, lap[entries], held }
	bars[i] = { "buffer of " .. entries, lap[entries] }
end
lab.table({ "entries", "cycles an iteration", "of these, a store is held back" }, rows)
lab.bars(bars, "cycles")

lab.expect("eight entries are enough for eight stores", lap[16], lap[8])
lab.near("an iteration then takes its 300 rounds of other work", lap[8], 300, 5)
lab.say [[With N entries, lines come N at a time, and all but the last group are waited for: 8 / N - 1 times the way to memory. So
	if memory takes 100 cycles more, an iteration takes:]]
for _, entries in ipairs{ 1, 2, 4, 8 } do
	local longer = measure(entries, 200)
	lab.expect("entries: " .. entries .. ", cycles more", longer - lap[entries],
		100 * (8 // entries - 1))
end

lab.done()
