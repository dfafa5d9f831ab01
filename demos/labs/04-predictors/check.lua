-- Grades lab 4: a predictor runs with three programs, beside what the built-in bimodal predictor
-- and the tournament do.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local PROGRAMS = { "branchy", "fib", "scenarios/pattern" }
local INSTS, BITS = 400000, 16384

local function machine(program, kind, file)
	return cyclops.machine{ program = "build/demos/" .. program, predictor = file,
		history = false,
		set = { ["bpred.kind"] = kind, ["bpred.update"] = "commit", ["lua.hook_budget"] =
			20000 } }
end
local function wrong(program, kind, file)
	local m <close> = machine(program, kind, file)
	m:run{ insts = INSTS }
	if m.failure then
		error(m.failure, 0)
	end
	return m.bpred.mispredicts
end

h:answer(2, "seven", function()
	local m = machine("branchy", "bimodal")
	for _ = 1, 3 do
		m:run{ until_pc = "count" }
	end
	local before = m.bpred.mispredicts
	m:run{ until_pc = "count" }
	return m.bpred.mispredicts - before
end, "The third call of `count`, with bpred.kind=bimodal.", 10)
h:answer(2, "bits", function()
	return machine("fib", "bimodal").bpred.bimodal_size * 2
end, "A row of `config bpred`, and what each entry has.")

h:expect(2, "at most 16,384 bits of state", function()
	local m = machine("fib", nil, h.file)
	local bits = tonumber(m:view("bpred").summary:match("a plug%-in of (%d+) bits"))
	return bits and bits <= BITS, "it has " .. tostring(bits) .. " bits, as `view bpred` says"
end)
local points = { 5, 5, 4 }
for i, program in ipairs(PROGRAMS) do
	h:expect(points[i], "right as often as the tournament: " .. program, function()
		local got = wrong(program, nil, h.file)
		local worst, best = wrong(program, "bimodal"), wrong(program, "combined")
		return lab.share(got, worst, best + (worst - best) * 0.1),
			got .. " are mispredicted"
	end, i == 1 and "What does history tell that the address does not?"
		or "Not all branches need history: who chooses?")
end
h:done()
