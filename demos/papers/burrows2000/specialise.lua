-- The paper's gzip story: "a 2 % speedup was achieved by noticing that a constant was being read
-- repeatedly from a global variable" (section 3.1). Here the program is regex: the sampler's
-- findings, the changes by specialise.patch, and the gain.
--
-- Expect: two loads of the inner loop have one value in all samples, a pointer to a table. With
-- both pointers in registers regex is some percent faster, with equal output.
--
--     cyclops lua demos/papers/burrows2000/specialise.lua [--small] [--out FOLDER]
local runs, guest, report, plot, kept, inputs = require "runs", require "guest", require "report",
	require "plot", require "kept", require "inputs"
local e = runs.open(arg)
local BUILD <const> = "papers/burrows2000/regex-"
local PATTERNS <const>, patterns_file = inputs.take(e, inputs.folder .. "patterns.txt")
local WORDS <const>, words_file = (function()
	if e.small then
		return inputs.make(e, "words-2000.txt",
			(inputs.read(inputs.folder .. "words.txt"):sub(1, 20000):gsub("[^\n]*$",
			"")))
	end
	return inputs.take(e, inputs.folder .. "words.txt")
end)()
local ARGS <const> = { PATTERNS, WORDS }
local MACHINES <const> = e.small and { "burrows2000", "classic5" } or { "burrows2000", "default",
	"ammons1997", "classic5" }

-- Loads that are nearly always the same where time is spent: an instruction's samples show how
-- often it is executed.
local function find()
	local m <close> = e:machine({ name = BUILD .. "plain", args = ARGS },
		{ ["vsample.interval_min"] = 900, ["vsample.interval_max"] = 1100,
		["vsample.every"] = 1, ["vsample.length"] = 4, ["profileme.enable"] = true,
			["profileme.interval_max"] = 50 },
		{ values = "results", ff = 200000, warmup = true })
	local insts = e.small and 600000 or 4000000
	m:run{ until_insts = insts }
	guest.reached(m, insts, m.insts)
	local rows, all = {}, 0
	for _, row in ipairs(m:report("values all").rows) do
		all = all + row.vtot
		local share, value = row.values:match "^%(([%d.]+)%% ([^)]+)%)"
		share = tonumber(share) or 0
		if row.instruction:find "^l[bhwd]u? " and not row.instruction:find "%(sp%)"
			and share >= 80 then
			rows[#rows + 1] = { row.place, row.instruction, row.vtot, row.retdelay
				or "", ("%.2f%% %s"):format(share, value), share }
		end
	end
	table.sort(rows, function(a, b) return a[3] > b[3] end)
	return table.move(rows, 1, 4, 1, {}), all
end

local function run(kind, config)
	local program = "build/demos/" .. BUILD .. kind
	return kept.record(e, ("regex-%s-%s"):format(kind, config), { config, WORDS },
		{ program, patterns_file, words_file, "demos/papers/burrows2000/specialise.lua",
		("demos/configs/%s.lua"):format(config) }, function()
		local m <close> = guest.machine(e, { args = ARGS },
			{ program = program, config = config, name = ("regex %s on %s"):format(kind,
			config) })
		m:run()
		guest.whole(m)
		return { output = kept.digest(m:output()), cycles = m.stats["sim.cycles"],
			insts = m.stats["sim.insts"] }
	end)
end

report.title "Loads of regex that are nearly always the same, by their samples"
local found, all = find()
report.table({ { "place" }, { "instruction" }, { "samples" }, { "retdelay", 2 },
	{ "most frequent value" } }, found)
print()
local constant
for _, row in ipairs(found) do
	constant = constant or row[6] == 100 and row
end
report.shape(constant and constant[3] > 0.02 * all, "a constant is read again and again in the loop where time is spent: %s, %.1f %% of all samples", constant and constant[1],
	constant and 100 * constant[3] / all)
print()
report.title "regex with specialise.patch"
local rows, series, same = {}, { { name = "faster, %" } }, true
for i, config in ipairs(MACHINES) do
	local plain, special = run("plain", config), run("special", config)
	same = same and plain.output == special.output
	series[1][i] = 100 * (plain.cycles / special.cycles - 1)
	rows[i] = { config, plain.insts, special.insts, plain.cycles, special.cycles, series[1][i] }
end
report.table({ { "machine" }, { "instructions" }, { "specialised" }, { "cycles" },
	{ "specialised" }, { "faster, %", 1 } }, rows)
print()
plot.csv(e, "specialise", "machine", MACHINES, series)
report.shape(same, "it prints what it printed")
report.shape(series[1][1] > 2, "it is faster: %.1f %% (paper's gzip 2)", series[1][1])
