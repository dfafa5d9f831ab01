-- Common parts of the pages about sizes and clocks: co-processors that differ in one thing, on all
-- programs.
local report, plot = require "report", require "plot"

local variants = {}

--- variants.compare(e, FILE, LIST, NAMES) -> { error = {...}, overhead = {...}, interrupts = {...}, settles = {...} }
-- LIST of { RUN, ... }, called NAMES. Prints tables and pictures, and gives what they show: series
-- by run, places are e.names; of `settles` the instructions until a program's error was no more
-- than half again what the middle one ends with, nil if never.
function variants.compare(e, file, list, names)
	local out = { error = {}, overhead = {}, interrupts = {}, settles = {}, samples = {} }
	local base = variants.base(list)
	for v, variant in ipairs(list) do
		for _, series in pairs(out) do
			series[v] = { name = names[v] }
		end
		for i, name in ipairs(e.names) do
			local r, limit = e:record(name, variant[1]),
				1.5 * e:error(name, list[base][1])
			local last = #r.insts
			out.error[v][i], out.overhead[v][i] = e:error(name, variant[1]),
				math.max(e:overhead(name, variant[1]), 0)
			out.interrupts[v][i], out.samples[v][i] = e:turns(name, variant[1]),
				r.counts.samples / math.max(e:turns(name, variant[1]), 1)
			local first
			for place = 1, last do
				first = r.error[place] <= limit and (first or place) or nil
			end
			out.settles[v][i] = first and r.insts[first] or false
		end
	end
	for _, page in ipairs{ { "error", "weighted RMS error, %", 2 },
		{ "overhead", "overhead, % of cycles", 2 } } do
		report.title("%s", page[2])
		plot.table(e, file .. "-" .. page[1], { "program" }, e.names, out[page[1]], page[3])
		print()
		plot.lines(e, file .. "-" .. page[1], { title = page[2], x = "program", y = page[2],
			places = e.names, series = out[page[1]], kind = "bars" })
		print()
	end
	local columns, rows = { { "program" } }, {}
	for i, name in ipairs(e.names) do
		rows[i] = { name }
	end
	local late = "instructions until the error is near its last"
	for _, what in ipairs{ { "interrupts", "interrupts" }, { "samples", "samples for each" },
		{ "settles", late } } do
		for v in ipairs(list) do
			columns[#columns + 1] = { (v == 1 and what[2] .. ": " or "") .. names[v],
				0 }
			for i in ipairs(e.names) do
				table.insert(rows[i], out[what[1]][v][i] or "never")
			end
		end
	end
	report.table(columns, rows)
	print()
	return out
end

--- variants.base(LIST) -> PLACE
-- Where the run "value" is, with which the others are compared.
function variants.base(list)
	for v, variant in ipairs(list) do
		if variant[1] == "value" then
			return v
		end
	end
end

--- variants.count(SERIES, A, B, COMPARE) -> COUNT, OF
-- In how many programs COMPARE(A's, B's) holds, of those where both have a number.
function variants.count(series, a, b, compare)
	local n, of = 0, 0
	for i in ipairs(series[a]) do
		if series[a][i] and series[b][i] then
			n, of = n + (compare(series[a][i], series[b][i]) and 1 or 0), of + 1
		end
	end
	return n, of
end

--- variants.curves(e, FILE, TITLE, NAME, LIST, NAMES)
-- Error over time of one program.
function variants.curves(e, file, title, name, list, names)
	local alone, all, shown, places = e:record(name, "plain"), {}, {}, {}
	local last = #alone.insts
	local every = math.max(last // 12, 1)
	for place = every, last, every do
		places[#places + 1] = alone.insts[place]
	end
	for v, variant in ipairs(list) do
		local r = e:record(name, variant[1])
		all[v], shown[v] = { name = names[v], table.unpack(r.error) }, { name = names[v] }
		for place = every, last, every do
			table.insert(shown[v], r.error[place])
		end
	end
	plot.csv(e, file, "instructions", alone.insts, all)
	plot.lines(e, file, { title = title, x = "instructions", y = "weighted RMS error, %",
		places = places, series = shown })
end

return variants
