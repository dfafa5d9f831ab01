-- Plug-ins of the profiling hardware: a predictor of profile flags and a stage of the sampler's
-- compressor. Equal to the built-in ones, right in the past, with no more data than hardware has,
-- and reported when they fail.
local check = require "check"
local PLUGINS = "demos/plugins/"
local small = os.getenv "CYCLOPS_TEST_SCALE" == "small"

local function text(path)
	local f = assert(io.open(path))
	local s = f:read "a"
	f:close()
	return s
end

local function open(program, t, set)
	t.program, t.set = "build/demos/" .. program, set
	return cyclops.machine(t)
end

-- ---- equal to the built-in ones, statistic by statistic ----
local function same(a, b, what)
	repeat
		a:step(20000)
		b:step(20000)
		check.eq(a.cycle, b.cycle, what .. ": cycles")
	until a.status ~= "running" or b.status ~= "running" or a.cycle > 80000
	check.eq(b.status, a.status, what)
	for _, name in ipairs(cyclops.stats()) do
		local has, value = pcall(a.eval, a, name)
		if has then
			check.eq(b:eval(name), value, what .. ": " .. name)
		end
	end
end

for _, how in ipairs { { "xprof/checks" },
	{ "xprof/checks", { ["bdt.sets"] = 2, ["bdt.ways"] = 1 } },
	{ "xprof/calls", { ["bdt.min_block"] = 1 } } } do
	local a, b = open(how[1], {}, how[2]), open(how[1], { flags = PLUGINS .. "flag_bits.lua" },
		how[2])
	same(a, b, "flags of " .. how[1])
	check.ok(how[1] ~= "xprof/checks" or b:eval "xprof.skips" > 1000, "skips: " ..
		b:eval "xprof.skips")
end

-- The last value of a flag is another predictor: it is better if one switch serves several blocks.
do
	local bits, last = open("xprof/checks", {}),
		open("xprof/checks", { flags = PLUGINS .. "flag_last.lua" })
	bits:run()
	last:run()
	check.ok(last:eval "xprof.flag_mispredicts" < bits:eval "xprof.flag_mispredicts" / 2
		and last.cycle < bits.cycle, "it is wrong less often")
	check.eq(last:output(), bits:output(), "and the program says the same")
end

