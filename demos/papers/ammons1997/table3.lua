-- Table 3: statistics of calling context trees that have path counters in their nodes.
--
-- Expect: trees are bushy, not tall; the routine with most nodes has a good part of all;
-- about half of the call sites that are used are reached by one path alone. Parts are means of the
-- programs' own, here and of the paper's programs, so that no large one decides alone.
--
--     cyclops lua demos/papers/ammons1997/table3.lua [--small] [--programs A,B] [--out FOLDER]
local runs, report, shares, paper = require "runs", require "report", require "shares",
	require "paper"
local e = runs.open(arg)

report.title "Table 3: calling context trees with path counters"
local rows = shares.table(e, "table3", { { "program" }, { "bytes" }, { "nodes" },
	{ "node size", 1 }, { "out degree", 1 }, { "height", 1 }, { "most" }, { "max replication" },
	{ "call sites" }, { "used" }, { "one path" } }, function(name)
	return shares.blank(e:record(name, "cct-path").tree)
end, paper.trees)
-- In percent: the largest routine's part of the nodes, and the part of the used sites that one path
-- alone reaches, of each program that has the number.
local function parts_of(list)
	local largest, one = {}, {}
	for i, row in ipairs(list) do
		largest[i] = 100 * row[8] / row[3]
		one[#one + 1] = tonumber(row[11]) and 100 * row[11] / math.max(row[10], 1)
	end
	return largest, one
end
local bushy, parts, one = 0, parts_of(rows)
local their_parts, their_one = parts_of(paper.trees)
for _, row in ipairs(rows) do
	bushy = bushy + (row[3] > 2 * row[7] and 1 or 0)
end
report.shape(bushy == #rows,
	"trees are bushy: more than twice as many nodes as the deepest is deep, in %d of %d", bushy,
	#rows)
report.shape(report.average(parts) > report.average(their_parts) / 2,
	"one routine has a large part of the nodes: %.1f %% on average (paper %.1f %%)",
	report.average(parts), report.average(their_parts))
if one[1] then
	report.shape(report.average(one) > 20, "many sites that are used are reached by one path alone: %.0f %% of them on average (paper %.0f %%)", report.average(one),
		report.average(their_one))
end
