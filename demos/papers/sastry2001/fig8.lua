-- Figure 8: error over events of the programs that figure 7 leaves out; and figure 7's comparison
-- for all programs.
--
--     cyclops lua demos/papers/sastry2001/fig8.lua [--small] [--programs A,B] [--events N] [--out FOLDER]
local runs, compressors, curves, plot, report = require "runs", require "compressors",
	require "curves", require "plot", require "report"
local e = runs.open(arg)
local R <const>, P <const>, H <const>, H512 <const>, T <const> = table.unpack(compressors.main)

report.title "Figure 8: values of loads, all programs"
local records = {}
for i, name in ipairs(e.names) do
	local record = e:loads(name)
	records[i] = record
	record.name, record.last = name, #record.events
	if name ~= "lisp" then
		curves.errors(e, "fig8-" .. name, name .. ": error", record, compressors.main,
			1 << 40)
	end
end
print()

-- ---- the programs ----
local rows = {}
for i, r in ipairs(records) do
	rows[i] = { r.name, r.events[r.last], r.insts, r.cycles[r.last], r.skipped, r.pcs, r.tuples,
		r.selected, 100 * r.weight / r.events[r.last] }
end
report.table({ { "program" }, { "loads", 0 }, { "instructions", 0 }, { "cycles", 0 },
	{ "skipped before", 0 }, { "loads selected", 0 },
	{ "different tuples", 0 }, { "selected", 0 }, { "their part of all loads, %", 1 } }, rows)
print()

local function by_compressor(title, value, digits)
	local columns, lines = { { title } }, {}
	for c, name in ipairs(compressors.main) do
		columns[c + 1] = { name, digits }
	end
	for i, r in ipairs(records) do
		lines[i] = { r.name }
		for c, name in ipairs(compressors.main) do
			lines[i][c + 1] = value(r, name)
		end
	end
	lines[#lines + 1] = { "**average**", table.unpack(report.means(lines)) }
	report.table(columns, lines)
	print()
end
local function final(r, c) return r.by[c].error[r.last] or 0 end
local function mean(r, c)
	local sum, count = 0, 0
	for _, x in ipairs(r.by[c].error) do
		sum, count = sum + (x or 0), count + (x and 1 or 0)
	end
	return sum / math.max(count, 1)
end
local function overhead(r, c) return runs.overhead(r, c, r.last) end
by_compressor("error at the end, %", final, 2)
by_compressor("error on average over the run, %", mean, 2)
by_compressor("overhead, %", overhead, 2)

-- ---- events to an error ----
local LIMIT <const> = { 5, 2 }
rows = {}
for i, r in ipairs(records) do
	rows[i] = { r.name }
	for _, limit in ipairs(LIMIT) do
		for _, c in ipairs{ R, H, T } do
			local _, good = runs.settles(r, c, limit)
			rows[i][#rows[i] + 1] = curves.events(good)
		end
	end
end
report.table({ { "events until the error stays below" }, { "5 %: " .. R }, { H }, { T },
	{ "2 %: " .. R }, { H }, { T } }, rows)
print()

-- ---- the paper's claims ----
local function settles(r, c, limit)
	local _, good = runs.settles(r, c, limit)
	return good or math.huge
end
for _, limit in ipairs(LIMIT) do
	local n, of = curves.count(records, function(r) return settles(r, H, limit) <= settles(r, R,
		limit) end)
	local half = curves.count(records, function(r) return settles(r, H, limit) < math.huge
		and settles(r, H, limit) * 2 <= settles(r, R, limit) end)
	report.shape(n == of, "%s stays below %d %% no later than %s, in %d of %d programs; in %d after half of the events or fewer", H, limit, R, n, of, half)
end
local resonant = {}
local n, of = curves.count(records, function(r)
	local alike = math.abs(mean(r, P) - mean(r, R)) < math.max(0.5, mean(r, R) * 0.25)
	if not alike then
		resonant[#resonant + 1] = ("%s (%.1f %% and %.1f %%)"):format(r.name, mean(r, R),
			mean(r, P))
	end
	return alike
end)
report.shape(n == of, "R and P are alike in %d of %d programs%s", n, of, n < of and "; not in " ..
	table.concat(resonant, ", ") or "")
n, of = curves.count(records, function(r) return mean(r, H) < mean(r, R) end)
report.shape(n == of, "%s errs less than %s on average, in %d of %d programs", H, R, n, of)
n, of = curves.count(records, function(r) return mean(r, T) <= mean(r, H) * 1.02 end)
report.shape(n == of, "T errs no more than %s, in %d of %d programs", H, n, of)
local ratios = {}
for i, r in ipairs(records) do
	ratios[i] = overhead(r, T) / overhead(r, R)
end
table.sort(ratios)
local twice, thrice = curves.count(ratios, function(r) return r >= 2 end),
	curves.count(ratios, function(r) return r > 3 end)
report.shape(twice == #ratios, "T's overhead is twice that of %s or more, in %d of %d programs, in %d of them no more than three times: %.2f to %.2f times, %.2f in the middle", R,
	twice, #ratios, twice - thrice, ratios[1], ratios[#ratios], ratios[#ratios // 2 + 1])
n, of = curves.count(records, function(r) return mean(r, H512) < mean(r, R) * 1.15 end)
report.shape(n == of,
	"%s at half the overhead errs no more than %s (but for a seventh), in %d of %d programs",
	H512, R, n, of)

local places, series = {}, {}
for c, name in ipairs(compressors.main) do
	series[c] = { name = name }
	for i, r in ipairs(records) do
		places[i], series[c][i] = r.name, overhead(r, name)
	end
end
print()
plot.csv(e, "fig8-overhead", "program", places, series)
plot.lines(e, "fig8-overhead", { title = "Overhead of 30 cycles a message", x = "program",
	y = "overhead, % of cycles", places = places, series = series, kind = "bars" })
