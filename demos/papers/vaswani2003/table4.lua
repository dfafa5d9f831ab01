-- Table IV: cost and accuracy of call-graph profiling with selective dispatch, by the size of the
-- window in which profiling is on.
--
-- Expect: the cost grows with the window. With profiling off it is close to 0, because dropping a
-- call also drops the execution of the called routine.
--
--     cyclops lua demos/papers/vaswani2003/table4.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local paper, report, windows = require "paper", require "report", require "windows"

report.title("Table IV: call-graph profiling with selective dispatch")
local rows = windows.table(e, "calls", true, paper.calls)
print()
windows.grows(rows, { 2, 3, 5, 7, 9 }, 0.1, "overhead grows")
local off, on = report.mean(rows, 2), report.mean(rows, 9)
local control = 0
for _, program in ipairs(e.programs) do
	control = control + e:overhead(program, e:run(program, "control", 0, true)) / #e.programs
end
report.shape(off < 1, "next to nothing is left when profiling is off: %.2f %%, %.2f %% without what table II counts (paper 0.48 %%, 0.29 %%)", off,
	off - control)
local quarter = report.mean(rows, 5)
report.shape(1 - quarter / on > 0.65, "a quarter of the time saves about three quarters of what all the time costs: %.0f %% (paper 72.7 %%)", (1 - quarter / on) * 100)
windows.accuracy(rows, 6, 96.24)
