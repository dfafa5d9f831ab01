-- Table III: how often a profile has something to count: basic blocks of the hot methods, and calls
-- to these.
--
--     cyclops lua demos/papers/vaswani2003/table3.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local paper, report = require "paper", require "report"

local rows, papers = {}, {}
for i, program in ipairs(e.programs) do
	local plain = e:plain(program)
	local insts = plain.stats["sim.insts"]
	local blocks = report.total(e:run(program, "blocks", 100, true).profile)
	local calls = report.total(e:run(program, "calls", 100, true).profile)
	rows[i] = { program.name, blocks, calls, blocks / insts * 1000, calls / insts * 1000,
		#plain.hot, plain.share * 100, plain.often * 100 }
end
for i, row in ipairs(paper.frequency) do
	papers[i] = { row[1], row[2], row[3], row[2] / 1e5, row[3] / 1e5 }
end

report.title("Table III: basic blocks executed, and calls to hot methods")
report.beside({ { "program" }, { "blocks" }, { "calls" }, { "blocks per 1,000 instructions", 2 },
	{ "calls per 1,000", 2 }, { "hot methods" }, { "their part of all instructions, %", 1 },
	{ "of those entered in each period, %", 1 } }, rows, papers)
