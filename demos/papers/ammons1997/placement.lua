-- Where data lie decides what misses, over real programs: read misses of the program as it is, laid
-- out again with nothing put in, and with counters of paths, in the paper's direct-mapped L1D and
-- with eight ways.
--
-- Expect: inserted code moves the heap, and in a direct-mapped cache two arrays then
-- share sets, or no longer do. With eight ways that does not matter, and only profiling's own
-- misses are left.
--
--     cyclops lua demos/papers/ammons1997/placement.lua --workloads [--programs A,B] [--insts N] [--small] [--out FOLDER] [--any-build]
local runs, report = require "runs", require "report"
local e = runs.open(arg)

local function misses(name, instrument, ways)
	return e.region:record(name, ("read-misses-%s-%d"):format(instrument or "as-is", ways), {},
		function()
		local m <close>, go = e.region:machine(name, { config = "ammons1997",
			instrument = instrument, set = { ["l1d.ways"] = ways } })
		go()
		return { reads = m.l1d.read_misses }
	end)
end

report.title "Read misses by where data lie"
local rows, moved, left = {}, 0, 0
for i, name in ipairs(e.names) do
	local row = { name }
	for _, ways in ipairs{ 1, 8 } do
		for _, instrument in ipairs{ false, "nothing", "path" } do
			row[#row + 1] = misses(name, instrument or nil, ways).reads
		end
	end
	rows[i] = row
	moved = moved + (math.abs(row[3] / row[2] - 1) > 0.1 and 1 or 0)
	left = left + (math.abs(row[6] / row[5] - 1) > 0.1 and 1 or 0)
end
report.table({ { "program" }, { "direct-mapped", 0 }, { "laid out again", 0 }, { "paths", 0 },
	{ "eight ways", 0 }, { "laid out again", 0 }, { "paths", 0 } }, rows)
print()
report.shape(left < moved,
	"laying out again moves read misses by more than a tenth in %d programs, with eight ways in %d",
	moved, left)
