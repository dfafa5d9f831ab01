-- Tables IV to VI again, with instrumentation by the executable editor; and paths under selective
-- dispatch, which no paper has.
--
-- Expect: the same shapes. With profiling off, a path costs less than its blocks, since there is
-- less to fetch. Paths instrumented only by profile instructions cost next to nothing when off; if
-- plain code follows, its cost remains.
--
--     cyclops lua demos/papers/vaswani2003/editor.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local paper, report, windows, xprof = require "paper", require "report", require "windows",
	require "cyclops.xprof"

-- Overheads and accuracies of one kind.
local function rows_of(kind, has_table)
	return windows.rows(e, kind, has_table, e.edited_overhead)
end

local function compiled(rows, kind, has_table, column)
	local sum = 0
	for _, program in ipairs(e.programs) do
		sum = sum + e:overhead(program, e:run(program, kind, column, has_table)) / #rows
	end
	return sum
end

report.title("Table IV again: the call graph by the editor, selective dispatch")
local calls = rows_of("edit-calls", true)
windows.print(calls, paper.calls)
print()
report.shape(report.mean(calls, 2) < report.mean(calls, 9) / 2, "little of it is left when profiling is off: %.2f %% of %.2f %% (paper 0.48 %% of 41.81 %%)",
	report.mean(calls, 2), report.mean(calls, 9))
print()

report.title("Table V again: basic blocks by the editor, selective dispatch")
local blocks = rows_of("edit-blocks", false)
windows.print(blocks, paper.blocks)
print()
windows.grows(blocks, { 2, 3, 5, 7, 9 }, 0.1, "overhead grows")
print(("In the same programs blocks that the compiler's assembly was given cost %.1f %% when " ..
	"they are off and %.1f %% when they are on."):format(
	compiled(blocks, "blocks", false, 0), compiled(blocks, "blocks", false, 100)))
print()

report.title("Table VI again: the same with profile flag prediction")
local predicted = rows_of("edit-blocks", true)
windows.print(predicted)
print()
report.shape(report.mean(predicted, 2) < report.mean(blocks, 2), "prediction cuts the cost of profiling that is off, from %.1f %% to %.1f %% (paper 12.98 %%, 7.96 %%)",
	report.mean(blocks, 2), report.mean(predicted, 2))
print(("In the same programs blocks that the compiler's assembly was given cost %.1f %% and " ..
	"%.1f %%."):format(
	compiled(blocks, "blocks", true, 0), compiled(blocks, "blocks", true, 100)))
print()

report.title("Paths under selective dispatch and prediction")
local paths = rows_of("edit-paths", true)
windows.print(paths)
print()
report.shape(report.mean(paths, 2) < report.mean(paths, 9) / 2,
	"most of the cost goes when profiling is off: %.1f %% of %.1f %% stay",
	report.mean(paths, 2), report.mean(paths, 9))
print()

report.title("The same, but plain code follows paths")
local steady = rows_of("edit-steady", true)
windows.print(steady)
print()
report.shape(report.mean(steady, 2) > report.mean(paths, 2),
	"what follows paths is paid for when profiling is off: %.1f %%, and not %.1f %%",
	report.mean(steady, 2), report.mean(paths, 2))
print()

report.title("Calling contexts under selective dispatch and prediction: hot methods, by methods")
local contexts = rows_of("edit-cct", true)
windows.print(contexts)
print()
report.shape(report.mean(contexts, 2) < report.mean(contexts, 9) / 2,
	"most of the cost goes when profiling is off: %.1f %% of %.1f %% stay",
	report.mean(contexts, 2), report.mean(contexts, 9))
print()

report.title("The same, but plain code keeps the tree")
local tree = rows_of("edit-cct-steady", true)
windows.print(tree)
print()
report.shape(report.mean(tree, 6) > 95 and report.mean(contexts, 6) < report.mean(tree, 6),
	"contexts need their beginnings: at 25 %% they are %.1f %% accurate, and %.1f %% if earlier procedures are missing",
	report.mean(tree, 6), report.mean(contexts, 6))
print()

-- Units of code that are switched, and checks in the program, each on average.
local function average(f)
	local sum = 0
	for _, program in ipairs(e.programs) do
		sum = sum + f(program) / #e.programs
	end
	return sum
end

local function unit_row(name, kind)
	local function overhead(percent)
		return average(function(program)
			return e:edited_overhead(program, e:run(program, kind, percent, true)) end)
	end
	return { name, overhead(0), overhead(25), average(function(program)
		return e:accuracy(program, e:run(program, kind, 25, true), kind, true) end),
		overhead(100) }
end

-- A quarter of all checks, compared with the profile of all.
local function check_row(name, kind, all)
	return { name, nil, average(function(program)
		return e:edited_overhead(program, e:run(program, kind, 0, true)) end),
		average(function(program)
		return xprof.accuracy(e:run(program, kind, 0, true).profile,
		e:run(program, all[1], all[2], true).profile) end) }
end

report.title("What is switched, and by whom: 25 %%, with prediction, averages")
report.table({ { "what" }, { "0 %: overhead", 2 }, { "25 %: overhead", 2 }, { "accuracy", 2 },
	{ "100 %: overhead", 2 } }, {
	unit_row("blocks, by methods", "edit-blocks-methods"),
		unit_row("blocks, by loops", "edit-blocks"),
		unit_row("blocks, each", "edit-blocks-blocks"),
	check_row("blocks, 250 of 1,000 checks", "edit-blocks-checks", { "edit-blocks", 100 }),
	unit_row("paths, by methods", "edit-paths-methods"),
	unit_row("paths, by loops", "edit-paths"),
	check_row("paths, 250 of 1,000 checks", "edit-paths-checks", { "edit-paths-always", 0 }) })
