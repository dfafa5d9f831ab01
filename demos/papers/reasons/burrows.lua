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

-- Hotlists of 16 values of the same samples, for each instruction with 50 of them or more; error of
-- its most frequent value's share in percent points. Shares are the means over so many seeds of
-- coins.
local HANDLER <const> = { ["vsample.interval_min"] = 40, ["vsample.interval_max"] = 80,
	["vsample.every"] = 1, ["vsample.length"] = 8, ["vsample.interrupt_cycles"] = 1,
	["vsample.start_cycles"] = 0, ["vsample.inst_cycles"] = 1, ["vsample.tuple_cycles"] = 0,
	["vsample.service"] = 1, ["vsample.code_lines"] = 0, ["vsample.data_lines"] = 0,
	["vsample.inst_lines"] = 0, ["oracle.enable"] = true, ["oracle.values"] = "all",
	["oracle.memory"] = 1 << 30 }
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
}
