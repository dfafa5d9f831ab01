-- Table VI: basic block profiling with profile flag prediction: fetch skips blocks that are likely
-- to be dropped, by a block descriptor table of 64 sets and 2 ways.
--
-- Expect: less is left of the cost when profiling is off, and nothing changes when it is
-- always on.
--
--     cyclops lua demos/papers/vaswani2003/table6.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local paper, report, windows = require "paper", require "report", require "windows"

report.title("Table VI: basic block profiling with profile flag prediction")
local rows, without = windows.overheads(e, "blocks", true), windows.overheads(e, "blocks", false)
report.beside({ { "program" }, { "0 %", 2 }, { "10 %", 2 }, { "25 %", 2 }, { "50 %", 2 },
	{ "100 %", 2 } }, rows, paper.prediction)
print()
windows.grows(rows, { 2, 3, 4, 5, 6 }, 0.1, "overhead grows")
local off, was = report.mean(rows, 2), report.mean(without, 2)
report.shape(off < was, "prediction cuts the overhead at 0 %%: from %.2f %% to %.2f %% (paper: from 12.98 %% to 7.96 %%)", was, off)
local quarter, naive = report.mean(rows, 4), report.mean(without, 6)
report.shape(1 - quarter / naive > 0.45, "at 25 %% the two together save about half of what profiling all the time costs: %.0f %% (paper 52.4 %%)",
	(1 - quarter / naive) * 100)
local always, always_was = report.mean(rows, 6), report.mean(without, 6)
report.shape(math.abs(always - always_was) < 0.5,
	"prediction makes no difference when profiling is always on (%.2f %% and %.2f %%; paper "
	.. "26.31 %% and 26.42 %%)", always, always_was)
