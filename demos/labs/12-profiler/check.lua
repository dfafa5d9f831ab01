-- Grades lab 12: a compressor of the stream of branches and calls, judged by exact counts, beside
-- Sastry's strata and chance alone.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local BITS, PART = 4096, 55
local PROGRAMS = {
	{ "lisp", { "demos/programs/input/queens.lisp" }, 900000 },
	{ "json", { "demos/programs/input/timezones.json", "version" }, 600000 },
}

local function run(program, compressor, stage)
	local m = cyclops.machine{ program = "build/demos/" .. program[1], args = program[2],
		history = false, stage = stage,
		set = { ["sampler.enable"] = true, ["sampler.select"] = "edge,call",
			["sampler.compressor"] = compressor,
			["lua.hook_budget"] = 20000 } }
	m:run{ insts = program[3] }
	if m.failure then
		error(m.failure, 0)
	end
	return m
end

-- Half of what all shares differ by, in per cent: what software was told, beside what there was.
local function off(m)
	local all, known, sum = 0, 0, 0
	for _, _, _, selected, told in m.sampler:tuples() do
		all, known = all + selected, known + told
	end
	for _, _, _, selected, told in m.sampler:tuples() do
		sum = sum + math.abs(selected / all - told / math.max(1, known))
	end
	return 50 * sum
end

local sastry, random = {}, {}
for i, program in ipairs(PROGRAMS) do
	sastry[i] = run(program, "H(P(64), 512)")
	random[i] = run(program, "R(64)")
end
h:answer(2, "sastry", off(sastry[1]),
	"set sampler.compressor = H(P(64), 512), starti, stepi 900000, lua error_of()", 6)
h:answer(2, "random", off(random[1]),
	"set sampler.compressor = R(64), starti, stepi 900000, lua error_of()", 6)
h:answer(2, "bits", sastry[1].sampler:bits(), "`view compressor` says it of each component.")

local mine = {}
h:expect(3, "at most 4,096 bits of hardware", function()
	for i, program in ipairs(PROGRAMS) do
		mine[i] = run(program, nil, h.file)
	end
	local bits = mine[1].sampler:bits()
	if bits > BITS then
		mine = {}
	end
	return bits <= BITS, "it has " .. bits .. " bits"
end, "Entries times bits, of all tables of `state`.")
for i, program in ipairs(PROGRAMS) do
	h:expect(i == 1 and 6 or 5, "error on " .. program[1], function()
		local m = mine[i]
		if not m then
			return false, "there is no design within the budget that runs"
		end
		local messages, most = m.sampler.messages, m.sampler.selected // PART
		if messages > most then
			return false, ("it sends %d messages, of %d allowed"):format(messages, most)
		end
		local error, best, worst = off(m), off(sastry[i]), off(random[i])
		return lab.share(error, worst * 1.2, best * 1.15),
			("it is off by %.1f %%"):format(error)
	end, "What is lost by asking all tuples the same? What would each have for itself?")
end
h:done()
