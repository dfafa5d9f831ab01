-- Common parts of the figures of error and overhead over events.
local plot, report = require "plot", require "report"
local runs = require "runs"

local curves = {}

-- Places of pictures and tables: denser where curves are steep.
local SHOWN <const> = { 50000, 100000, 200000, 300000, 400000, 600000, 800000, 1000000, 1500000,
	2000000, 3000000, 4000000, 6000000, 8000000, 10000000, 12000000,
	14000000, 16000000 }

local function shown(record, most)
	local places, last = {}, record.events[#record.events]
	for _, events in ipairs(SHOWN) do
		local place = runs.place(record, events)
		if events <= math.min(most, last) and record.events[place] == events then
			places[#places + 1] = place
		end
	end
	if last <= most and record.events[places[#places] or 0] ~= last then
		places[#places + 1] = #record.events
	end
	return places
end

local function pick(list, places)
	local out = {}
	for i, place in ipairs(places) do
		out[i] = list[place] or false
	end
	return out
end

--- curves.errors(o, FILE, TITLE, RECORD, NAMES, MOST)
-- A picture of error over events, up to MOST of them; all places as FILE.csv.
function curves.errors(o, file, title, record, names, most)
	local places, series, all = shown(record, most), {}, {}
	for i, name in ipairs(names) do
		local errors = record.by[name].error
		series[i] = pick(errors, places)
		series[i].name = name
		all[i] = { name = name, table.unpack(errors, 1, runs.place(record, most)) }
	end
	plot.csv(o, file, "events", { table.unpack(record.events, 1, runs.place(record, most)) },
		all)
	plot.lines(o, file, { title = title, x = "events", y = "error, %",
		places = pick(record.events, places), series = series })
end

--- curves.overheads(o, FILE, TITLE, RECORD, NAMES, MOST)
function curves.overheads(o, file, title, record, names, most)
	local places, series, all = shown(record, most), {}, {}
	for i, name in ipairs(names) do
		local list = {}
		for place = 1, runs.place(record, most) do
			list[place] = runs.overhead(record, name, place)
		end
		series[i] = pick(list, places)
		series[i].name = name
		list.name, all[i] = name, list
	end
	plot.csv(o, file, "events", { table.unpack(record.events, 1, runs.place(record, most)) },
		all)
	plot.lines(o, file, { title = title, x = "events", y = "overhead, % of cycles",
		places = pick(record.events, places), series = series })
end

--- curves.events(N) -> TEXT
-- 4M; a dash for none.
function curves.events(n)
	return n and plot.short(n) or "–"
end

--- curves.count(LIST, TEST) -> HOW MANY, OF HOW MANY
function curves.count(list, test)
	local n = 0
	for _, x in ipairs(list) do
		n = n + (test(x) and 1 or 0)
	end
	return n, #list
end

--- curves.holds(HOLDING, OF, TEXT, ...)
-- Agrees if it holds for all; otherwise prints for how many it holds.
function curves.holds(n, of, text, ...)
	report.shape(n == of, text .. ", in %d of %d programs", ...)
end

return curves
