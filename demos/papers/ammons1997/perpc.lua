-- Path metrics against per-PC statistics, over real programs: read misses that path profiling adds
-- up on paths, summed over each procedure's paths, and those of the same program without
-- instrumentation, counted exactly for each load's pc and summed over each procedure's pcs.
--
-- Expect: both find the same procedures; they differ by profiling's own misses and by code that the
-- editor leaves alone. Few pcs have most misses. A path has more than one of them, yet there are
-- about as many hot paths as hot pcs.
--
--     cyclops lua demos/papers/ammons1997/perpc.lua --workloads [--programs A,B] [--insts N] [--small] [--out FOLDER] [--any-build]
local runs, report = require "runs", require "report"
local xprof = require "cyclops.xprof"
local e = runs.open(arg)
local HOT <const> = 0.01

-- Sums by procedure, how many of these counts are hot, and all of them.
local function summed(rows, function_of, count_of)
	local by, all, hot = {}, 0, 0
	for _, row in ipairs(rows) do
		local name, n = function_of(row), count_of(row)
		by[name], all = (by[name] or 0) + n, all + n
	end
	for _, row in ipairs(rows) do
		hot = hot + (all > 0 and count_of(row) >= HOT * all and 1 or 0)
	end
	return { by = by, all = all, hot = hot }
end

local function run(name, what, about, look)
	about.config = "ammons1997"
	return e.region:record(name, what, { about.metrics or "" }, function()
		local m <close>, go = e.region:machine(name, about)
		go()
		return look(m)
	end)
end

local function by_pc(name)
	return run(name, "misses-by-pc",
		{ set = { ["oracle.enable"] = true, ["oracle.loads"] = true } }, function(m)
		return summed(m:report("oracle loads all").rows, function(row)
			local f = m:sym(row.address)
			return f and f.name or "?"
		end, function(row) return row.l2 + row.memory end)
	end)
end

local function by_path(name)
	return run(name, "misses-by-path",
		{ instrument = "path+hw", metrics = "l1d.read_misses,sim.insts" }, function(m)
		return summed(m:report("hot-paths all").rows, function(row)
			return row["function"] end, function(row) return row.metric0 end)
	end)
end

report.title "Path metrics against per-PC statistics: read misses of L1D"
local rows = {}
for i, name in ipairs(e.names) do
	local pcs, paths = by_pc(name), by_path(name)
	local worst
	for f, n in pairs(pcs.by) do
		worst = (not worst or n > pcs.by[worst] or n == pcs.by[worst] and f < worst) and f
			or worst
	end
	rows[i] = { name, pcs.all, paths.all, 50 * xprof.distance(pcs.by, paths.by),
		100 * pcs.by[worst] / math.max(pcs.all, 1),
		100 * (paths.by[worst] or 0) / math.max(paths.all, 1), pcs.hot, paths.hot }
end
report.table({ { "program" }, { "misses by pc", 0 }, { "by path", 0 },
	{ "shares of procedures differ by, %", 1 }, { "worst procedure: by pc, %", 1 },
	{ "by path, %", 1 },
	{ "pcs with 1 %", 0 }, { "paths with 1 %", 0 } },
		table.move({ { "**average**", table.unpack(report.means(rows)) } }, 1, 1, #rows + 1,
		table.move(rows, 1, #rows, 1, {})))
print()
report.shape(report.mean(rows, 4) < 20,
	"paths have misses where pcs have them: shares of procedures differ by %.1f %% on average",
	report.mean(rows, 4))
report.shape(math.abs(report.mean(rows, 5) - report.mean(rows, 6)) < 10,
	"the worst procedure has %.1f %% by pc and %.1f %% by path", report.mean(rows, 5),
	report.mean(rows, 6))
