-- Figure 7: basic block profiling with profile flag prediction: accesses of the level 1 instruction
-- cache.
--
-- Expect: fewer when profiling is off, for blocks are skipped; they grow with the window.
--
--     cyclops lua demos/papers/vaswani2003/figure7.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local report, windows = require "report", require "windows"

report.title(
	"Figure 7: basic block profiling with prediction, accesses of the L1 instruction cache")
local with, without = windows.accesses(e, "blocks", true, "l1i.accesses"),
	windows.accesses(e, "blocks", false, "l1i.accesses")
windows.figure(e, "figure7-l1i.svg", "Basic blocks with prediction: L1I accesses", with)
local n = 0
for i, row in ipairs(with) do
	n = n + (row[2] < without[i][2] and 1 or 0)
end
report.shape(n == #with, "prediction cuts instruction cache accesses when profiling is off, in %d of %d programs (on average from %.3f to %.3f)",
	n, #with, report.mean(without, 2), report.mean(with, 2))
report.shape(report.mean(with, 2) < report.mean(with, 6),
	"they grow with the window, on average from %.3f to %.3f", report.mean(with, 2),
	report.mean(with, 6))
