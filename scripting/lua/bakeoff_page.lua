-- Format the results of a bake-off: as text, CSV and JSON, and as pictures.
--
-- Shows the results that cyclops.bakeoff produces. A row is one profiler's answer to one question,
-- with its overhead.

local budgets, truths, profilers = require "cyclops.bakeoff_budget",
	require "cyclops.bakeoff_truth", require "cyclops.bakeoff_profilers"
local scatter = require "cyclops.scatter"

local page = {}

-- The metric by which a paper judges itself, if it differs from the common one.
local PAPERS <const> = {
	zilles = { values = "rms" }, sastry = { values = "invariance", edges = "invariance" },
		random = { values = "invariance", edges = "invariance" },
}

-- ---- rows ----
-- The best result within a budget for a question: the smallest error of all settings within it.
local function bought(way, question, budget)
	local best
	for _, r in ipairs(way.records) do
		if r.overhead <= budgets.above * budget and r.errors[question]
			and budgets.is_long(r) then
			local metric = truths.question(question).metrics[1]
			if not best
				or r.errors[question][metric] < best.errors[question][metric] then
				best = r
			end
		end
	end
	return best
end

local function row_of(result, question, way, record)
	local q = truths.question(question)
	local row = { question = question, profiler = way.profiler, program = result.program,
		knob = way.knob, setting = record and record.knob, reason = way.reason,
		budgets = {}, record = record }
	if record then
		row.error, row.settles = record.errors[question][q.metrics[1]],
			record.settles[question]
		row.own_metric = (PAPERS[way.profiler] or {})[question]
		row.own = row.own_metric and record.errors[question][row.own_metric]
		for i, budget in ipairs(result.budgets) do
			local cell, best = way.budgets[i], bought(way, question, budget)
			row.budgets[i] = { budget = budget, reason = not best and cell.reason
				or nil, short = not best and cell.short or nil,
				overhead = best and best.overhead, setting = best and best.knob,
				error = best and best.errors[question][q.metrics[1]] }
		end
	end
	return row
end

--- page.rows(RESULT) -> { ROW, ... }
-- A row for each question and each profiler that answers it, at its default setting: question,
-- profiler, setting, error, own and own_metric (by the paper's metric, if different), settles (the
-- cycle from which on the error is below 10 %, false: never), record (cyclops.bakeoff), budgets.
function page.rows(result)
	local rows = {}
	for _, q in ipairs(truths.questions) do
		for _, p in ipairs(profilers.list) do
			for _, way in ipairs(result.ways) do
				for _, question in ipairs(way.answers) do
					if question == q.name and way.profiler == p.name then
						rows[#rows + 1] = row_of(result, question, way,
							way.records[1])
					end
				end
			end
		end
	end
	return rows
end

-- ---- text ----
local function number(v, digits)
	if not v then
		return "-"
	end
	local text = ("%." .. (digits or 0) .. "f"):format(v)
	local sign, whole, rest = text:match "^(%-?)(%d+)(.*)$"
	return sign .. whole:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "") .. rest
end

local function short(n)
	return n == nil and "-" or n >= 1e6 and ("%.4gM"):format(n / 1e6) or n >= 1e4
		and ("%.3gk"):format(n / 1e3) or ("%.4g"):format(n)
end

