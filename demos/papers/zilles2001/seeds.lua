-- The value profile with several seeds of the co-processor's random numbers, and how much of its
-- error is the last turn, which no interrupt reports.
--
-- Expect: a spread that is small beside the differences between programs; an error that is
-- smaller with the last turn where turns are few.
--
--     cyclops lua demos/papers/zilles2001/seeds.lua [--small] [--programs A,B] [--insts N] [--out FOLDER]
local runs, report, plot = require "runs", require "report", require "plot"
local e = runs.open(arg)
local SEEDS <const> = runs.seeds

report.title "Seeds: weighted RMS error and overhead, %%, with the co-processor's random numbers begun in other places"
local columns, series = { { "program" } }, {}
for s, seed in ipairs(SEEDS) do
	columns[#columns + 1] = { s == 1 and "error: seed 1" or ("seed 0x%x"):format(seed[2]), 2 }
	series[s] = { name = ("seed 0x%x"):format(seed[2]) }
end
for _, what in ipairs{ "mean", "most less least", "without the last turn: mean",
	"most less least" } do
	columns[#columns + 1] = { what, 2 }
end
for _, n in ipairs(runs.rates) do
	columns[#columns + 1] = { ("simple, 1 in %d"):format(n), 2 }
end
columns[#columns + 1] = { "overhead: mean", 2 }
columns[#columns + 1] = { "most less least", 2 }

-- Mean, and the largest less the smallest.
local function spread(list)
	local sum = 0
	for _, v in ipairs(list) do
		sum = sum + v
	end
	return sum / #list, math.max(table.unpack(list)) - math.min(table.unpack(list))
end

local rows, clear, of, better = {}, 0, 0, 0
for i, name in ipairs(e.names) do
	local errors, told, overheads, row = {}, {}, {}, { name }
	for s, seed in ipairs(SEEDS) do
		errors[s], told[s], overheads[s] = e:error(name, seed[1]),
			e:record(name, seed[1]).told, e:overhead(name, seed[1])
		series[s][i], row[s + 1] = errors[s], errors[s]
	end
	for _, list in ipairs{ errors, told } do
		local mean, most = spread(list)
		table.insert(row, mean)
		table.insert(row, most)
	end
	for _, n in ipairs(runs.rates) do
		local simple = e:error(name, "sample-" .. n)
		table.insert(row, simple)
		clear = clear + ((simple > math.max(table.unpack(errors))
			or simple < math.min(table.unpack(errors))) and 1 or 0)
		of = of + 1
	end
	for _, v in ipairs{ spread(overheads) } do
		table.insert(row, v)
	end
	better = better + (spread(errors) <= spread(told) and 1 or 0)
	rows[i] = row
end
report.table(columns, rows)
print()
plot.csv(e, "seeds", "program", e.names, series)
plot.lines(e, "seeds", { title = "Error with several seeds", x = "program",
	y = "weighted RMS error, %", places = e.names, series = series, kind = "bars" })
print()
report.shape(clear == of, "all seeds err more than simple sampling, or all less, in %d of %d pairs of a program and a rate", clear, of)
report.shape(better == #e.names,
	"with the last turn the co-processor errs no more than without, in %d of %d programs",
	better, #e.names)
