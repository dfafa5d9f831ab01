-- Grades lab 4: a predictor runs with three programs whose data are drawn, beside what the built-in
-- bimodal predictor and the tournament do.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local INSTS, BITS = 400000, 16384

-- calls.s, whose steps are drawn from 1 to MOST.
local function calls(name, most)
	local steps = h:numbers(128, most - 1)
	return { name = name, file = "calls.s", begin = function(m)
		for i, step in ipairs(steps) do
			m:write(m:addr "steps" + 8 * (i - 1), step + 1, 8)
		end
	end }
end
local random = h:number(1, 1 << 60)
local PROGRAMS <const> = { calls("short steps", 2), calls("long steps", 4),
	{ name = "pattern", file = "build/demos/scenarios/pattern", begin = function(m)
		m:run{ until_pc = "lap" }
		if not m.failure then
			m.regs.s2 = random
		end
	end } }

local function machine(program, kind, file)
	return cyclops.machine{ program = lab.file(program), predictor = file, history = false,
		set = { ["bpred.kind"] = kind, ["bpred.update"] = "commit", ["lua.hook_budget"] =
			20000 } }
end
local function wrong(program, kind, file)
	local m <close> = machine(program.file, kind, file)
	program.begin(m)
	if not m.failure then
		m:run{ insts = INSTS }
	end
	if m.failure then
		error(m.failure, 0)
	end
	return m.bpred.mispredicts
end

h:answer(2, "seven", function()
	local m = machine("build/demos/branchy", "bimodal")
	for _ = 1, 3 do
		m:run{ until_pc = "count" }
	end
	local before = m.bpred.mispredicts
	m:run{ until_pc = "count" }
	return m.bpred.mispredicts - before
end, "The third call of `count`, with bpred.kind=bimodal.", 10)
h:answer(2, "bits", function()
	return machine("build/demos/branchy", "bimodal").bpred.bimodal_size * 2
end, "A row of `config bpred`, and what each entry has.")

local judged, better, works, bits = {}, false, false, math.huge
pcall(function()
	local m = machine("calls.s", nil, h.file)
	bits = tonumber(m:view("bpred").summary:match("a plug%-in of (%d+) bits")) or bits
end)
for i, program in ipairs(PROGRAMS) do
	local ok, got = pcall(wrong, program, nil, h.file)
	judged[i] = { ok = ok, got = got, share = 0 }
	works = works or ok
	if ok and bits <= BITS then
		local worst = math.min(wrong(program, "bimodal"), wrong(program, "taken"),
			wrong(program, "nottaken"))
		local best = wrong(program, "combined")
		judged[i].share = lab.share(got, worst, best + (worst - best) * 0.3)
		better = better or judged[i].share >= 0.2
	end
end
h:expect(2, "at most 16,384 bits of state", function()
	return better, bits == math.huge and "it is no predictor" or bits > BITS and
		"it has " .. bits .. " bits, see `view bpred`" or not works and
		"it fails in each program, see below" or
		"it is never better than bimodal, taken or not taken"
end)
local points = { 5, 5, 4 }
for i, program in ipairs(PROGRAMS) do
	h:expect(points[i], "right as often as the tournament: " .. program.name, function()
		if not judged[i].ok then
			error(judged[i].got, 0)
		end
		return judged[i].share, judged[i].got .. " are mispredicted, in " .. bits .. " bits"
	end, i == 1 and "What does history show that the address does not?"
		or "Not all branches need history: how to choose?")
end
h:done()
