-- The customisation module vreplay on sequences made by hand: which pairs it names, as which kind of trap, and which it must not.
local check = require "check"
local vreplay <const> = dofile "scripting/lua/values/vreplay.lua"
local KB <const> = 1024

-- Instructions at 0x1000, 0x1004, ...: { CLASS, address =, bytes =, rd =, source1 = }, or a number of others in between.
local function named(list)
	local seq, place, said = {}, 0, {}
	for _, t in ipairs(list) do
		if type(t) == "number" then
			for _ = 1, t do
				seq[#seq + 1] = { pc = 0x9000, place = place, class = "int", op = "addi", rd = "t6", source1 = "t6" }
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

local function store(address, bytes)
	return { "store", address = address, bytes = bytes or 8, source1 = "s1", source2 = "a0" }
end

names("nothing", "", {})
names("a store and a load of its bytes", "1004 order 0x1000", { store(64), load(64) })
names("some of its bytes", "1004 order 0x1000", { store(64), load(70, 2) })
names("the other way round", "", { load(64), store(64) })
names("beside it", "", { store(64), load(72) })
names("before it", "", { store(64), load(60, 4) })
names("its last byte and one behind", "1004 size 0x1000", { store(64), load(71, 2) })
names("its first byte and one before", "1004 size 0x1000", { store(64), load(63, 2) })
names("a wider one", "1004 size 0x1000", { store(64, 1), load(64, 4) })
names("the youngest store counts", "1008 order 0x1004", { store(64), store(64), load(64) })
names("of whatever kind", "1008 size 0x1004", { store(64), store(66, 1), load(64) })
names("two loads of it are two", "1004 order 0x1000, 1008 order 0x1000", { store(64), load(64), load(64) })
names("one partner twice is one value", "1000 synonym 0x1000, 2000 synonym 0x1000",
	{ load(0, 8, { pc = 0x1000 }), load(64 * KB, 8, { pc = 0x1000 }), 1, load(32 * KB, 8, { pc = 0x2000 }) })

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
	{ { "atomic", address = 0, bytes = 8, rd = "a1" }, load(32 * KB), load(0) })

-- What is computed from the one is not in flight with it.
names("a pointer", "", { load(0, 8, { rd = "a1" }), load(32 * KB, 8, { source1 = "a1" }) })
names("through an addition", "",
	{ load(0, 8, { rd = "a1" }), { "int", rd = "a2", source1 = "a3", source2 = "a1" }, load(32 * KB, 8, { source1 = "a2" }) })
names("that is overwritten", "1008 synonym 0x1000",
	{ load(0, 8, { rd = "a1" }), { "int", rd = "a1", source1 = "a3" }, load(32 * KB, 8, { source1 = "a1" }) })
names("that comes later", "1004 synonym 0x1000",
	{ load(0, 8, { rd = "a1" }), load(32 * KB, 8, { source1 = "a2" }), { "int", rd = "a2", source1 = "a1" } })
names("through another load", "100c synonym 0x1004", { load(0, 8, { rd = "a1" }), load(64 * KB + 64, 8, { rd = "a3", source1 = "a1" }),
	{ "int", rd = "a4", source1 = "a1" }, load(32 * KB + 64, 8, { source1 = "a4" }) })
check.eq(vreplay.format(0x10204 << 2 | 3), "synonym 0x10204")

check.done()
