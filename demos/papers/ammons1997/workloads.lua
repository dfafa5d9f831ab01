-- Real programs: which, how much larger their code becomes, and how many executions of paths are
-- parts of ones that were cut; before tables 1 to 5 of them.
--
-- Expect: jump tables are resolved, so that interpreters have whole paths, too.
--
--     cyclops lua demos/papers/ammons1997/workloads.lua --workloads [--programs A,B] [--insts N] [--small] [--out FOLDER] [--any-build]
local runs, report = require "runs", require "report"
local e = runs.open(arg)

print "# Real programs"
print()
print "Made by `make papers`; [README.md](README.md) explains it."
e:about()
report.title "Code, times the program's, and paths that are cut"
local rows = {}
for i, name in ipairs(e.names) do
	local plain, row = e:record(name, "plain").code, { name, e:record(name, "path").cut }
	for _, what in ipairs{ "path", "flow-1", "context-1", "cct-path" } do
		row[#row + 1] = e:record(name, what).code / plain
	end
	rows[i] = row
end
report.table({ { "program" }, { "cut, %", 1 }, { "paths", 2 }, { "flow and hw", 2 },
	{ "context and hw", 2 }, { "context and flow", 2 } },
	table.move({ { "**average**", table.unpack(report.means(rows)) } }, 1, 1, #rows + 1,
	table.move(rows, 1, #rows, 1, {})))
print()
report.shape(report.mean(rows, 2) < 10, "few executions are cut: %.1f %% on average",
	report.mean(rows, 2))
