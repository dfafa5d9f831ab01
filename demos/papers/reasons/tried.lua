-- Functions that the experiments of reasons.lua share: they open the programs, run them, keep the
-- results, and take means over the programs. open() comes first.
local tried = {}
local e

-- Opens the programs that WORDS name: four demos by default.
function tried.open(words)
	e = require "runs".open(words)
	e.names = e.programs and e.names or { "lisp", "json", "sort", "chess" }
	tried.e = e
end

local function key_of(about)
	local parts = {}
	for key, value in pairs(about.set or {}) do
		parts[#parts + 1] = key .. "=" .. tostring(value)
	end
	for _, key in ipairs{ "config", "instrument", "metrics", "values", "firmware" } do
		parts[#parts + 1] = key .. "=" .. tostring(about[key])
	end
	table.sort(parts)
	return parts
end

-- Statistics at the end of the region, and what LOOK(m) adds.
local function run(name, about, look, what)
	local parts = key_of(about)
	parts[#parts + 1] = what
	local file = table.concat(parts, ","):gsub("[^%w=,.]", "-"):gsub("build-demos-", "")
	return e.region:record(name, "reason-" .. file, parts, function()
		local copy = {}
		for key, value in pairs(about) do
			copy[key] = value
		end
		local m <close>, go = e.region:machine(name, copy)
		go()
		local record = look and look(m) or {}
		record.stats = {}
		for _, stat in ipairs{ "sim.cycles", "sim.insts", "l1d.read_misses",
			"l1d.write_misses",
			"l1i.misses", "firmware.cycles", "cop.records", "cop.dropped", "cop.lost",
			"bpred.mispredicts", "cpi.bad_speculation", "sampler.selected" } do
			-- a device that is not there has no statistics
			local ok, n = pcall(function() return m.stats[stat] end)
			record.stats[stat] = ok and n or 0
		end
		return record
	end, about.firmware and { about.firmware } or nil)
end

local function mean(f, ...)
	local sum, n = 0, 0
	for _, name in ipairs(e.names) do
		local v = f(name, ...)
		if v then
			sum, n = sum + v, n + 1
		end
	end
	return sum / n
end

local function with_set(set, more)
	local all = {}
	for _, t in ipairs{ set or {}, more or {} } do
		for key, value in pairs(t) do
			all[key] = value
		end
	end
	return all
end

-- Ratio of the statistic with instrumentation to that without; nil if the latter is below 1,000.
local function times(name, config, instrument, stat, set, plain_set)
	local with = run(name, { config = config, instrument = instrument, set = set,
		metrics = instrument:match "hw"
			and "sim.insts,l1d.read_misses" or nil }).stats[stat]
	local plain = run(name, { config = config, instrument = "nothing",
		set = plain_set or set }).stats[stat]
	return plain >= (stat == "sim.cycles" and 1 or 1000) and with / plain or nil
end

local function cost(instrument, config, set)
	return 100 * (mean(times, config, instrument, "sim.cycles", set) - 1)
end

-- The mean over other programs.
local function mean_of(names, f, ...)
	local four = e.names
	e.names = names
	local result = mean(f, ...)
	e.names = four
	return result
end

-- Tables of the predictor that are large: 64 times the counters, 16 times the rest.
tried.ROOM = { ["bpred.bimodal_size"] = 131072, ["btb.sets"] = 16384,
	["ras.size"] = 64 }
-- A machine one wide.
tried.ONE = { ["pipe.fetch_width"] = 1, ["pipe.decode_width"] = 1,
	["pipe.issue_width"] = 1, ["pipe.commit_width"] = 1 }

tried.key_of, tried.run, tried.mean, tried.mean_of = key_of, run, mean, mean_of
tried.with_set, tried.times, tried.cost = with_set, times, cost
return tried
