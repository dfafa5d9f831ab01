-- Latencies that the value sampler's handler measures, against those of the program's own run,
-- without a sampler: the number of a load's executions that wait for more than the first level.
-- Loads that are in flight when the interrupt comes find their lines when they are interpreted.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"

-- Each load's executions, and those that waited, in the plain run.
local function plain(how, insts)
	local m = cyclops.machine{ program = how.program, args = how.args, ff = how.ff,
		set = how.set, history = false }
	local quick, truth = m.config["l1d.latency"] + 2, {}
	m:on("commit", { class = "load" }, function(e)
		local t, i = truth[e.pc] or { n = 0, waits = 0 }, e.inst
		truth[e.pc], t.n = t, t.n + 1
		t.waits = t.waits + (i.memory and i.done - i.memory > quick and 1 or 0)
	end)
	m:run{ insts = insts }
	return truth
end

-- By the listing: the least and the largest percentage of executions that waited, and their number.
local function listed(how, insts, set)
	for _, more in ipairs{ how.set, how.sampler } do
		for key, value in pairs(more) do
			set[key] = value
		end
	end
	local m = cyclops.machine{ program = how.program, args = how.args, ff = how.ff, set = set,
		history = false, values = "latency" }
	m:run{ insts = insts }
	local out = {}
	for _, row in ipairs(m:report "values all".rows) do
		local share = { D = 0, B = 0, M = 0, d = 0 }
		for percent, name in row.values:gmatch "%(([%d.]+)%% (%a)%)" do
			share[name] = tonumber(percent)
		end
		out[row.pc] = { least = share.B + share.M, most = share.B + share.M + share.d,
			n = row.vtot }
	end
	return out, m
end

-- Error of the worst listed load, in percent of its executions, beyond chance: three standard
-- deviations.
local function compare(truth, loads)
	local worst, compared = 0, 0
	for pc, l in pairs(loads) do
		local t = truth[pc]
		if t and t.n > 500 and l.n >= 60 then
			local share = 100 * t.waits / t.n
			local chance = 3 * math.sqrt(math.max(share * (100 - share), 400) / l.n)
			compared = compared + 1
			worst = math.max(worst, l.least - chance - share, share - l.most - chance)
		end
	end
	return worst, compared
end

-- Two loads, one of which always waits for memory (demos/papers/burrows2000/fig1.c); and a program
-- with a cache of 2 KB, in which many loads miss, some of them in lines that others have requested:
-- their order differs where instructions are interpreted in order, so that one may be off by more
-- than chance. No lines of the handler, for with so small a cache they would be most of what loads
-- wait for.
local SMALL <const> = { ["l1d.size"] = "2K", ["l1d.ways"] = 1 }
local LINES <const> = { ["vsample.code_lines"] = 0, ["vsample.data_lines"] = 0,
	["vsample.varied_lines"] = 0, ["vsample.inst_lines"] = 0 }
local CASES <const> = {
	{ program = "build/demos/papers/burrows2000/fig1", args = { "1000000" }, ff = 14700000,
		set = {}, sampler = {}, insts = 400000, loads = 2, every = 1000, length = 4 },
	{ program = "build/demos/compress", args = { "demos/programs/input/gpl-3.txt" },
		set = SMALL, sampler = LINES, insts = 600000, loads = 5, every = 100, length = 8 },
}
for _, how in ipairs(CASES) do
	local truth = plain(how, how.insts)
	local function off(least)
		local loads, m = listed(how, how.insts, { ["vsample.interval_min"] = how.every,
			["vsample.interval_max"] = how.every + 100, ["vsample.every"] = 1,
			["vsample.length"] = how.length, ["vsample.skip_min"] = least })
		local worst, compared = compare(truth, loads)
		check.ok(compared >= how.loads, how.program .. ": " .. compared ..
			" loads are compared: enough")
		return worst, m
	end
	local worst, m = off(nil)
	check.eq(m.config["vsample.skip_min"], -1, "as it is by default")
	check.ok(worst < 20, ("%s: the worst load is off by %.1f %%: it"):format(how.program,
		worst))
	local biased = off(0)
	check.ok(biased > worst + 20,
		("%s: %.1f %% without passing over what was in flight: it"):format(how.program,
		biased))
end
check.done()
