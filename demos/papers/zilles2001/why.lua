-- Why things are as they are: what the errors consist of, what records that find no room change,
-- and what a sample costs.
--
-- Expect: the co-processor's error is mostly of values that never were a slot's active one;
-- simple sampling's of loads that it never met, and far less of that if every record finds room on
-- its way.
--
--     cyclops lua demos/papers/zilles2001/why.lua [--small] [--programs A,B] [--insts N] [--out FOLDER]
local runs, report = require "runs", require "report"
local e = runs.open(arg)
local FEW <const> = runs.rates[1]
local SIMPLE <const> = "sample-" .. FEW

report.title "What the squared errors consist of, %%"
local rows, better = {}, 0
for i, name in ipairs(e.names) do
	rows[i] = { name }
	for _, run in ipairs{ "value", SIMPLE } do
		local parts = e:record(name, run).parts
		for _, part in ipairs{ "missed", "unseen", "wrong" } do
			table.insert(rows[i], 100 * parts[part])
		end
	end
	local c = e:record(name, "value").counts
	for _, masked in ipairs{ "masked_high", "masked_low", "masked_often" } do
		table.insert(rows[i], c[masked])
	end
end
report.table({ { "program" }, { "co-processor: loads without a sample", 1 },
	{ "values without one", 1 }, { "estimates", 1 },
	{ ("simple, 1 in %d: loads without"):format(FEW), 1 }, { "values without", 1 },
		{ "estimates", 1 },
	{ "loads masked: high", 0 }, { "low", 0 }, { "often", 0 } }, rows)
print()

-- ---- records that find no room ----
report.title "Records that find no room if simple sampling chooses after the bus, and errors if all do: a bus of 8 words a cycle, 256 words before it and 1024 after"
rows = {}
local function lost(r)
	return 100 * (r.stats["cop.dropped"] + r.stats["cop.lost"]) / r.stats["cop.records"] end
for i, name in ipairs(e.names) do
	rows[i] = { name }
	local narrow, wide, value = e:record(name, "after"), e:record(name, "after-wide"),
		e:record(name, "value")
	local last = #narrow.error
	for c, v in ipairs{ lost(narrow), narrow.error[last], lost(wide), wide.error[last],
		e:overhead(name, "after-wide"), lost(value), value.error[last] } do
		rows[i][c + 1] = v
	end
	better = better + (wide.error[last] < narrow.error[last] and 1 or 0)
end
report.table({ { "program" }, { ("simple, 1 in %d: lost, %%"):format(FEW), 1 }, { "error, %", 2 },
	{ "wide: lost, %", 1 }, { "error, %", 2 }, { "overhead, %", 2 },
	{ "co-processor: lost, %", 1 }, { "error, %", 2 } }, rows)
print()
report.shape(better == #e.names,
	"simple sampling errs less if no records are lost, in %d of %d programs", better, #e.names)
print()

-- ---- phases ----
report.title "The co-processor's error, %%, against what loads brought until then, and in the whole run: where it is of values that it saw"
local columns = { { "program" } }
rows = {}
for _, name in ipairs(e.names) do
	if e:mistaken(name) then
		local phases, row = e:phases(name), { name }
		for k = 1, 8 do
			row[k + 1] = ("%.1f, %.1f"):format(phases[k].so_far, phases[k].whole)
		end
		rows[#rows + 1] = row
	end
end
for k = 1, 8 do
	columns[k + 1] = { ("%d/8%s"):format(k, k == 1 and ": until then, in the whole run" or "") }
end
report.table(columns, rows)
print()

-- ---- what a sample costs ----
report.title "Firmware's cycles"
rows = {}
for i, name in ipairs(e.names) do
	local value, simple = e:record(name, "value"), e:record(name, SIMPLE)
	local last = #value.insts
	local slots, samples, taken = math.max(value.counts.slots, 1),
		math.max(value.counts.samples, 1), math.max(simple.counts.samples, 1)
	rows[i] = { name, value.counts.slots, value.firmware[last] / slots,
		value.firmware[last] / samples, value.stats["firmware.insts"] / slots,
		simple.counts.samples, simple.firmware[last] / taken,
		simple.stats["firmware.insts"] / taken }
end
report.table({ { "program" }, { "slots read", 0 }, { "cycles for each", 1 },
	{ "for each sample after it", 2 }, { "instructions for a slot", 1 },
	{ ("simple, 1 in %d: samples"):format(FEW), 0 }, { "cycles for each", 1 },
		{ "instructions", 1 } }, rows)
print()
local dearer, cheaper = 0, 0
for _, row in ipairs(rows) do
	dearer, cheaper = dearer + (row[3] > row[7] and 1 or 0),
		cheaper + (row[4] < row[7] and 1 or 0)
end
report.shape(dearer == #rows,
	"an update of the profile costs more than simple sampling's, in %d of %d programs", dearer,
	#rows)
report.shape(cheaper == #rows, "and a sample that it stands for less, in %d of %d", cheaper, #rows)
