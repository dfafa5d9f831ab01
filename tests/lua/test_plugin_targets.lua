-- Plug-ins for targets: a target buffer as the built-in one, ITTAGE as good as a model that reads
-- the committed jumps; and what all predictors get: the path, scratch tables, fetched and resolved.
local check = require "check"
local small = os.getenv "CYCLOPS_TEST_SCALE" == "small"
local LIMIT = small and 100000 or 400000
local LISP <const> = { "demos/programs/input/queens.lisp", "demos/programs/input/deriv.lisp" }

local function open(program, plugins, set, more)
	local t = more or {}
	t.program, t.set = "build/demos/" .. program, set or {}
	t.args = program == "lisp" and LISP or nil
	for k, v in pairs(plugins) do
		t[k] = v
	end
	return cyclops.machine(t)
end

local function text_of(name)
	local f <close> = assert(io.open("demos/plugins/" .. name .. ".lua"))
	return f:read "a"
end

-- ---- a target buffer ----
local full = text_of "btb":gsub("TAG_BITS <const> = 256, 12", "TAG_BITS <const> = 256, 62")
for _, program in ipairs{ "branchy", "lisp" } do
	local set = { ["bpred.update"] = "commit", ["btb.ways"] = 1, ["btb.sets"] = 256,
		["bpred.index_shift"] = 1 }
	local a, b = open(program, {}, set), open(program, { targets = { btb = full } }, set)
	a:run{ insts = LIMIT }
	b:run{ insts = LIMIT }
	check.eq(b.failure, nil)
	check.eq(b.cycle, a.cycle)
	check.eq(b.btb.hits, a.btb.hits)
	check.eq(b.config["btb.kind"], "external")
end

