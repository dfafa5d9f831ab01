-- How the length of windows decides about accuracy: profiles of 25 % of the time, in windows as long as those of tables IV and V, and in
-- shorter ones, of which there are five and 25 times as many.
--
-- What to expect: programs that go through phases are met in each of them by short windows. Methods that are at work for long are
-- missed by either: a flag is switched by the next entry.
--
--     cyclops lua demos/papers/vaswani2003/scales.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local report = require "report"

local rows = {}
for i, program in ipairs(e.programs) do
	rows[i] = { program.name }
	for _, kind in ipairs{ "calls", "blocks" } do
		for _, scale in ipairs{ false, e.scale / 5, e.scale / 25 } do
			rows[i][#rows[i] + 1] = e:accuracy(program, e:run(program, kind, 25, true, scale or nil), kind, true)
		end
	end
end

report.title("Accuracy at 25 %%, by how often a window begins")
local all, columns = table.move(rows, 1, #rows, 1, {}), { { "program" } }
local means = report.means(rows)
all[#all + 1] = { "**average**", table.unpack(means) }
for _, kind in ipairs{ "calls", "blocks" } do
	for _, part in ipairs{ 1, 5, 25 } do
		columns[#columns + 1] = { ("%s: every %s"):format(kind, report.number(e.period * e.scale / part)), 2 }
	end
end
report.table(columns, all)
print()
report.shape(means[3] > 95, "with the shortest windows call graphs are more than 95 %% accurate on average (%.2f %%)", means[3])
report.shape(means[6] > 95, "with the shortest windows block profiles are more than 95 %% accurate on average (%.2f %%)", means[6])