local function layout(lines)
	local widths, out = {}, {}
	for _, line in ipairs(lines) do
		for c, text in ipairs(line) do
			widths[c] = math.max(widths[c] or 0, utf8.len(text) or #text)
		end
	end
	for _, line in ipairs(lines) do
		local cells = {}
		for c, text in ipairs(line) do
			local room = (" "):rep(widths[c] - (utf8.len(text) or #text))
			cells[c] = (c <= 2) and text .. room or room .. text
		end
		out[#out + 1] = (table.concat(cells, "  "):gsub(" +$", ""))
	end
	return table.concat(out, "\n") .. "\n"
end

local function head_of(result)
	local line = { "profiler", "setting", "error %", "its own", "lost %", "overhead %",
		"deliveries", "L1D %", "bits", "code %", "10% after" }
	for _, budget in ipairs(result.budgets) do
		line[#line + 1] = ("at %g%%"):format(budget)
	end
	return line
end

local function line_of(row)
	local r = row.record
	local line = { row.profiler, row.setting and ("%s %s"):format(short(row.setting), row.knob)
		or "", number(row.error, 1),
		row.own and ("%s %.1f"):format(row.own_metric, row.own) or "",
		r.loss and number(r.loss.percent, 1) or "",
		number(r.overhead, 1), r.deliveries and short(r.deliveries) or "",
		number(r.traffic, 1), short(r.bits),
		number(r.code), row.settles and short(row.settles) or "never" }
	for _, cell in ipairs(row.budgets) do
		line[#line + 1] = cell.error and number(cell.error, 1) or cell.short and "short"
			or "no"
	end
	return line
end

--- page.text(RESULT) -> TEXT
-- A table for each question, followed by what was impossible.
function page.text(result)
	local out = {}
	local function put(text, ...)
		out[#out + 1] = select("#", ...) > 0 and text:format(...) or text
	end
	put("%s: %s cycles alone, %s instructions, %s\n", result.program,
		number(result.plain.cycles), number(result.plain.stats["sim.insts"]),
		result.stop and ("to %s %s of %s"):format(result.stop.block and "execution"
		or "call", number(result.stop.calls), result.stop.name) or "to its end")
	local rows = page.rows(result)
	for _, q in ipairs(truths.questions) do
		local lines, notes = { head_of(result) }, {}
		for _, row in ipairs(rows) do
			if row.question == q.name and row.record then
				lines[#lines + 1] = line_of(row)
				for _, cell in ipairs(row.budgets) do
					notes[#notes + 1] = cell.reason
						and ("  %s for %g %%: %s"):format(row.profiler,
						cell.budget, cell.reason) or nil
				end
			elseif row.question == q.name then
				notes[#notes + 1] = ("  %s: %s"):format(row.profiler, row.reason)
			end
		end
		if #lines > 1 or #notes > 0 then
			put("\n%s: %s\n%s", q.name, q.what, #lines > 1 and layout(lines) or "")
			for _, note in ipairs(notes) do
				put("%s\n", note)
			end
		end
	end
	local t = result.together
	if t then
		put("\n%s\n", t.reason and "together: " .. t.reason or
			("together, co-processor, sampler, value sampler and ProfileMe at once: " ..
			"overhead %.1f %%, alone they add up to %.1f %%"):format(t.overhead, t.sum))
	end
	return table.concat(out)
end

-- ---- CSV and JSON ----
local CSV <const> = { "program", "question", "profiler", "knob", "setting", "for", "error", "own",
	"own_metric", "lost", "overhead", "last", "deliveries", "l1d", "l2", "interrupts", "bits",
	"code", "cycles", "settles", "front", "reason" }

local function csv_cell(v)
	if v == nil or v == false then
		return ""
	end
	local text = type(v) == "number" and ("%.6g"):format(v) or tostring(v)
	if math.type(v) == "integer" then
		text = tostring(v)
	end
	return cyclops.csv(text)
end

local function csv_line(cells)
	local line = {}
	for i, name in ipairs(CSV) do
		line[i] = csv_cell(cells[name])
	end
	return table.concat(line, ",") .. "\n"
end

-- True if this run is on the question's Pareto front: no run of any profiler has lower overhead and
-- no more error, or the same overhead and less error.
local function on_front(result, question, record)
	local metric = truths.question(question).metrics[1]
	local error, overhead = record.errors[question][metric], record.overhead
	for _, way in ipairs(result.ways) do
		for _, other in ipairs(way.records) do
			local e = other.errors[question] and other.errors[question][metric]
			if e and e <= error and other.overhead <= overhead
				and (e < error or other.overhead < overhead) then
				return false
			end
		end
	end
	return true
end

--- page.csv(RESULT) -> TEXT
-- A line for each row at the default setting (for: "default"), for each budget ("1%"), and for each
-- other run ("run"). front: 1 if no run of any profiler has lower overhead and no more error, or
-- the same overhead and less error.
function page.csv(result)
	local out = { table.concat(CSV, ",") .. "\n" }
	for _, row in ipairs(page.rows(result)) do
		local function put(what, record, extra)
			local metric = truths.question(row.question).metrics[1]
			local cells = { program = result.program, question = row.question,
				profiler = row.profiler, knob = row.knob, ["for"] = what }
			if record then
				local errors = record.errors[row.question]
				cells.setting, cells.error, cells.own_metric,
					cells.own = record.knob, errors[metric], row.own_metric,
					row.own_metric and errors[row.own_metric]
				cells.overhead, cells.l1d, cells.l2, cells.interrupts =
					record.overhead, record.traffic, record.l2_traffic,
					record.interrupts
				cells.lost, cells.last, cells.deliveries =
					record.loss and record.loss.percent, record.last,
					record.deliveries
				cells.bits, cells.code, cells.cycles, cells.settles = record.bits,
					record.code, record.cycles, record.settles[row.question]
				cells.front = on_front(result, row.question, record) and 1 or nil
			end
			for k, v in pairs(extra or {}) do
				cells[k] = v
			end
			out[#out + 1] = csv_line(cells)
		end
		local way = page.way(result, row)
		put("default", row.record, { reason = row.reason })
		for i, cell in ipairs(row.budgets) do
			put(("%g%%"):format(cell.budget), bought(way, row.question, cell.budget),
				{ reason = row.budgets[i].reason })
		end
		for i = 2, #way.records do
			put("run", way.records[i])
		end
	end
	return table.concat(out)
end

--- page.way(RESULT, ROW) -> WAY
-- The way that a row belongs to.
function page.way(result, row)
	for _, way in ipairs(result.ways) do
		for _, question in ipairs(way.answers) do
			if way.profiler == row.profiler and question == row.question then
				return way
			end
		end
	end
end

local ESCAPES <const> = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t",
	["\r"] = "\\r" }

--- page.encode(VALUE) -> TEXT
-- Encodes as JSON; tables with [1], or { n = 0 }, are lists.
function page.encode(v)
	if type(v) == "table" then
		local parts = {}
		if v[1] ~= nil or v.n == 0 then
			for i, e in ipairs(v) do
				parts[i] = page.encode(e)
			end
			return "[" .. table.concat(parts, ",") .. "]"
		end
		local keys = {}
		for k in pairs(v) do
			keys[#keys + 1] = k
		end
		table.sort(keys, function(a, b) return tostring(a) < tostring(b) end)
		for i, k in ipairs(keys) do
			parts[i] = page.encode(tostring(k)) .. ":" .. page.encode(v[k])
		end
		return "{" .. table.concat(parts, ",") .. "}"
	elseif type(v) == "number" then
		return math.type(v) == "integer" and tostring(v) or v ~= v and "null"
			or ("%.10g"):format(v)
	elseif type(v) == "string" then
		return '"' .. v:gsub('[%c"\\]', function(c) return ESCAPES[c]
			or ("\\u%04x"):format(c:byte()) end) .. '"'
	end
	return tostring(v == nil and "null" or v)
end

-- A run without fields needed only to produce it.
local function bare(record)
	local copy = {}
	for k, v in pairs(record) do
		copy[k] = v
	end
	copy.looks = {}
	for i, look in ipairs(record.looks) do
		copy.looks[i] = { cycles = look.cycles, error = look.error }
	end
	return copy
end
page.bare = bare

--- page.summary(RESULT) -> TABLE
-- All numbers of a result, for JSON and for experiments.
function page.summary(result)
	local out = { program = result.program, args = result.args and result.args[1]
		and result.args or nil, max_insts = result.max_insts, stop = result.stop,
		budgets = result.budgets[1] and result.budgets or { n = 0 },
			plain = { cycles = result.plain.cycles, stats = result.plain.stats,
			hot = result.plain.hot[1] and result.plain.hot or nil }, ways = {},
		together = result.together }
	for i, way in ipairs(result.ways) do
		local w = { profiler = way.profiler, name = way.name, answers = way.answers,
			knob = way.knob, reason = way.reason, records = { n = 0 },
			budgets = { n = 0 } }
		for k, record in ipairs(way.records) do
			w.records[k] = bare(record)
			w.records[k].front = { n = 0 }
			for _, question in ipairs(way.answers) do
				if record.errors[question] and on_front(result, question,
					record) then
					table.insert(w.records[k].front, question)
				end
			end
		end
		for k, cell in ipairs(way.budgets) do
			w.budgets[k] = { budget = cell.budget, reason = cell.reason,
				short = cell.short,
				overhead = cell.record and cell.record.overhead,
				setting = cell.record and cell.record.knob }
		end
		out.ways[i] = w
	end
	return out
end

--- page.json(RESULT) -> TEXT
-- A result as one JSON object: its rows, settings and fronts.
function page.json(result)
	return page.encode(page.summary(result)) .. "\n"
end

-- ---- pictures ----
local FLOOR <const> = 0.1 -- percent: lower overheads are drawn here

-- Of points by rising overhead, those with less error than all before.
local function own_front(points)
	local front, least = { name = points.name, joined = true }, math.huge
	for _, point in ipairs(points) do
		if point[2] < least then
			front[#front + 1], least = point, point[2]
		end
	end
	return front
end

--- page.front(RESULT, QUESTION) -> SVG or nil
-- Error by overhead: each profiler's front, the runs that none of its other runs beats in both.
-- Better is further left and further down.
function page.front(result, question)
	local q, series = truths.question(question), {}
	for _, p in ipairs(profilers.list) do
		local points = { name = p.name, joined = true }
		for _, way in ipairs(result.ways) do
			for _, r in ipairs(way.profiler == p.name and way.records or {}) do
				if r.errors[question] then
					points[#points + 1] = { math.max(r.overhead, FLOOR),
						r.errors[question][q.metrics[1]],
						("%s %s: error %.2f %%, overhead %.2f %%"):format(
						p.name, r.knob and ("%.6g %s"):format(r.knob,
						way.knob) or "", r.errors[question][q.metrics[1]],
							r.overhead) }
				end
			end
		end
		table.sort(points, function(a, b) return a[1] < b[1] or a[1] == b[1]
			and a[2] < b[2] end)
		series[#series + 1] = points[1] and own_front(points) or nil
	end
	return series[1] and scatter.svg{ title = ("%s: %s"):format(result.program, question),
		x = "overhead, % of cycles", y = "error, %", series = series, xlog = true }
end

--- page.convergence(RESULT, QUESTION) -> SVG or nil
-- The error of each profiler at its default setting, over the run.
function page.convergence(result, question)
	local places, series = {}, {}
	for i = 1, result.looks do
		places[i] = i % 5 == 0 and ("%d%%"):format(100 * i // result.looks) or ""
	end
	for _, row in ipairs(page.rows(result)) do
		if row.question == question and row.record then
			local s = { name = row.profiler }
			for i, look in ipairs(row.record.looks) do
				s[i] = look.error[question]
			end
			for i = #s + 1, result.looks do
				s[i] = s[#s]
			end
			series[#series + 1] = s
		end
	end
	return series[1] and cyclops.chart{ title = ("%s: %s, as the run goes on"):format(
		result.program, question), x = "of the run", y = "error, %", kind = "lines",
		places = places, series = series }
end

--- page.budget(RESULT, BUDGET) -> SVG
-- Each profiler's results within a budget, by question.
function page.budget(result, budget)
	local places, series = {}, {}
	for i, q in ipairs(truths.questions) do
		places[i] = q.name
	end
	local rows, any = page.rows(result), false
	for _, p in ipairs(profilers.list) do
		local s = { name = p.name }
		local has = false
		for i, q in ipairs(truths.questions) do
			s[i] = false
			for _, row in ipairs(rows) do
				if row.question == q.name and row.profiler == p.name then
					for _, cell in ipairs(row.budgets) do
						if cell.budget == budget and cell.error then
							s[i], has, any = cell.error, true, true
						end
					end
				end
			end
		end
		series[#series + 1] = has and s or nil
	end
	return any and cyclops.chart{ title = ("%s: errors for an overhead of %g %%"):format(
		result.program, budget), x = "question", y = "error, %", places = places,
		series = series }
end

--- page.pictures(RESULT) -> { { FILE, SVG }, ... }
-- All pictures of a result, with their file names.
function page.pictures(result)
	local list = {}
	for _, q in ipairs(truths.questions) do
		list[#list + 1] = { ("front-%s.svg"):format(q.name), page.front(result, q.name) }
		list[#list + 1] = { ("time-%s.svg"):format(q.name),
			page.convergence(result, q.name) }
	end
	for _, budget in ipairs(result.budgets) do
		list[#list + 1] = { ("budget-%g.svg"):format(budget), page.budget(result, budget) }
	end
	local out = {}
	for _, picture in ipairs(list) do
		out[#out + 1] = picture[2] and picture or nil
	end
	return out
end

return page
