-- Grades lab 12: a compressor of the stream of branches and calls of programs that are drawn,
-- judged by exact counts, beside Sastry's strata and the best that needs no table.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local BITS, PART, INSTS = 4096, 55, 600000
-- Each tuple alike, as often as messages allow.
local PLAIN = ("P(%d)"):format(PART)
local LISP <const> = { program = lab.file "build/demos/lisp", root = lab.file "",
	args = { "demos/programs/input/queens.lisp" } }
-- Entries of `order` in graded.s: SKEW is how much more often some functions are called.
local function draw_order(skew)
	local functions, order = h:shuffled(128), {}
	for i = 1, 512 do
		local k = functions[1 + math.tointeger(128 * (h:number(0, 999) / 1000) ^ skew // 1)]
		local iterations = 1 + h:number(0, 59) * h:number(0, 59) // 59
		order[i] = { k, iterations, h:number(0, (1 << 62) - 1) }
	end
	return order
end
local function draw(name, skew)
	local order = draw_order(skew)
	return { name = name, order = order, chance = h:number(1, 1 << 60) }
end
local PROGRAMS <const> = { draw("few functions", 4), draw("many functions", 2) }

local function machine(options, compressor, stage)
	local t = { history = false, stage = stage, set = { ["sampler.enable"] = true,
		["sampler.select"] = "edge,call", ["sampler.compressor"] = compressor,
		["lua.hook_budget"] = 20000 } }
	for key, value in pairs(options) do
		t[key] = value
	end
	return cyclops.machine(t)
end
local function run(program, compressor, stage)
	local m = machine({ program = lab.file "graded.s" }, compressor, stage)
	local words = {}
	for _, entry in ipairs(program.order) do
		words[#words + 1] = m:addr "functions" + 28 * (entry[1] - 1)
		words[#words + 1] = entry[2]
		words[#words + 1] = entry[3]
	end
	lab.fill(lab.fill(m, "order", words), "chance", { program.chance }):run{ insts = INSTS }
	if m.failure then
		error(m.failure, 0)
	end
	return m
end
local function lisp(compressor)
	local m = machine(LISP, compressor)
	m:run{ insts = 900000 }
	return m
end

-- Half of the sum of all shares' differences, in per cent, between messages and truth. A message
-- stands for up to 2^62 tuples, so sums of them are no integers.
local function unsigned(n)
	return n < 0 and n + 2.0 ^ 64 or n + 0.0
end
local function off(m)
	local all, known, sum = 0, 0.0, 0
	for _, _, _, selected, told in m.sampler:tuples() do
		all, known = all + selected, known + unsigned(told)
	end
	for _, _, _, selected, told in m.sampler:tuples() do
		sum = sum + math.abs(selected / all - unsigned(told) / math.max(1, known))
	end
	return 50 * sum
end

h:answer(2, "sastry", function() return off(lisp "H(P(64), 512)") end,
	"set sampler.compressor = H(P(64), 512), starti, stepi 900000, lua error_of()", 6)
h:answer(2, "random", function() return off(lisp "R(64)") end,
	"set sampler.compressor = R(64), starti, stepi 900000, lua error_of()", 6)
h:answer(2, "bits", function() return machine(LISP, "H(P(64), 512)").sampler:bits() end,
	"`view compressor` shows them for each component.")

-- Grades the design with one program: share of the points, and its text.
local function judge(program)
	local m = run(program, nil, h.file)
	local bits, messages = m.sampler:bits(), m.sampler.messages
	local most = m.sampler.selected // PART
	if bits > BITS then
		return { share = 0, bits = bits, said = "there is no design within the budget" }
	elseif messages > most then
		return { share = 0, bits = bits,
			said = ("it sends %d messages, of %d allowed"):format(messages, most) }
	end
	local error = off(m)
	local best, worst = off(run(program, "H(P(64), 512)")), off(run(program, PLAIN))
	return { share = lab.share(error, worst, best * 1.15), bits = bits,
		said = ("it is off by %.1f %%"):format(error) }
end
local judged, better = {}, false
h:expect(3, "at most 4,096 bits of hardware", function()
	for i, program in ipairs(PROGRAMS) do
		judged[i] = judge(program)
		better = better or judged[i].share >= 0.2
	end
	local bits = judged[1].bits
	if bits > BITS then
		return false, "it has " .. bits .. " bits"
	end
	return better or nil, "it is never better than " .. PLAIN
end, "Entries times bits, of all tables of `state`.")
for i, program in ipairs(PROGRAMS) do
	h:expect(i == 1 and 6 or 5, "error, " .. program.name, function()
		if not judged[i] then
			return nil, "there is no design that runs"
		end
		return judged[i].share, judged[i].said
	end, "What is lost by asking all tuples the same? What would each have for itself?")
end
h:done()
