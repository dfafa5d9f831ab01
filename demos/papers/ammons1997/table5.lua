-- Table 5: misses of the L1 data cache by procedure.
--
-- Expect: a handful of procedures has nearly all misses. A hot procedure executes many paths, so
-- that its name alone does not show the cause.
--
--     cyclops lua demos/papers/ammons1997/table5.lua [--small] [--programs A,B] [--out FOLDER]
local runs, report, shares, paper = require "runs", require "report", require "shares",
	require "paper"
local e = runs.open(arg)

-- { FUNCTION, PATHS, INSTRUCTIONS, MISSES }
local function procedures(paths)
	local list, by_name = {}, {}
	for _, row in ipairs(paths) do
		local p = by_name[row[1]]
		if not p then
			p = { row[1], 0, 0, 0 }
			by_name[row[1]], list[#list + 1] = p, p
		end
		p[2], p[3], p[4] = p[2] + 1, p[3] + row[3], p[4] + row[4]
	end
	return list
end

report.title "Table 5: L1 data cache misses by procedure"
local columns = { { "program" } }
for _, kind in ipairs{ "dense", "sparse", "cold" } do
	columns[#columns + 1] = { kind, 1 }
	columns[#columns + 1] = { "paths each", 1, csv = kind .. " paths each" }
	columns[#columns + 1] = { "misses %", 1, csv = kind .. " misses %" }
end
local rows, kinds = shares.table(e, "table5", columns, function(name)
	local s, row = shares.of(procedures(e:record(name, "hot").paths), 3, 4), {}
	for _, kind in ipairs{ s.dense, s.sparse, s.cold } do
		local paths = 0
		for _, p in ipairs(kind.rows) do
			paths = paths + p[2]
		end
		table.move({ kind.n, kind.n > 0 and paths / kind.n or 0, kind.misses }, 1, 3,
			#row + 1, row)
	end
	return row
end, paper.procedures)
local all = shares.means(kinds.average, #columns)
report.shape(all[3] + all[6] > 80,
	"%.1f hot procedures have %.1f %% of the misses (paper 11.6, 91.4 %%)", all[1] + all[4],
	all[3] + all[6])
report.shape(all[2] > 2 * all[8] and all[5] > 2 * all[8], "hot procedures execute many more paths than cold ones: %.1f (dense) and %.1f (sparse), not %.1f (paper 34.2, 63.2, 6.5)", all[2],
	all[5], all[8])
report.shape(all[1] > all[4],
	"dense procedures are more than sparse ones: %.1f and %.1f (paper 7.7 and 3.9)", all[1],
	all[4])
