-- Experiments of Zilles and Sohi, rows as reasons.lua has them.
local runs, ranks, values = require "runs", require "ranks", require "cyclops.values"
local tried = require "reasons.tried"
local key_of, run, mean, mean_of = tried.key_of, tried.run, tried.mean, tried.mean_of
local with_set, e = tried.with_set, tried.e

local Z <const>, MADE <const> = "zilles2001", "build/demos/papers/zilles2001/"
local VALUE <const> = "build/demos/firmware/cop_value.elf"
local WIDE_BUS <const> = { ["cop.bus"] = 8, ["cop.transport"] = 256, ["cop.buffer"] = 1024 }

local function profiled(name, firmware, set)
	local truth
	return run(name, { config = Z, firmware = firmware, set = with_set({ ["cop.enable"] = true,
		["oracle.enable"] = true, ["oracle.values"] = "loads" }, set) }, function(m)
		local p = values.profile(m, { rest = true })
		return { error = 100 * values.error(p, values.truth(m)), samples = p.counts.samples,
			turns = p.counts.interrupts + (p.counts.clocks or 0) }
	end, "profile")
end

local function lost(name, firmware, set)
	local s = profiled(name, firmware, set).stats
	return 100 * (s["cop.dropped"] + s["cop.lost"]) / math.max(s["cop.records"], 1)
end

local function overhead(name, firmware, set)
	return 100 * (profiled(name, firmware, set).stats["sim.cycles"]
		/ run(name, { config = Z, set = {} }).stats["sim.cycles"] - 1)
end

-- The same programs, nine times as long.
local long_runs
local function long()
	long_runs = long_runs or runs.open{ "--factor", "0.9", "--programs",
		table.concat(e.names, ",") }
	return long_runs
end

