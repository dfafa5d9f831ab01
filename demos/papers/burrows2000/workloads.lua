-- Table 2(a) over real programs: the cost of value sampling, and of the daemon beside it.
--
-- Expect: the paper's order of options. If each instruction gives a tuple, a daemon on the same
-- processor costs more than the handler.
--
--     cyclops lua demos/papers/burrows2000/workloads.lua --workloads [--programs A,B] [--small] [--out FOLDER] [--any-build]
local runs, report, paper = require "runs", require "report", require "paper"
local e = runs.open(arg)
local WAYS <const> = { "no-vprof", "vprof", "vprof-context", "vreplay", "vreplay-context" }
local SERVICE <const> = 500 -- cycles that the daemon takes for a tuple (vsample.service)

print "# Real programs"
print()
print "Made by `make papers`; [README.md](README.md) explains it. Real programs"
print(("([`demos/workloads`](../../workloads/README.md)): of each %s instructions after " ..
	"the first"):format(report.number(e.insts)))
print(("four million, in which interrupts come %d times as often as in the paper; slowdowns are " ..
	"divided by that."):format(e.scale))
print()

-- Percent of the program's cycles, without the daemon and with it on the same processor.
local function slowdown(name, way)
	local s, plain = e:record(name, way).stats, e:record(name, "plain").stats
	local handler = e:slowdown(name, way)
	local daemon = 100 * (s["vsample.tuples"]
		or 0) * SERVICE / (
		plain["sim.cycles"] / plain["sim.insts"] * s["sim.insts"]) / e.scale
	return handler, handler + daemon
end

report.title "Table 2(a): slowdown, %%, at the paper's rate of interrupts; in brackets with the daemon on the same processor"
local slow = {} -- at one instruction a cycle
local columns, rows, sums, integer = { { "program" }, { "IPC", 2 } }, {}, {}, e:integer()
for _, way in ipairs(WAYS) do
	columns[#columns + 1] = { (way:gsub("%-context", " with context"):gsub("no%-", "no ")) }
end
for i, name in ipairs(e.names) do
	local plain = e:record(name, "plain").stats
	rows[i] = { name .. (e:is_floating(name) and " (floating point)" or ""),
		plain["sim.insts"] / plain["sim.cycles"] }
	for c, way in ipairs(WAYS) do
		local handler, with = slowdown(name, way)
		rows[i][2 + c] = ("%.1f (%.1f)"):format(handler, with)
		sums[c] = sums[c] or { 0, 0 }
		if not e:is_floating(name) or integer == e.names then
			slow[c] = { (slow[c] and slow[c][1] or 0) + handler / rows[i][2] / #integer,
				(slow[c] and slow[c][2] or 0) + with / rows[i][2] / #integer }
			sums[c][1], sums[c][2] = sums[c][1] + handler / #integer,
				sums[c][2] + with / #integer
		end
	end
end
local mean, theirs = { "**integer programs**" }, { "**the paper's**" }
for c, way in ipairs(WAYS) do
	mean[2 + c], theirs[2 + c] = ("%.1f (%.1f)"):format(sums[c][1], sums[c][2]),
		("%.1f"):format(paper.options[way])
end
rows[#rows + 1], rows[#rows + 2] = mean, theirs
report.table(columns, rows)
print()
report.shape(sums[1][1] < sums[2][1] and sums[4][1] < sums[2][1] and sums[2][1] < sums[3][1],
	"vprof costs more than vreplay, its context little more: %.1f, %.1f, %.1f %%",
	sums[2][1], sums[4][1], sums[3][1])
report.shape(math.abs(sums[2][2] / paper.options.vprof - 1) < 0.4,
	"with the daemon value profiling costs %.1f %%, without %.1f (paper %.1f, with it)",
	sums[2][2],
	sums[2][1], paper.options.vprof)
report.shape(math.abs(slow[2][2] / paper.options.vprof - 1) < 0.25, "for a program that commits one instruction a cycle that is %.1f and %.1f %%, vreplay %.1f and %.1f (paper %.1f)",
	slow[2][2], slow[2][1], slow[4][2], slow[4][1], paper.options.vreplay)
print()

report.title "The module vreplay itself: 128 instructions after every 32nd interrupt"
rows = {}
for i, name in ipairs(e.names) do
	local s = e:record(name, "vreplay-module").stats
	rows[i] = { name, s["vsample.insts"] or 0, s["vsample.tuples"] or 0,
		(e:slowdown(name, "vreplay-module")) }
end
report.table({ { "program" }, { "instructions interpreted", 0 }, { "tuples", 0 },
	{ "slowdown, %", 1 } }, rows)