-- ---- message by message ----
local function messages(m)
	local list = {}
	m:on("message", function(e)
		list[#list + 1] = ("%x %x %d %s"):format(e.pc, e.value, e.count, e.cycle)
	end)
	return list
end

-- Built-in chain, the same with a plug-in, what the file's constants are then.
local associative <const> = text(PLUGINS .. "associative.lua")
local function with(entries, bits, unit)
	local s, n = associative:gsub("= 16, 8, 1\n", ("= %d, %d, %d\n"):format(entries, bits,
		unit))
	check.eq(n, 1)
	return s
end
local function machine(program, chain, stage, t)
	t = t or {}
	t.stage = stage
	return open(program, t, { ["sampler.enable"] = true, ["sampler.compressor"] = chain,
		["sampler.select"] = "value of load, edge tag 1" })
end
for _, how in ipairs { { "A(16)", "external", with(16, 8, 1) },
	{ "A(3, 2)", "external", with(3, 2, 1) }, { "P(4), A(8)", "P(4), external", with(8, 8, 4) },
                       { "T(64, evict=4, replace=2), A(4)", "T(64, evict=4, replace=2), external",
                       with(4, 16, 1) }, { "A(4), A(8)", "external, A(8)", with(4, 8, 1) },
                       { "A(4), A(8)", "external, external", { with(4, 8, 1), with(8, 16, 1) } },
                       	{ "P(2), A(4), A(8)", "P(2), external, external",
                       	{ with(4, 8, 2), with(8, 16, 1) } } } do
	local a, b = machine("branchy", how[1]), machine("branchy", how[2], how[3])
	local one, other = messages(a), messages(b)
	for _ = 1, 2 do
		a:step(20000)
		b:step(20000)
		a.sampler:drain()
		b.sampler:drain()
	end
	a:step(10)
	b:step(10)
	check.ok(#one > 60, how[1] .. ": messages, " .. #one)
	check.eq(table.concat(other, "\n"), table.concat(one, "\n"), how[1])
	check.eq(b:eval "sampler.messages", a:eval "sampler.messages")
	-- Without listeners: a machine that defers work gives the same as one that does not.
	same(machine("branchy", how[1]), machine("branchy", how[2], how[3]), how[1])
	-- Without timing first.
	same(machine("branchy", how[1], nil, { ff = 30000 }), machine("branchy", how[2], how[3],
		{ ff = 30000 }), how[1] .. ", fast forward")
	if small then
		break
	end
end

-- ---- without a machine ----
do
	local stream = cyclops.stream()
	for i = 1, 3000 do
		stream:add(0x10000 + 2 * (i * i % 23), i % 7, 1)
	end
	local function all(c)
		local list = c:drain(c:feed(stream))
		local words = {}
		for i = 1, #list do
			words[i] = table.concat({ list:get(i) }, " ")
		end
		return table.concat(words, "\n"), #list
	end
	local built, n = all(cyclops.compressor "P(2), A(4), A(8)")
	local c = cyclops.compressor("P(2), external, external",
		{ stage = { with(4, 8, 2), with(8, 16, 1) } })
	check.ok(n > 100, "messages, " .. n)
	check.eq((all(c)), built, "plug-ins without a machine")
	check.eq((all(c:reset())), built, "and again")
	check.eq(c.stages[2].entries, 4)
	check.eq(c.stages[3].entries, 8)
	check.eq(c.stages[3].bits, 8 * (64 + 64 + 16 + 40) + 40)
	c:reset()
	c:take(7, 8, 1)
	c:take(7, 8, 1)
	check.eq(c:entry(2, 0).count, 1)
	check.fails(function() cyclops.compressor "external" end, "the chain has `external` 1 time, and stage names 0 plug-ins; expected as many")
	check.fails(function() cyclops.compressor("external, external",
		{ stage = with(4, 8, 1) }) end, "`external` 2 times, and stage names 1 plug-in;")
	check.fails(function() cyclops.compressor("external",
		{ stage = { with(4, 8, 1), with(4, 8, 1) } }) end,
		"`external` 1 time, and stage names 2")
	check.fails(function() cyclops.compressor("A(4)", { stage = with(4, 8, 1) }) end,
		"stage is for a chain with `external` in it")
	check.fails(function() cyclops.compressor("external", { stage = 7 }) end,
		"a FILE.lua, or its text, is needed")
	local bad = cyclops.compressor("P(2), external",
		{ stage =
		"return { take = function(s, pc)\nif pc == 9 then error 'no nines' end end }" })
	bad:take(9, 1)
	bad:take(1, 1)
	bad:take(1, 1)
	check.fails(function() bad:take(9, 1) end, "failed in cycle 4: ")
	check.fails(function() bad:take(1, 1) end, "no nines")
	check.eq(bad:reset():take(1, 1), nil)
end

-- ---- the past, and checkpoints ----
local function everything()
	return open("xprof/checks", { flags = PLUGINS .. "flag_last.lua", stage = PLUGINS ..
		"two_way.lua", predictor = PLUGINS .. "gshare.lua" },
		{ ["sampler.compressor"] = "H(P(3), 16), external, A(4)" })
end
local walker, seen = everything(), {}
walker:step(30000)
local path = os.tmpname()
math.randomseed(4711)
for i = 1, small and 15 or 60 do
	if math.random(3) == 1 then
		walker:back(math.random(200))
	else
		walker:go(math.random(0, 30000))
	end
	seen[walker.cycle] = walker:hash()
	if i % 10 == 0 then -- through a file, into another machine
		walker:save(path)
		local other = everything()
		other:load(path)
		check.eq(other:hash(), walker:hash(), "checkpoint in cycle " .. walker.cycle)
		other:step(500)
		seen[other.cycle] = other:hash()
		other:back(700)
		seen[other.cycle] = other:hash()
	end
end
os.remove(path)
local forward = everything()
for cycle = 0, 31000 do
	if seen[cycle] then
		forward:go(cycle)
		check.eq(forward:hash(), seen[cycle], "cycle " .. cycle)
	end
end
forward:go(31000)
check.ok(forward:eval "xprof.skips" > 300 and forward:eval "sampler.messages" > 100,
	"something happened: " .. forward:eval "xprof.skips" .. ", " ..
	forward:eval "sampler.messages")

-- Back over a drain, which is repeated on the way; and with firmware that reads messages, with
-- timing and without.
do
	local m = open("branchy", { stage = PLUGINS .. "two_way.lua" })
	m:step(5000)
	local sent = m.sampler:drain()
	m:step(2000)
	local hash = m:hash()
	check.ok(sent > 50, "drained: " .. sent)
	m:back(4000)
	m:go(7000)
	check.eq(m:hash(), hash, "over a drain")
	local function read(stage, compressor, ff)
		local f = cyclops.machine{ program = "build/demos/branchy",
			firmware = "build/demos/firmware/sampler.elf", stage = stage, ff = ff,
			set = { ["sampler.enable"] = true, ["sampler.compressor"] = compressor,
				["sampler.reader"] = "interrupt", ["sampler.threshold"] = 20 } }
		f:step(20000)
		check.ok(f:eval "sampler.read" > 15, "firmware reads: " .. f:eval "sampler.read" ..
			", ahead " .. ff)
		return f
	end
	for _, ff in ipairs { 0, 20000 } do
		local a, b = read(nil, "A(16)", ff), read(PLUGINS .. "associative.lua", "external",
			ff)
		check.eq(b.insts, a.insts)
		check.eq(b.cycle, a.cycle)
		for _, name in ipairs { "sampler.selected", "sampler.messages", "sampler.read",
			"firmware.insts", "firmware.cycles" } do
			check.eq(b:eval(name), a:eval(name), name)
		end
	end
end

-- Calls of views change nothing, and show the state.
do
	local before = forward:hash()
	check.says(forward:cmd "view pflag", PLUGINS .. "flag_last.lua predicts, with 8 bits")
	check.says(forward:cmd "view bdt", "○ off")
	check.says(forward:cmd "view compressor", "two_way.lua")
	check.says(forward:cmd "view compressor", "17,408") -- 128 entries of 64 + 64 + 8 bits
	check.says(forward:cmd "view buckets 1", "1: external")
	check.says(forward:cmd "view buckets 1 5", "values")
	check.says(forward:cmd "view bpred", "a plug-in of 2048 bits")
	check.says(forward:cmd "why tuple", "component 0")
	check.eq(#forward.sampler:stages(), 3)
	check.eq(forward.sampler:stages()[2].bits, 17408)
	check.eq(forward.sampler:stages()[2].entries, 128)
	check.eq(type(forward.sampler:entry(2, 5).count), "number")
	check.eq(forward:eval "sampler.component[1].bits", 17408)
	check.eq(forward:eval "sampler.component[1][5].count", forward.sampler:entry(2, 5).count)
	check.fails(function() return forward:eval "sampler.component[1][5].tag" end,
		"an entry of external has no 'tag'; it has count of")
	check.fails(function() return forward.sampler:entry(2, 128) end,
		"entry 128 of 128; expected 0 to 127")
	check.eq(forward:hash(), before)
end

-- A block whose bit and plug-in disagree: views show what fetch will do.
do
	local m = open("xprof/checks",
		{ flags = "\nreturn { flag = function(s, a) return true end }" })
	m:step(60000)
	check.eq(m:eval "xprof.skips", 0)
	check.says(m:cmd "view bdt", "● on")
	check.says(m:cmd "view bdt", "fetches")
end

-- ---- no more data than the hardware has there ----
-- flag() gets fetch's data: neither decode's flag, nor the leader, nor what it will come to.
-- decoded() gets decode's data.
for _, bpred in ipairs { "prediction-bit", "flag" } do
	local m = open("xprof/calls", { flags = [[

return {
	state = { seen = { 2, bits = 1 } },
	flag = function(s, a)
		for _, later in ipairs { "on", "leader", "expected" } do
			assert(not pcall(function() return a[later] end), "flag knows too much")
		end
		assert(math.type(a.pc) == "integer" and a.type >= 0 and a.type < 8 and type(a.bit) == "boolean" and a.count >= 0)
		assert((a.entry == nil) == (a.count == 0), "a block without instructions")
		assert(not a.entry or a.count >= 2, "too short to be skipped")
		return a.bit
	end,
	decoded = function(s, a)
		assert(not pcall(function() return a.bit end), "decoded is shown fetch's bit")
		assert(type(a.on) == "boolean" and type(a.expected) == "boolean" and a.leader <= a.pc and a.count >= 1)
		assert((a.count == 1) == (a.leader == a.pc))
		s.seen[a.on and 1 or 0] = 1
	end,
}
]] }, { ["bdt.min_block"] = 2, ["xprof.bpred"] = bpred })
	m:run()
	check.eq(m.failure, nil)
	check.eq(m.status, "exited")
end

-- The first stage gets one tuple at a time, the others the messages of the stage before, in order.
do
	local m = open("branchy", { stage = [[

return {
	state = { first = { 1, bits = 1 } },
	take = function(s, pc, value, count, more)
		assert(count == 5 and more == nil and pc >> 56 == 7)
		return pc, value ~ -1, count + 1
	end,
}
]] }, { ["sampler.compressor"] = "P(5), external", ["sampler.select"] = "value of load tag 7" })
	local heard, last = 0, nil
	m:on("tuple", function(e)
		heard = heard + 1
		last = heard % 5 == 0 and { e.pc, e.value } or last
	end)
	m:on("message", function(e)
		check.eq(e.count, 6)
		check.ok(e.pc >> 56 == 0 and e.value ~= nil)
	end)
	m:step(20000)
	check.ok(heard > 100)
	check.eq(m.status, "running", m.failure)
end

-- ---- failures ----
local function broken(option, plugin, what, set)
	set = set or {}
	set["lua.hook_budget"] = 100000
	local m = open(option == "flags" and "xprof/checks" or "branchy", { [option] = plugin },
		set)
	m:run()
	check.eq(m.status, "broken", what)
	check.says(m.failure, what)
	check.says(m.failure, " failed in cycle " .. m.cycle - 1 .. ": ")
	local cycle, failure = m.cycle, m.failure
	m:back(10)
	check.eq(m.status, "running")
	check.eq(m.failure, nil)
	m:run()
	check.eq(m.cycle, cycle)
	check.eq(m.failure, failure)
	return failure
end
local function flag(body, decoded)
	return "return { state = { t = { 4, bits = 2 } },\nflag = function(s, a) " .. body ..
		" end, decoded = function(s, a) " .. (decoded or "") .. " end }"
end
check.says(broken("flags", flag "error 'no'", ":2: no"),
	"the profile flag predictor, a text, failed in cycle ")
broken("flags", flag "return 1",
	"a text:2: flag returned a number; expected true, on, or false")
broken("flags", flag "", "flag returned nothing")
broken("flags", flag "s.t[0] = 1 return true",
	"flag can't change t: it runs on wrong paths too; learn in decoded")
broken("flags", flag "while true do end", "flag took more than lua.hook_budget = 100000 steps")
broken("flags", flag("return true", "while true do end"),
	"decoded took more than lua.hook_budget = 100000 steps")
broken("flags", flag("return true", "s.t[0] = 4"), "t[0] = 4: an entry holds 0 to 3")
broken("flags", flag("return true", "n = 1"),
	"the global 'n' can't be set: what a plug-in keeps is declared")
broken("flags", "local n = 1\n" .. flag("return true", "n = n + 1"), "decoded changed 'n'")

local function take(body, drain)
	return "return { state = { t = { 4, bits = 2 } },\ntake = function(s, pc, value, count) " ..
		body .. " end, drain = function(s) " .. (drain or "") .. " end }"
end
check.says(broken("stage", take "error 'no'", ":2: no"),
	"the compressor stage, a text, failed in cycle ")
broken("stage", take "return true", "a text:2: take returned 1 value; expected pc, value, count of the tuple that goes on, or nothing")
broken("stage", take "return pc, value", "take returned 2 values; expected pc, value, count")
broken("stage", take "return pc, value, count, 1", "take returned 4 values; expected pc, value, count")
broken("stage", take "return 'x', value, count",
	"take returned string for pc; expected a whole number")
broken("stage", take "return pc, 0.5, count",
	"take returned 0.5 for value; expected a whole number")
broken("stage", take "return pc, value, 0",
	"take returned 0 for count; expected 1 or more, the tuples that it stands for")
broken("stage", take "return pc, value, -1", "take returned -1 for count")
broken("stage", take "return pc, value, nil", "take returned nil for count")
broken("stage", take "return pc, value, math.maxinteger", "a message of it stands for 9223372036854775807 tuples; expected 1 to 4611686018427387903")
broken("stage", take "while true do end", "take took more than lua.hook_budget = 100000 steps")
broken("stage", take "s.t[4] = 0", "t[4]: its entries are 0 to 3")
broken("stage", "local n = 1\n" .. take "n = n + 1", "take changed 'n'")

-- A failure while software drains the stage ends the run between two cycles.
do
	local m = open("branchy", { stage = take("", "return 1") })
	m:step(3000)
	m.sampler:drain()
	check.eq(m.status, "broken")
	check.says(m.failure, "a text:2: drain returned 1 value; expected pc, value, count")
	m:back(1)
	check.eq(m.status, "running")
	check.eq(m.failure, nil)
	m:run() -- which drains again at the same place
	check.eq(m.status, "broken")
	check.eq(m.cycle, 3000)
end

-- ---- refusals ----
local function refused(option, plugin, what, set)
	check.fails(function() open("hello", { [option] = plugin }, set) end, what)
end
refused("flags", "\nreturn {}", "a plug-in returns a table with predict, target, victim, access, flag or take, and here is none of them")
refused("flags", take "",
	"a text is a plug-in with take, which is for sampler.compressor, not for 'xprof.predictor'")
refused("stage", flag "",
	"a text is a plug-in with flag, which is for xprof.predictor, not for 'sampler.compressor'")
refused("flags", "\nreturn { flag = function() end, take = function() end }",
	"it has both flag and take")
refused("flags", "\nreturn { flag = function() end, decode = function() end }",
	"a plug-in has no 'decode': did you mean 'decoded'?")
refused("stage", "\nreturn { take = function() end, drain = 1 }",
	"drain is a function, not a number")
refused("stage", "\nreturn { take = function() end, state = { t = { 1 << 23 } } }",
	"state.t has 8388608 entries; expected 1 to 4194304")
refused("stage", take "", "sampler.compressor names external, but no plug-in was given for the second compressor stage", { ["sampler.compressor"] = "external, external" })
refused("stage", take "",
	"P(2) can't follow external, whose messages stand for different numbers of tuples",
	{ ["sampler.compressor"] = "external, P(2)" })
refused("stage", { take = 1 },
	"a FILE.lua, or its text, is needed, not a table: a plug-in has its own Lua state")
check.fails(function() open("hello", {}, { ["xprof.predictor"] = "external" }) end,
	"xprof.predictor is external, but no plug-in was given for the profile flag predictor")
check.fails(function() open("hello", {}, { ["sampler.enable"] = true, ["sampler.compressor"] =
	"external" }) end,
	"sampler.compressor names external, but no plug-in was given for the compressor stage")

-- A single stage becomes the compressor and enables the sampler; in a chain it takes its place.
check.eq(open("hello", { stage = take "" }):eval "sampler.compressor", "external")
check.fails(function() open("hello", { stage = take "" }, { ["sampler.compressor"] = "P(2)" }) end,
	"is a compressor stage, but sampler.compressor is P(2); expected external")
check.eq(open("hello", { stage = take "" },
	{ ["sampler.compressor"] = "P(2), external" }):eval "sampler.compressor", "P(2), external")

check.done()
