-- Figure 11: edges and call targets in one H[P256]2048 at once, after 4 million events.
--
-- Expect: errors below 3 %, negligible in most programs; overheads below 4.5 %.
--
--     cyclops lua demos/papers/sastry2001/fig11.lua [--small] [--programs A,B] [--out FOLDER]
local runs, curves, plot, report = require "runs", require "curves", require "plot",
	require "report"
local e = runs.open(arg)
local H <const> = "H[P256]2048"

report.title "Figure 11: edges and calls at once, in one H[P256]2048"
local rows, places, errors, overheads = {}, {}, { name = "error, %" }, { name = "overhead, %" }
for i, name in ipairs(e.names) do
	local record = e:edges(name)
	local last = #record.events
	local by = record.by[H]
	places[i], errors[i], overheads[i] = name, by.error[last] or 0,
		runs.overhead(record, H, last)
	rows[i] = { name, record.events[last], record.tuples, errors[i], by.tags.edges,
		by.tags.calls, overheads[i], record.by.R256.error[last] or 0,
		(e:loads(name).by[H].error[runs.place(e:loads(name), record.events[last])] or 0) }
end
report.table({ { "program" }, { "events", 0 }, { "different tuples", 0 }, { "error, %", 2 },
	{ "edges, %", 2 }, { "calls, %", 2 }, { "overhead, %", 2 },
	{ "error of R256, %", 2 }, { "error of load values, %", 2 } }, rows)
print()
plot.csv(e, "fig11", "program", places, { errors, overheads })
plot.lines(e, "fig11", { title = "Edges and calls at once: error and overhead", x = "program",
	y = "%", places = places, series = { errors, overheads }, kind = "bars" })
print()
local n, of = curves.count(rows, function(r) return r[4] < 3 end)
report.shape(n == of, "the error is below 3 %%, in %d of %d programs", n, of)
n, of = curves.count(rows, function(r) return r[4] < 0.5 end)
report.shape(n * 2 > of, "and negligible (below 0.5 %%) in %d of them (paper: 6 of 10)", n)
n, of = curves.count(rows, function(r) return r[7] < 4.5 end)
report.shape(n == of, "overheads are below 4.5 %%, in %d of %d programs", n, of)
n, of = curves.count(rows, function(r) return r[4] < r[9] end)
report.shape(n == of,
	"edges and calls are profiled more accurately than load values, in %d of %d programs", n,
	of)
