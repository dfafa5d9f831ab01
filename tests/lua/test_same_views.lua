-- A cycle shows the same views after any motions: steps with every view shown, back and forth, a
-- single motion in a new machine, or a checkpoint.
local check = require "check"

local SETS <const> = {
	{ ["oracle.enable"] = true, ["oracle.blocks"] = true, ["oracle.contexts"] = true,
		["oracle.values"] = "all", ["oracle.addresses"] = true, ["oracle.loads"] = true,
		["oracle.speculative"] = true, ["values.modules"] = "results",
		["sampler.enable"] = true, ["profileme.enable"] = true, ["vsample.enable"] = true },
	{ ["pipe.in_order"] = true, ["l1d.prefetch"] = "stride", ["l1d.replacement"] = "tree-plru",
		["bpred.kind"] = "perceptron", ["bpred.update"] = "commit" },
}
-- Snapshots and counts depend on the motions; a checkpoint has no history.
local ways <const> = { history = true, spent = true, source = true, disasm = true }
local past <const> = { history = true, spent = true, source = true, disasm = true, timeline = true,
	hot = true, branches = true, pipe = true, ["why #40"] = true }

-- All machines have the same history, because some views show the whole history.
local function machine(set, last)
	local m = cyclops.machine{ program = "build/tests/reverse/guest", set = set }
	m:cmd("goto " .. last)
	return m
end

local lines = { "stats", "backtrace", "info registers", "info all-registers", "x/8i pc", "why #40" }
for _, view in ipairs(cyclops.views()) do
	lines[#lines + 1] = "view " .. view .. " --json"
end

-- {line: its answer, or its error}
local function shown(m)
	local all = {}
	for _, line in ipairs(lines) do
		local _, text = pcall(m.cmd, m, line)
		all[line] = text
	end
	return all
end

local function same(m, expected, but, way)
	for line, text in pairs(shown(m)) do
		if not but[line:match "^view (%w+)" or line] then
			check.eq(text, expected[line], way .. ": " .. line)
		end
	end
end

do
	local m <close> = machine(SETS[1], 1)
	for line in m:cmd "report":gmatch "[^\n]+" do
		lines[#lines + 1] = "report " .. line:match "^  (%l[%l-]* ?[%l-]*)  " ..
			" --json"
	end
end
check.ok(#lines > 70, "lines")

for n, set in ipairs(SETS) do
	math.randomseed(54, n)
	local cycles, at = { 1 }, {}
	for i = 1, 5 do
		cycles[#cycles + 1] = cycles[i] + math.random(1, 700)
	end
	local m = machine(set, cycles[#cycles])
	for _, cycle in ipairs(cycles) do
		m:cmd("goto " .. cycle)
		at[cycle] = shown(m)
	end
	for i = 1, 2 * #cycles do
		local cycle = cycles[(i * 5 + n) % #cycles + 1]
		m:cmd("goto " .. cycle)
		same(m, at[cycle], ways, "again at " .. cycle)
	end
	local file = os.tmpname()
	for _, cycle in ipairs(cycles) do
		local other = machine(set, cycles[#cycles])
		other:cmd("goto " .. cycle)
		same(other, at[cycle], ways, "at once at " .. cycle)
		other:cmd("save " .. file)
		m:cmd("restore " .. file)
		same(m, at[cycle], past, "restored at " .. cycle)
	end
	os.remove(file)
end
check.done()
