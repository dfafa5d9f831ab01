-- Table III: how often a profile has something to count: basic blocks of the hot methods, and calls to these.
--
--     cyclops lua demos/papers/vaswani2003/table3.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local paper, report = require "paper", require "report"

local function sum(profile)
	local n = 0
	for _, count in pairs(profile) do
		n = n + count
	end
	return n
end

local rows, papers = {}, {}
for i, program in ipairs(e.programs) do
	local plain = e:plain(program)
	local insts = plain.stats["sim.insts"]
	local blocks = sum(e:run(program, "blocks", 100, true).profile)
	local calls = sum(e:run(program, "calls", 100, true).profile)
	rows[i] = { program.name, blocks, calls, blocks / insts * 1000, calls / insts * 1000, plain.share * 100, #plain.hot }
end
for i, row in ipairs(paper.frequency) do
	papers[i] = { row[1], row[2], row[3], row[2] / 1e5, row[3] / 1e5 }
end

report.title("Table III: basic blocks executed, and calls to hot methods")
report.beside({ { "program" }, { "blocks" }, { "calls" }, { "blocks per 1,000 instructions", 2 },
	{ "calls per 1,000", 2 }, { "of its instructions in hot methods, %", 1 }, { "methods" } }, rows, papers)
