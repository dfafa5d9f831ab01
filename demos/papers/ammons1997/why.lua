-- Parts of the cycles that profiling adds: places for instructions, waits for the instruction
-- before in a chain (in order: for others, too), waits around instructions that read or write
-- counters, which have the window to themselves, misses, and the rest.
--
--     cyclops lua demos/papers/ammons1997/why.lua [--small] [--programs A,B] [--out FOLDER]
local runs, report, shares = require "runs", require "report", require "shares"
local e = runs.open(arg)
local WIDTH <const> = 4 -- slots of a cycle (commit_width of ammons1997)
local MODES <const> = { { "path", "paths" }, { "flow-1", "flow and hw" },
	{ "context-1", "context and hw" }, { "cct-path", "context and flow" } }
local PARTS <const> = { { "cpi.base", "executed" }, { "cpi.dependency", "chains" },
	{ "cpi.l1d", "loads" }, { "cpi.serial", "counters" },
	{ "cpi.icache", "I misses" }, { "cpi.l2", "L2" }, { "cpi.memory", "memory" } }

report.title "What the added cycles are"
local columns, rows = { { "mode" }, { "insts added, times", 2 }, { "cycles added, times", 2 } }, {}
for _, part in ipairs(PARTS) do
	columns[#columns + 1] = { part[2] .. " %", 1 }
end
columns[#columns + 1] = { "rest %", 1 }
for m, mode in ipairs(MODES) do
	local row = { mode[2], 0, 0 }
	for c = 4, #columns do
		row[c] = 0
	end
	for _, name in ipairs(e.names) do
		local plain, with = e:record(name, "plain").stats, e:record(name, mode[1]).stats
		local added, rest = with["sim.cycles"] - plain["sim.cycles"], 100
		row[2] = row[2] + (with["sim.insts"] / plain["sim.insts"] - 1) / #e.names
		row[3] = row[3] + added / plain["sim.cycles"] / #e.names
		for p, part in ipairs(PARTS) do
			local share =
				100 * ((with[part[1]] or 0) - (plain[part[1]] or 0)) / WIDTH / added
			row[3 + p], rest = row[3 + p] + share / #e.names, rest - share
		end
		row[#columns] = row[#columns] + rest / #e.names
	end
	rows[m] = row
end
report.table(columns, rows)
print()
report.shape(rows[1][5] + rows[1][6] > rows[1][4], "more of it are waits for what comes before than places for instructions: %.0f %% and %.0f %% with paths", rows[1][5] + rows[1][6],
	rows[1][4])
report.shape(rows[2][7] > 5 and rows[3][7] > 5,
	"instructions that read and write counters have the window to themselves: %.0f and %.0f %%",
	rows[2][7], rows[3][7])
report.shape(math.abs(rows[1][7]) < 2, "without them, none: %.1f %%", rows[1][7])

print()
report.title "Read misses that flow sensitive profiling measures, times the program's, by ways of L1D"
rows = {}
for i, name in ipairs(e.names) do
	rows[i] = { name }
	for c, ways in ipairs{ "", "-8way" } do
		local plain = e:record(name, "plain" .. ways).stats["l1d.read_misses"] or 0
		rows[i][1 + c] = plain >= 1000 and e:record(name, "flow-2" .. ways).sums[1] / plain
			or "-"
	end
end
local means = shares.means(rows, 3)
rows[#rows + 1] = { "**average**", table.unpack(means) }
report.table({ { "program" }, { "direct-mapped", 2 }, { "8 ways", 2 } }, rows)
print()
if type(means[1]) == "number" and type(means[2]) == "number" then
	report.shape(means[2] < means[1], "places of the same sets are a part of it: %.2f times with eight ways, %.2f direct-mapped", means[2], means[1])
end
