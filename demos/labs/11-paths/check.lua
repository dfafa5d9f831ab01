-- Grades lab 11: costs and contexts of a parser, and a choice of functions whose paths are counted,
-- with documents that are drawn.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local MOST = 20

-- Runs to the 1501st string: of the steps' document, or of `document`, which replaces it.
local function run(set, instrument, functions, document)
	local m = cyclops.machine{ program = lab.file "build/demos/json", root = lab.file "",
		args = { "demos/programs/input/timezones.json", "version" },
		history = false, set = set, instrument = instrument, functions = functions }
	if document then
		m:run{ until_pc = "parse" }
		m:write(m.regs.a2, document)
	end
	m:cmd "break intern"
	m:cmd "ignore 1 1500"
	if m:run{ insts = 20000000 }.reason ~= "breakpoint" then
		error("it does not get to the 1501st call of intern", 0)
	end
	return m
end
h:answer(2, "all", function() return 100 * run(nil, "path").cycle / run().cycle - 100 end,
	"Cycles with --instrument path, beside those without.", 5)

local contexts, members
local function count_contexts()
	if contexts then
		return
	end
	local oracle = run({ ["oracle.enable"] = true, ["oracle.contexts"] = true }, "path")
	contexts, members = 0, 0
	for line in oracle:cmd("report oracle contexts 250"):gmatch("[^\n]+") do
		local share = tonumber(line:match("^%s*([%d.]+)%%.-%s+intern%s"))
		if share then
			contexts = contexts + 1
			members = line:find("parse_members", 1, true) and share or members
		end
	end
end
h:answer(2, "contexts", function() count_contexts() return contexts end,
	"`view cct intern` shows in how many it was called.")
h:answer(2, "members", function() count_contexts() return members end,
	"The row of `report oracle contexts 12` in which parse_members calls it.", 3)

-- A document like that of the steps: objects, whose named members are texts, lists of numbers, or
-- both. Lengths of texts and numbers of members are drawn.
local function draw_document()
	local word, long, lists, out = h:number(4, 8), h:number(10, 20), h:number(10, 30), { "{" }
	local function text(most)
		local letters = {}
		for i = 1, h:number(2, most) do
			letters[i] = string.char(h:number(97, 122))
		end
		return table.concat(letters)
	end
	for _ = 1, 120 do
		out[#out + 1] = ('\n  "%s": {'):format(text(word))
		for member = 1, 8 do
			local value = '"' .. text(long) .. '"'
			if h:number(1, 100) <= lists then
				value = ("[%s, %d, %d]"):format(value, h:number(0, 9999),
					h:number(0, 99))
			end
			out[#out + 1] = ('\n    "%s": %s%s'):format(text(word), value,
				member < 8 and "," or "")
		end
		out[#out + 1] = "\n  },"
	end
	out[#out] = "\n  }\n}"
	return table.concat(out)
end
local DOCUMENTS <const> = { draw_document(), draw_document() }
local cost, covered
h:expect(5, "at most 20 % more cycles", function()
	local functions = h.answers.functions or ""
	if #functions > 400 or functions:find("[^%w_.,*?]") then
		return nil, "# answer functions NAME,NAME: names of functions are needed"
	end
	local most, least = 0, 100
	for _, document in ipairs(DOCUMENTS) do
		local all = run(nil, "path", nil, document)
		local chosen = run(nil, "path", functions, document)
		local plain = run(nil, nil, nil, document)
		local total, counts, known = 0, {}, 0
		for _, row in ipairs(all:report("hot-procedures").rows) do
			counts[row["function"]] = row.count
			total = total + row.count
		end
		for _, row in ipairs(chosen:report("hot-procedures").rows) do
			known = known + 100 * (counts[row["function"]] or 0) / total
		end
		most = math.max(most, 100 * chosen.cycle / plain.cycle - 100)
		least = math.min(least, known)
	end
	cost, covered = most, least
	return cost <= MOST and covered > 10, covered <= 10 and "hardly a path is counted" or
		("it takes %.1f %% more"):format(cost)
end, "What does each function cost alone?")
h:expect(9, "paths that are counted", function()
	if not cost or cost > MOST then
		return nil, "it costs too much"
	end
	return lab.share(covered, 35, 68), ("they are %.0f %% of all that are executed"):format(
		covered)
end, "Paths for each per cent that they cost: whose are many, and cheap?")
h:done()
