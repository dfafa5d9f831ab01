-- Runs the workloads from beginning to end on the default machine, and prints for each its mix of
-- instructions, how many it executes, where its slots go and which functions have its cycles.
-- Functions' shares are ProfileMe's, read by another processor at no cost: cycles are those without
-- it.
--
-- Expect: compress waits for the L2 cache, in which the table that it hashes into fits, and
-- lua for memory; only the compiler misses in the instruction cache more than once in a thousand
-- instructions; decoding pictures comes nearest to the machine's width.
--
--     cyclops lua demos/workloads/table.lua [--programs A,B] [--out FOLDER]
local programs = require "programs"
local guest, kept, options, report = require "guest", require "kept", require "options",
	require "report"

local o = options.read(arg, "build/workloads")
local SET <const> = { ["profileme.enable"] = true, ["profileme.reader"] = "daemon",
	["profileme.interval_max"] = 8191, ["profileme.interval_min"] = 1 }
local FUNCTIONS <const> = 4

local function run(program)
	local m <close> = guest.machine(o, program, { program = program.path, set = SET })
	m:run()
	guest.whole(m)
	local record = { stats = {}, functions = {} }
	for _, name in ipairs{ "sim.cycles", "sim.insts", "bpred.mpki", "l1i.misses", "l1d.misses",
		"l2.misses", "dtlb.misses" } do
		record.stats[name] = m.stats[name]
	end
	for name, value in pairs(m.stats) do
		if name:find "^cpi%." then
			record.stats[name] = value
		end
	end
	for i, row in ipairs(m:report "profileme functions".rows) do
		record.functions[i] = i <= FUNCTIONS and { name = row["function"],
			share = row.share } or nil
	end
	return record
end

-- Input is longer than what may be looked at in one piece.
local function digest(text)
	local h
	for i = 1, #text, 1 << 16 do
		h = kept.digest(text:sub(i, i + (1 << 16) - 1), h)
	end
	return h or 0
end

local list, records = programs.all:all(o, o.programs, o.wrong), {}
for i, program in ipairs(list) do
	local parts = { digest(program.input), table.concat(program.args, " ") }
	for key, value in pairs(SET) do
		parts[#parts + 1] = key .. "=" .. tostring(value)
	end
	table.sort(parts, function(a, b) return tostring(a) < tostring(b) end)
	records[i] = kept.record(o, program.name, parts,
		{ program.path, table.unpack(program.files) }, function() return run(program) end)
end

-- The most important rows of the stack; the rest is in the last.
local STACK <const> = {
	{ "commits", "base" }, { "fetch", "frontend" }, { "I cache", "icache" },
		{ "branches", "bad_speculation" }, { "latency", "dependency" }, { "L1D", "l1d" },
	{ "L2", "l2" }, { "memory", "memory" }, { "TLB", "tlb" }, { "full", "structural" },
}

local function code(text)
	return "`" .. text .. "`"
end

report.title "What runs"
local rows = {}
for i, program in ipairs(list) do
	local s = records[i].stats
	local function per_1000(name)
		return s[name] / s["sim.insts"] * 1000
	end
	rows[i] = { code(program.name), program.package, program.stands, s["sim.insts"] / 1e6,
		s["sim.insts"] / s["sim.cycles"], s["bpred.mpki"], per_1000 "l1i.misses",
		per_1000 "l1d.misses", per_1000 "l2.misses", per_1000 "dtlb.misses" }
end
report.table({ { "program" }, { "source package" }, { "stands for" }, { "million instructions", 1 },
	{ "IPC", 2 }, { "mispredictions", 2 }, { "L1I misses", 2 }, { "L1D misses", 2 },
	{ "L2 misses", 2 }, { "TLB misses", 2 } }, rows)
print()
print "Mispredictions and misses are per 1,000 instructions."
print()

report.title "Where slots go"
rows = {}
for i, program in ipairs(list) do
	local s, all, told = records[i].stats, 0, 0
	for name, value in pairs(s) do
		all = all + (name:find "^cpi%." and value or 0)
	end
	rows[i] = { code(program.name) }
	for c, column in ipairs(STACK) do
		local value = s["cpi." .. column[2]]
		rows[i][c + 1], told = value / all * 100, told + value
	end
	rows[i][#STACK + 2] = (all - told) / all * 100
end
local columns = { { "program" } }
for c, column in ipairs(STACK) do
	columns[c + 1] = { column[1], 1 }
end
columns[#columns + 1] = { "rest", 1 }
report.table(columns, rows)
print()
print "In per cent of all slots: the CPI stack, `cpi.*` of `cyclops help stats`. A commit is an instruction; all else is a cause of waiting."
print()

report.title "Which functions have the cycles"
for i, program in ipairs(list) do
	local names = {}
	for f, row in ipairs(records[i].functions) do
		names[f] = ("%s %.1f %%"):format(code(row.name), row.share)
	end
	print(("- %s: %s"):format(code(program.name), table.concat(names, ", ")))
end
