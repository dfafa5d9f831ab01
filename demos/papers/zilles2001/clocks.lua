-- The co-processor at the core's clock, at half of it and at a quarter.
--
-- Expect: little effect; samples are dropped, but enough important ones remain.
--
--     cyclops lua demos/papers/zilles2001/clocks.lua [--small] [--programs A,B] [--insts N] [--out FOLDER]
local runs, report, variants = require "runs", require "report", require "variants"
local e = runs.open(arg)
local NAMES <const> = { "1", "1/2", "1/4" }

report.title "Clocks: as fast as the core, half and a quarter"
variants.curves(e, "clocks", e:main() .. ": error over time", e:main(), runs.clocks, NAMES)
print()
local out = variants.compare(e, "clocks", runs.clocks, NAMES)

local rows = {}
for i, name in ipairs(e.names) do
	rows[i] = { name }
	for _, clock in ipairs(runs.clocks) do
		local s = e:record(name, clock[1]).stats
		table.insert(rows[i], 100 * (s["cop.dropped"] + s["cop.lost"]) / s["cop.records"])
	end
end
report.table({ { "records that found no room, %" }, { "1", 1 }, { "1/2", 1 }, { "1/4", 1 } }, rows)
print()
for v = 2, #runs.clocks do
	local n, of = variants.count(out.error, 1, v, function(a, b) return b <= 1.25 * a end)
	report.shape(n == of, "at %s of the core's clock errors are comparable (a quarter more at most), in %d of %d programs", NAMES[v], n, of)
	n, of = variants.count(out.overhead, 1, v, function(a, b)
		return math.abs(b - a) <= 0.25 * a end)
	report.shape(n == of, "and so are overheads (a quarter more or less), in %d of %d", n, of)
	n, of = variants.count(out.settles, 1, v, function(a, b) return b >= a end)
	report.shape(n == of,
		"the profile is there as late or later, in %d of the %d where both get there", n,
		of)
end
