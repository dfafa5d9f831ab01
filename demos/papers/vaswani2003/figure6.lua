-- Figure 6: basic block profiling with selective dispatch alone: accesses of the level 1
-- instruction and data caches.
--
-- Expect: data cache accesses grow with the window; instruction cache accesses are near
-- their most even when profiling is off, for what is dropped was fetched.
--
--     cyclops lua demos/papers/vaswani2003/figure6.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local report, windows = require "report", require "windows"

report.title("Figure 6: basic block profiling without prediction, accesses of the L1 caches")
local code, data = windows.accesses(e, "blocks", false, "l1i.accesses"),
	windows.accesses(e, "blocks", false, "l1d.accesses")
windows.figure(e, "figure6-l1i.svg", "Basic blocks, no prediction: L1I accesses", code)
windows.figure(e, "figure6-l1d.svg", "Basic blocks, no prediction: L1D accesses", data)
windows.grows(data, { 2, 3, 4, 5, 6 }, 0.001, "data cache accesses grow")
local off, on = report.mean(code, 2), report.mean(code, 6)
report.shape(off > 0.9 * on,
	"instruction cache accesses are near their most when profiling is off: %.3f, at most %.3f",
	off, on)
