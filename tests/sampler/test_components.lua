-- Compares every component with the reference in Lua: each stage's reaction to each tuple, each
-- message, and each table entry.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local ref = require "reference"
local streams = require "streams"

local small = os.getenv "CYCLOPS_TEST_SCALE" ~= "long"
local LENGTH <const> = small and 300 or 900

local function message_text(m)
	return m and ("%x %x %d"):format(m.key or ref.key(m.pc, m.tag), m.value, m.count) or "none"
end

-- The first difference between a stage's step in C and in the reference, or nil.
local function differs(got, want)
	for _, name in ipairs{ "act", "entry", "before", "after", "misses" } do
		local passing = want.passes and (name == "entry" or name == "before"
			or name == "after") and want[name] == nil
		if got[name] ~= want[name] and not passing then
			return ("stage %d: %s is %s, not %s"):format(want.stage, name, got[name],
				want[name])
		end
	end
	if message_text(got.message) ~= message_text(want.message) then
		return ("stage %d: the message is %s, not %s"):format(want.stage,
			message_text(got.message), message_text(want.message))
	end
end

local function entry_differs(got, want)
	if want.count then
		if got.count ~= want.count
			or (want.count > 0 and (ref.key(got.pc, got.tag) ~= want.key
			or got.value ~= want.value)) then
			return ("count %d, not %d"):format(got.count, want.count)
		end
		return
	end
	for name, value in pairs(want) do
		if got[name] ~= value then
			return ("%s is %s, not %s"):format(name, got[name], value)
		end
	end
end

-- Every entry of every stage; how many there were and the first difference.
local function compare_entries(c, chain)
	for i, stage in ipairs(c.stages) do
		for k = 0, stage.entries - 1 do
			local wrong = entry_differs(c:entry(i, k), chain.stages[i]:entry(k))
			if wrong then
				return ("stage %d, entry %d: %s"):format(i, k, wrong)
			end
		end
	end
end

local seen = {} -- acts, so that none is left untried

