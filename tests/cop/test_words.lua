-- Words of microcode: the assembler turns a word's disassembly into the canonical word, which has
-- the same effect; invalid words only stop the engine.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"

local TRIES <const> = os.getenv "CYCLOPS_TEST_SCALE" ~= "long" and 20000 or 120000
local random = math.random
math.randomseed(19980131)

-- A random word, some of whose bits are mostly 0, so that each unit is sometimes idle.
local function half()
	local w = random(0)
	for _ = 1, random(0, 2) do
		local from, bits = random(0, 63), random(2, 24)
		w = w & ~(((1 << bits) - 1) << from)
	end
	return w
end

local function hex(w0, w1)
	return ("%016x %016x"):format(w0, w1)
end

-- ---- words to text and back ----
local valid, bad, texts, invalid = {}, 0, {}, {}
for _ = 1, TRIES do
	local w0, w1 = half(), half()
	local c0, c1 = engine.canonical(w0, w1)
	if c0 then
		valid[#valid + 1] = { w0, w1, c0, c1 }
		local text = engine.disassemble(w0, w1)
		texts[text] = true
		local ok, words = pcall(engine.words, text .. "\ndone")
		if not ok or words[1][1] ~= c0 or words[1][2] ~= c1 then
			bad = bad + 1
			check.ok(false, ("%s is '%s', which is %s, not %s"):format(hex(w0, w1),
				text, ok and hex(words[1][1], words[1][2]) or words, hex(c0, c1)))
		end
		if engine.disassemble(c0, c1) ~= text then
			bad = bad + 1
			check.ok(false, hex(w0, w1) ..
				" and its canonical word are not the same text")
		end
		if bad > 5 then
			break
		end
	else
		invalid[#invalid + 1] = { w0, w1 }
	end
end
local different = 0
for _ in pairs(texts) do
	different = different + 1
end
check.ok(bad == 0 and #valid > TRIES // 60, #valid .. " valid words, " .. different ..
	" different ones:")
check.ok(different > #valid // 2, "they are not all the same")

-- ---- equal effects ----
local REGISTERS = { "done" }
for i = 0, 15 do
	REGISTERS[#REGISTERS + 1] = (".const k%d = %d\n.value v%d = %d"):format(i, i * 0x10001, i,
		i * 77)
end
for i = 0, 7 do
	REGISTERS[#REGISTERS + 1] = (".base b%d = %d\n.index x%d = %d"):format(i, i * 7, i, 9 - i)
end
local TEXT <const> = table.concat(REGISTERS, "\n")

local function flat(e)
	local s, out = e:state(), {}
	for _, name in ipairs{ "v", "x", "cam", "valid", "data" } do
		for i = 0, #s[name] do
			out[#out + 1] = tostring(s[name][i])
		end
	end
	out[#out + 1] = ("%d %x %d %d"):format(s.conditions, s.lfsr, s.match, s.halted)
	return table.concat(out, " "), s
end

-- A microinstruction's effects, and its next address.
local function deed(w0, w1)
	local e = engine.new{ code = 8, cam = 12, data = 70, seed = 99 }
	e:load(TEXT)
	e:start(0, 3)
	e:poke(3, w0, w1)
	local before = flat(e)
	e:push{ kind = 0, pc = 0x10400, inst = 0x00c58533, rs1 = 7, rs2 = 8, result = 15,
		addr = 0x8000, target = 0x10404, latency = 3, events = 9 }
	local t
	repeat
		t = e:clock()
	until t
	local after, s = flat(e)
	return ("%s %d %d %d"):format(after, t.goal, t.next, t.wrong), t, s, before, after
end

local unlike = 0
for i = 1, math.min(#valid, 1500) do
	local w = valid[i]
	if deed(w[1], w[2]) ~= deed(w[3], w[4]) then
		unlike = unlike + 1
		if unlike < 4 then
			check.ok(false, hex(w[1], w[2]) ..
				" does not do the same as its canonical word, " ..
				engine.disassemble(w[1], w[2]))
		end
	end
end
check.ok(unlike == 0, "canonical words do the same")

-- ---- nothing ----
local did = 0
for i = 1, math.min(#invalid, 1500) do
	local _, t, s, before, after = deed(invalid[i][1], invalid[i][2])
	if t.fault ~= 4 or s.fault ~= 4 or s.fault_at ~= 3 or t.outcome ~= 3
		or after ~= before:gsub("0$", "1") then
		did = did + 1
		if did < 4 then
			check.ok(false, hex(invalid[i][1], invalid[i][2]) .. " is none, but " ..
				engine.disassemble(invalid[i][1], invalid[i][2]))
		end
	end
	if not engine.disassemble(invalid[i][1],
		invalid[i][2]):find "^<no microinstruction: %a+%.%a+>$" then
		check.ok(false, "the text of an invalid word is " ..
			engine.disassemble(invalid[i][1], invalid[i][2]))
	end
end
check.ok(did == 0 and #invalid > 1000, "words that are none do nothing")
check.done()
