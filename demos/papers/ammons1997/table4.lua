-- Table 4: misses of the L1 data cache by path.
--
-- Expect: a handful of hot paths has most misses, more of them dense than sparse.
--
--     cyclops lua demos/papers/ammons1997/table4.lua [--small] [--programs A,B] [--out FOLDER]
local runs, report, shares, paper = require "runs", require "report", require "shares",
	require "paper"
local e = runs.open(arg)
local INSTS <const>, MISSES <const> = 3, 4

report.title "Table 4: L1 data cache misses by path"
local columns = { { "program" }, { "paths" }, { "insts" }, { "misses" } }
for _, kind in ipairs{ "dense", "sparse", "cold" } do
	columns[#columns + 1] = { kind, 1 }
	columns[#columns + 1] = { "insts %", 1, csv = kind .. " insts %" }
	columns[#columns + 1] = { "misses %", 1, csv = kind .. " misses %" }
end
local rows, kinds = shares.table(e, "table4", columns, function(name)
	local s = shares.of(e:record(name, "hot").paths, INSTS, MISSES)
	local row = { s.n, s.insts, s.misses }
	for _, kind in ipairs{ s.dense, s.sparse, s.cold } do
		table.move({ kind.n, kind.insts, kind.misses }, 1, 3, #row + 1, row)
	end
	return row
end, paper.paths)
-- The worst paths' share of all misses.
local COUNTS <const> = { 1, 2, 4, 8, 16, 32, 64 }
local chart = { title = "Misses on the worst paths", x = "paths", y = "percent of misses",
	kind = "lines", places = {}, series = {} }
for i, name in ipairs(e.names) do
	local misses, sum, all = {}, 0, 0
	for r, path in ipairs(e:record(name, "hot").paths) do
		misses[r], all = path[MISSES], all + path[MISSES]
	end
	table.sort(misses, function(a, b) return a > b end)
	chart.series[i] = { name = name }
	for r = 1, COUNTS[#COUNTS] do
		sum = sum + (misses[r] or 0)
		for c, count in ipairs(COUNTS) do
			chart.places[c] = tostring(count)
			chart.series[i][c] = count == r and 100 * sum / math.max(all, 1)
				or chart.series[i][c]
		end
	end
end
report.picture(e.out .. "/table4.svg", chart)
print()

-- Programs whose paths each have few of the misses, as interpreters and the database (6.4.1).
report.title "With a threshold of 0.1 %% of the misses"
local low = {}
for i, name in ipairs(e.names) do
	local paths = e:record(name, "hot").paths
	local few, many = shares.of(paths, INSTS, MISSES), shares.of(paths, INSTS, MISSES, 0.001)
	local function hot(s, what)
		return s.dense[what] + s.sparse[what]
	end
	low[i] = { name, few.n, hot(few, "n"), hot(few, "misses"), hot(many, "n"),
		hot(many, "misses"), 100 * hot(many, "n") / few.n, hot(many, "insts") }
end
report.table({ { "program" }, { "paths", 0 }, { "hot at 1 %", 0 }, { "misses %", 1 },
	{ "hot at 0.1 %", 0 }, { "misses %", 1 }, { "of the paths %", 1 }, { "insts %", 1 } }, low)
print()
local all = shares.means(kinds.average, #columns)
report.shape(all[6] > 50,
	"few dense paths have most misses: %.1f paths %.1f %% of them (paper 11.7, 57.3 %%)",
	all[4], all[6])
report.shape(all[6] + all[9] > 70, "hot ones, dense and sparse, %.1f paths, have %.1f %% (paper 16.0, 75.2 %%; without go and gcc 82.8 %%)", all[4] + all[7], all[6] + all[9])
report.shape(all[4] > all[7],
	"dense paths are more than sparse ones: %.1f and %.1f (paper 11.7 and 4.3)", all[4], all[7])
report.shape(all[6] / math.max(all[5], 0.1) > all[9] / math.max(all[8], 0.1),
	"dense paths have %.1f %% of the instructions (paper 28.4 %%)", all[5])
local through = {}
for i, name in ipairs(e.names) do
	through[i] = e:record(name, "hot").through
end
report.shape(report.average(through) > 2,
	"a block of a hot path lies on %.1f executed paths on average (paper 16)",
	report.average(through))
