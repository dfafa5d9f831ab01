-- Table 2: perturbation: each metric as measured by profiling, summed over all paths or contexts,
-- divided by that of the unchanged program.
--
-- Expect: inserted instructions count, so instructions and cycles are slightly above 1; data misses
-- are near 1; instruction misses are higher in integer programs; stalls vary in both directions.
--
--     cyclops lua demos/papers/ammons1997/table2.lua [--small] [--programs A,B] [--out FOLDER]
local runs, report, shares, paper = require "runs", require "report", require "shares",
	require "paper"
local e = runs.open(arg)

-- The paper shows no ratio where the program has none either. Ours are of runs that are short: of
-- fewer than 1000 events no ratio is shown.
local FEW <const> = 1000

local columns = { { "program" } }
for _, metric in ipairs(runs.metrics) do
	columns[#columns + 1] = { metric[1] .. " F", 2 }
	columns[#columns + 1] = { "C", 2, csv = metric[1] .. " C" }
end

report.title "Table 2: perturbation of metrics by flow (F) and context (C) sensitive profiling"
local rows, kinds = shares.table(e, "table2", columns, function(name)
	local row, plain = {}, e:record(name, "plain").stats
	for i, metric in ipairs(runs.metrics) do
		for _, mode in ipairs{ "flow", "context" } do
			local sums = e:record(name, ("%s-%d"):format(mode, (i + 1) // 2)).sums
			local whole = plain[metric[2]] or 0
			row[#row + 1] = whole >= FEW and sums[(i + 1) % 2 + 1] / whole or "-"
		end
	end
	return row
end, paper.perturbation)
local all = shares.means(kinds.average, #columns)
-- A column of the table.
local function said(c)
	return type(all[c - 1]) == "number" and all[c - 1] or 0
end
report.shape(said(4) >= 1 and said(4) < 1.6,
	"flow adds some instructions to what it measures: %.2f times (paper 1.14)", said(4))
report.shape(said(5) < said(4),
	"context adds fewer, which counts at entries and back edges only: %.2f (paper 1.06)",
	said(5))
report.shape(math.abs(said(6) - 1) < 0.25 and math.abs(said(7) - 1) < 0.25,
	"read misses stay near what they were: %.2f and %.2f (paper 1.00 and 1.00)", said(6),
	said(7))
report.shape(math.abs(said(8) - 1) < 0.25 and math.abs(said(9) - 1) < 0.25,
	"and write misses: %.2f and %.2f (paper 1.04 and 0.98)", said(8), said(9))
report.shape(said(10) < 1.25 and said(11) < 1.25,
	"instruction misses are no more than they were: %.1f and %.1f times (paper 0.93 and 0.76)",
	said(10), said(11))
-- The paper's average; its integer programs have more.
local integer = kinds.integer[1] and shares.means(kinds.integer, #columns) or {}
local function of_integer(c)
	return type(integer[c - 1]) == "number" and integer[c - 1] or 0
end
if kinds.integer[1] then
	report.shape(of_integer(10) > of_integer(6) and of_integer(11) > of_integer(7),
		"in integer programs instruction misses grow more than read misses: %.2f and "
		.. "%.2f times, read misses %.2f and %.2f (paper 2.35 and 2.17, 1.25 and 1.36)",
			of_integer(10), of_integer(11), of_integer(6), of_integer(7))
end
report.shape(said(14) < 0.5 and said(15) < 0.5,
	"stalls of the store buffer are fewer: %.2f and %.2f (paper 0.60 and 0.94)", said(14),
	said(15))
local near = math.abs(said(6) - said(7)) < 0.25 and math.abs(said(2) - said(3)) < 0.25
report.shape(near, "flow and context mostly obtain similar results: cycles %.2f and %.2f, read misses %.2f and %.2f", said(2), said(3), said(6), said(7))
