-- Table V: basic block profiling with selective dispatch alone: there is no block descriptor table
-- (bdt.sets = 0). Methods that are at work for long have a flag in each round of their loops.
--
-- Expect: much of the cost stays when profiling is off, for profile instructions are
-- fetched and decoded all the same.
--
--     cyclops lua demos/papers/vaswani2003/table5.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local paper, report, windows = require "paper", require "report", require "windows"

report.title("Table V: basic block profiling with selective dispatch")
local rows = windows.table(e, "blocks", false, paper.blocks)
print()
windows.grows(rows, { 2, 3, 5, 7, 9 }, 0.1, "overhead grows")
local off, on = report.mean(rows, 2), report.mean(rows, 9)
report.shape(off > 0.35 * on and off < 0.65 * on,
	"about half of it stays when profiling is off (%.0f %%; paper %.0f %%)", off / on * 100,
	12.98 / 26.42 * 100)
windows.accuracy(rows, 6, 96.20)
