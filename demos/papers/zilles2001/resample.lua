-- Masked loads that are sampled again: error and overhead for other numbers of turns until then,
-- down to never.
--
-- Expect: programs with phases err less, the others by about as much; overhead falls with
-- the number of turns.
--
--     cyclops lua demos/papers/zilles2001/resample.lua [--small] [--programs A,B] [--insts N] [--out FOLDER]
local runs, report, plot = require "runs", require "report", require "plot"
local e = runs.open(arg)
local LIST <const> = runs.resamples

report.title "Masked loads sampled again after so many turns"
local series = { error = {}, overhead = {} }
for v, run in ipairs(LIST) do
	local name = run[2] == 0 and "never" or ("%d"):format(run[2])
	series.error[v], series.overhead[v] = { name = name }, { name = name }
	for i, program in ipairs(e.names) do
		series.error[v][i], series.overhead[v][i] = e:error(program, run[1]),
			e:overhead(program, run[1])
	end
end
for _, page in ipairs{ { "error", "weighted RMS error, %", 2 },
	{ "overhead", "overhead, % of cycles", 2 } } do
	report.title("%s", page[2])
	plot.table(e, "resample-" .. page[1], { "program" }, e.names, series[page[1]], page[3])
	print()
	plot.lines(e, "resample-" .. page[1],
		{ title = page[2] .. ": masked loads sampled again after so many turns",
		x = "program", y = page[2],
		places = e.names, series = series[page[1]], kind = "bars" })
	print()
end

-- ---- on average, as a curve ----
local columns, rows = { { "turns" }, { "error, %: mean", 2 }, { "overhead, %: mean", 2 } }, {}
local mean, places = { { name = "error" }, { name = "overhead" } }, {}
for v in ipairs(LIST) do
	places[v] = series.error[v].name
	mean[1][v], mean[2][v] = report.average(series.error[v]), report.average(series.overhead[v])
	rows[v] = { places[v], mean[1][v], mean[2][v] }
end
report.table(columns, rows)
print()
plot.lines(e, "resample", { title = "Mean of all programs",
	x = "turns until masked loads are sampled again", y = "%", places = places, series = mean })
print()

local base, never = 1, #LIST
for v, run in ipairs(LIST) do
	base = run[1] == "value" and v or base
end
local less, dearer = 0, 0
for i in ipairs(e.names) do
	less = less + (series.error[base][i] < series.error[never][i] and 1 or 0)
	dearer = dearer + (series.overhead[base][i] > series.overhead[never][i] and 1 or 0)
end
report.shape(mean[1][base] < mean[1][never],
	"masked loads that are sampled again after %s turns: %.2f %% of error on average, and not %.2f %%; less in %d of %d programs",
	places[base], mean[1][base], mean[1][never], less, #e.names)
report.shape(dearer == #e.names,
	"which costs: %.2f %% of overhead, and not %.2f %%; more in %d of %d programs",
	mean[2][base],
	mean[2][never], dearer, #e.names)
