-- Results of all programs: the weighted RMS error of invariances, and overhead, of the value
-- profile and of simple sampling.
--
-- Expect: with many loads, error and overhead below simple sampling's at every rate that is
-- accurate at all; overhead that grows with the loads that a program has at work, not with its
-- length.
--
--     cyclops lua demos/papers/zilles2001/programs.lua [--small] [--programs A,B] [--insts N] [--out FOLDER]
local runs, report, plot, ranks = require "runs", require "report", require "plot", require "ranks"
local scatter = require "cyclops.scatter"
local e = runs.open(arg)

local METHODS <const> = { { "value", "co-processor" } }
for _, n in ipairs(runs.rates) do
	METHODS[#METHODS + 1] = { "sample-" .. n, "simple, 1 in " .. n }
end

report.title("Programs: loads of the whole run, %s instructions after the initialization",
	report.number(e:behind()))
local rows, working = {}, {}
for i, name in ipairs(e.names) do
	local plain = e:record(name, "plain")
	local loads, last = plain.loads, #plain.insts
	working[i] = loads.most
	rows[i] = { name, plain.insts[last], plain.cycles[last], loads.dynamic, loads.static,
		loads.most, loads.distinct, 100 * loads.invariant }
end
report.table({ { "program" }, { "instructions", 0 }, { "cycles", 0 }, { "loads", 0 },
	{ "instructions that load", 0 }, { "that do 99 % of it", 0 },
	{ "pairs with a value", 0 }, { "of 90 % invariance, %", 1 } }, rows)
print()

local function by_method(title, file, what)
	report.title("%s", title)
	local series = {}
	for m, method in ipairs(METHODS) do
		series[m] = { name = method[2] }
		for i, name in ipairs(e.names) do
			series[m][i] = what(name, method[1])
		end
	end
	plot.table(e, file, { "program" }, e.names, series, 2)
	print()
	plot.lines(e, file, { title = title, x = "program", y = title:match "[^:]*",
		places = e.names, series = series, kind = "bars" })
	print()
	return series
end
local errors = by_method("weighted RMS error, %: estimated invariance", "programs-error",
	function(name, run) return e:error(name, run) end)
local overheads = by_method("overhead, % of cycles: profiling", "programs-overhead",
	function(name, run)
	return math.max(e:overhead(name, run), 0)
end)

report.title "What the overhead consists of"
local parts, polluted = {}, 0
for i, name in ipairs(e.names) do
	local r = e:record(name, "value")
	local last, alone = #r.cycles, e:record(name, "plain").cycles
	local overhead, handler = e:overhead(name, "value"), e:handler(name, "value")
	local sample = "sample-" .. runs.rates[1]
	polluted = polluted + (overhead > handler and 1 or 0)
	local turns = math.max(e:turns(name, "value"), 1)
	parts[i] = { name, r.interrupts[last], r.clocks[last], r.firmware[last] / turns,
		r.counts.samples / turns, handler,
		overhead - handler, 100 * e:estimation(name) / alone[last], e:handler(name, sample),
		e:overhead(name, sample) - e:handler(name, sample) }
	assert(#alone == last)
end
report.table({ { "program" }, { "interrupts", 0 }, { "turns ended by the clock", 0 },
	{ "firmware's cycles for each", 0 },
	{ "samples for each", 0 }, { "firmware, %", 2 }, { "misses and the rest, %", 2 },
		{ "estimation at the end, %", 2 },
	{ ("simple, 1 in %d: firmware, %%"):format(runs.rates[1]), 2 },
		{ "misses and the rest, %", 2 } }, parts)
print()

-- ---- the paper's claims ----
-- Programs with many loads: the upper half.
local sorted = table.move(working, 1, #working, 1, {})
table.sort(sorted)
local many = sorted[#sorted // 2 + 1]
local function count(what)
	local n, of = 0, 0
	for i in ipairs(e.names) do
		if working[i] >= many then
			n, of = n + (what(i) and 1 or 0), of + 1
		end
	end
	return n, of
end
for m = 2, #METHODS do
	local n, of = count(function(i) return errors[1][i] < errors[m][i]
		and overheads[1][i] < overheads[m][i] end)
	local cheaper = count(function(i) return overheads[1][i] < overheads[m][i] end)
	local better = count(function(i) return errors[1][i] < errors[m][i] end)
	report.shape(n == of, "with many loads (%d or more do 99 %% of it), error and overhead are below those of %s, in %d of %d programs (error in %d, overhead in %d)",
		many, METHODS[m][2], n, of, better, cheaper)
end
-- The best of all rates that cost as much as the co-processor or less.
local n, of, dear = 0, 0, 0
for i in ipairs(e.names) do
	local least
	for m = 2, #METHODS do
		if overheads[m][i] <= overheads[1][i] then
			least = math.min(least or math.huge, errors[m][i])
		end
	end
	if least then
		n, of = n + (errors[1][i] < least and 1 or 0), of + 1
	else
		dear = dear + 1
	end
end
report.shape(n == of, "no rate of simple sampling that costs no more errs less, in %d of %d programs; in %d others every rate costs more",
	n, of, dear)
if #e.names > 2 then
	local grows = ranks.correlation(working, overheads[1])
	report.shape(grows > 0.5,
		"overhead grows with the loads at work: the correlation of their ranks is %.2f",
		grows)
	for m = 2, #METHODS do
		local worse = ranks.correlation(working, errors[m])
		report.shape(worse > 0.5, "%s errs the more, the more loads are at work: the correlation of their ranks is %.2f", METHODS[m][2], worse)
	end
end
report.shape(polluted == #e.names, "firmware leaves misses behind: the run is longer by more than firmware's cycles, in %d of %d programs",
	polluted, #e.names)
print()

local series = {}
for m, method in ipairs(METHODS) do
	series[m] = { name = method[2] }
	for i, name in ipairs(e.names) do
		series[m][i] = { working[i], overheads[m][i], name }
	end
end
e:save("programs-loads.svg", "Overhead over loads at work",
	scatter.svg{ title = "Overhead over loads at work",
	x = "instructions that do 99 % of the loading", y = "overhead, % of cycles",
		series = series })
