-- Claims of the papers outside their tables and figures, over real programs: the data of claims.md.
--
--     cyclops lua demos/papers/claims.lua [--programs A,B] [--insts N] [--small] [--out FOLDER] [--any-build]
local here = debug.getinfo(1, "S").source:match "@(.-)[^/]*$"
package.path = here .. "zilles2001/?.lua;" .. package.path
local real, report = require "real", require "report"
local values, estimation = require "cyclops.values", require "estimation"
local truths = require "cyclops.bakeoff_truth"
local PROGRAMS <const> = { "gzip", "bzip2", "lua", "mawk", "tcc", "lp_solve" }
local e = real.open(arg, "claims", 300000, { "gzip", "mawk" })
if not e.programs and not e.small then
	local chosen = {}
	for _, name in ipairs(PROGRAMS) do
		chosen[#chosen + 1] = e.by_name[name] and name
	end
	e.names = chosen
end

-- Cycles, and what LOOK(m) adds to the record.
local function run(name, what, about, look)
	local parts = { what }
	for key, value in pairs(about.set or {}) do
		parts[#parts + 1] = key .. "=" .. tostring(value)
	end
	for _, key in ipairs{ "config", "instrument", "values", "firmware" } do
		parts[#parts + 1] = key .. "=" .. tostring(about[key])
	end
	table.sort(parts)
	return e:record(name, what, parts, function()
		local m <close>, go = e:machine(name, about)
		go()
		local record = look and look(m) or {}
		record.cycles = m.cycle
		return record
	end)
end

local function page(title, columns, row, digits)
	report.title("%s", title)
	local rows, head = {}, { { "program" } }
	for i, name in ipairs(e.names) do
		rows[i] = { name, table.unpack(row(name)) }
	end
	for c, column in ipairs(columns) do
		head[1 + c] = { column, digits[c] or digits[#digits] }
	end
	report.table(head, table.move({ { "**average**", table.unpack(report.means(rows)) } }, 1, 1,
		#rows + 1, table.move(rows, 1, #rows, 1, {})))
	print()
	return rows
end

print "# Claims without a table"
print()
print "Made by `make papers`; [claims.md](claims.md) refers to this."
e:about ".."

-- ---- Vaswani and others, VII.C ----
local function blocks(sets, least)
	return function(name)
		local plain = run(name, "vaswani-nothing",
			{ config = "vaswani2003", instrument = "nothing" }).cycles
		local r = run(name, ("vaswani-%d-%d"):format(sets, least),
			{ config = "vaswani2003", instrument = "bb=0,units=loops",
			set = { ["bdt.sets"] = sets, ["bdt.min_block"] = least } })
		return 100 * (r.cycles / plain - 1)
	end
end
local rows =
	page("Vaswani and others, VII.C: cost of block profiling that is off, %, by sets of the " ..
	"block descriptor table, 2 ways", { "none", "16", "64", "256", "1024" }, function(name)
	return { blocks(0, 4)(name), blocks(16, 4)(name), blocks(64, 4)(name), blocks(256, 4)(name),
		blocks(1024, 4)(name) }
end, { 2 })
local gained, most = report.mean(rows, 2) - report.mean(rows, 4),
	report.mean(rows, 2) - report.mean(rows, 6)
report.shape(gained > 0.9 * most, "64 sets save %.0f %% of what 1024 do", 100 * gained / most)
print()
rows = page("VII.C: the same with 64 sets, by the shortest block that is skipped, in instructions",
	{ "2", "4", "5", "8" }, function(name)
	return { blocks(64, 2)(name), blocks(64, 4)(name), blocks(64, 5)(name),
		blocks(64, 8)(name) }
end, { 2 })
report.shape(report.mean(rows, 3) <= report.mean(rows, 2) + 0.01 and report.mean(rows, 3) < report.mean(rows, 5), "skipping blocks of 4 pays, and shorter ones need not be: %.2f %% from 2, %.2f from 4, %.2f from 8",
	report.mean(rows, 2), report.mean(rows, 3), report.mean(rows, 5))
print()

-- ---- Zilles and Sohi ----
rows = page("Zilles and Sohi: what the estimation at the end takes, by loads that were profiled",
	{ "values", "cycles", "cycles a value" }, function(name)
	local r = run(name, "zilles-estimate",
		{ config = "zilles2001", firmware = "build/demos/firmware/cop_value.elf",
		set = { ["cop.enable"] = true } }, function(m)
		local n = 0
		for _ in values.profile(m):each() do
			n = n + 1
		end
		return { n = n, estimation = estimation.cycles(e, m, name) }
	end)
	return { r.n, r.estimation, r.estimation / math.max(r.n, 1) }
end, { 0, 0, 1 })
local least, largest = math.huge, 0
for _, row in ipairs(rows) do
	least, largest = math.min(least, row[4]), math.max(largest, row[4])
end
report.shape(largest < 2 * least, "it is linear: %.1f to %.1f cycles for each value", least,
	largest)
print()

-- ---- Ammons, Ball and Larus ----
rows = page("Ammons, Ball and Larus, 6.1: what edges and paths cost, % of cycles",
	{ "edges", "paths", "paths, times edges" }, function(name)
	local plain = run(name, "ammons-nothing",
		{ config = "ammons1997", instrument = "nothing" }).cycles
	local edges,
		paths = 100 * (run(name, "ammons-edge",
		{ config = "ammons1997", instrument = "edge" }).cycles / plain - 1),
		100 * (run(name, "ammons-path",
		{ config = "ammons1997", instrument = "path" }).cycles / plain - 1)
	return { edges, paths, paths / edges }
end, { 1, 1, 2 })
local times = report.mean(rows, 3) / report.mean(rows, 2)
report.shape(times > 1.5 and times < 2.7,
	"paths cost %.2f times what edges do (paper: about twice)", times)
print()
rows = page("6.3: calling context trees by call site, and by procedure alone",
	{ "bytes by site", "nodes", "bytes by procedure", "nodes", "bytes, times" }, function(name)
	local function size(m)
		local row = m:report("cct-stats").rows[1]
		return { size = tonumber(row.size), nodes = tonumber(row.nodes) }
	end
	local sites = run(name, "ammons-cct", { config = "ammons1997", instrument = "cct" }, size)
	local file = ("%s/%s-merged"):format(e.out, name)
	local merged = e:record(name, "ammons-cct-merged", {}, function(program)
		if not os.execute(("%s instrument -q --kind cct --merge-sites -o '%s' '%s'"):format(
			os.getenv "CYCLOPS" or "build/cyclops", file, program.path)) then
			error(program.path .. " can't be instrumented", 0)
		end
		local m <close>, go = e:machine(name, { config = "ammons1997", program = file })
		go()
		return size(m)
	end)
	return { sites.size, sites.nodes, merged.size, merged.nodes, sites.size / merged.size }
end, { 0, 0, 0, 0, 2 })
report.shape(report.mean(rows, 6) >= 1.7 and report.mean(rows, 6) <= 3.3,
	"trees by call site are %.2f times as large (paper: 2 to 3)", report.mean(rows, 6))
print()

-- ---- Burrows and others ----
rows = page("Burrows and others, 2.1.1: interpretations by bouncing back, and those given up",
	{ "interpretations", "no progress", "too far", "ambiguous", "given up, %" }, function(name)
	local r = run(name, "burrows-bounce", { config = "burrows2000", values = "results",
		set = { ["vsample.method"] = "bounce", ["vsample.interval_min"] = 900,
		["vsample.interval_max"] = 1100 } },
		function(m)
			local s = m.stats
			return { all = s["vsample.interpretations"],
				stuck = s["vsample.stop_stuck"], far = s["vsample.stop_far"],
				ambiguous = s["vsample.stop_ambiguous"] }
		end)
	return { r.all, r.stuck, r.far, r.ambiguous,
		100 * (r.stuck + r.far + r.ambiguous) / math.max(r.all, 1) }
end, { 0, 0, 0, 0, 1 })
report.shape(report.mean(rows, 6) < 8, "few are given up: %.1f %% (paper: a few percent)",
	report.mean(rows, 6))
print()

local HOTLISTS <const> = { { "samples 16/15", "samples", {} },
	{ "samples 8/7", "samples", { ["values.f_up"] = 8, ["values.f_down"] = 7 } },
	{ "samples 4/3", "samples", { ["values.f_up"] = 4, ["values.f_down"] = 3 } },
		{ "table, cleared at 500", "top", { ["values.clear"] = 500 } },
	{ "at 2,000", "top", {} }, { "at 8,000", "top", { ["values.clear"] = 8000 } } }
local columns = {}
for c, way in ipairs(HOTLISTS) do
	columns[c] = way[1]
end
local function hotlists(name)
	return e:record(name, "burrows-hotlists", columns, function()
		local plain <close>,
			to_end = e:machine(name, { config = "burrows2000", set = truths.set })
		to_end()
		local truth, record = truths.of(plain), {}
		for c, way in ipairs(HOTLISTS) do
			local set = { ["values.method"] = way[2], ["vsample.interval_min"] = 90,
				["vsample.interval_max"] = 110, ["vsample.queue"] = 4096,
				["vsample.service"] = 1,
				["vsample.interrupt_cycles"] = 1, ["vsample.start_cycles"] = 0,
					["vsample.inst_cycles"] = 1, ["vsample.tuple_cycles"] = 0 }
			for key, value in pairs(way[3]) do
				set[key] = value
			end
			local m <close>,
				go = e:machine(name, { config = "burrows2000", values = "results",
				set = set })
			go()
			local loads = {}
			for list in m.values:each() do
				local load = { values = {} }
				for i, v in ipairs(list) do
					load.values[i] = { value = v.value & 0xffffffff,
						estimate = v.share }
				end
				if list.kind == "results" and truth.values[list.pc] then
					loads[list.pc] = load
				end
			end
			record[c] = truths.error(truth, "values", { loads = loads })
		end
		return record
	end)
end
rows = page("2.2: hotlists of the same samples, error of the most frequent value's share, %, by what could be tuned", columns, hotlists, { 2 })
local lo, hi, lo2, hi2 = math.huge, 0, math.huge, 0
for c = 2, 4 do
	lo, hi = math.min(lo, report.mean(rows, c)), math.max(hi, report.mean(rows, c))
	lo2, hi2 = math.min(lo2, report.mean(rows, 3 + c)), math.max(hi2, report.mean(rows, 3 + c))
end
report.shape(hi - lo < 1 and hi - lo <= hi2 - lo2 + 0.01,
	"hotlists need no tuning: %.2f to %.2f %%, the table %.2f to %.2f", lo, hi, lo2, hi2)
