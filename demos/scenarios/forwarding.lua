-- Forwarding: a value is taken from its producer, before it is written to its place.
--
-- Expect: a result goes from unit to unit in the cycle in which it is computed; a load takes its
-- bytes from the youngest older store before that store has reached the cache. A load that finds
-- only a part of them there waits until the store has committed.
-- See it: cyclops build/demos/scenarios/forwarding, then: tbreak half, continue, step 60, view
-- pipe, why
local lab = require "lab"
lab.title "Forwarding"

lab.say [[Registers first. A chain of three additions an iteration takes three times lat.int: each
	begins in the cycle in which the one before it ends, long before anything is committed.]]
for latency = 1, 3 do
	local m = lab.machine("forwarding", { set = { ["lat.int"] = latency } })
	lab.expect("three additions in a chain, lat.int = " .. latency, lab.lap(m, "register"),
		3 * latency)
end

lab.say [[Now a value that is stored, loaded and added to, 2 cycles an iteration. The load finds all
	its bytes in the store queue; it waits (A) only until the store has its data.]]
local small = { ["pipe.rob_size"] = 16, ["pipe.fetch_queue"] = 4 } -- so that the diagrams are small
local m = lab.machine("forwarding", { set = small })
lab.lap(m, "whole")
lab.pipe(m, 10)
lab.say [[The same with a store of half the size. No entry of the queue has all bytes, so the load waits
	until the store has committed (C), and then reads the cache (M).]]
lab.lap(m, "half")
lab.pipe(m, 10)

lab.say "Cycles an iteration, as the queue, the cache and the way to commit get slower:"
local rows, half = {}, {}
for _, v in ipairs{ { 1, 2, 1 }, { 2, 2, 1 }, { 4, 2, 1 }, { 1, 3, 1 }, { 1, 6, 1 },
	{ 1, 2, 4 } } do
	local forward, cache, commit = v[1], v[2], v[3]
	m = lab.machine("forwarding",
		{ set = { ["lsq.forward_latency"] = forward, ["l1d.latency"] = cache,
		["pipe.commit_delay"] = commit } })
	local before = m.lsq.forwards
	local whole = lab.lap(m, "whole")
	local forwards = m.lsq.forwards - before
	half[#half + 1] = lab.lap(m, "half")
	rows[#rows + 1] = { forward, cache, commit, whole, half[#half] }
	lab.expect(("whole: lat.int + lsq.forward_latency (%d, %d, %d)"):format(forward, cache,
		commit), whole, m.lat.int + forward)
	lab.holds("every load of the loop was forwarded", forwards >= 120, forwards .. " of 120")
end
lab.table({ "forward", "L1D", "commit delay", "whole", "half" }, rows)
lab.expect("a slower queue does not slow `half`", half[3], half[1])
lab.expect("a cache slower by 1 costs `half` 1", half[4], half[1] + 1)
lab.expect("a cache slower by 4 costs `half` 4", half[5], half[1] + 4)
lab.expect("three cycles more to commit cost `half` 3", half[6], half[1] + 3)

lab.done()
