-- Compressors, streams, messages and profiles as objects; tests/sampler/ compares their results.
local check = require "check"
local s = require "cyclops.sampler"

-- ---- streams ----
local st = cyclops.stream(1000):add(0x10400, 7, 0, 300):add(0x10404, -1, 255)
check.eq(#st, 301)
check.eq(st[1].pc, 0x10400)
check.eq(st[301].value, -1)
check.eq(st[301].tag, 255)
check.eq(st[0], nil)
check.eq(st[302], nil)
check.eq(select("#", st:get(302)), 0)
check.eq(table.concat({ st:get(301) }, " "), "66564 -1 255")
local n = 0
for pc, value, tag in st:tuples() do
	n = n + 1
	check.ok(pc == (n == 301 and 0x10404 or 0x10400) and tag == (n == 301 and 255 or 0),
		"tuple " .. n)
end
check.eq(n, 301)
check.fails(function() st:add(1, 2, 3, 700) end,
	"a stream has at most 1000 tuples; cyclops.stream(N) makes one for N")
check.eq(#st, 301, "nothing was added")
check.eq(#st:add(1, 2, 3, 699), 1000)
check.fails(function() st:add(1 << 56, 2) end, "a pc has at most 56 bits")
check.fails(function() st:add(1, 2, 256) end, "a tag is 0 to 255")
check.fails(function() st:add(1, 2, 0, -1) end, "a count is not negative")
check.fails(function() st:add(1.5, 2) end, "integer")
check.fails(function() cyclops.stream(0) end, "1 to 268435456")
check.fails(function() return st.lenght end, "a stream has no 'lenght'")
check.fails(function() st:shufle(1) end, "did you mean 'shuffle'?")
check.fails(function() st.x = 1 end, "attempt to index a cyclops.stream value", false)
local part = st:slice(300, 302)
check.eq(#part, 3)
check.eq(part[2].pc, 0x10404)
check.eq(#st:slice(5, 4), 0)
check.fails(function() st:slice(0, 4) end, "expected 1 <= FROM <= TO <= 1000")
check.fails(function() st:slice(3, 1001) end, "slice(3, 1001) of a stream of 1000 tuples")
check.eq(#cyclops.stream():append(part):append(part), 6)
check.eq(#part:append(part), 6, "to itself")
check.says(st, "stream of 1000 tuples")
check.eq(#st:clear(), 0)

-- A shuffled stream has the same tuples; the order is Fisher and Yates' with numbers by splitmix64.
local function ordered(k)
	local r = cyclops.stream()
	for i = 1, k do
		r:add(i, i)
	end
	return r
end
local function pcs(r)
	local all = {}
	for pc in r:tuples() do
		all[#all + 1] = pc
	end
	return all
end
local function mul_high(a, b)
	local al, ah, bl, bh = a & 0xffffffff, a >> 32, b & 0xffffffff, b >> 32
	local mid = ah * bl + (al * bl >> 32)
	return ah * bh + (mid >> 32) + ((al * bh + (mid & 0xffffffff)) >> 32)
end
local function splitmix(state)
	return function()
		state = state + 0x9e3779b97f4a7c15
		local z = state
		z = (z ~ z >> 30) * 0xbf58476d1ce4e5b9
		z = (z ~ z >> 27) * 0x94d049bb133111eb
		return z ~ z >> 31
	end
end
for _, seed in ipairs{ 0, 1, -5 } do
	local want, random = pcs(ordered(500)), splitmix(splitmix(seed)())
	for i = 500, 2, -1 do
		-- the low half is too small with a chance of 500 in 2^64
		local j = mul_high(random(), i) + 1
		want[i], want[j] = want[j], want[i]
	end
	check.eq(table.concat(pcs(ordered(500):shuffle(seed)), " "), table.concat(want, " "),
		"order of seed " .. seed)
end

-- ---- compressors ----
local c = s.sampler{ s.H(s.P(256), 2048), s.A(16) }
check.eq(c.text, "H(P(256), 2048), A(16)")
check.eq(c.text, s.text{ s.H(s.P(256), 2048), s.A(16) })
check.eq(c.bits, 2048 * 8 + 16 * (128 + 8 + 4))
check.eq(c.lossless, true)
check.eq(s.sampler{ s.R(3) }.lossless, false)
check.eq(s.sampler{ s.C(s.R(3)) }.lossless, true)
check.eq(c.seed, 1)
check.eq(s.sampler{ s.R(3), seed = 9 }.seed, 9)
check.eq(c.wrong, nil)
check.says(c, "H(P(256), 2048)        16384 bits, 2048 of 8\n")
check.says(c, "all                    18624 bits, 2.27 KiB")
-- Section 4.2: 5 bits more than the 8 of a counter, 62 %.
check.says(s.cost(s.sampler{ s.T(2048, { ways = 1, tag = 1 }) }, s.sampler{ s.H(s.P(256), 2048) }),
	"1.625 times H(P(256), 2048)")
for _, text in ipairs{ "R(10)", "Rc(10)", "P(10)", "C(R(10))", "H(C(Rc(7)), 100, modulo)",
	"T(64, ways=4, tag=5, hit=6, miss=2, evict=9, replace=3, hash=fold)",
	"A(7, 3)", "P(3), P(5), A(2)" } do
	check.eq(cyclops.compressor(text).text, text)
end
check.eq(
	s.text{ s.T(64, { ways = 4, tag = 5, hit = 6, miss = 2, evict = 9, replace = 3,
	hash = "fold" }), s.A(2, 16) },
	"T(64, ways=4, tag=5, hit=6, miss=2, evict=9, replace=3, hash=fold), A(2)")
check.eq(s.text{ s.Rc(2), s.H(s.C(s.R(3)), 10, "modulo") }, "Rc(2), H(C(R(3)), 10, modulo)")

local stages = c.stages
check.eq(#stages, 2)
check.eq(stages[1].text, "H(P(256), 2048)")
check.eq(stages[2].unit, 256)
check.eq(stages[1].entries, 2048)
local ms = c:feed(cyclops.stream():add(0x10400, 7, 0, 1000))
check.eq(#ms, 0)
check.eq(c:held(), 1000)
check.eq(c:held(1), 1000 % 256)
check.eq(c:held(2), 768)
check.eq(c.stages[1].came, 1000)
check.eq(c.stages[1].sent, 3)
check.eq(c.stages[2].weight_came, 768)
check.eq(table.concat({ c:drain(ms):get(1) }, " "), "66560 7 0 768")
check.eq(c:held(), 1000 % 256)
check.eq(c:entry(1, (c:index(0x10400, 7))).at, 1000 % 256)
check.eq(c:hash_steps(0x10400, 7).index, c:index(0x10400, 7))
check.eq(c:reset():held(), 0)
check.eq(c:follow(5, 6)[1].act, "counted")
local one = cyclops.compressor "P(1), A(1, 2)"
check.eq(one:take(1, 2), nil)
check.eq(table.concat({ one:take(3, 4, 5) }, " "), "1 2 0 1")
local steps = one:follow(6, 7)
check.eq(steps[1].act .. " " .. steps[2].act, "sampled replaced")
check.eq(steps[2].message.tag, 5)
local tagged = cyclops.compressor "T(4, ways=2, tag=1)"
check.eq(select("#", tagged:index(1, 2)), 2)
check.eq(tagged:follow(1, 2)[1].act, "E1")
check.eq(tagged:follow(1, 2)[1].misses, 0)
local set = tagged:index(1, 2)
check.eq(tagged:entry(1, 2 * set).state, "valid")
check.eq(tagged:entry(1, 2 * set).hits, 2)

-- Parts of a stream, appended to a list.
local parts = ordered(10)
local two = cyclops.compressor "P(2)"
check.eq(#two:feed(parts, 3), 1)
check.eq(#two:feed(parts, nil, 4), 4)
local list = cyclops.messages():add(9, 9, 9, 9)
check.eq(two:feed(parts, 4, 9, list), list)
check.eq(#list, 2)
check.eq(list[2].count, 2)
check.eq(list:weight(), 11)
check.eq(list[3], nil)
local seen = {}
for pc, value, tag, count in list:tuples() do
	seen[#seen + 1] = table.concat({ pc, value, tag, count }, " ")
end
check.eq(table.concat(seen, ", "), "9 9 9 9, 10 10 0 2")
check.eq(#two:feed(parts, 4, 11), 0)

-- Mistakes.
check.fails(function() cyclops.compressor("P(3), X(2)") end, "no component 'X'")
check.fails(function() cyclops.compressor(7) end, "no component '7'")
check.fails(function() cyclops.compressor("P(3)", { sed = 1 }) end, "did you mean 'seed'?")
check.fails(function() cyclops.compressor("P(3)", { seed = "x" }) end, "seed")
check.fails(function() c:tkae(1, 2) end, "a compressor has no 'tkae'; did you mean 'take'?")
check.fails(function() c:take(1) end, "number expected")
check.fails(function() c:entry(3, 1) end, "no stage 3; this compressor has 1 to 2")
check.fails(function() c:entry(1, 2048) end, "no entry 2048; stage 1 has 0 to 2047")
check.fails(function() c:feed(parts, 1, 0) end, "places count from 1 on")
check.fails(function() c:feed({}) end, "cyclops.stream expected")
check.fails(function() cyclops.compressor("P(3)"):hash_steps(1, 2) end, "does not hash in steps")
check.fails(function() s.P(0) end, "a sampler's rate is a whole number from 1 to 1073741824, not 0")
check.fails(function() s.R("3") end, "a sampler's rate")
check.fails(function() s.H(s.A(1), 3) end, "H splits for R(r), Rc(r), P(r) or C of one of them, not 'A'")
check.fails(function() s.X(1) end, "no component 'X'")
check.fails(function() s.H(s.P(1), 3) end, "power of two")
check.fails(function() s.H(s.P(1), 4, "x), A(3") end, "no hash function 'x'")
check.fails(function() s.C(s.C(s.P(3))) end, "C counts for a sampler, not for another C")
check.fails(function() s.T(8, { wyas = 1 }) end, "did you mean 'ways'?")
check.fails(function() s.T(8, 2) end, "T takes a table of options")
check.fails(function() s.A(0) end, "associative counters")
check.fails(function() s.A(1, 32) end,
	"bits of an associative counter is a whole number from 1 to 31, not 32")
check.fails(function() s.sampler{ s.A(16), s.P(3) } end, "P(3) can't follow A(16)")
check.fails(function() s.sampler(s.P(3)) end, "a list of components is needed")
check.fails(function() s.text{ 1 } end, "component 1 is 1")
check.fails(function() s.sampler{} end, "a component is missing")
check.fails(function() s.cost(c) end, "cost compares two compressors")

-- ---- profiles ----
local ideal = cyclops.profile():add(1, 10, 0, 700):add(1, 11, 0, 300):add(2, 5, 0, 99):add(1, 10, 3,
	50)
check.eq(#ideal, 4)
check.eq(ideal:count(), 1149)
check.eq(ideal:count(1), 1000)
check.eq(ideal:count(1, 10), 700)
check.eq(ideal:count(1, nil, 3), 50)
check.eq(ideal:count(1, 10, 3), 50)
check.eq(ideal:count(7), 0)
check.eq(cyclops.profile():count(7, 7), 0)
check.eq(ideal:top(2)[2].count, 300)
check.eq(ideal:top(1)[1].invariance, 0.7)
check.eq(#ideal:top(), 4)
local order = {}
for pc, value, tag, count in ideal:tuples() do
	order[#order + 1] = table.concat({ pc, value, tag, count }, " ")
end
check.eq(table.concat(order, ", "), "1 10 0 700, 1 11 0 300, 2 5 0 99, 1 10 3 50")
order = {}
for pc, tag, count, values in ideal:pcs() do
	order[#order + 1] = table.concat({ pc, tag, count, values }, " ")
end
check.eq(table.concat(order, ", "), "1 0 1000 2, 2 0 99 1, 1 3 50 1")
check.eq(cyclops.profile():feed(parts, 3, 9):count(), 2)
check.eq(cyclops.profile():fold(list):count(9, 9, 9), 9)
check.eq(ideal:error(ideal), 0.0)
check.eq((cyclops.profile():error(cyclops.profile())), nil, "nothing is selected")
check.fails(function() ideal:error(ideal, { min = 1 }) end, "p:error has no 'min'")
check.fails(function() ideal:error(ideal, { invariant = 2 }) end, "invariant = 2: a part is 0 to 1")
check.fails(function() ideal:error(ideal, { tag = 300 }) end, "a tag is 0 to 255")
check.fails(function() ideal:error() end, "cyclops.profile expected")
check.eq(#ideal:errors{}, 0)
check.eq(cyclops.profile():errors{ ideal }[1], false, "nothing is selected")
check.fails(function() ideal:errors{ 7 } end, "cyclops.profile expected")
check.fails(function() ideal:errors({}, { min = 1 }) end, "p:errors has no 'min'")
local many = {}
for i = 1, 65 do
	many[i] = ideal
end
check.fails(function() ideal:errors(many) end, "64 estimates at most")
many[65] = nil
check.eq(ideal:errors(many)[64], 0.0)
check.fails(function() ideal:add(1, 2, 0, math.maxinteger) end,
	"a profile counts to 9223372036854775807")
check.eq(#ideal:clear(), 0)
check.eq(ideal:count(1, 10), 0)
check.eq(ideal:add(1, 10):count(1), 1)
check.done()
