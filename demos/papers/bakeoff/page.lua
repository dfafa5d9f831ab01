-- The bake-off over all programs: each profiler's accuracy at an overhead of 1, 3 and 10 percent,
-- and with its paper's parameters.
--
--     cyclops lua demos/papers/bakeoff/page.lua [--programs A,B] [--insts N] [--small] [--out FOLDER] [--any-build]
local runs, report, plot = require "runs", require "report", require "plot"
local truths, profilers = require "cyclops.bakeoff_truth", require "cyclops.bakeoff_profilers"
local e = runs.open(arg)

local records = {}
for i, name in ipairs(e.names) do
	records[i] = e:record(name)
end

-- Rows of a question and a profiler, of all programs with such a row.
local function rows_of(question, profiler)
	local list = {}
	for i, record in ipairs(records) do
		for _, row in ipairs(record.rows) do
			if row.question == question and row.profiler == profiler then
				list[#list + 1] = { program = e.names[i], row = row }
			end
		end
	end
	return list
end

local function mean(list, of)
	local sum, n = 0, 0
	for _, r in ipairs(list) do
		local v = of(r.row)
		if v then
			sum, n = sum + v, n + 1
		end
	end
	return n > 0 and sum / n or nil, n
end

local function at(budget)
	return function(row) return row.budgets[budget] and row.budgets[budget].error end
end

local function cell(v, n, all)
	return v and report.number(v, 1) .. (n < all and (" (%d)"):format(n) or "") or "-"
end

-- ---- tables ----
report.title("Errors at equal overheads, means over %d programs", #records)
print("In brackets: so many programs, where the others could not keep the budget, or had fewer than")
print("twenty deliveries within it. `10 %` is the number of programs whose error fell below 10 % for good,")
print("as the profiler comes; `deliveries` and `lost`, in percent of records, tuples or samples, too.")
print()
local front = {}
for _, q in ipairs(truths.questions) do
	local lines = {}
	for _, p in ipairs(profilers.list) do
		local list = rows_of(q.name, p.name)
		local error, n = mean(list, function(row) return row.error end)
		if n > 0 then
			local line = { p.name, error,
				(mean(list, function(row) return row.overhead end)) }
			line[5] = (mean(list, function(row) return row.deliveries end))
			line[6] = (mean(list, function(row) return row.lost end))
			local settled = 0
			for _, r in ipairs(list) do
				settled = settled + (r.row.settles and 1 or 0)
			end
			line[4] = ("%d of %d"):format(settled, n)
			for b in ipairs(runs.budgets) do
				local v, kept = mean(list, at(b))
				line[6 + b] = cell(v, kept, #list)
				if v and kept == #list then
					front[q.name] = front[q.name] or {}
					front[q.name][b] = front[q.name][b] or {}
					table.insert(front[q.name][b], { p.name, v })
				end
			end
			lines[#lines + 1] = line
		end
	end
	print(("**%s**: %s"):format(q.name, q.what))
	print()
	local columns = { { "profiler" }, { "error %", 1 }, { "overhead %", 1 }, { "10 %" },
		{ "deliveries", 0 }, { "lost %", 1 } }
	for b, budget in ipairs(runs.budgets) do
		columns[6 + b] = { ("at %g %%"):format(budget) }
	end
	report.table(columns, lines)
	print()
end

-- ---- the best profilers ----
report.title("The smallest error for an overhead, of those that every program can keep")
local lines = {}
for i, q in ipairs(truths.questions) do
	lines[i] = { q.name }
	for b in ipairs(runs.budgets) do
		local best
		for _, pair in ipairs(front[q.name] and front[q.name][b] or {}) do
			best = (not best or pair[2] < best[2]) and pair or best
		end
		lines[i][1 + b] = best and ("%s %.1f"):format(best[1], best[2]) or "none"
	end
end
local columns = { { "question" } }
for b, budget in ipairs(runs.budgets) do
	columns[1 + b] = { ("at %g %%"):format(budget) }
end
report.table(columns, lines)
print()

-- ---- Pareto's front ----
report.title("On the front: of how many programs a profiler has a setting that none of any profiler is better than, in error and overhead")
local fronts = {}
for i, record in ipairs(records) do
	local where, at = {}, 0
	for name in record.csv:match "^[^\n]*":gmatch "[^,]+" do
		where[name], at = at + 1, at + 1
	end
	for line in record.csv:gmatch "\n([^\n]+)" do
		local cells = {}
		for cell in (line .. ","):gmatch "([^,]*)," do
			cells[#cells + 1] = cell
		end
		if cells[where.front] == "1" then
			local key = cells[where.question] .. " " .. cells[where.profiler]
			fronts[key] = fronts[key] or {}
			fronts[key][i] = true
		end
	end
end
lines = {}
for i, p in ipairs(profilers.list) do
	lines[i] = { p.name }
	for k, q in ipairs(truths.questions) do
		local n = 0
		for _ in pairs(fronts[q.name .. " " .. p.name] or {}) do
			n = n + 1
		end
		lines[i][1 + k] = #rows_of(q.name, p.name) > 0 and n or "-"
	end
end
columns = { { "profiler" } }
for k, q in ipairs(truths.questions) do
	columns[1 + k] = { q.name, 0 }
end
report.table(columns, lines)
print()

-- ---- pictures ----
for b, budget in ipairs(runs.budgets) do
	local places, series = {}, {}
	for i, q in ipairs(truths.questions) do
		places[i] = q.name
	end
	for _, p in ipairs(profilers.list) do
		local s, any = { name = p.name }, false
		for i, q in ipairs(truths.questions) do
			local v, n = mean(rows_of(q.name, p.name), at(b))
			s[i] = v and n == #records and v or false
			any = any or s[i]
		end
		series[#series + 1] = any and s or nil
	end
	if series[1] then
		report.picture(("%s/budget-%g.svg"):format(e.out, budget),
			{ title =
			("Errors for an overhead of %g %%, means over all programs"):format(budget),
			x = "question",
			y = "error, %", kind = "bars", places = places, series = series })
		print()
	end
end
local shown = { ["front-blocks.svg"] = true, ["front-edges.svg"] = true, ["front-values.svg"] =
	true, ["time-blocks.svg"] = true }
for _, picture in ipairs(records[1].pictures) do
	if shown[picture[1]] then
		local f <close> = assert(io.open(("%s/%s"):format(e.out, picture[1]), "w"))
		f:write(picture[2])
		print(("![%s of %s](%s/%s)"):format(picture[1]:match "^(.*)%.", e.names[1], e.out,
			picture[1]))
		print()
	end
end

-- ---- programs ----
report.title "Each program"
lines = {}
for i, record in ipairs(records) do
	lines[i] = { e.names[i], e.by_name[e.names[i]].kind, record.plain.cycles,
		record.plain.stats["sim.insts"], record.stop and record.stop.name or "its end",
		record.together.overhead, record.together.sum, record.seconds }
end
report.table({ { "program" }, { "kind" }, { "cycles", 0 }, { "instructions", 0 },
	{ "to a call of" }, { "all at once, overhead %", 1 }, { "alone, added up", 1 },
	{ "seconds", 0 } }, lines)
print()
local csv = {}
for i, record in ipairs(records) do
	csv[i] = i == 1 and record.csv or record.csv:gsub("^[^\n]*\n", "")
end
local f <close> = assert(io.open(e.out .. "/bakeoff.csv", "w"))
f:write(table.concat(csv))
print(("[`bakeoff.csv`](%s/bakeoff.csv) has every run."):format(e.out))
