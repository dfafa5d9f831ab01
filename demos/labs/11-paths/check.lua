-- Grades lab 11: costs and contexts of a parser, and a choice of functions whose paths are counted.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local MOST = 20

local function run(set, instrument, functions)
	local m = cyclops.machine{ program = "build/demos/json",
		args = { "demos/programs/input/timezones.json", "version" },
		history = false, set = set, instrument = instrument, functions = functions }
	m:cmd "break intern"
	m:cmd "ignore 1 1500"
	if m:run{ insts = 20000000 }.reason ~= "breakpoint" then
		error("it does not get to the 1501st call of intern", 0)
	end
	return m
end
local base = run()
local all = run(nil, "path")
h:answer(2, "all", 100 * all.cycle / base.cycle - 100,
	"Cycles with --instrument path, beside those without.", 5)

local oracle = run({ ["oracle.enable"] = true, ["oracle.contexts"] = true }, "path")
local contexts, members = 0, 0
for line in oracle:cmd("report oracle contexts 250"):gmatch("[^\n]+") do
	local share = tonumber(line:match("^%s*([%d.]+)%%.-%s+intern%s"))
	if share then
		contexts = contexts + 1
		members = line:find("parse_members", 1, true) and share or members
	end
end
h:answer(2, "contexts", contexts, "`view cct intern` says in how many it was called.")
h:answer(2, "members", members,
	"The row of `report oracle contexts 12` in which parse_members calls it.", 3)

local total, counts = 0, {}
for _, row in ipairs(all:report("hot-procedures").rows) do
	counts[row["function"]] = row.count
	total = total + row.count
end
local cost, covered
h:expect(5, "at most 20 % more cycles", function()
	local functions = h.answers.functions or ""
	if #functions > 400 or functions:find("[^%w_.,*?]") then
		return false, "# answer functions NAME,NAME: names of functions are needed"
	end
	local m = run(nil, "path", functions)
	cost, covered = 100 * m.cycle / base.cycle - 100, 0
	for _, row in ipairs(m:report("hot-procedures").rows) do
		covered = covered + 100 * (counts[row["function"]] or 0) / total
	end
	return cost <= MOST and covered > 10, covered <= 10 and "hardly a path is counted" or
		("it takes %.1f %% more"):format(cost)
end, "What does each function cost alone?")
h:expect(9, "paths that are counted", function()
	if not cost or cost > MOST then
		return false, "it costs too much"
	end
	return lab.share(covered, 30, 58), ("they are %.0f %% of all that are executed"):format(
		covered)
end, "Paths for each per cent that they cost: whose are many, and cheap?")
h:done()