-- ---- ITTAGE ----
-- A model of its own, which learns each committed jump at once.
local function model()
	local lengths, path, tables = { 4, 12, 32, 88 }, {}, { {}, {}, {}, {} }
	local last = {}
	local function fold(length, width)
		local x = 0
		for i = 0, length - 1 do
			x = x ~ (path[#path - i] or 0) << i % width
		end
		return x
	end
	local function find(pc, t)
		local n, word = lengths[t], pc // 2
		return (word ~ word >> 8 - t ~ fold(n, 8)) % 256,
			(word ~ fold(n, 9) ~ fold(n, 8) * 2) % 512
	end
	return function(e)
		local wrong
		if e.indirect and not e.returned then
			local hits, at, tags = {}, {}, {}
			for t = 1, 4 do
				at[t], tags[t] = find(e.pc, t)
				local x = tables[t][at[t]]
				if x and x.tag == tags[t] then
					table.insert(hits, 1, { x = x, t = t })
				end
			end
			local first, second = hits[1], hits[2]
			local from = first
			if first and second and first.x.sure == 0 and second.x.sure > 0 then
				from = second
			end
			local said = from and from.x.target
			wrong = (said or last[e.pc]) ~= e.to
			if first and first.x.target == e.to then
				first.x.sure = math.min(3, first.x.sure + 1)
				first.x.useful = first.x.useful or
					from == first and first.x.sure > 1
			elseif first and first.x.sure > 0 then
				first.x.sure = first.x.sure - 1
			elseif first then
				first.x.target = e.to
			end
			local t, placed = (first and first.t or 0) + 1, not wrong
			for k = t, 4 do
				local x = tables[k][at[k]]
				if not placed and not (x and x.useful) then
					tables[k][at[k]] =
						{ tag = tags[k], target = e.to, sure = 0 }
					placed = true
				end
			end
			for k = t, placed and 0 or 4 do
				tables[k][at[k]].useful = false
			end
			last[e.pc] = e.to
		end
		if e.branch then
			path[#path + 1] = e.taken and 1 or 0
		elseif e.indirect then
			local bits = e.to // 2 ~ e.to // 32
			for i = 0, 3 do
				path[#path + 1] = bits >> i & 1
			end
		end
		return wrong
	end
end

local function indirect_misses(m)
	return m.bpred.indirect - m.ras.returns - (m.bpred.indirect_hits - m.ras.hits)
end
local function measure(plugins)
	local m, wrong, offline = open("lisp", plugins), 0, model()
	m:on("commit", { class = { "branch", "jump" } }, function(e)
		local indirect = e.op == "jalr"
		if offline{ pc = e.pc, to = e.next, branch = e.taken ~= nil and not indirect and
			e.op ~= "jal", taken = e.taken, indirect = indirect,
			returned = indirect and e.text:find "ret" ~= nil } then
			wrong = wrong + 1
		end
	end)
	m:run{ insts = LIMIT }
	check.eq(m.failure, nil)
	return indirect_misses(m), wrong
end
local ittage, offline = measure{ targets = "demos/plugins/ittage.lua" }
local simple = indirect_misses((function() local m = open("lisp", {}) m:run{ insts = LIMIT }
	return m end)())
check.ok(math.abs(ittage - offline) <= math.max(5, offline / 10),
	("%d wrong, and %d of the model"):format(ittage, offline))
check.ok(ittage < simple / (small and 2 or 4),
	("%d wrong, and %d of the target buffer"):format(ittage, simple))

-- ---- scratch tables, fetched and resolved ----
-- Numbers every branch and jump in a scratch table at fetch, and finds each at commit with its own
-- number: a squash has taken the others back. resolved came before, with the same outcome.
local witness = [[
local RING <const> = 4096
return {
	state = {
		fetched = { 1, bits = 40, scratch = true },
		pcs = { RING, bits = 48, scratch = true },
		predictions = { 1, bits = 40, scratch = true },
		known = { RING, bits = 1 },
		committed = { 1, bits = 40 },
		branches = { 1, bits = 40 },
		wrong = { 1, bits = 40 },
	},
	predict = function(s, pc, history, h)
		s.predictions[0] = s.predictions[0] + 1
		if s.predictions[0] ~= s.predictions:add(0, 0) then
			error "a call does not read what it wrote"
		end
		return h:path_bits(0, 1) == 0 -- wrong often
	end,
	fetched = function(s, b)
		local n = s.fetched:add(0, 1) - 1
		s.pcs[n & RING - 1] = b.pc
	end,
	resolved = function(s, b)
		s.known[(b.pc >> 1 ~ b.next << 3) & RING - 1] = 1
		s.wrong:add(0, b.next ~= b.predicted and 1 or 0)
	end,
	UPDATE
}
]]
local committed = [[
		local n = s.committed:add(0, 1) - 1
		if s.pcs[n & RING - 1] ~= b.pc then
			error(("%d: %x committed, and fetch numbered %x"):format(n, b.pc, s.pcs[n & RING - 1]))
		end
		if s.known[(b.pc >> 1 ~ b.next << 3) & RING - 1] == 0 then
			error(("%x: %x was not resolved"):format(b.pc, b.next))
		end
]]
local targets = witness:gsub("predict = function%(s, pc, history, h%)", "target = function(s, b, h)")
	:gsub("return h:path_bits%(0, 1%) == 0", "return b.pc + 4 * h:path_bits(0, 1)")
	:gsub("UPDATE", function() return "update = function(s, b)\n" .. committed .. "end," end)
local directions = witness:gsub("UPDATE", [[update = function(s, pc, taken, history, predicted, h)
		local n = s.branches:add(0, 1)
		if n > s.predictions[0] then
			error(n .. " branches, and fewer predictions")
		end
		if h:path_bits(0, 64) ~= h:path_bits(0, 32) | h:path_bits(32, 32) << 32 then
			error "parts of the path differ"
		end
	end,]])
for _, case in ipairs{ { {} }, { { ["lsq.speculate"] = true, ["pipe.rob_size"] = 256 } },
	{ { ["bpred.update"] = "fetch", ["pipe.fetch_past_taken"] = true } },
	{ {}, { ff = 2000, warmup = true } }, { { ["pipe.in_order"] = true } } } do
	for _, plugins in ipairs{ { targets = { btb = targets } }, { predictor = directions },
		{ targets = { btb = targets, indirect = targets }, predictor = directions } } do
		local m = open("longjmp", plugins, case[1], case[2])
		m:run{ insts = small and 20000 or 60000 }
		check.eq(m.failure, nil)
		check.ok(m.bpred.mispredicts > 100,
			"wrong paths were taken: " .. m.bpred.mispredicts)
	end
end

-- ---- the past ----
local function walk(m, to)
	m:go(to)
	return m:hash()
end
local all = { targets = { btb = targets, indirect = "demos/plugins/ittage.lua" },
	predictor = directions }
local m, seen = open("longjmp", all), {}
for _, cycle in ipairs{ 900, 300, 1700, 1699, 40, 2500, 1200 } do
	seen[cycle] = seen[cycle] or walk(m, cycle)
	check.eq(walk(m, cycle), seen[cycle])
end
local forward = open("longjmp", all)
for _, cycle in ipairs{ 40, 300, 900, 1200, 1699, 1700, 2500 } do
	check.eq(walk(forward, cycle), seen[cycle], "cycle " .. cycle)
end

-- ---- mistakes ----
local function fails(text, says, option)
	local plugins = { [option or "targets"] = "return {\n" .. text .. "\n}" }
	local ok, m = pcall(open, "longjmp", plugins)
	if ok then
		m:run()
		check.eq(m.status, "broken")
		check.says(m.failure, says)
	else
		check.says(m, says)
	end
end
local SCRATCH <const> = "state = { t = { 64, scratch = true }, u = { 64 } }, "
fails(SCRATCH .. "target = function(s) s.u[0] = 1 end",
	"target can't change u: it runs on wrong paths too; learn in update, or declare scratch = true")
fails(SCRATCH .. "target = function(s) end, update = function(s) s.t[0] = 1 end",
	"update can't change t: scratch is for predict, target and fetched")
fails(SCRATCH .. "target = function(s) for i = 0, 8 do s.t[i] = 1 end end",
	"target writes more than 8 entries of scratch tables")
fails("target = function(s) return true end", "target returned a boolean; expected an address, or nil")
fails("target = function(s, b, h) return h:bits(0, 1) end",
	"h:bits is for predict and its update; target has h:path_bits")
fails(SCRATCH .. "access = function() end", "scratch is for predictors of branches and targets",
	"prefetcher")
fails("target = function() end, predict = function() end", "it has both predict and target")
fails("access = function() end, fetched = function() end", "a plug-in has no 'fetched'", "prefetcher")
check.fails(function() open("longjmp", { targets = { l2 = "x.lua" } }) end, "indirect")

-- ---- caches: pc and cycle ----
local when = [[
	if not pc or pc == 0 or cycle < s.latest[0] then
		error(("pc %s, cycle %s after %d"):format(pc, cycle, s.latest[0]))
	end
	s.latest[0] = cycle
]]
local state = "state = { latest = { 1, bits = 48 } },\n"
local m = open("longjmp", {
	prefetcher = { l1d = "return {" .. state .. "access = function(s, a)\nlocal pc, cycle = a.pc, a.cycle\n" ..
		when .. "end }" },
	replacement = { l1d = "return {" .. state ..
		"victim = function(s, set, ways, pc, cycle)
" .. when .. "return 0 end, " ..
		"used = function(s, set, way, fill, pc, cycle)
" .. when .. "end }" },
}, { ["l1d.size"] = "1K" })
m:run()
check.eq(m.failure, nil)

check.done()
