-- Table 1: the cost of profiling: cycles of the whole run, as multiples of the program's.
--
-- Expect: paths with hardware counters cost most where blocks are short; programs of
-- floating point, whose blocks are long, pay least.
--
--     cyclops lua demos/papers/ammons1997/table1.lua [--small] [--programs A,B] [--out FOLDER]
local runs, report, shares, paper = require "runs", require "report", require "shares",
	require "paper"
local e = runs.open(arg)

local function times(name, what)
	return e:record(name, what).stats["sim.cycles"] / e:record(name,
		"plain").stats["sim.cycles"]
end

-- The paper's have seconds as well.
local papers = {}
for key, row in pairs(paper.overhead) do
	local at = type(key) == "number" and 1 or 0
	papers[key] = { table.unpack{ row[at + 3], row[at + 5], row[at + 7] } }
	if at == 1 then
		table.insert(papers[key], 1, row[1])
		table.insert(papers[key], 2, false)
		table.insert(papers[key], 3, false)
	else
		table.insert(papers[key], 1, false)
		table.insert(papers[key], 1, false)
	end
end

report.title "Table 1: cost of profiling, times the program's cycles"
local rows, kinds = shares.table(e, "table1", { { "program" }, { "laid out again", 3 },
	{ "paths", 2 }, { "flow and hw", 2 }, { "context and hw", 2 }, { "context and flow", 2 } },
	function(name)
		return { times(name, "nothing"), times(name, "path"), times(name, "flow-1"),
			times(name, "context-1"), times(name, "cct-path") }
	end, papers)
local chart = { title = "What profiling costs", x = "program", y = "cycles, times the program's",
	places = e.names, series = {} }
for i, name in ipairs{ "flow and hw", "context and hw", "context and flow" } do
	chart.series[i] = { name = name }
	for r, row in ipairs(rows) do
		chart.series[i][r] = row[3 + i]
	end
end
report.picture(e.out .. "/table1.svg", chart)
print()
local all = shares.means(kinds.average, 6)
report.shape(all[3] > all[2], "hardware counters cost more than paths alone, on average: %.2f and %.2f (paper 1.8 and 1.32)", all[3], all[2])
if kinds.integer[1] and kinds.floating[1] then
	local whole, real = shares.means(kinds.integer, 6), shares.means(kinds.floating, 6)
	for c = 3, 5 do
		local what =
			({ "flow and hardware", "context and hardware", "context and flow" })[c - 2]
		report.shape(whole[c] > real[c], "%s costs programs of integers more than those of floating point: %.2f and %.2f", what, whole[c], real[c])
	end
end
report.shape(all[4] < all[3],
	"context and hardware is the cheapest with counters: %.2f, paths %.2f (paper 1.6, 1.8)",
	all[4], all[3])
local near = 0
for _, row in ipairs(rows) do
	near = near + (math.abs(row[2] - 1) < 0.05 and 1 or 0)
end
report.shape(near == #rows,
	"laying the code out again changes cycles by less than 5 %% in %d of %d programs", near,
	#rows)
