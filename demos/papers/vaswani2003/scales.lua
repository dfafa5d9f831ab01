-- The effect of windows on accuracy: profiles of 25 % of the time, in windows as long as those of
-- tables IV and V, in windows 25 times as long, and in windows of as many instructions.
--
-- Expect: programs that go through phases are met in each of them by short windows. A
-- window of instructions counts the profile instructions that execute while it is open; it is over
-- sooner where blocks are short, and those are too rare in the profile, however many windows there
-- are.
--
--     cyclops lua demos/papers/vaswani2003/scales.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local report = require "report"

local rows = {}
for i, program in ipairs(e.programs) do
	rows[i] = { program.name }
	local function add(kind, ...)
		rows[i][#rows[i] + 1] = e:accuracy(program, e:run(program, kind, 25, true, ...),
			kind, true)
	end
	for _, kind in ipairs{ "calls", "blocks" } do
		for _, scale in ipairs{ 25 * e.scale, false } do
			add(kind, scale or nil)
		end
	end
	add("blocks", e.scale, true)
end

report.title("Accuracy at 25 %%, by how often a window begins")
local all, columns = table.move(rows, 1, #rows, 1, {}), { { "program" } }
local means = report.means(rows)
all[#all + 1] = { "**average**", table.unpack(means) }
for _, kind in ipairs{ "calls", "blocks" } do
	for _, times in ipairs{ 25, 1 } do
		columns[#columns + 1] =
			{ ("%s: every %s cycles"):format(kind,
			report.number(e.period * e.scale * times)), 2 }
	end
end
columns[#columns + 1] =
	{ ("blocks: every %s instructions"):format(report.number(e.period * e.scale)), 2 }
report.table(columns, all)
print()
report.shape(means[2] > means[1] and means[4] > means[3], "short windows are more accurate than long ones (calls %.2f %% and %.2f %%, blocks %.2f %% and %.2f %%)",
	means[2], means[1], means[4], means[3])
report.shape(means[4] > means[5],
	"windows of cycles are more accurate than windows of instructions (%.2f %% and %.2f %%)",
	means[4], means[5])
