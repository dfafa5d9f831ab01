-- Figure 9: the stratified sampler with tables of 512 to 4096 counters, on two programs (gcc and li
-- there; here compress, and lisp, which counts the same eight queens as li); over the first 4
-- million events.
--
-- Expect: larger tables are better after enough tuples. At first smaller tables may be better,
-- since they send more messages.
--
--     cyclops lua demos/papers/sastry2001/fig9.lua [--small] [--programs A,B] [--out FOLDER]
local runs, compressors, curves, report = require "runs", require "compressors", require "curves",
	require "report"
local e = runs.open(arg)
local names = e.only or { "compress", "lisp" }

report.title "Figure 9: table sizes of the stratified sampler"
local rows = {}
for _, name in ipairs(names) do
	local record = e:loads(name)
	curves.errors(e, "fig9-" .. name, name .. ": error by table size", record,
		compressors.sizes, 4000000)
	for _, events in ipairs{ 100000, 200000, 400000, 1000000, 4000000, 16000000 } do
		local place = runs.place(record, events)
		if record.events[place] == events then
			local row = { ("%s, %s events"):format(name, curves.events(events)) }
			for c, size in ipairs(compressors.sizes) do
				row[c + 1] = record.by[size].error[place] or ""
			end
			rows[#rows + 1] = row
		end
	end
end
local columns = { { "error, %" } }
for c, size in ipairs(compressors.sizes) do
	columns[c + 1] = { size, 2 }
end
print()
report.table(columns, rows)
print()

local SMALLEST <const>, LARGEST <const> = compressors.sizes[1],
	compressors.sizes[#compressors.sizes]
local early, late, all, crossed = 0, 0, 0, {}
for _, name in ipairs(e.only or e.names) do
	local record = e:loads(name)
	local small, large, last = record.by[SMALLEST].error, record.by[LARGEST].error,
		#record.events
	local first = 1
	while first < last and not (small[first] and large[first]) do
		first = first + 1
	end
	all = all + 1
	early = early + (small[first] and large[first] and small[first] < large[first] and 1 or 0)
	late = late + (small[last] and large[last] and large[last] < small[last] and 1 or 0)
	-- The length from which the larger one stays ahead.
	local at
	for i = first, last do
		at = large[i] and small[i] and large[i] < small[i] and (at or record.events[i])
			or nil
	end
	crossed[#crossed + 1] = ("%s %s"):format(name, at and curves.events(at) or "never")
end
report.shape(early > 0, "smaller tables are better at first: %s ahead of %s in %d of %d programs at the first place that has an error", SMALLEST, LARGEST, early, all)
report.shape(late == all, "larger ones are better in the end, in %d of %d programs", late, all)
print("- events after which the largest stays ahead of the smallest: " .. table.concat(crossed,
	", "))

-- ---- hash functions (3.5) ----
print()
report.title "Section 3.5: hash functions of the stratified sampler"
rows = {}
for i, name in ipairs(e.names) do
	local record = e:loads(name)
	rows[i] = { name }
	for _, hash in ipairs(compressors.hashes) do
		local errors = record.by[hash].error
		local sum, count = 0, 0
		for _, x in ipairs(errors) do
			sum, count = sum + (x or 0), count + (x and 1 or 0)
		end
		rows[i][#rows[i] + 1] = sum / math.max(count, 1)
		rows[i][#rows[i] + 1] = errors[#errors] or 0
	end
end
rows[#rows + 1] = { "**average**", table.unpack(report.means(rows)) }
report.table({ { "error, %: over the run, and at the end" }, { "random", 2 }, { "end", 2 },
	{ "fold", 2 }, { "end", 2 }, { "modulo", 2 }, { "end", 2 } }, rows)
print()
local average = rows[#rows]
-- Equal printed values are a tie.
local function less(a, b) return ("%.2f"):format(a) + 0 < ("%.2f"):format(b) + 0 end
report.shape(less(average[2], average[4]) and less(average[2], average[6]),
	"the paper's hash function is the most accurate on average: %.2f %% over the run, folding alone %.2f, modulo %.2f; at the end %.2f, %.2f and %.2f %%",
	average[2], average[4], average[6], average[3], average[5], average[7])
