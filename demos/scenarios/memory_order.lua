-- Memory order: may a load pass a store whose address is not known yet?
--
-- Expect: a load that always waits loses time if load and store are independent; a load that never
-- waits reads an old value if they are not, and must be squashed and repeated. A predictor that
-- remembers the violating loads gets both right.
-- See it: cyclops -o lsq.speculate=true build/demos/scenarios/memory_order, then: catch squash,
-- continue, view pipe, why
local lab = require "lab"
local LAPS = 300
lab.title "Memory order violations, and how to learn from them"

lab.say [[Two loops. In each a store gets its address from two multiplications, and a load with a known address follows. At `same`
	it is the word of the store; at `other` it is not, and the next iteration waits for its
	value.]]

local rows, got = {}, {}
for i, policy in ipairs{ "wait", "none", "wait-table", "store-sets" } do
	local set = { ["lsq.speculate"] = policy ~= "wait", ["lsq.predictor_clear"] = 0 }
	if policy ~= "wait" then
		set["lsq.predictor"] = policy
	end
	local m = lab.machine("memory_order", { set = set })
	local r = { m = m }
	r.same = lab.lap(m, "same")
	lab.reach(m, "other")
	r.violations, r.cell = m.lsq.order_violations, m.mem:u64(m.cell)
	r.other = lab.lap(m, "other")
	r.more = m.lsq.order_violations - r.violations
	got[policy] = r
	rows[i] = { policy == "none" and "speculate, no predictor" or policy == "wait"
		and "wait for all addresses"
		or "speculate, " .. policy, r.violations, r.same, r.more, r.other }
	if policy == "none" then
		m:restart()
		lab.lap(m, "same", 20, 1)
		m:run{ until_event = "squash" }
		lab.say "A load went too early: when the store's address turns out to be its own, it is squashed and starts again (x)."
		m:step(2)
		lab.pipe(m, 14)
	end
end
lab.table({ "loads ...", "violations", "cycles, same", "violations", "cycles, other" },
	rows)

local m = got.wait.m
local load = m.lsq.agen_latency + m.l1d.latency
for _, policy in ipairs{ "wait", "none", "wait-table", "store-sets" } do
	lab.expect("the word was counted up right, " .. policy, got[policy].cell, LAPS)
end
lab.expect("waiting violates no order", got.wait.violations + got.wait.more, 0)
lab.expect("but `other` waits for multiplications, addition and the store's address",
	got.wait.other,
	load + 2 * m.lat.imul + m.lat.int + m.lsq.agen_latency)
lab.expect("at `other` speculation takes the load's time alone", got.none.other, load)
lab.holds("but fails in almost every iteration of `same`", got.none.violations > 0.9 * LAPS,
	got.none.violations .. " times")
for _, policy in ipairs{ "wait-table", "store-sets" } do
	lab.holds(policy .. " is wrong a few times and learns", got[policy].violations > 0
		and got[policy].violations < 10,
		got[policy].violations .. " times")
	lab.expect(policy .. " is as fast as speculation where loads are independent", got[policy].other,
		got.none.other)
	lab.holds(policy .. " is faster than speculation without learning",
		got[policy].same < got.none.same)
end

lab.done()
