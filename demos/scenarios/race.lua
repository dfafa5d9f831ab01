-- A data race: two threads add one to a counter, and additions get lost, but only where a slice
-- ends at the wrong instruction.
--
-- Expect: 400 with most lengths of a slice, less with some; always the same with the same length,
-- so that the bug can be examined again and again, forwards and backwards. With an atomic addition
-- it is 400 with each.
-- See it: cyclops -o os.slice=2200 build/demos/scenarios/race, then: break put, continue, info
-- threads, view rob
local lab = require "lab"
lab.title "A data race"

lab.say [[Two threads count to 200 each, in the same word: a load, an addition, a store. There is one processor, and it is given to
	the other thread when a slice of os.slice cycles is over. If that is between load and store, the other one's additions of
	its whole slice are overwritten.]]

local function machine(slice, ...)
	return lab.machine("race",
		{ args = { ... }, set = { ["os.slice"] = slice, ["os.switch"] = 0 } })
end

local function counted(slice, ...)
	local m <close> = machine(slice, ...)
	m:finish()
	return m:eval "*(u32)counter", m.stats["os.slices"]
end

local rows, losing, least, right = {}, {}, 400, 0
for slice = 2200, 2500, 50 do
	local n, slices = counted(slice)
	rows[#rows + 1] = { slice, slices, n, 400 - n }
	if n < 400 then losing[#losing + 1] = slice else right = right + 1 end
	least = math.min(least, n)
end
lab.table({ "os.slice", "slices that ended", "counted", "lost" }, rows)
lab.holds("some lengths of a slice lose additions", #losing > 0, "none did")
lab.holds("with others no addition is lost, and a test would pass", right > 0, "all lose some")

local slice = losing[1] or 2000
lab.expect("the same slice loses the same again", counted(slice), (counted(slice)))

local worst = 400
for s = 2200, 2500, 50 do worst = math.min(worst, (counted(s, "atomic"))) end
lab.expect("with an atomic addition all lengths count to 400", worst, 400)

lab.say("Where does it happen with slices of " .. slice ..
	" cycles? In a correct program the counter never falls: go forwards until it has.")
local m = machine(slice)
local before, at = 0, nil
local stop
repeat
	stop = m:run{ until_event = { "store", pc = "put" } }
	local now = m:eval "*(u32)counter"
	if now < before then at = m.cycle end
	before = now
until at or stop.reason ~= "until"
lab.holds("it falls", at ~= nil, "it never does")
if at then
	local loser = m:eval "thread"
	lab.quote(m:cmd "info threads")
	lab.say("Thread " .. loser .. " has just stored the value that it computed before its slice ended. Backwards, to where it loaded the old one:")
	repeat
		m:run_back{ until_event = { "commit", pc = "take" } }
	until m:eval "thread" == loser
	local taken, when = m:eval "*(u32)counter", m.cycle
	lab.holds(("it loaded %d, %d cycles before"):format(taken, at - when), before == taken + 1)
	m:run{ condition = function() return m:eval "thread" ~= loser end }
	m:cmd("thread " .. loser)
	local pc = m:eval "pc"
	lab.quote(m:cmd "info threads")
	lab.holds("when its slice ended, it stood after the load, not after the store",
		pc > m.take and pc <= m.put,
		("at 0x%x"):format(pc))
	lab.holds("it still had the old value in t0", taken <= m:eval "t0"
		and m:eval "t0" <= taken + 1)
	m:go(at - 1)
	lab.holds(("%d additions of the other thread were in the counter, and are gone"):format(
		m:eval "*(u32)counter" - taken),
		m:eval "*(u32)counter" > taken)
end

lab.done()
