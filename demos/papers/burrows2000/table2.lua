-- Tables 2(a), 2(b) and 2(c): the cost of value sampling.
--
-- Expect: interrupts without interpretation cost a few percent; interpreting four instructions in
-- every second interrupt doubles that, at least. Each further instruction costs the same. Many
-- instructions in few interrupts cost slightly less than few instructions in many.
--
--     cyclops lua demos/papers/burrows2000/table2.lua [--small] [--programs A,B] [--out FOLDER]
local runs, report, plot, paper = require "runs", require "report", require "plot", require "paper"
local e = runs.open(arg)
local integer = e:integer()

-- A table with a line for each way, and below it the same as CSV. Rows are { LABEL, WAY, PAPER'S }.
local function ways(name, first, rows)
	local places, percent, slow, cycles, theirs = {}, { name = "slowdown, %" },
		{ name = "at one instruction a cycle, %" }, { name = "cycles an interrupt" },
		{ name = "the paper's slowdown, %" }
	for i, row in ipairs(rows) do
		places[i] = row[1]
		percent[i], cycles[i] = e:mean(integer, row[2])
		slow[i] = 100 * cycles[i] / runs.interval
		theirs[i] = row[3]
	end
	plot.table(e, name, { first }, places, { percent, slow, cycles, theirs }, 1)
	return percent, slow, cycles
end

local function each(name, rows)
	local columns, lines = { { "program" }, { "instructions a cycle", 2 } }, {}
	for c, row in ipairs(rows) do
		columns[2 + c] = { row[1], 1 }
	end
	for i, program in ipairs(e.names) do
		local plain = e:record(program, "plain").stats
		lines[i] = { program .. (e:is_floating(program) and " (floating point)" or ""),
			plain["sim.insts"] / plain["sim.cycles"] }
		for c, row in ipairs(rows) do
			lines[i][2 + c] = e:slowdown(program, row[2])
		end
	end
	report.table(columns, lines)
	print()
	local series = {}
	for c, row in ipairs(rows) do
		series[c] = { name = row[1] }
		for i, line in ipairs(lines) do
			series[c][i] = line[2 + c]
		end
	end
	plot.csv(e, name, "program", e.names, series)
end

report.title "Table 2(a): overhead of various profiling options, integer programs"
local rows = {}
for i, way in ipairs{ "no-vprof", "vprof", "vprof-context", "vreplay", "vreplay-context" } do
	rows[i] = { (way:gsub("%-context", " with context"):gsub("no%-", "no ")), way,
		paper.options[way] }
end
local a, as, ac = ways("table2a", "option", rows)
each("table2a-programs", rows)
report.shape(a[1] < a[4] and a[4] < a[5] and a[5] < a[2] and a[2] < a[3], "options come in the paper's order: none %.1f %%, vreplay %.1f, with context %.1f, vprof %.1f, with context %.1f", a[1],
	a[4], a[5], a[2], a[3])
report.shape(as[2] > 8 and as[2] < 14, "value profiling costs about a tenth where a program commits one instruction a cycle: %.1f %% (paper 10.7)", as[2])
report.shape(as[1] > 2.5 and as[1] < 5, "interrupts alone a twenty-fifth: %.1f %% (paper 3.9)",
	as[1])
report.shape(a[3] / a[2] > 1.05 and a[3] / a[2] < 1.3,
	"the context is a small part: %.2f times (paper 1.14)", a[3] / a[2])

print()
report.title "Table 2(b): overhead of increasing interpret length, at every second interrupt"
rows = {}
for i, row in ipairs(paper.lengths) do
	rows[i] = { row[1], row[1] == 4 and "vprof" or row[1] .. "-2", row[2] }
end
local b, bs = ways("table2b", "interpret length", rows)
local first, last = rows[1][1], rows[#rows][1]
local slope, theirs = (bs[#bs] - bs[1]) / (last - first),
	(paper.lengths[#rows][2] - paper.lengths[1][2]) / (last - first)
local straight = true
for i = 2, #rows do
	local here = (bs[i] - bs[i - 1]) / (rows[i][1] - rows[i - 1][1])
	straight = straight and math.abs(here / slope - 1) < 0.2
end
report.shape(math.abs(slope / theirs - 1) < 0.25,
	"an instruction more costs %.2f %% at one instruction a cycle (paper %.2f)", slope, theirs)
report.shape(straight, "each of them the same: on a straight line")
plot.lines(e, "table2b", { title = "Slowdown by interpret length, at one instruction a cycle",
	x = "instructions interpreted at every second interrupt", y = "percent",
	places = { rows[1][1], rows[2][1], rows[3][1], rows[4][1] },
	series = { { name = "here", table.unpack(bs) }, { name = "the paper's", rows[1][3],
		rows[2][3], rows[3][3], rows[4][3] } } })

print()
report.title "Table 2(c): the same number of instructions for each interrupt, two"
rows = {}
for i, row in ipairs(paper.frequencies) do
	rows[i] = { ("%d, 1/%d"):format(row[1], row[2]), row[2] == 2 and "vprof"
		or ("%d-%d"):format(row[1], row[2]), row[3] }
end
local c, cs = ways("table2c", "interpret length, frequency", rows)
report.shape(cs[#cs] < cs[1] and cs[1] / cs[#cs] < 1.3, "overhead falls slightly from few in many interrupts to many in few: %.1f to %.1f %% (paper 10.7 to 9.2)", cs[1], cs[#cs])
local falls = true
for i = 2, #cs do
	falls = falls and cs[i] < cs[i - 1] + 0.15
end
report.shape(falls, "at each step")

print()
report.title "What short intervals do to it"
print(("Cycles that an interrupt adds with the paper's own intervals, over %s instructions of a " ..
	"program each, and with those of a %dth."):format(
	report.number(e.long_insts), e.scale))
print()
local columns, lines = { { "program" } }, {}
for i, name in ipairs{ integer[1], integer[2] } do
	lines[i] = { name }
	for k, way in ipairs{ "no-vprof", "vprof", "vprof-context", "32-2" } do
		columns[2 * k], columns[2 * k + 1] = { way, 0 }, { "short", 0 }
		lines[i][2 * k], lines[i][2 * k + 1] = select(2, e:slowdown(name, "paper-" .. way)),
			(select(2, e:slowdown(name, way)))
	end
end
report.table(columns, lines)
local far = 0
for _, line in ipairs(lines) do
	for k = 2, #line, 2 do
		far = math.max(far, math.abs(line[k] / line[k + 1] - 1))
	end
end
print()
report.shape(far < 0.1, "they are the same within %.0f %%", math.ceil(100 * far))
