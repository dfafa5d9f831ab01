-- Experiments of Burrows and others, rows as reasons.lua has them.
local tried = require "reasons.tried"
local run, mean, with_set, e = tried.run, tried.mean, tried.with_set, tried.e
local ONE <const> = tried.ONE

local B <const> = "burrows2000"
local OFTEN <const> = { ["vsample.interval_min"] = 60000, ["vsample.interval_max"] = 65000 }
local function sampling(name, set, modules)
	local with = run(name, { config = B, values = modules,
		set = with_set(OFTEN, set) }).stats["sim.cycles"]
	return 100 * (with / run(name, { config = B, set = set or {} }).stats["sim.cycles"] - 1)
end

-- A handler that costs nothing.
local CHEAP <const> = { ["vsample.every"] = 1, ["vsample.interrupt_cycles"] = 1,
	["vsample.start_cycles"] = 0, ["vsample.inst_cycles"] = 1, ["vsample.tuple_cycles"] = 0,
	["vsample.service"] = 1, ["vsample.code_lines"] = 0, ["vsample.data_lines"] = 0,
	["vsample.inst_lines"] = 0 }

-- Hotlists of 16 values of the same samples, for each instruction with 50 of them or more; error of
-- its most frequent value's share in percent points. Shares are the means over so many seeds of
-- coins.
local HANDLER <const> = with_set(CHEAP, { ["vsample.interval_min"] = 40,
	["vsample.interval_max"] = 80, ["vsample.length"] = 8, ["oracle.enable"] = true,
	["oracle.values"] = "all", ["oracle.memory"] = 1 << 30 })
local function hotlist_error(name, method, seeds, clear)
	local file = ("reason-hotlists-%s-%d-%d"):format(method, seeds, clear or 2000)
	return e.region:record(name, file, { "16 values" }, function()
		local top, share, seen = {}, {}, {}
		for seed = 1, seeds do
			local set = with_set(HANDLER, { ["values.method"] = method,
				["values.seed"] = seed, ["values.clear"] = clear })
			local m <close>, go = e.region:machine(name, { config = B,
				values = "results", set = set })
			go()
			local all = {}
			for pc, value, count in m:exact "values" do
				all[pc] = (all[pc] or 0) + count
				if seed == 1 and (not top[pc] or count > top[pc].count) then
					top[pc] = { value = value, count = count }
				end
			end
			for list in m.values:each "results" do
				local pc = list.pc
				seen[pc] = list.vtot
				share[pc] = share[pc] or -top[pc].count / all[pc]
				for _, v in ipairs(list) do
					if v.value == top[pc].value then
						share[pc] = share[pc] + v.share / seeds
					end
				end
			end
		end
		local sum, n = 0, 0
		for pc, difference in pairs(share) do
			if seen[pc] >= 50 then
				sum, n = sum + seen[pc] * math.abs(difference), n + seen[pc]
			end
		end
		return { error = 100 * sum / n }
	end).error
end
-- The largest of Calder's table's errors with these places of clearing, less the smallest.
local function clearing_spread(...)
	local errors = {}
	for i, clear in ipairs{ ... } do
		errors[i] = mean(hotlist_error, "top", 1, clear)
	end
	return math.max(table.unpack(errors)) - math.min(table.unpack(errors))
end

-- Cycles that interpreting adds to interrupts, for a way of sampling, by those of vprof's way.
local SHORT <const> = { ["vsample.interval_min"] = 950, ["vsample.interval_max"] = 1050 }
local function interpreting(name, way)
	local function cycles(set)
		return run(name, { config = B, values = "results",
			set = with_set(SHORT, set) }).stats["sim.cycles"]
	end
	local none = cycles{ ["vsample.every"] = 0 }
	return (cycles(way) - none)
		/ (cycles{ ["vsample.every"] = 2, ["vsample.length"] = 4 } - none)
end
local VREPLAY <const> = { ["vsample.every"] = 128, ["vsample.length"] = 128 }

