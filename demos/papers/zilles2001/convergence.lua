-- Error and overhead over time, and error over overhead, of the program with the most loads; times
-- of interrupts in all programs.
--
-- Expect: the co-processor's error falls faster than simple sampling's. It interrupts often at
-- first and rarely later, so its overhead stops growing; simple sampling's grows evenly. At equal
-- overhead, its error is smaller.
--
--     cyclops lua demos/papers/zilles2001/convergence.lua [--small] [--programs A,B] [--insts N] [--out FOLDER]
local runs, report, plot, scatter = require "runs", require "report", require "plot",
	require "cyclops.scatter"
local e = runs.open(arg)
local main = e:main()
local alone = e:record(main, "plain")
local last = #alone.insts

local METHODS <const> = { { "value", "co-processor" } }
for _, n in ipairs(runs.rates) do
	METHODS[#METHODS + 1] = { "sample-" .. n, "simple, 1 in " .. n }
end

-- Numbers at some twelve places, for a picture.
local function thin(list)
	local every = math.max(last // 12, 1)
	local out = {}
	for i = every, last, every do
		out[#out + 1] = list[i]
	end
	out.name = list.name
	return out
end

local function curves(title, file, y, what)
	local all, shown = {}, {}
	for m, method in ipairs(METHODS) do
		all[m] = { name = method[2] }
		for place = 1, last do
			all[m][place] = what(method[1], place)
		end
		shown[m] = thin(all[m])
	end
	plot.csv(e, file, "instructions", alone.insts, all)
	plot.lines(e, file, { title = title, x = "instructions", y = y, places = thin(alone.insts),
		series = shown })
	return all
end

local function cycles(run, place) return e:record(main, run).cycles[place] - alone.cycles[place] end
local function interrupts(run, place) return e:turns(main, run, place) - e:turns(main, run,
	place - 1) end
report.title("Over time: %s", main)
local function error_at(run, place) return e:error(main, run, place) end
local errors = curves(main .. ": error over time", "convergence-error", "weighted RMS error, %",
	error_at)
local costs = curves(main .. ": overhead over time", "convergence-overhead", "cycles", cycles)
curves(("%s: interrupts for each %s instructions"):format(main, report.number(e.step)),
	"convergence-interrupts", "interrupts", interrupts)
local series = {}
for m, method in ipairs(METHODS) do
	series[m] = { name = method[2], joined = true }
	for place = 1, last do
		-- Nothing is known before the first interrupt.
		if e:turns(main, method[1], place) > 0 and costs[m][place] > 0 then
			table.insert(series[m], { costs[m][place], errors[m][place],
				report.number(alone.insts[place]) .. " instructions" })
		end
	end
end
e:save("convergence.svg", "error over overhead",
	scatter.svg{ title = main .. ": error over overhead", x = "cycles of overhead so far",
	y = "weighted RMS error, %", series = series, xlog = true })
print()

-- ---- how soon ----
local LIMITS <const> = { 20, 15, 12 }
local function settles(m, limit)
	local first
	for place = 1, last do
		first = errors[m][place] <= limit and (first or place) or nil
	end
	return first
end
local columns, rows = { { "from here on below, %" } }, {}
for m, method in ipairs(METHODS) do
	columns[#columns + 1] = { method[2] .. ": instructions", 0 }
	columns[#columns + 1] = { "cycles of overhead", 0 }
	for l, limit in ipairs(LIMITS) do
		local place = settles(m, limit)
		rows[l] = rows[l] or { ("%d"):format(limit) }
		table.insert(rows[l], place and alone.insts[place] or "never")
		table.insert(rows[l], place and costs[m][place] or "")
	end
end
report.table(columns, rows)
print()

-- ---- the paper's claims ----
for m = 2, #METHODS do
	local ours, simple = report.average(errors[1]), report.average(errors[m])
	report.shape(ours < simple, "the co-processor's profile converges faster: it errs by %.1f %% on average over the run, %s by %.1f %%", ours,
		METHODS[m][2], simple)
	-- The error that simple sampling has when it has cost as much as the co-processor in the
	-- whole run.
	local place = 1
	while place < last and costs[m][place + 1] <= costs[1][last] do
		place = place + 1
	end
	report.shape(errors[1][last] < errors[m][place],
		"at the same overhead, %s cycles, it errs by %.1f %%, %s by %.1f %%",
		report.number(costs[1][last]), errors[1][last], METHODS[m][2], errors[m][place])
end
local falls, cheaper, table_rows = 0, 0, {}
for i, name in ipairs(e.names) do
	local r, cells = e:record(name, "value"), { name }
	local n = #r.interrupts
	local before, cycles_before = 0, 0
	for quarter = 1, 4 do
		local place = n * quarter // 4
		cells[#cells + 1], before = e:turns(name, "value", place) - before,
			e:turns(name, "value", place)
	end
	for quarter = 1, 4 do
		local place = n * quarter // 4
		local cycles = r.firmware[place] or 0
		cells[#cells + 1], cycles_before = cycles - cycles_before, cycles
	end
	table_rows[i] = cells
	falls = falls + (cells[2] > cells[5] and 1 or 0)
	cheaper = cheaper + (cells[6] > cells[9] and 1 or 0)
end
print()
report.table({ { "interrupts in each quarter" }, { "first", 0 }, { "second", 0 }, { "third", 0 },
	{ "last", 0 },
	{ "firmware's cycles: first", 0 }, { "second", 0 }, { "third", 0 }, { "last", 0 } },
		table_rows)
print()
report.shape(falls == #e.names, "interrupts are frequent at first and fall: more in the first quarter than in the last, in %d of %d programs",
	falls, #e.names)
report.shape(cheaper == #e.names, "and so does overhead, in %d of %d programs", cheaper, #e.names)
