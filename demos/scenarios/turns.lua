-- The cost of a switch of threads after the switch: caches and predictors are the processor's, and
-- hold what the other thread left there.
--
-- Expect: with data in the same sets of L1D, each slice begins with a miss for each line that the
-- other thread took away; with data beside them, none. A branch that goes another way in each
-- thread is mispredicted until its counter has learnt that again.
-- See it: cyclops -o os.slice=5000 build/demos/scenarios/turns, then: tbreak way thread 2,
-- continue, info threads, view l1d
local lab = require "lab"
lab.title "Turns"

lab.say [[Two threads pass over 2 KB each, again and again. L1D has 4 KB here, direct-mapped: there is room for both, if they lie beside
	each other. os.switch is what the system takes for a switch; here it is 0, and what is measured is what the threads find.]]

local LINES = 2048 // 32
local function measure(slice, same, kind)
	local m <close> = lab.machine("turns", { args = same and { "same" } or {},
		set = { ["os.slice"] = slice, ["os.switch"] = 0,
		["l1d.size"] = "4K", ["l1d.ways"] = 1, ["l1d.line"] = 32, ["l1d.prefetch"] = "none",
			["bpred.kind"] = kind or "bimodal" } })
	m:finish()
	local s = m.stats
	return { misses = s["l1d.misses"], switches = s["os.switches"], cycles = s["sim.cycles"],
		wrong = s["bpred.mispredicts"],
		one = m:thread_stats(1), two = m:thread_stats(2),
			switch = m:thread_stats("switch") }
end

local rows, alone = {}, measure(10000000, true)
for _, slice in ipairs{ 1000, 2000, 5000, 10000 } do
	local same, beside = measure(slice, true), measure(slice, false)
	rows[#rows + 1] = { slice, same.switches, same.misses, beside.misses, same.wrong,
		same.cycles, beside.cycles }
end
lab.table({ "os.slice", "switches", "misses, same sets", "beside", "mispredictions",
	"cycles, same sets", "beside" }, rows)

local same, beside = measure(5000, true), measure(5000, false)
local last = math.min(same.switches, beside.switches) - 1
lab.near("misses more for each switch between the two, as many as lines",
	(same.misses - beside.misses) / last, LINES, 12)
lab.holds("each thread has its part of them",
	math.abs(same.one["l1d.misses"] - same.two["l1d.misses"]) < 3 * LINES)
lab.expect("both together, and the switches, are all",
	same.one["l1d.misses"] + same.two["l1d.misses"] + same.switch["l1d.misses"],
	same.misses)
lab.holds("they take time: each 8 cycles or more",
	same.cycles - beside.cycles >= 8 * (same.misses - beside.misses),
	("%d cycles for %d misses"):format(same.cycles - beside.cycles,
	same.misses - beside.misses))

lab.say [[The branch's counter of two bits believes the thread that ran last. Two mispredictions turn it, if it was sure; then
	it is right to the end of the slice.]]
lab.near("mispredictions more for each switch",
	(same.wrong - alone.wrong) / (same.switches - alone.switches), 2, 45)

lab.say [[The cost after a switch is the same for every length of a slice, so long slices lose less,
	and short ones respond sooner. Real systems choose milliseconds.]]
local short, long = measure(1000, true), measure(10000, true)
lab.holds("a tenth of the switches, and less time", long.switches < short.switches / 5
	and long.cycles < short.cycles)
lab.done()