-- Figure 1's loop: the samples of the load with fewer, by those of the load with more. The sampler
-- counts instructions between interrupts, or a script counts cycles; a random number each time.
-- The next four instructions are sampled.
local function two_loads(by_cycles)
	local span <const> = 1088 -- 64 iterations
	local m <close> = cyclops.machine{ program = "build/demos/papers/burrows2000/fig1",
		args = { "1000000" }, ff = 14700000, history = false, config = B,
		set = by_cycles and {} or with_set(CHEAP, { ["vsample.enable"] = true,
			["vsample.length"] = 4, ["vsample.interval_min"] = span,
			["vsample.interval_max"] = 2 * span - 1 }) }
	local loop, place, counts = {}, {}, {}
	local watches = { m:on("commit", function(event)
		if not place[event.pc] then
			loop[#loop + 1], place[event.pc] = event.pc, true
		end
	end), m:on("mem", function(event) counts[event.pc] = 0 end) }
	m:run{ insts = 60 }
	for _, watch in ipairs(watches) do
		watch:remove()
	end
	table.sort(loop)
	for i, pc in ipairs(loop) do
		place[pc] = i
	end
	local function count(pc)
		counts[pc] = counts[pc] and counts[pc] + 1
	end
	if not by_cycles then
		m:on("interpret", { where = "recorded" }, function(event) count(event.pc) end)
		m:run{ insts = 1500 * span }
	end
	local random = 1
	for _ = 1, by_cycles and 1500 or 0 do
		random = random * 48271 % 2147483647
		m:run{ cycles = 1 + random % span }
		for k = 0, 3 do
			count(loop[(place[m.pc] + k - 1) % #loop + 1])
		end
	end
	local all = {}
	for _, n in pairs(counts) do
		all[#all + 1] = n
	end
	return math.min(table.unpack(all)) / math.max(table.unpack(all))
end

-- Dispatch slots that replay traps took, in percent, in the first five million instructions.
local function replayed(program, ...)
	local m <close> = cyclops.machine{ program = "build/demos/" .. program, args = { ... },
		config = B, history = false }
	m:run{ until_insts = 5000000 }
	return 100 * (m.stats["slots.replayed"] + m.stats["slots.replay_refill"])
		/ (m.cycle * m:eval "pipe.decode_width")
end

return {
	{ "burrows-1", "cost of interrupts alone", "%", 3.9,
		"more than one instruction a cycle: all one wide", function()
			local none = { ["vsample.every"] = 0 }
			return mean(sampling, none, "results"), mean(sampling, with_set(none,
				ONE), "results")
		end },
	{ "burrows-2", "cost of value profiling", "%", 10.7,
		"more than one instruction a cycle: all one wide", function()
			return mean(sampling, {}, "results"), mean(sampling, ONE, "results")
		end },
	{ "burrows-17", "error of concise samples' hotlists, times that of Calder's table", "times",
		"< 1", "coins: the mean of eight lists of the same samples", function()
			return mean(hotlist_error, "samples", 1) / mean(hotlist_error, "top", 1),
				mean(hotlist_error, "samples", 8) / mean(hotlist_error, "top", 1)
		end },
	{ "burrows-18", "spread of the errors of Calder's table, by when it is cleared", "points",
		"> 1", "clearings that never come: at 20, 100 and 500 values, not 500, 2,000, 8,000",
		function()
			return clearing_spread(500, 2000, 8000), clearing_spread(20, 100, 500)
		end },
	{ "burrows-5", "interpreting's cost for `vreplay`, times that for `vprof`", "times", "< 1",
		"tuples of instructions without a partner: recording costs nothing", function()
			return mean(interpreting, VREPLAY), mean(interpreting,
				with_set(VREPLAY, { ["vsample.tuple_cycles"] = 0 }))
		end },
	{ "burrows-5", "the same", "times", "< 1",
		"half as many instructions: as many, 128 at every 64th interrupt", function()
			return mean(interpreting, VREPLAY), mean(interpreting,
				with_set(VREPLAY, { ["vsample.every"] = 64 }))
		end },
	{ "burrows-15", "samples of one load of figure 1's block, times the other's", "times",
		"< 0.77", "interrupts after counted instructions: after counted cycles", function()
			return two_loads(false), two_loads(true)
		end },
	{ "burrows-22", "slots that replay traps take, in the program with most", "%", "> 50",
		"the programs: one whose accesses conflict", function()
			local input <const> = "demos/programs/input/"
			return replayed("compress", input .. "gpl-3.txt", input .. "gpl-2.txt",
				input .. "lgpl-2.1.txt", input .. "timezones.json"),
				replayed "scenarios/replay_traps"
		end },
}
