-- The paper's questions over real programs: the remaining cost of block profiling when it is off,
-- and its causes; the gain by prediction; tables IV to VI at 0, 25 and 100 %. The executable editor
-- instruments the ten hottest methods.
--
-- Expect: the remaining part is close to the paper's if fetch reads several lines a cycle;
-- prediction saves about half.
--
--     cyclops lua demos/papers/vaswani2003/workloads.lua [--programs A,B] [--insts N] [--small] [--out FOLDER] [--any-build]
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local real, report = require "real", require "report"
local paper, regions = require "paper", require "regions"
local e = real.open(arg, "vaswani2003", 1000000, { "gzip", "mawk" })

local QUARTER <const>, MACHINES <const>, BLOCKS <const>, CALLS <const> = regions.quarter,
	regions.machines, regions.blocks, regions.calls

local function run(...)
	return regions.run(e, ...)
end

local function overhead(...)
	return regions.overhead(e, ...)
end

local function accuracy(...)
	return regions.accuracy(e, ...)
end

-- How two columns go together, -1 to 1.
local function together(rows, a, b)
	local ma, mb, ab, aa, bb = report.mean(rows, a), report.mean(rows, b), 0, 0, 0
	for _, row in ipairs(rows) do
		local da, db = row[a] - ma, row[b] - mb
		ab, aa, bb = ab + da * db, aa + da * da, bb + db * db
	end
	return aa > 0 and bb > 0 and ab / math.sqrt(aa * bb) or 0
end

print "# Real programs"
print()
print "Made by `make papers`; [README.md](README.md) explains it."
e:about()
print "The ten methods that retire most instructions are instrumented, by the executable editor. Overheads"
print "are in percent, over the program that the editor has laid out again with nothing in it."
print()

report.title("What stays of the cost of block profiling when it is off, without prediction")
local TABLE <const> = MACHINES[1]
local rows = {}
for i, name in ipairs(e.names) do
	local s, row = run(name, BLOCKS, 0, TABLE, 0).stats, { name }
	local insts = s["sim.insts"]
	local plain = run(name, "nothing", 0, TABLE, 0).stats
	row[2], row[3] = 100 * s["xprof.dropped"] / insts,
		1000 * plain["l1d.misses"] / plain["sim.insts"]
	row[4] = plain["sim.insts"] / plain["sim.cycles"]
	for k, machine in ipairs(MACHINES) do
		local off, on = overhead(name, BLOCKS, 0, machine, 0),
			overhead(name, BLOCKS, 100, machine, 0)
		if k == 1 then
			row[5], row[6] = off, on
		end
		row[6 + k] = 100 * off / on
	end
	rows[i] = row
end
report.table({ { "program" }, { "dropped, of 100", 1 }, { "L1D misses, of 1,000", 1 }, { "IPC", 2 },
	{ "off", 2 }, { "on", 2 }, { "stays, %", 0 },
	{ "one line a fetch", 0 }, { "no L1 misses", 0 } },
	table.move({ { "**average**", table.unpack(report.means(rows)) } }, 1, 1, #rows + 1,
	table.move(rows, 1, #rows, 1, {})))
print()
print "`dropped`: profile instructions that were dropped, for 100 instructions of the program. `one line a"
print "fetch` and `no L1 misses`: what stays on machines that differ from table I's in this alone."
print()
-- From averages, so that a program without cost has no weight.
local stays = 100 * report.mean(rows, 5) / report.mean(rows, 6)
report.shape(math.abs(stays - 49.1) < 15,
	"of the average cost %.0f %% stays (paper: 12.98 of 26.42, 49 %%; 33 to 81)", stays)
print(("- one line a fetch: %.0f %% stays on average, not %.0f; without misses of L1 %.0f"):format(
	report.mean(rows, 8), report.mean(rows, 7), report.mean(rows, 9)))
print(("- the cost when off goes with what is dropped (r = %.2f), with IPC (r = %.2f) and " ..
	"against misses (r = %.2f)"):format(
	together(rows, 2, 5), together(rows, 4, 5), together(rows, 3, 5)))
print()

report.title("Tables V and VI: blocks, without and with prediction")
local blocks = {}
for i, name in ipairs(e.names) do
	blocks[i] = { name }
	for _, sets in ipairs{ 0, 64 } do
		for _, percent in ipairs{ 0, QUARTER, 100 } do
			table.insert(blocks[i], overhead(name, BLOCKS, percent, TABLE, sets))
		end
	end
	table.insert(blocks[i], accuracy(name, BLOCKS, 64))
end
local papers = {}
for i, row in ipairs(paper.blocks) do
	local p = paper.prediction[i]
	papers[i] = { row[1], row[2], row[5], row[9], p[2], p[4], p[6], row[6] }
end
papers.average = { 12.98, 16.31, 26.42, 7.96, 12.52, 26.31, 96.20 }
report.beside({ { "program" }, { "V: 0 %", 2 }, { "25 %", 2 }, { "100 %", 2 }, { "VI: 0 %", 2 },
	{ "25 %", 2 }, { "100 %", 2 }, { "accuracy, 25 %", 2 } }, blocks, papers)
print()
local saved, quarter = 1 - report.mean(blocks, 5) / report.mean(blocks, 2),
	1 - report.mean(blocks, 6) / report.mean(blocks, 4)
report.shape(report.mean(blocks, 5) < report.mean(blocks, 2),
	"prediction saves %.1f %% of what stays when profiling is off (paper 38.7 %%)", 100 * saved)
report.shape(math.abs(100 * quarter - 52.4) < 10,
	"at 25 %% dispatch and prediction together save %.1f %% of the cost (paper 52.4 %%)",
	100 * quarter)
report.shape(report.mean(blocks, 8) > 95,
	"at 25 %% profiles of blocks are %.1f %% accurate (paper 96.2 %%)", report.mean(blocks, 8))
print()

report.title("Table IV: call graphs, with prediction")
local calls = {}
for i, name in ipairs(e.names) do
	calls[i] = { name, overhead(name, CALLS, 0, TABLE, 64),
		overhead(name, CALLS, QUARTER, TABLE, 64), accuracy(name, CALLS, 64),
		overhead(name, CALLS, 100, TABLE, 64) }
end
papers = { average = { 0.48, 11.41, 96.24, 41.81 } }
for i, row in ipairs(paper.calls) do
	papers[i] = { row[1], row[2], row[5], row[6], row[9] }
end
report.beside({ { "program" }, { "0 %", 2 }, { "25 %", 2 }, { "accuracy", 2 }, { "100 %", 2 } },
	calls, papers)
print()
report.shape(report.mean(calls, 2) < report.mean(calls, 5) / 10,
	"next to nothing is left when it is off: %.2f %% of %.2f %% (paper 0.48 of 41.81)",
	report.mean(calls, 2), report.mean(calls, 5))
report.shape(report.mean(calls, 5) > report.mean(blocks, 7),
	"always on, call graphs cost more than blocks: %.1f %% and %.1f %% (paper 41.81 and 26.31)",
	report.mean(calls, 5), report.mean(blocks, 7))
report.shape(report.mean(calls, 4) > 95, "at 25 %% they are %.1f %% accurate (paper 96.2 %%)",
	report.mean(calls, 4))
