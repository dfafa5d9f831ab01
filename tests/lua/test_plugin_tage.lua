-- The long history of predictors: exact on every path, and TAGE over it as good as a model that
-- reads the committed branches.
local check = require "check"
local small = os.getenv "CYCLOPS_TEST_SCALE" == "small"
local LIMIT = small and 60000 or 300000

local function open(program, predictor, set, more)
	local t = more or {}
	t.program, t.predictor, t.set = "build/demos/" .. program, predictor, set
	set["bpred.update"] = set["bpred.update"] or "fetch"
	return cyclops.machine(t)
end

-- ---- outcomes of h are those of committed branches ----
local witness = [[
local RING <const> = 4096

-- The outcomes as update has seen them, of which h has to be a copy.
local function known(s, from, count)
	local bits = 0
	for i = 0, count - 1 do
		local k = s.count[0] - 1 - from - i
		if k >= 0 then
			bits = bits | s.ring[k & RING - 1] << i
		end
	end
	return bits
end

return {
	state = { ring = { RING, bits = 1 }, count = { 1, bits = 32 } },
	predict = function(s, pc, history, h)
		return (h:bits(0, 1) ~ h:fold(2048, 1)) == 1 -- wrong often
	end,
	update = function(s, pc, taken, history, predicted, h)
		for _, at in ipairs{ { 0, 64 }, { 37, 64 }, { 300, 13 }, { 1984, 64 }, { 5, 1 } } do
			local is, has = h:bits(at[1], at[2]), known(s, at[1], at[2])
			if is ~= has then
				error(("branch %d, outcomes %d: %x, not %x"):format(s.count[0], at[1], is, has))
			end
		end
		local folded = 0
		for from = 0, 129, 9 do
			folded = folded ~ known(s, from, math.min(9, 130 - from))
		end
		if folded ~= h:fold(130, 9) then
			error("a fold differs")
		end
		s.ring[s.count[0] & RING - 1] = taken and 1 or 0
		s.count:add(0, 1)
	end,
}
]]
for _, case in ipairs{ { {} }, { { ["lsq.speculate"] = true, ["pipe.rob_size"] = 256 } },
	{ {}, { ff = 2000, warmup = true } }, { { ["pipe.in_order"] = true } } } do
	local m = open("longjmp", witness, case[1], case[2])
	m:run{ insts = LIMIT }
	check.eq(m.failure, nil)
	check.ok(m.bpred.mispredicts > 100, "wrong paths were taken: " .. m.bpred.mispredicts)
end

-- ---- h is valid only during a call ----
for _, case in ipairs{ { "h.bits(1, 3)", "expected h:bits(1, 3) with a colon, not h.bits(1, 3)" },
	{ "h:bits(0, 65)", "argument 2 is 65; expected 1 to 64" },
	{ "h:bits(2000, 64)", "argument 1 is 2000; expected 0 to 1984" },
	{ "h:fold(2049, 8)", "argument 1 is 2049; expected 0 to 2048" } } do
	local m = open("longjmp", "return { predict = function(s, pc, history, h)\nreturn " ..
		case[1] .. " == 1 end }", {})
	m:run()
	check.eq(m.status, "broken")
	check.says(m.failure, case[2])
end

-- ---- TAGE ----
-- A model of its own of the paper's figure, which learns each committed branch at once.
local function model()
	local lengths, past, count = { 5, 15, 44, 130 }, {}, 0
	local simple, tables, distrust = {}, { {}, {}, {}, {} }, 0
	local function fold(length, width)
		local x = 0
		for i = 0, length - 1 do
			x = x ~ (past[count - i] or 0) << i % width
		end
		return x
	end
	local function find(pc, t)
		local n = lengths[t]
		local at = (pc // 2 ~ pc // 2 >> 10 - t ~ fold(n, 10)) % 1024
		local tag = (pc // 2 ~ fold(n, 9) ~ fold(n, 8) * 2) % 512
		return at, tag
	end
	local function weak(e)
		return e.useful == 0 and (e.count == 0 or e.count == -1)
	end
	local function bounded(x, least, most)
		return math.max(least, math.min(most, x))
	end
	return function(pc, taken)
		local hits, place, tags = {}, {}, {}
		for t = 1, 4 do
			place[t], tags[t] = find(pc, t)
			local e = tables[t][place[t]]
			if e and e.tag == tags[t] then
				table.insert(hits, 1, { e = e, t = t })
			end
		end
		local slot = pc // 2 % 4096
		local plain = simple[slot] or slot % 2 + 1
		local first, second = hits[1], hits[2]
		local without = plain >= 2
		if second then without = second.e.count >= 0 end
		local said = without
		if first then
			local own = first.e.count >= 0
			local new = weak(first.e)
			if not (new and distrust >= 0) then said = own end
			if own ~= without then
				local right = own == taken and 1 or -1
				if new then distrust = bounded(distrust - right, -8, 7) end
				first.e.useful = bounded(first.e.useful + right, 0, 3)
			end
		end
		local function learn_simple()
			simple[slot] = bounded(plain + (taken and 1 or -1), 0, 3)
		end
		local function learn(e)
			e.count = bounded(e.count + (taken and 1 or -1), -4, 3)
		end
		if first then learn(first.e) else learn_simple() end
		if first and first.e.useful == 0 then
			if second then learn(second.e) else learn_simple() end
		end
		if said ~= taken then
			local from, done = (first and first.t or 0) + 1, false
			for t = from, 4 do
				local e = tables[t][place[t]]
				if not done and (not e or e.useful == 0) then
					e = { tag = tags[t], count = taken and 0 or -1, useful = 0 }
					tables[t][place[t]] = e
					done = true
				end
			end
			for t = from, done and 0 or 4 do
				local e = tables[t][place[t]]
				e.useful = bounded(e.useful - 1, 0, 3)
			end
		end
		count = count + 1
		past[count] = taken and 1 or 0
		return said ~= taken
	end
end

local function measure(program, predictor, set)
	local m = open(program, predictor, set)
	local wrong, offline = 0, model()
	if predictor then
		m:on("commit", { class = "branch" }, function(e)
			wrong = wrong + (offline(e.pc, e.taken) and 1 or 0)
		end)
	end
	m:run{ insts = LIMIT }
	check.eq(m.failure, nil)
	return m.commit.branches - m.bpred.dir_hits, wrong
end
local tage, offline = measure("branchy", "demos/plugins/tage.lua", {})
local simple = measure("branchy", nil,
	{ ["bpred.kind"] = "bimodal", ["bpred.bimodal_size"] = 4096 })
check.ok(offline > 50 and math.abs(tage - offline) < offline / 10,
	("%d wrong, and %d of the model"):format(tage, offline))
check.ok(small or tage < simple * 9 / 10, -- few branches do not fill the tables
	("%d wrong, and %d of two-bit counters"):format(tage, simple))

-- ---- the past ----
local function walk(m, to)
	m:go(to)
	return m:hash()
end
local m = open("longjmp", "demos/plugins/tage.lua", { ["lsq.speculate"] = true })
local seen = {}
for _, cycle in ipairs{ 900, 300, 1700, 1699, 40, 2500, 1200 } do
	seen[cycle] = seen[cycle] or walk(m, cycle)
	check.eq(walk(m, cycle), seen[cycle])
end
local forward = open("longjmp", "demos/plugins/tage.lua", { ["lsq.speculate"] = true })
for _, cycle in ipairs{ 40, 300, 900, 1200, 1699, 1700, 2500 } do
	check.eq(walk(forward, cycle), seen[cycle], "cycle " .. cycle)
end

check.done()
