-- Microprograms and m.cop: assembling with the assembler's errors, loading as a change, reading
-- registers, arrays and records.
local check = require "check"
local cop = require "cyclops.cop"
local GUEST <const> = "tests/golden/guest.elf"

-- ---- assembling ----
local counter = cop.assemble([[
.program loads "counts loads, by pc"
.equ STEP = 1
.fields load: pc, result
.on load: count
.name loads = v0
.name slot = x0
.column pc = cam as pc
.column count = data b0
count: sadd.32 loads, loads, STEP | match slot, pc | if miss goto new
       inc b0[slot] | done
new:   free slot | if miss done
       write cam[slot], pc | write b0[slot], loads | done
]], { STEP = 3 })
check.eq(counter.name, "loads")
check.eq(counter.help, "counts loads, by pc")
check.eq(counter.count, 4)
check.eq(counter.labels.new, 2)
check.eq(counter.constants.STEP, 3)
check.eq(#counter.words, 4)
check.eq(counter:text(0), "match slot, pc | sadd.32 loads, loads, 3 | if miss goto new")
check.says(tostring(counter), "count:\n   0  match slot, pc")
check.fails(function() counter:text(4) end, "microinstruction 4 of 4; expected 0 to 3")
check.fails(function() local p = cop.assemble "foo: mov v0, v1 | mov v2, v3\n" return p end,
	"microprogram:1:19: both 'mov v0, v1' (column 6) and 'mov v2, v3' need the main ALU; use two microinstructions")
check.fails(function() local p = cop.assemble(".on load: nowhere\nthere: done\n", nil, "mine")
	return p end, "mine:1:")
check.fails(function() local p = cop.assemble "nop\nmov t0, v1\nadx v1\ndone\n" return p end,
	"microprogram:2:5: 't0' is a target register, which no operation reads or writes; expected .target t0 = LABEL, and goto t0 there\n" ..
	"microprogram:3:1: no operation 'adx'; did you mean 'add'?")
check.fails(function() local p = cop.assemble("done", { X = 1.5 }) return p end, "NAME = NUMBER")
local message = check.fails(function() local p = cop.assemble "x: nop done" return p end,
	"microprogram:1:")
check.says(message, "test_cop.lua:")
check.fails(function() local p = cop.open "nosuch.mic" return p end, "nosuch.mic")
check.eq(cop.open("tests/cop/slots.mic", { SLOTS = 8 }).constants.SLOTS, 8)

-- ---- loading ----
local m = cyclops.machine{ program = GUEST, set = { ["cop.enable"] = true } }
m:run{ cycles = 3000 }
check.eq(m.cop.samples, 0)
check.says(m.cop:why(), "nothing has been loaded")
m.cop:load(counter)
local loaded = m.cycle
m:run{ cycles = 9000 }
local samples, loads, hash = m.cop.samples, m.cop.loads, m:hash()
check.ok(samples > 20, "samples")
check.ok(loads == 3 * samples or loads == 3 * samples + 3, "three a sample")
check.eq(m.cop.v0, loads)
check.eq(m.cop:registers().named.loads, loads)
check.eq(m.cop:registers().v[0], loads)
-- Its slots have counted the samples: the first of each pc is written as the number of
-- loads so far.
local slots = m.cop:slots()
check.ok(#slots >= 3, "slots")
for i, s in ipairs(slots) do
	check.eq(s.slot, i - 1)
	check.eq(s.pc, s.key)
	check.ok(s.valid, "valid")
	check.eq(m.cop.slot[s.slot].count, s.count)
	check.eq(m.cop.word[s.slot], s.count)
end
-- Backwards over the load, and forwards to the same.
m:back(9001)
check.eq(m.cycle, loaded - 1)
check.eq(m.cop.samples, 0)
check.eq(#m.cop:slots(), 0)
check.fails(function() return m.cop.loads end, "loads")
m:run{ cycles = 9001 }
check.eq(m:hash(), hash)
check.eq(m.cop.loads, loads)

-- ---- from the beginning, and from a hook ----
local a = cyclops.machine{ program = GUEST, cop = "tests/cop/slots.mic" }
a:on("sample", { where = "dropped" }, function() end)
a:run{ cycles = 8700 }
local record = a.cop:record(1)
check.ok(record and record.class == "load" and record.pc and record.result and not record.addr,
	"a record")
check.eq(record.words, 3)
check.ok(record.arrived < a.cycle and record.arrived > a.cycle - 1000, "when it arrived")
check.eq(a.cop.z or a.cop.sat or a.cop.csat, false)
check.eq(a.cop.hit and a.cop.lt, true)
check.eq(a.cop:record(a.cop.waiting + 1), nil)
check.eq(a.cop:read(0x68), a.cop.waiting)
local once
a:on("commit", { class = "load" }, function()
	if not once then
		once = true
		a.cop:load(counter)
	end
end)
a:run{ insts = 3000 }
check.ok(a.cop.loads > 0, "loaded by a hook")

-- ---- registers and filters ----
local place = a.cop:slots()[1].pc
check.says(a.cop:why(place), "tagged: a load")
a.cop:mask("high", place)
check.eq(a.cop:why(place), "not tagged: table high masks it")
check.eq(a.cop:read(0x38), 1)
a:back(1)
a:run{ cycles = 1 }
check.eq(a.cop:why(place), "not tagged: table high masks it")
a.cop:write{ { 0x38, 0 }, { 0x28, 1 }, { 0x30, 2 } }
check.says(a.cop:why(place), ", and 0x2 is sampled")
a.cop:write(0x18, 0)
check.says(a.cop:why(place), "its class, load, is not sampled")
check.fails(function() a.cop:write(4, 0) end, "no register of the co-processor is at 4")
check.fails(function() a.cop:write{ 1 } end, "entry 1 is not { REGISTER, VALUE }")
-- Registers by name; each name of `help microcode` reaches the offset beside it.
check.fails(function() a.cop:read "contrl" end, "no register 'contrl'; did you mean 'control'?")
check.fails(function() a.cop:read "v16" end, "'v' is an array; expected v0 to v15")
check.fails(function() a.cop:read "mask3" end, "register 'mask' has no number")
local listed, help <close> = 0,
	io.popen((os.getenv "CYCLOPS" or "build/cyclops") .. " help microcode", "r")
for at, name in help:read "a":gmatch "\n  (0x%x+)  (%S+)" do
	listed = listed + 1
	check.eq(a.cop:read(name:match "^[a-z_]+%d*"), a.cop:read(tonumber(at)), name)
end
check.ok(listed > 30, "registers are listed")
a.cop:write("k3", 77)
check.eq(a.cop:read(0x198), 77)

-- Tagging can be switched: no record is made meanwhile, and the past has it as it was.
do
	local t = cyclops.machine{ program = "build/demos/sort",
		args = { "demos/programs/list.txt" },
		cop = "demos/microcode/value.mic" }
	t:run{ cycles = 3000 }
	local tagged = t.cop.tagged
	check.ok(tagged > 0)
	t.cop:tag(false)
	t:run{ cycles = 2000 }
	check.eq(t.cop.tagged, tagged, "nothing is tagged")
	t.cop:tag(true)
	t:run{ cycles = 2000 }
	check.ok(t.cop.tagged > tagged, "tagged again")
	t:back(3000)
	check.eq(t.cop:read "control", 1)
	check.fails(function() t.cop:tag() end, "boolean expected")
	-- One record of each seven, chosen before the bus: all others count nowhere.
	local function records(every)
		local r = cyclops.machine{ program = "build/demos/sort",
			args = { "demos/programs/list.txt" },
			cop = "demos/microcode/value.mic", set = { ["cop.transport"] = 256,
				["cop.bus"] = 8,
				["cop.buffer"] = 1024 } }
		local commits = 0
		r.cop:write("every", every)
		r:on("commit", { class = "load" }, function() commits = commits + 1 end)
		r:run{ cycles = 6000 }
		return r.cop.records, commits
	end
	local all, loads = records(1)
	check.eq(all, loads, "each load leaves a record")
	check.eq(records(7), loads // 7, "each seventh does")
end
check.fails(function() a.cop:mask("middle", place) end, "middle")
check.fails(function() return a.cop.slot[100000] end, "entries 0 to ")
check.fails(function() return a.cop.slot[0].hit end,
	"a slot has no 'hit'; it has key valid pc count")
check.fails(function() a.cop:load "nosuch.mic" end, "nosuch.mic")
check.fails(function() a.cop:load "x: done\ny: mov v0 done\n" end, "microprogram:2:")
local none = cyclops.machine{ program = GUEST }
check.fails(function() none.cop:load(counter) end, "has no co-processor: it needs cop.enable=true")
local small = cyclops.machine{ program = GUEST, set = { ["cop.enable"] = true, ["cop.microcode"] =
	2 } }
check.fails(function() small.cop:load(counter) end, "4 microinstructions")
check.done()
