-- Runs of real programs to one place each (real.lua), their ten hottest methods instrumented by the
-- executable editor: what tables over real programs share.
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local triggers, xprof = require "cyclops.triggers", require "cyclops.xprof"

local regions = {}

local HOT <const>, EVERY <const> = 10, 20000
--- regions.quarter: percent of the time in which windows are open, where they are.
regions.quarter = 25
--- regions.blocks, regions.calls: what the editor puts in.
regions.blocks, regions.calls = "bb=0,units=loops", "callgraph=0,units=methods"
--- regions.machines: table I's machine, and variants of it with one change each.
regions.machines = {
	{ "table", {} },
	{ "line", { ["pipe.fetch_lines"] = 1 } },
	{ "hits", { ["l1i.perfect"] = true, ["l1d.perfect"] = true } },
}

local function stats_of(m)
	local s = {}
	for _, name in ipairs{ "sim.cycles", "sim.insts", "l1d.misses", "l1i.misses",
		"xprof.dropped", "xprof.skipped_insts" } do
		s[name] = m.stats[name]
	end
	return s
end

-- Names of the hottest methods.
local function hot(e, name)
	return e:record(name, "hot", { HOT }, function()
		local m <close>,
			go = e:machine(name,
			{ config = "vaswani2003", set = { ["oracle.enable"] = true } })
		local p, list, seen = triggers.new(m):profile{ exact = true }, {}, {}
		p:start()
		go()
		for _, f in ipairs(p:top(HOT)) do
			list[#list + 1] = not seen[f.name] and f.name or nil
			seen[f.name] = true
		end
		return { list = table.concat(list, ",") }
	end).list
end

--- regions.run(e, NAME, KIND, PERCENT, MACHINE, SETS) -> RECORD
-- KIND of instrumentation, PERCENT of the time on, on a machine, with a block descriptor table of
-- so many sets. `stats`; `profile` of what counts.
function regions.run(e, name, kind, percent, machine, sets)
	local methods = hot(e, name)
	return e:record(name, ("%s-%d-%s-%d"):format(kind:gsub("%W", "-"), percent, machine[1],
		sets), { methods }, function()
		local set = { ["bdt.sets"] = sets }
		for k, v in pairs(machine[2]) do
			set[k] = v
		end
		local m <close>,
			go = e:machine(name, { config = "vaswani2003", set = set, instrument = kind,
			functions = kind ~= "nothing" and methods or nil })
		local x = xprof.new(m)
		if percent == 100 then
			x:on()
		elseif percent > 0 then
			x:window{ every = EVERY, length = EVERY * percent // 100, cycles = true }
		end
		go()
		local record = { stats = stats_of(m) }
		if kind:find "^bb" then
			record.profile = x:counts "bb"
		elseif kind:find "^callgraph" then
			record.profile = {}
			for _, row in ipairs(m:report("callgraph all").rows) do
				record.profile[row.caller .. " " .. row.callee] = row.calls
			end
		end
		return record
	end)
end

--- regions.overhead(e, NAME, KIND, PERCENT, MACHINE, SETS) -> PERCENT
-- Over the program laid out again with nothing in it.
function regions.overhead(e, name, kind, percent, machine, sets)
	local plain = regions.run(e, name, "nothing", 0, machine, 0).stats["sim.cycles"]
	return (regions.run(e, name, kind, percent, machine,
		sets).stats["sim.cycles"] / plain - 1) * 100
end

--- regions.accuracy(e, NAME, KIND, SETS) -> PERCENT
function regions.accuracy(e, name, kind, sets)
	local table_i = regions.machines[1]
	return xprof.accuracy(regions.run(e, name, kind, regions.quarter, table_i, sets).profile,
		regions.run(e, name, kind, 100, table_i, sets).profile)
end

return regions
