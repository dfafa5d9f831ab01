-- Series as a table, as CSV and as a picture.
local report = require "report"

local plot = {}

local function save(path, text)
	local f = assert(io.open(path, "w"))
	f:write(text)
	f:close()
end

local function number(v)
	return v and ("%.6g"):format(v) or ""
end

--- plot.csv(o, NAME, FIRST, PLACES, SERIES)
-- NAME.csv: a line for each place, a column for each series. FIRST is the title of the places'
-- column.
function plot.csv(o, name, first, places, series)
	local lines, cells = {}, { cyclops.csv(first) }
	for _, s in ipairs(series) do
		cells[#cells + 1] = cyclops.csv(s.name)
	end
	lines[1] = table.concat(cells, ",")
	for i, place in ipairs(places) do
		cells = { cyclops.csv(place) }
		for _, s in ipairs(series) do
			cells[#cells + 1] = number(s[i])
		end
		lines[#lines + 1] = table.concat(cells, ",")
	end
	save(("%s/%s.csv"):format(o.out, name), table.concat(lines, "\n") .. "\n")
end

--- plot.table(o, NAME, { FIRST, DIGITS }, PLACES, SERIES, DIGITS)
-- The same as Markdown, and NAME.csv.
function plot.table(o, name, first, places, series, digits)
	local columns, rows = { first }, {}
	for c, s in ipairs(series) do
		columns[c + 1] = { s.name, digits }
	end
	for i, place in ipairs(places) do
		rows[i] = { place }
		for c, s in ipairs(series) do
			rows[i][c + 1] = s[i] or ""
		end
	end
	report.table(columns, rows)
	print()
	plot.csv(o, name, first[1], places, series)
end

-- 1500000: 1.5M.
function plot.short(v)
	return v >= 1e6 and ("%.4gM"):format(v / 1e6) or v >= 1000 and ("%.4gk"):format(v / 1000)
		or ("%g"):format(v)
end

--- plot.lines(o, NAME, CHART)
-- NAME.svg; places may be numbers.
function plot.lines(o, name, chart)
	local places = {}
	for i, place in ipairs(chart.places) do
		places[i] = type(place) == "number" and plot.short(place) or place
	end
	chart.places, chart.kind = places, chart.kind or "lines"
	report.picture(("%s/%s.svg"):format(o.out, name), chart)
end

return plot