-- Tuple by tuple; in a lossless chain nothing may be missing at any moment.
local function walk(c, chain, next_tuple, length)
	local told, lossless = 0, c.lossless
	for n = 1, length do
		local pc, value, tag = next_tuple()
		local steps, sent = chain:take(pc, value, tag)
		local got = c:follow(pc, value, tag)
		for i = 1, math.max(#steps, #got) do
			local wrong = not (got[i] and steps[i]) and "another number of stages"
				or differs(got[i], steps[i])
			if wrong then
				return ("tuple %d: %s"):format(n, wrong)
			end
			seen[steps[i].act] = (seen[steps[i].act] or 0) + 1
		end
		told = told + (sent and sent.count or 0)
		if lossless and told + c:held() ~= n then
			return ("after tuple %d: %d told and %d held"):format(n, told, c:held())
		end
		if n % 10 == 0 and c.wrong then
			return ("after tuple %d: %s"):format(n, c.wrong)
		end
		if n % 300 == 0 then
			local wrong = compare_entries(c, chain)
			if wrong then
				return ("after tuple %d: %s"):format(n, wrong)
			end
		end
	end
end

local function compare_drained(c, chain)
	local want, got, lossless = chain:drain(), c:drain(), c.lossless
	local before = got:weight()
	if #want ~= #got then
		return ("%d drained messages, not %d"):format(#got, #want)
	end
	for i, m in ipairs(want) do
		if message_text(got[i]) ~= message_text(m) then
			return ("drained message %d is %s, not %s"):format(i, message_text(got[i]),
				message_text(m))
		end
	end
	if lossless
		and before + c:held() ~= c.stages[1].came - (
		c.stages[#c.stages].weight_sent - before) then
		return "draining has lost count"
	end
	return compare_entries(c, chain) or c.wrong
end

-- The same stream at once, as c:feed takes it.
local function compare_fed(text, parts, make, length, seed)
	local c, chain = cyclops.compressor(text, { seed = seed }), ref.chain(parts, seed)
	local st, want, next_tuple = cyclops.stream(), {}, make(c)
	for _ = 1, length do
		local pc, value, tag = next_tuple()
		local _, sent = chain:take(pc, value, tag)
		st:add(pc, value, tag)
		want[#want + 1] = sent
	end
	local got = c:feed(st, length // 3)
	c:feed(st, nil, length // 3 + 1, got)
	if #got ~= #want then
		return ("%d messages, not %d"):format(#got, #want)
	end
	for i, m in ipairs(want) do
		if message_text(got[i]) ~= message_text(m) then
			return ("message %d is %s, not %s"):format(i, message_text(got[i]),
				message_text(m))
		end
	end
	local stages = c.stages
	if stages[1].came ~= length or stages[1].weight_came ~= length
		or stages[#stages].weight_sent ~= got:weight() then
		return "flows that do not fit the messages"
	end
	return compare_entries(c, chain) or c.wrong
end

local loads = streams.recorded("build/demos/sort", { "demos/programs/input/words.txt" },
	"value of load")
local branches = streams.recorded("build/demos/hash", { "demos/programs/input/words.txt" },
	"edge, call tag 1, address of store tag 2")

local function try(parts, seed)
	local text = ref.text(parts)
	local makes = {
		uniform = function() return streams.uniform(seed, 20, 5) end,
		skewed = function() return streams.skewed(seed) end,
		wide = function() return streams.wide(seed) end,
		round = function() return streams.round(parts[#parts].entries or 16) end,
		phases = function() return streams.phases(seed) end,
		loads = loads,
		branches = branches,
	}
	if parts[1].kind == "T" or parts[1].strata then
		makes.collide = function(c)
			return streams.collide(seed, function(pc, value)
				return (c:index(pc, value)) end)
		end
	end
	for name, make in pairs(makes) do
		local c, chain = cyclops.compressor(text, { seed = seed }), ref.chain(parts, seed)
		local wrong = walk(c, chain, make(c), LENGTH) or compare_drained(c, chain)
		check.eq(wrong or "", "", ("%s, %s"):format(text, name))
		wrong = compare_fed(text, parts, make, LENGTH, seed + 1)
		check.eq(wrong or "", "", ("%s, %s, fed"):format(text, name))
	end
end

local function T(entries, ways, tag, hit, miss, evict, replace, hash)
	return { kind = "T", entries = entries, ways = ways, tag = tag, hit = hit, miss = miss,
		evict = evict, replace = replace, hash = hash }
end
local function S(kind, rate, strata, counted, hash)
	return { kind = kind, rate = rate, strata = strata, counted = counted, hash = hash }
end
local function A(entries, bits)
	return { kind = "A", entries = entries, bits = bits }
end

-- One by one,
for _, kind in ipairs{ "R", "Rc", "P" } do
	for _, counted in ipairs{ false, true } do
		for _, rate in ipairs{ 1, 2, 7, 256 } do
			try({ S(kind, rate, nil, counted) }, rate)
		end
		try({ S(kind, 4, 8, counted) }, 3)
		try({ S(kind, 3, 1, counted) }, 4)
		try({ S(kind, 9, 64, counted, "fold") }, 5)
		try({ S(kind, 5, 37, counted, "modulo") }, 6)
	end
end
try({ S("P", 10, 2048) }, 7)
try({ T(4, 1, 1, 3, 2, 3, 3) }, 1)
try({ T(4, 2, 2, 4, 3, 6, 8) }, 2)
try({ T(16, 4, 3, 5, 2, 20, 4) }, 3)
try({ T(8, 8, 6, 3, 3, 8, 5) }, 4)   -- fully associative
try({ T(16, 2, 0, 4, 1, 2, 2) }, 5)  -- no tags: never a miss
try({ T(1, 1, 8, 2, 2, 1, 4) }, 6)
try({ T(6, 2, 4, 6, 4, 30, 2, "modulo") }, 7)
try({ T(32, 1, 5, 8, 3, 16, 8, "fold") }, 8)
try({ T(4, 1, 3, 2, 2, 4, 4) }, 9)
try({ A(1, 8) }, 1)
try({ A(4, 2) }, 2)
try({ A(16, 8) }, 3)
try({ A(5, 1) }, 4) -- counters that hold nothing
-- and together.
try({ S("P", 3, 16), A(4, 3) }, 1)
try({ S("R", 2), S("P", 3, 8), A(4, 8) }, 2)
try({ S("R", 4, 8, true), A(4, 4) }, 3)
try({ T(8, 2, 2, 4, 3, 5, 8), A(3, 6) }, 4)
try({ S("P", 2), T(8, 2, 3, 4, 3, 5, 8), A(3, 7) }, 5)
try({ A(4, 3), A(3, 5), A(2, 9) }, 6)
try({ S("Rc", 3, nil, true), A(6, 3) }, 7)
try({ S("P", 2), S("P", 3, 4), S("P", 2, 3, true, "modulo"), A(5, 16) }, 8)
try({ S("R", 2), S("Rc", 3, 4), S("R", 2, nil, true) }, 9)

-- Random chains.
local r = ref.random(2001)
local hashes = { "random", "fold", "modulo" }
local function any_part(counts)
	local hash = hashes[1 + r:below(3)]
	local what = counts and 4 or r:below(5)
	if what < 3 then
		local strata = r:below(3) > 0 and (hash == "modulo" and 1 + r:below(30)
			or 1 << r:below(6)) or nil
		return S(({ "R", "Rc", "P" })[1 + what], 1 + r:below(9), strata, r:below(2) == 0,
			hash)
	elseif what == 3 then
		local ways, hit, miss = 1 << r:below(3), 1 + r:below(6), 1 + r:below(4)
		return T(ways << r:below(4), ways, r:below(6), hit, miss, 1 + r:below(1 << hit),
			2 + r:below((1 << math.min(hit, miss)) - 1), hash)
	end
	return A(1 + r:below(9), 1 + r:below(9))
end
for seed = 1, small and 4 or 24 do
	local parts, counts = {}, false
	for i = 1, 1 + r:below(4) do
		parts[i] = any_part(counts)
		counts = counts or parts[i].kind == "T" or parts[i].kind == "A" or parts[i].counted
	end
	try(parts, seed)
end

for _, act in ipairs{ "counted", "sampled", "E1", "E2", "E3", "E4", "E5", "E5a", "E6", "E6a", "hit",
	"placed", "replaced", "full" } do
	check.ok((seen[act] or 0) > 100, act .. " was tried")
end

-- ---- the hash, step by step ----
local c = cyclops.compressor "H(P(2), 2048), T(64, ways=2, tag=5)"
local wide = streams.wide(11)
for _ = 1, small and 200 or 2000 do
	local pc, value, tag = wide()
	local key, steps = ref.key(pc, tag), c:hash_steps(pc, value, tag)
	local mixed = ref.flip(ref.randomize(key)) ~ ref.randomize(value)
	local ok = steps.pc_random == ref.randomize(key) and steps.pc_flipped == ref.flip(
		ref.randomize(key)) and
		steps.value_random == ref.randomize(value) and steps.mixed == mixed
		and steps.index == ref.fold(mixed, 11)
	local set, partial = c:index(pc, value, tag, 2)
	check.ok(ok and c:index(pc, value, tag) == steps.index and set == ref.fold(mixed, 5)
		and partial == ref.fold(key ~ value, 5),
		("hash of %x %x"):format(key, value))
end

-- ---- what must be the same ----
-- Without tags there are no misses: 8-bit counters are strata of P(256).
local function same(a, b, make, length)
	local x, y, st = cyclops.compressor(a), cyclops.compressor(b), cyclops.stream()
	local next_tuple = make()
	for _ = 1, length do
		st:add(next_tuple())
	end
	local mx, my = x:feed(st), y:feed(st)
	local equal = #mx == #my
	for i = 1, #mx do
		equal = equal and message_text(mx[i]) == message_text(my[i])
	end
	check.ok(equal and #mx > 10, a .. " is " .. b)
end
local function skewed() return streams.skewed(5) end
local long = small and 20000 or 100000
same("T(64, ways=1, tag=0, hit=8, evict=16)", "H(P(256), 64)", skewed, long)
same("C(P(10))", "P(10)", skewed, long)
same("H(C(P(10)), 16)", "H(P(10), 16)", skewed, long)
same("P(6)", "P(2), P(3)", skewed, long)
same("H(R(10), 512)", "R(10)", skewed, long) -- one random number a tuple, whatever its stratum
same("H(P(7), 1)", "P(7)", skewed, long)
same("R(1)", "P(1)", skewed, long)
same("Rc(1)", "P(1)", skewed, long)
-- A second level sends the same to software.
local st, p, q = cyclops.stream(), cyclops.profile(), cyclops.profile()
for _ = 1, long do
	local pc, value, tag = streams.skewed(long)()
	st:add(pc, value, tag)
end
local one, two = cyclops.compressor "H(P(8), 64)", cyclops.compressor "H(P(8), 64), A(16)"
p:fold(one:feed(st))
q:fold(two:feed(st)):fold(two:drain())
check.eq(#p, #q)
for pc, value, tag, n in p:tuples() do
	check.eq(q:count(pc, value, tag), n, "behind A(16)")
end
check.ok(two.stages[2].sent < two.stages[2].came, "fewer messages")
check.done()