-- Interrupts of the last quarter of the run's instructions, times those of the first.
local function late_interrupts(name, firmware, set)
	local about = { config = Z, firmware = firmware, set = with_set({ ["cop.enable"] = true },
		set) }
	local parts = key_of(about)
	local file = table.concat(parts, ","):gsub("[^%w=,.]", "-"):gsub("build-demos-", "")
	local r = long().region:record(name, "reason-when-" .. file, parts, function()
		local m <close>, go = long().region:machine(name, about)
		local at, first = {}, m.insts
		m:on("cop_interrupt", function() at[#at + 1] = m.insts end)
		go()
		local n, quarter = { 0, 0, 0, 0 }, (m.insts - first) / 4
		for _, insts in ipairs(at) do
			local i = 1 + math.floor((insts - first) / quarter)
			i = math.max(1, math.min(4, i))
			n[i] = n[i] + 1
		end
		return { first = n[1], last = n[4] }
	end, { firmware })
	return r.last / math.max(r.first, 1), r.last
end
-- Interrupts of the last quarter alone.
local function last_interrupts(...)
	local _, last = late_interrupts(...)
	return last
end
local FOUR <const> = { ["cop.cam"] = 1024, ["cop.data"] = 4096 }

local function a_sample(name, firmware, set)
	local r = profiled(name, firmware, set)
	return r.stats["firmware.cycles"] / math.max(r.samples, 1)
end

-- The error of simple sampling that costs as much as the co-processor: between two of three rates
-- on logarithmic scales, or by the law of samples, error ~ cost ^ -1/2, beyond them.
local function error_at_cost(name, cost)
	local points = {}
	for i, n in ipairs{ 61, 251, 1021 } do
		local firmware = MADE .. ("sample-%d.elf"):format(n)
		points[i] = { math.max(overhead(name, firmware), 1e-3),
			profiled(name, firmware).error }
	end
	for i = 1, 2 do
		local a, b = points[i], points[i + 1]
		if cost <= a[1] and cost >= b[1] and a[1] > b[1] then
			local part = math.log(cost / a[1]) / math.log(b[1] / a[1])
			return a[2] * (b[2] / a[2]) ^ part
		end
	end
	local nearest = cost > points[1][1] and points[1] or points[3]
	return nearest[2] * (nearest[1] / cost) ^ 0.5
end

-- Over all demos, 3 million instructions of each.
local demos
local function correlation(firmware)
	demos = demos or runs.open{ "--factor", "0.1" }
	local loads, costs = {}, {}
	for _, name in ipairs(demos.names) do
		if demos.by_name[name].path:match "ammons1997" then
			local file = ("reason-3M-%s"):format(firmware:match "[^/]*$")
			local r = demos.region:record(name, file, { firmware }, function(program)
				local m <close> = cyclops.machine{ program = program.path,
					args = program.args,
					input = program.input, root = demos.root, history = false,
						config = Z,
					firmware = firmware, set = { ["cop.enable"] = true,
						["oracle.enable"] = true,
							["oracle.values"] = "loads" } }
				m:run{ insts = 3000000 }
				local counted, all, sum, n = {}, 0, 0, 0
				for _, load in pairs(values.truth(m)) do
					counted[#counted + 1], all = load.count, all + load.count
				end
				table.sort(counted, function(a, b) return a > b end)
				while sum < 0.99 * all do
					n = n + 1
					sum = sum + counted[n]
				end
				return { loads = n, cost = m.firmware.cycles / m.cycle }
			end, { firmware })
			loads[#loads + 1], costs[#costs + 1] = r.loads, r.cost
		end
	end
	return ranks.correlation(loads, costs)
end

return {
	{ "zilles-11", "cycles of the handler for a sample, 1 in 61", "cycles", 30,
		"misses: caches that always hit", function()
			local firmware = MADE .. "sample-61.elf"
			return mean(a_sample, firmware), mean(a_sample, firmware,
				{ ["l1d.perfect"] = true, ["l1i.perfect"] = true })
		end },
	{ "zilles-16", "cost in percent of the cycles", "%", 0,
		"masked loads that are sampled again: never", function()
			return mean(overhead, VALUE), mean(overhead, MADE .. "resample-0.elf")
		end },
	{ "zilles-16", "interrupts of the last quarter", "", 0,
		"masked loads that are sampled again, and loads that find no slot: never, and four "
		.. "times the arrays", function()
			return mean(last_interrupts, VALUE),
				mean(last_interrupts, MADE .. "resample-0.elf", FOUR)
		end },
	{ "zilles-9",
		"rank correlation of the cost with the loads that do 99 % of the work, 11 demos",
		"times", 1, "turns that the clock ends: none", function()
			return correlation(VALUE), correlation(MADE .. "no-clock.elf") end },
	{ "zilles-28", "records of the co-processor that find no room", "%", 0,
		"a narrow bus and a small buffer: 8 words a cycle, 256 words before it and 1,024 after",
		function() return mean(lost, VALUE), mean(lost, VALUE, WIDE_BUS) end },
	{ "zilles-28", "the same of simple sampling, 1 in 61", "%", 0,
		"the choice after the bus: before it", function()
			return mean(lost, MADE .. "after-61.elf"), mean(lost, MADE
				.. "sample-61.elf")
		end },
	{ "zilles-26", "cost at half the clock, times that at full", "times", 1,
		"records that find no room: the wide bus, at both clocks", function()
			local half = { ["cop.divider"] = 2 }
			return mean(overhead, VALUE, half) / mean(overhead, VALUE),
				mean(overhead, VALUE, with_set(half, WIDE_BUS)) / mean(overhead,
					VALUE, WIDE_BUS)
		end },
	{ "zilles-25", "error at half the clock, times that at full", "times", 1,
		"records that find no room: the wide bus, at both clocks", function()
			local half = { ["cop.divider"] = 2 }
			local function error_of(name, set) return profiled(name, VALUE,
				set).error end
			return mean(error_of, half) / mean(error_of),
				mean(error_of, with_set(half, WIDE_BUS)) / mean(error_of, WIDE_BUS)
		end },
	{ "zilles-25", "the same", "times", 1, "turns that the clock ends: none", function()
			local half, firmware = { ["cop.divider"] = 2 }, MADE .. "no-clock.elf"
			local function error_of(name, of, set)
				return profiled(name, of, set).error
			end
			return mean(error_of, VALUE, half) / mean(error_of, VALUE),
				mean(error_of, firmware, half) / mean(error_of, firmware)
		end },
	{ "zilles-15", "interrupts of the last quarter, times those of the first", "times", "< 1",
		"loads that find no slot: arrays of four times the size", function()
			return mean(late_interrupts, VALUE), mean(late_interrupts, VALUE, FOUR)
		end },
	{ "zilles-15", "the same", "times", "< 1", "masked loads that are sampled again: never",
		function()
			return mean(late_interrupts, VALUE), mean(late_interrupts, MADE
				.. "resample-0.elf")
		end },
	{ "zilles-3", "error, times that of simple sampling, 1 in 251, which loses nothing",
		"times", 1,
		"records of the co-processor that find no room: the wide bus", function()
			local function ratio(name, set)
				return profiled(name, VALUE, set).error
					/ profiled(name, MADE .. "sample-251.elf", set).error
			end
			return mean(ratio), mean(ratio, WIDE_BUS)
		end },
	{ "zilles-3", "error, times that of simple sampling, 1 in 61, which loses nothing",
		"times", "< 1", "the cost of 1 in 61: as much of it as the co-processor costs",
		function()
			local function ratio(name, at_cost)
				local own = profiled(name, VALUE).error
				return own / (at_cost and error_at_cost(name, overhead(name, VALUE))
					or profiled(name, MADE .. "sample-61.elf").error)
			end
			return mean(ratio), mean(ratio, true)
		end },
	{ "zilles-6", "gain in error of the two programs with most loads, times that of others",
		"times", "> 1", "the cost of 1 in 61: as much of it as the co-processor costs",
		function()
			local function gain(name, at_cost)
				return (at_cost and error_at_cost(name, overhead(name, VALUE))
					or profiled(name, MADE .. "sample-61.elf").error)
					/ profiled(name, VALUE).error
			end
			local many, few = { "lisp", "json" }, { "sort", "chess" }
			return mean_of(many, gain) / mean_of(few, gain),
				mean_of(many, gain, true) / mean_of(few, gain, true)
		end },
	-- 4.97 and 4.05 are the page's: of eleven demos.
	{ "zilles-21", "cost with half the arrays, times that with double", "times", "< 1",
		"runs of 16 million instructions: of 0.6 million", function()
			local half, double = { ["cop.cam"] = 128, ["cop.data"] = 512 },
				{ ["cop.cam"] = 512, ["cop.data"] = 2048 }
			return 4.97 / 4.05,
				mean(overhead, VALUE, half) / mean(overhead, VALUE, double)
		end },
}
