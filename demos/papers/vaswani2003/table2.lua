-- Table II: the cost of making profiling switchable. Programs with pushpf, resetpf and poppf in
-- each method, and no counting, against unchanged programs; and with another resetpf in the loops
-- of long-running methods, as in block profiling here.
--
-- Expect: less than one percent on average. A program may even get faster if its branches move to
-- better addresses.
--
--     cyclops lua demos/papers/vaswani2003/table2.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local paper, report = require "paper", require "report"

local rows, papers = {}, {}
for i, program in ipairs(e.programs) do
	local plain, control, loops = e:plain(program), e:run(program, "control", 0, true),
		e:run(program, "loops", 0, true)
	-- Each call executes three: pushpf, resetpf, poppf. (The paper's numbers are three times
	-- those of its table III.)
	local executed = 3 * report.total(e:run(program, "calls", 100, true).profile)
	rows[i] = { program.name, executed, executed / plain.stats["sim.insts"] * 1000,
		e:overhead(program, control), e:overhead(program, loops),
		control.stats["bpred.mispredicts"] - plain.stats["bpred.mispredicts"] }
end
for i, row in ipairs(paper.framework) do
	papers[i] = { row[1], row[2], row[2] / 1e5, row[3] }
end
papers.average = { paper.framework.average[1], paper.framework.average[1] / 1e5,
	paper.framework.average[2] }

report.title("Table II: profile control instructions, and what they cost")
report.beside({ { "program" }, { "PCIs executed" }, { "per 1,000 instructions", 2 },
	{ "overhead, %", 2 }, { "with loops, %", 2 },
	{ "more mispredictions" } }, rows, papers)
print()
report.shape(report.mean(rows, 4) < 1,
	"the average overhead is below 1 %% (%.2f %%; paper 0.19 %%)", report.mean(rows, 4))
report.shape(report.mean(rows, 5) < 1, "the same with flags in loops (%.2f %%)",
	report.mean(rows, 5))
