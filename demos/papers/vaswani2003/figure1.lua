-- Figure 1: a trigger built into the program: a check at a method's entry and at its loop's back
-- edge decides between setpf and resetpf. demos/xprof/checks.c profiles one piece of work in
-- INTERVAL.
--
-- Expect: overhead and counts fall with growing interval, and the profile does not change. The
-- exception is interval 1: the flag never changes, so the flag and the check's branch are predicted
-- correctly; occasional profiling is mispredicted each time, by both. The cost of the checks
-- remains; the paper's external trigger, a runtime that patches code, has no such cost.
--
--     cyclops lua demos/papers/vaswani2003/figure1.lua [--small] [--out FOLDER]
local e = require "experiment".open(arg)
local guest, report, xprof = require "guest", require "report", require "cyclops.xprof"

local function run(interval)
	local m <close> = guest.machine(e, { args = { interval } },
		{ program = "build/demos/xprof/checks", name = "checks " .. interval })
	m:finish()
	guest.whole(m)
	local counts = {}
	for i = 0, 4 do
		counts[i] = m.mem:u64(m.counts + 8 * i)
	end
	return counts, m.cycle, m.stats["xprof.flag_mispredicts"], m.stats["bpred.mispredicts"]
end

report.title("Figure 1: profiling by checks in the program, one piece of work in so many")
local whole = run(1)
local checks = whole[0] + whole[1]
local _, never = run(0)
local rows, exact = {}, true
for i, interval in ipairs{ 1, 3, 10, 30, 100, 300, 1000 } do
	local counts, cycles, flags, branches = run(interval)
	local taken = counts[0] + counts[1]
	exact = exact and taken == checks // interval
	rows[i] = { "1 in " .. interval, taken, (cycles / never - 1) * 100,
		xprof.accuracy(counts, whole), flags, branches }
end
report.table({ { "profiled" }, { "pieces of work" }, { "overhead over none profiled, %", 2 },
	{ "accuracy, %", 2 },
	{ "flag mispredictions" }, { "branch mispredictions" } }, rows)
print()
report.shape(exact, "of %s checks, each 1 in so many switches profiling on, to the last",
	report.number(checks))
report.shape(
	report.grows({ { rows[7][3], rows[6][3], rows[5][3], rows[4][3], rows[3][3], rows[2][3] } },
	{ 1, 2, 3, 4, 5, 6 }) == 1,
	"from 1 in 3 on, overhead shrinks with the interval")
report.shape(rows[5][4] > 95, "1 in 100 gives the profile to %.2f %%", rows[5][4])
