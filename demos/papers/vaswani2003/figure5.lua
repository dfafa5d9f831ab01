-- Figure 5: call-graph profiling with selective dispatch: accesses of the level 1 instruction and
-- data caches.
--
-- Expect: both grow with the window, for each call that is profiled runs a routine that
-- keeps the call graph.
--
--     cyclops lua demos/papers/vaswani2003/figure5.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local report, windows = require "report", require "windows"

report.title("Figure 5: call-graph profiling, accesses of the L1 caches")
local code, data = windows.accesses(e, "calls", true, "l1i.accesses"),
	windows.accesses(e, "calls", true, "l1d.accesses")
windows.figure(e, "figure5-l1i.svg", "Call graph: L1I accesses", code)
windows.figure(e, "figure5-l1d.svg", "Call graph: L1D accesses", data)
windows.grows(data, { 2, 3, 4, 5, 6 }, 0.001, "data cache accesses grow")
report.shape(report.mean(code, 6) > report.mean(code, 2),
	"instruction cache accesses grow, too: on average from %.3f to %.3f",
	report.mean(code, 2), report.mean(code, 6))
