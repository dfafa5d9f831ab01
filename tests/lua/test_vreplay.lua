-- The customisation module vreplay on hand-made sequences: pairs that it must report, with their
-- kind of trap, and pairs that it must not report.
local check = require "check"
local vreplay <const> = dofile "scripting/lua/values/vreplay.lua"
local KB <const> = 1024

-- Instructions at 0x1000, 0x1004, ...: { CLASS, address =, bytes =, rd =, source1 = }, or a number:
-- so many other instructions. Two divisions come first, so that a0 is ready long after all other
-- registers.
local function named(list)
	local seq, place, said = {}, 2, {}
	for i = 1, 2 do
		seq[i] = { pc = 0x9000, place = i - 1, class = "div", op = "div", rd = "a0",
			source1 = i == 1 and "s2" or "a0" }
	end
	for _, t in ipairs(list) do
		if type(t) == "number" then
			for _ = 1, t do
				seq[#seq + 1] = { pc = 0x9000, place = place, class = "int",
					op = "addi", rd = "t6", source1 = "t6" }
				place = place + 1
			end
		else
			t.pc, t.place, t.class = t.pc or 0x1000 + 4 * #said, place, t[1]
			said[#said + 1] = t
			seq[#seq + 1] = t
			place = place + 1
		end
	end
	local got = {}
	vreplay.sequence(seq, function(pc, value)
		got[#got + 1] = ("%x %s"):format(pc, vreplay.format(value))
	end)
	table.sort(got)
	return table.concat(got, ", ")
end

local function names(what, want, list)
	check.eq(named(list), want, what)
end

local function load(address, bytes, more)
	local t = { "load", address = address, bytes = bytes or 8, rd = "a5", source1 = "s0" }
	for key, value in pairs(more or {}) do
		t[key] = value
	end
	return t
end

local function store(address, bytes, base, data)
	return { "store", address = address, bytes = bytes or 8, source1 = base or "a0",
		source2 = data or "s1" }
end

names("nothing", "", {})
names("a store and a load of its bytes", "1004 order 0x1000", { store(64), load(64) })
names("some of its bytes", "1004 order 0x1000", { store(64), load(70, 2) })
names("a store whose address is known as soon", "", { store(64, 8, "s3"), load(64) })
names("and whose data comes late", "", { store(64, 8, "s3", "a0"), load(64) })
names("and one that loses some of its bytes", "1004 size 0x1000", { store(64, 1, "s3"), load(64) })
names("a load that is ready as late", "", { store(64), load(64, 8, { source1 = "a0" }) })
names("the other way round", "", { load(64), store(64) })
names("beside it", "", { store(64), load(72) })
names("before it", "", { store(64), load(60, 4) })
names("its last byte and one behind", "1004 size 0x1000", { store(64), load(71, 2) })
names("its first byte and one before", "1004 size 0x1000", { store(64), load(63, 2) })
names("a wider one", "1004 size 0x1000", { store(64, 1), load(64, 4) })
names("the youngest store counts", "1008 order 0x1004", { store(64), store(64), load(64) })
names("of whatever kind", "1008 size 0x1004", { store(64), store(66, 1), load(64) })
names("two loads of it are two", "1004 order 0x1000, 1008 order 0x1000",
	{ store(64), load(64), load(64) })
names("one partner twice is one value", "1000 synonym 0x1000, 2000 synonym 0x1000",
	{ load(0, 8, { pc = 0x1000 }), load(64 * KB, 8, { pc = 0x1000 }), 1,
	load(32 * KB, 8, { pc = 0x2000 }) })

names("the farthest store in flight", "1004 order 0x1000", { store(64), 78, load(64) })
names("a store too far", "", { store(64), 79, load(64) })

names("lines with one place", "1004 synonym 0x1000", { load(0), load(32 * KB) })
names("anywhere in them", "1004 synonym 0x1000", { load(0), load(96 * KB + 56) })
names("the line itself", "", { load(0), load(56) })
names("the next place", "", { load(0), load(32 * KB + 64) })
names("half as far", "", { load(0), load(16 * KB) })
names("a store's line", "1004 synonym 0x1000", { store(0), load(32 * KB) })
names("stores are not replayed", "", { load(0), store(32 * KB) })
names("loads may be farther apart", "1004 synonym 0x1000", { load(0), 110, load(32 * KB) })
names("stores may not", "", { store(0), 110, load(32 * KB) })
names("atomics are partners, too", "1004 synonym 0x1000, 1008 order 0x1000, 1008 synonym 0x1004",
	{ { "atomic", address = 0, bytes = 8, rd = "a1", source1 = "s1" }, load(32 * KB), load(0) })
names("whose address is known when all before is done", "1004 order 0x1000",
	{ { "atomic", address = 0, bytes = 8, rd = "a1", source1 = "s1" }, load(0) })

-- An access computed from another is not in flight with it.
names("a pointer", "", { load(0, 8, { rd = "a1" }), load(32 * KB, 8, { source1 = "a1" }) })
names("through an addition", "",
	{ load(0, 8, { rd = "a1" }), { "int", rd = "a2", source1 = "a3", source2 = "a1" },
	load(32 * KB, 8, { source1 = "a2" }) })
names("that is overwritten", "1008 synonym 0x1000",
	{ load(0, 8, { rd = "a1" }), { "int", rd = "a1", source1 = "a3" },
	load(32 * KB, 8, { source1 = "a1" }) })
names("that comes later", "1004 synonym 0x1000",
	{ load(0, 8, { rd = "a1" }), load(32 * KB, 8, { source1 = "a2" }),
	{ "int", rd = "a2", source1 = "a1" } })
names("through another load", "100c synonym 0x1004",
	{ load(0, 8, { rd = "a1" }), load(64 * KB + 64, 8, { rd = "a3", source1 = "a1" }),
	{ "int", rd = "a4", source1 = "a1" }, load(32 * KB + 64, 8, { source1 = "a4" }) })
check.eq(vreplay.format(0x10204 << 2 | 3), "synonym 0x10204")

-- ---- a reference that compares each access with all earlier ones ----
local IN_FLIGHT <const>, INDEX <const>, LINE <const>, ORDER <const>, SIZE <const>, SYNONYM <const> =
	80, 32 * KB, 64, 1, 2, 3

local function find_producers(seq)
	local last, from = {}, {}
	for i, t in ipairs(seq) do
		from[i] = { last[t.source1], last[t.source2] }
		if t.rd then
			last[t.rd] = i
		end
	end
	return from
end

-- True if an operand of instruction `user` depends on the result of instruction `maker`. `seen` is
-- for one user.
local function depends(from, user, maker, seen)
	for k = 1, 2 do
		local i = from[user][k] or 0
		if i == maker then
			return true
		end
		if i > maker and not seen[i] then
			seen[i] = true
			if depends(from, i, maker, seen) then
				return true
			end
		end
	end
	return false
end

-- The cycles in which instruction i has its operands and its result: four instructions enter a
-- cycle, chains take their instructions' time, and an atomic waits for all older ones.
local LATENCY <const> = { load = 3, atomic = 3, mul = 7, div = 20, fp = 4, int = 1, store = 1 }
local done
local function ready(seq, from, i)
	local at = from[i].ready or (i - 1) // 4
	for k = 1, from[i].ready and 0 or 2 do
		local maker = from[i][k]
		at = math.max(at, maker and done(seq, from, maker) or 0)
	end
	for j = 1, not from[i].ready and seq[i].class == "atomic" and i - 1 or 0 do
		at = math.max(at, done(seq, from, j))
	end
	from[i].ready = at
	return at
end

function done(seq, from, i)
	return ready(seq, from, i) + LATENCY[seq[i].class]
end

-- The cycle in which access i has its address.
local function known(seq, from, i)
	if seq[i].class == "atomic" then
		return ready(seq, from, i)
	end
	return math.max((i - 1) // 4, from[i][1] and done(seq, from, from[i][1]) or 0)
end

local function writes(t)
	return t.class ~= "load"
end

-- The kind of conflict of load t with the older access o; nil: none.
local function conflict(t, o, distance)
	local first, last = t.address, t.address + t.bytes - 1
	local behind = o.address + o.bytes - 1
	if writes(o) and distance < IN_FLIGHT and first <= behind and o.address <= last then
		return o.address <= first and last <= behind and ORDER or SIZE
	end
	if first // LINE ~= o.address // LINE and first % INDEX // LINE == o.address % INDEX // LINE
		and (distance < IN_FLIGHT or not writes(o)) then
		return SYNONYM
	end
	return nil
end

local function slowly(seq, add)
	local from, accesses = find_producers(seq), {}
	for i, t in ipairs(seq) do
		if t.class == "load" and t.address then
			local said, stored = {}, false
			for k = #accesses, 1, -1 do
				local j = accesses[k]
				local o = seq[j]
				local how = conflict(t, o, t.place - o.place)
				-- The load conflicts with the youngest store to its bytes.
				if how and (how == SYNONYM or not stored) then
					stored = stored or how ~= SYNONYM
					local value = o.pc << 2 | how
					local late = how ~= ORDER or
						known(seq, from, j) > known(seq, from, i)
					if late and not said[value] and not depends(from, i, j, {})
					then
						said[value] = true
						add(t.pc, value)
					end
				end
			end
		end
		if t.address then
			accesses[#accesses + 1] = i
		end
	end
end

-- Random code of few registers and addresses that meet each other in all ways.
local function random_sequence(n)
	local seq = {}
	for i = 1, n do
		local kind = math.random(5)
		local address = math.random(0, 3) * 32 * KB + math.random(0, 2) * 64 + math.random(
			0, 9) * 4
		local t = { pc = 0x1000 + 4 * math.random(0, 40), place = i - 1, source1 = "a" ..
			math.random(0, 5), source2 = "a" .. math.random(0, 5),
			class = ({ "int", "load", "store", "load", "atomic" })[kind] }
		t.rd = t.class ~= "store" and "a" .. math.random(0, 5) or nil
		if kind > 1 then
			t.address, t.bytes = address, 1 << math.random(0, 3)
			t.pc = t.pc + (kind == 3 and 0x1000 or kind == 5 and 0x2000 or 0)
		end
		seq[i] = t
	end
	return seq
end

local function collect(sequence, seq)
	local got = {}
	sequence(seq, function(pc, value)
		got[#got + 1] = ("%x %x"):format(pc, value)
	end)
	return table.concat(got, " ")
end

math.randomseed(2000)
for n = 1, 12 do
	local seq = random_sequence(20 + 15 * n)
	local got = collect(vreplay.sequence, seq)
	if not check.eq(got, collect(slowly, seq), ("sequence %d, in the same order"):format(
		n)) then
		break
	end
end

-- The cost is at most n log n: for a loop through a large array and the stack, sixteen times the
-- length takes little more than sixteen times the steps. A step is an access to the sequence.
local function steps(n)
	local seq, count = {}, 0
	for i = 1, n do
		local t = { pc = 0x1000 + 4 * (i % 8), place = i - 1, class = i % 4 == 0 and "store"
			or i % 2 == 0 and "load" or "int", bytes = 8, rd = "a" .. i % 6,
			source1 = "a" .. i % 5, source2 = "s0" }
		t.address = t.class ~= "int" and (i % 8 < 4 and 0x7fff0000 + i % 16 * 8
			or 0x10000 + i * 8) or nil
		seq[i] = setmetatable({},
			{ __index = function(_, key) count = count + 1 return t[key] end })
	end
	vreplay.sequence(seq, function() end)
	return count
end
local short, long = steps(256), steps(4096)
check.ok(long < 1.6 * 16 * short,
	("%d steps for 256 instructions and %d for 4096: in proportion"):format(short, long))

check.done()
