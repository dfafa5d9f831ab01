-- classic5 and the default machine, at equal memory: where the difference comes from.
--
-- Expect: same program, same caches, same instructions; step by step the textbook's pipeline
-- becomes the default machine: a predictor, four instructions a cycle, out of order, a window of
-- 64. Not every step helps every program, and the CPI stacks show why.
-- See it: cyclops compare classic5 default -- build/demos/branchy
local lab = require "lab"
lab.title "From classic5 to the default machine"

-- Parameters that the default machine has, taken over group by group. Their names begin with
-- `from`.
local default = cyclops.machine{ program = "build/demos/branchy" }
local function take(set, groups)
	for _, name in ipairs(cyclops.parameters()) do
		for group in groups:gmatch("%S+") do
			if name == group or name:match("^[^.]+") == group then
				set[name] = default.config[name]
			end
		end
	end
	return set
end

local steps = {
	{ "classic5, the default's memory", "l1i l1d l2 mem bus itlb dtlb tlb" },
	{ "+ branch prediction", "bpred btb ras" },
	{ "+ its units and latencies", "lat occ fu" },
	{ "+ four wide", "pipe.fetch_width pipe.fetch_queue pipe.decode_width pipe.issue_width pipe.commit_width" },
	{ "+ a window of 64", "pipe.rob_size pipe.issue_queue lsq" },
	{ "+ out of order: the default", "pipe" },
}
lab.say [[Each row takes over more of the default machine's parameters. In the last row nothing of classic5 is left.]]

-- Rows of devices that these machines don't have.
local devices = { ["cpi.firmware"] = true, ["cpi.vsample"] = true }

for _, program in ipairs{ "branchy", "fib" } do
	local rows, bars, set, machines = {}, {}, {}, {}
	for i, step in ipairs(steps) do
		take(set, step[2])
		local m = lab.machine("build/demos/" .. program, { config = "classic5", set = set })
		m:finish()
		machines[i] = m
		rows[i] = { step[1], m.cycle, m.sim.ipc, m.bpred.mispredicts }
		bars[i] = { step[1], m.sim.cpi }
	end
	lab.say(program .. ":")
	lab.table({ "", "cycles", "IPC", "mispredictions" }, rows)
	lab.bars(bars, "CPI")
	local first, last = machines[1], machines[#machines]
	local plain = lab.machine("build/demos/" .. program)
	plain:finish()
	for i, m in ipairs(machines) do
		lab.expect("same instructions: " .. steps[i][1], m.insts, first.insts)
		lab.holds("same answer", m:output() == first:output() and #m:output() > 0)
		local slots = 0
		for _, row in ipairs(cyclops.stats()) do
			slots = slots + (row:match "^cpi%." and not devices[row] and m.stat[row]
				or 0)
		end
		lab.expect("its CPI stack accounts for every commit slot", slots,
			m.cycle * m.pipe.commit_width)
	end
	lab.expect("the last row is the default machine, to the cycle", last.cycle, plain.cycle)
	lab.holds("classic5 never commits more than one a cycle", first.sim.ipc <= 1)
	lab.holds("prediction helps an in-order machine, too",
		machines[2].cycle < machines[1].cycle)
	lab.holds("looking ahead is worth more than width alone",
		machines[4].cycle - last.cycle > machines[3].cycle - machines[4].cycle)
end

lab.done()
