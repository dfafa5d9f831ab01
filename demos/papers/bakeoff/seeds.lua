-- The bake-off over several seeds: what seeds.sh has made, with intervals. Of each seed the
-- mean over
-- programs; of these the mean, and how far it may be off, 19 times of 20 (Student's t).
--
--     cyclops lua demos/papers/bakeoff/seeds.lua FOLDER "1 2 3 4 5" [ARGS of run.lua]
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "?.lua;" .. package.path
local runs, report = require "runs", require "report"
local truths, profilers = require "cyclops.bakeoff_truth", require "cyclops.bakeoff_profilers"

-- By degrees of freedom.
local STUDENT <const> = { 12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26 }

local folder, seeds, opened = arg[1], {}, {}
for seed in (arg[2] or ""):gmatch "%d+" do
	seeds[#seeds + 1] = seed
end
if not folder or #seeds == 0 then
	error("expected FOLDER \"SEEDS\" [ARGS]", 0)
end
for i, seed in ipairs(seeds) do
	opened[i] = runs.open{ "--seed", seed, "--out", folder .. "/" .. seed,
		table.unpack(arg, 3) }
end

-- The mean of OF(row) over programs, of a seed; and of how many.
local function mean(e, question, profiler, of)
	local sum, n = 0, 0
	for _, name in ipairs(e.names) do
		for _, row in ipairs(e:record(name).rows) do
			local v = row.question == question and row.profiler == profiler and of(row)
			if v then
				sum, n = sum + v, n + 1
			end
		end
	end
	return n > 0 and sum / n or nil, n
end

local function interval(list)
	local sum, squares = 0, 0
	for _, v in ipairs(list) do
		sum = sum + v
	end
	local m = sum / #list
	for _, v in ipairs(list) do
		squares = squares + (v - m) ^ 2
	end
	local t = STUDENT[#list - 1]
	return m, t and t * math.sqrt(squares / (#list - 1) / #list) or nil
end

local function cell(question, profiler, of)
	local list, programs = {}, 0
	for i, e in ipairs(opened) do
		local v, n = mean(e, question, profiler, of)
		list[#list + 1], programs = v, math.max(programs, n)
	end
	if #list == 0 then
		return "-"
	end
	local m, off = interval(list)
	return ("%.1f%s%s"):format(m, off and (" ± %.1f"):format(off) or "",
		programs < #opened[1].names and (" (%d)"):format(programs) or "")
end

report.title("Errors over %d seeds, means over %d programs of %d instructions each", #seeds,
	#opened[1].names, opened[1].insts)
print "± is the interval of the mean over seeds, 19 times of 20; in brackets: so many programs."
print()
for _, q in ipairs(truths.questions) do
	local lines = {}
	for _, p in ipairs(profilers.list) do
		local own = cell(q.name, p.name, function(row) return row.error end)
		if own ~= "-" then
			local line = { p.name, own,
				cell(q.name, p.name, function(row) return row.overhead end),
				cell(q.name, p.name, function(row) return row.deliveries end) }
			for _, budget in ipairs(runs.budgets) do
				line[#line + 1] = cell(q.name, p.name, function(row)
					return row.budgets[budget] and row.budgets[budget].error
				end)
			end
			lines[#lines + 1] = line
		end
	end
	local columns = { { q.name }, { "error %" }, { "overhead %" }, { "deliveries" } }
	for _, budget in ipairs(runs.budgets) do
		columns[#columns + 1] = { ("error at %d %%"):format(budget) }
	end
	report.table(columns, lines)
	print()
end
