-- Hooks, their changes, and variables that are right in the past.
local check = require "check"
local GUEST = "build/tests/lua/guest"
local function open(t)
	t = t or {}
	t.program = GUEST
	return cyclops.machine(t)
end

-- Called once for each event; fields; the filter.
local m = open()
local seen, kept = {}
local h = m:on("commit", { pc = "twice" }, function(e)
	seen[#seen + 1] = e.pc
	check.eq(e.name, "commit")
	check.eq(e.op, e.inst.op)
	check.eq(e.cycle, m.cycle - 1)
	check.ok(e.seq > 0)
	check.eq(e:table().pc, e.pc)
	kept = e
end)
check.eq(h:id(), 1)
check.says(h, "hook 1 on commit (tests/lua/test_hooks.lua:13)")
check.eq(m:run().reason, "exit")
check.eq(#seen, 35)
check.eq(h:calls(), 35)
for _, pc in ipairs(seen) do
	check.ok(pc >= m.twice and pc < m.twice + m:eval "sym 'twice' and 0x40")
end
check.fails(function() return kept.pc end, "event used after its hook returned")
check.fails(function() return kept:table() end, "event used after its hook returned")
check.says(kept, "over")
-- Going back and forth calls no hook.
m:go(700)
m:run()
check.eq(h:calls(), 35)
h:remove()
h:remove()
check.says(h, "hook 1, removed")
check.fails(function() h:calls() end, "removed")
m:restart()
m:run()
check.eq(#seen, 35)

-- The flag and the stamp of a leaving instruction have names of their own.
m:restart()
local left = { retired = 0, squashed = 0, queue = 0 }
m:on("leave", function(e)
	check.eq(e.entered, e.dispatched ~= nil)
	check.ok(not e.dispatched or (e.dispatched > e.fetched and e.dispatched < e.cycle),
		"a stamp")
	local kind = e.retired and "retired" or e.entered and "squashed" or "queue"
	left[kind] = left[kind] + 1
end)
m:run()
check.ok(left.retired > 0 and left.squashed > 0 and left.queue > 0, "all kinds of leaving")

-- Going to an event's cycle stops before it, going to the event after it, at its hook's call.
m = open()
local event, place, hash
h = m:on("commit", { pc = "twice" }, function(e)
	if not event then event, place = e:table(), m.cycle end
end)
check.eq(m:run{ until_event = { "commit", pc = "twice" } }.reason, "until")
hash = m:hash()
check.eq(m.cycle, place)
check.eq(event.cycle, place - 1)
local stop = m:run{ until_event = { "commit", pc = "twice" } }
check.eq(m:go(event).cycle, place)
check.eq(m:hash(), hash)
check.eq(m:go(event.cycle).cycle, place - 1)
check.eq(m:go(stop.event).cycle, stop.cycle)
check.eq(m:go(event.cycle + 1).cycle, place)
check.eq(m:go{ cycle = place + 3 }.cycle, place + 3)
check.fails(function() m:go{ cycle = 1, seq = 1 } end, "cycle = N or seq = N")
h:remove()

-- Filters, and their errors.
local function count(events, filter)
	local machine, n = open(), 0
	machine:on(events, filter, function() n = n + 1 end)
	machine:run()
	return n
end
local all, loads, stores = count("commit"), count("commit", { class = "load" }),
	count("commit", { class = { "store" } })
check.ok(loads > 0, "loads")
check.ok(stores > 0, "stores")
check.eq(count("commit", { class = { "load", "store" } }), loads + stores)
check.ok(all > loads + stores)
check.eq(count("commit", { pc = { m.twice, "twice+2" } }), 5)
check.eq(count("commit", { pc = m.twice }), 5)
check.eq(count("commit", { where = "op == 'ecall'" }), 4)
check.eq(count({ "commit", "mem" }), all + count("mem"))
-- A condition is compiled for each kind of event separately: output has no pc.
check.eq(count({ "commit", "output" }, { where = "pc ~= 4" }), all + count("output"))
check.fails(function() count({ "commit", "output" }, { where = "pc >= twice" }) end,
	"compared with nothing")
check.eq(count("commit", nil), count("commit", {}))
local nothing = function() end
check.fails(function() m:on("comit", nothing) end, "did you mean 'commit'?")
check.fails(function() m:on({}, nothing) end, "no event given")
check.fails(function() m:on({ 1 }, nothing) end, "an event's name is needed")
check.fails(function() m:on(nil, nothing) end, "an event's name is needed")
check.fails(function() m:on("commit") end, "and a function")
check.fails(function() m:on("commit", {}, 3) end, "and a function")
check.fails(function() m:on("commit", 3, nothing) end, "table expected")
check.fails(function() m:on("commit", { pcs = 1 }, nothing) end, "did you mean 'pc'?")
check.fails(function() m:on("commit", { pc = "nowhere" }, nothing) end, "nowhere")
check.fails(function() m:on("commit", { pc = { 5, 5 } }, nothing) end, "holds no address")
check.fails(function() m:on("commit", { pc = { 5 } }, nothing) end, "{ FROM, BEHIND }")
check.fails(function() m:on("commit", { class = "loads" }, nothing) end, "no class of instructions")
check.fails(function() m:on("commit", { class = {} }, nothing) end, "names of classes")
check.fails(function() m:on("commit", { where = "foo == 1" }, nothing) end, "where: ")
check.fails(function() m:on("commit", { where = "1 +" }, nothing) end, "where: ")
check.eq(#m:hooks(), 0, "hooks left behind by mistakes")

-- Alarms and the end.
m = open()
local at, ended = {}, 0
m:every({ insts = 50 }, function(machine) at[#at + 1] = machine.insts check.eq(machine, m) end)
local cycles = {}
m:every{ cycles = 100, first = 50, function() cycles[#cycles + 1] = m.cycle end }
m:at_exit(function() ended = ended + 1 check.eq(m.status, "exited") end)
check.eq(#m:hooks(), 3)
m:run()
check.eq(#at, 4)
for i, n in ipairs(at) do
	check.ok(n >= 50 * i and n < 50 * i + 10, "insts " .. n)
end
for i, cycle in ipairs(cycles) do
	check.eq(cycle, 100 * i - 50)
end
check.eq(#cycles, (m.cycle + 50) // 100)
check.eq(ended, 1)
check.fails(function() m:every({}, nothing) end, "insts = N or cycles = N")
check.fails(function() m:every({ insts = 1, cycles = 1 }, nothing) end, "insts = N or cycles = N")
check.fails(function() m:every({ insts = 0 }, nothing) end, "from 1")
check.fails(function() m:every({ insts = -1 }, nothing) end, "whole number from 0")
check.fails(function() m:every({ inst = 1 }, nothing) end, "did you mean 'insts'?")
check.fails(function() m:every({ insts = 1 }) end, "and a function")
check.fails(function() m:at_exit() end, "function expected")

-- A wait for an event that doesn't come lasts as long as given.
m = open()
for i, never in ipairs{ { condition = "false" }, { condition = function() return false end },
	{ until_event = "interrupt" }, { until_pc = 4 } } do
	local from = m.cycle
	never.cycles = 40
	check.eq(m:run(never).reason, "done", i)
	check.eq(m.cycle - from, 40, i)
end
check.fails(function() m:run{ until_pc = 4, condition = "false" } end, "at a time")

-- "stop", errors, budgets.
m = open{ set = { ["lua.hook_budget"] = 20000 } }
h = m:on("commit", { pc = m.twice }, function() return "stop" end)
local stop = m:run()
check.eq(stop.reason, "hook")
check.eq(stop.hook, h:id())
-- another cycle, without a commit
check.eq(m.pc // 1, m:run{ cycles = 1 }.pc, "it stands at a cycle boundary")
h:remove()
h = m:on("commit", function() return "halt" end)
check.fails(function() m:run() end, 'a hook returns "stop" or nothing, not "halt"')
h:remove()
h = m:on("commit", { pc = m.twice }, function(e) return e.pc + nil end)
local message = check.fails(function() m:run() end, "hook " .. h:id() ..
	" on commit (tests/lua/test_hooks.lua:")
check.says(message, "attempt to perform arithmetic on a nil value")
check.fails(function() m:cmd "continue" end, "attempt to perform arithmetic")
h:remove()
for _, runaway in ipairs{
	function() while true do end end,
	function() while true do pcall(error) end end,
	function() local co = coroutine.wrap(function() while true do end end) co() end,
} do
	m:restart()
	h = m:on("commit", runaway)
	message = check.fails(function() m:run() end, "took more than")
	check.says(message, "hook " .. h:id() .. " on commit")
	check.says(message, "20000 steps")
	h:remove()
end
check.eq(m:run().reason, "exit")

-- Hooks that come and go while they are called.
m = open()
local order = {}
local first
first = m:on("commit", { pc = m.twice }, function()
	order[#order + 1] = "first"
	first:remove()
	m:on("commit", { pc = m.twice }, function() order[#order + 1] = "second" end)
end)
m:run()
check.eq(table.concat(order, " "), "first second second second second")
check.eq(#m:hooks(), 1)

-- Forbidden actions of hooks.
m = open()
h = m:on("commit", { pc = m.twice }, function() m:step() end)
check.fails(function() m:run() end, "moving already")
h:remove()
h = m:on("commit", { pc = m.twice }, function() error(m:view("hot").rows[1] or
	m:cmd "view hot") end)
check.fails(function() m:run() end, "counted when the machine stops")
h:remove()
check.fails(function() m:on("mem", { where = "level = 'memory'" }, print) end, "== compares")
h = m:on("commit", { pc = m.twice }, function() m:close() end)
check.fails(function() m:run() end, "close: not while a machine is moving")
h:remove()
h = m:on("commit", { pc = m.twice }, function() m:state{} end)
check.fails(function() m:run() end, "state: not while a machine is moving")
h:remove()
-- Another machine may move.
local other = open()
m:restart()
h = m:on("commit", { pc = m.twice }, function() other:step(10) end)
m:run()
check.eq(other.cycle, 50)

-- Changes apply after the cycle, and repeat without the hook.
m = open()
local before, calls = {}, 0
m:on("commit", { pc = m.twice }, function(e)
	calls = calls + 1
	m.regs.a0 = 100
	before[#before + 1] = m.regs.a0
	m:write("numbers", calls)
end)
m:run()
check.eq(calls, 5)
check.ok(before[1] ~= 100, "a hook sees the cycle unchanged")
check.eq(m.exit_status, (5 * 200 + 5) % 256)
local hash = m:hash()
m:go(m.cycle - 100)
m:finish()
check.eq(m:hash(), hash)
check.eq(calls, 5)
m = open()
h = m:on("commit", { pc = m.twice }, function() m.regs.a9 = 1 end)
check.fails(function() m:run() end, "no register is called 'a9'")
h:remove()
h = m:on("commit", { pc = m.twice }, function() m:write(1, "x") end)
check.fails(function() m:run() end, "not mapped memory")

-- State.
m = open()
local st = m:state{ n = 0, half = 0.5, yes = true, text = "a\0b", list = { 1, 2 },
	deep = { a = { b = {} } }, [true] = 1, [1.5] = 2 }
check.eq(st.n, 0)
check.eq(st.half, 0.5)
check.eq(st.yes, true)
check.eq(st.text, "a\0b")
check.eq(st.list[2], 2)
check.eq(#st.list, 2)
check.eq(st[true], 1)
check.eq(st[1.5], 2)
check.eq(st.deep.a.b.c, nil)
check.eq(st[nil], nil)
local names = {}
for k in pairs(st) do names[#names + 1] = tostring(k) end
check.eq(table.concat(names, " "), "true 1.5 n yes deep half list text", "an order of its own")
st.deep.a.b.c = "new"
st.list[#st.list + 1] = 3
table.insert(st.list, 4)
check.eq(table.concat(st.list, ","), "1,2,3,4")
check.eq(table.remove(st.list), 4)
local deep = st.deep
st.deep = nil
check.eq(st.deep, nil)
check.fails(function() deep.a = 1 end, "no longer part of the state")
st.deep = { z = 1 }
check.eq(st.deep.a, nil)
check.eq(st.deep.z, 1)
st[-5] = -5
st[math.mininteger] = math.maxinteger
check.eq(st[-5], -5)
check.eq(st[math.mininteger], math.maxinteger)
check.eq(st[-1.5], nil)
check.fails(function() st.f = print end, "not a function")
check.fails(function() st.f = { { { print } } } end, "not a function")
check.fails(function() st[{}] = 1 end, "not a table")
check.fails(function() st[0 / 0] = 1 end, "NaN")
st[("k"):rep(4000)] = 3
check.eq(st[("k"):rep(4000)], 3)
check.fails(function() st[("k"):rep(4096)] = 1 end, "a key of a state is too long")
check.fails(function() local t = {} t.t = t st.t = t end, "nested too deeply")
check.fails(function() m:state() end, "table expected")
check.fails(function() m:state{ io } end, "not a")
check.eq(st.f, nil)

-- Right in the past, and only a call's worth of entries.
m = open()
st = m:state{ n = 0, at = {} }
local twin = m:state{ sum = 0 }
local live = 0
m:on("commit", { pc = m.twice }, function(e)
	live = live + 1
	st.n = st.n + 1
	st.n = st.n + 1
	check.eq(st.n % 2, 0)
	st.at[#st.at + 1] = e.cycle
	twin.sum = twin.sum + e.cycle
end)
m:run()
check.eq(st.n, 10)
local sum, cycle = 0, {}
for i, c in ipairs(st.at) do
	sum = sum + c
	cycle[i] = c
end
check.eq(twin.sum, sum)
for i = 5, 1, -1 do
	m:go(cycle[i])
	check.eq(st.n, 2 * (i - 1))
	m:step()
	check.eq(st.n, 2 * i)
	check.eq(#st.at, i)
end
check.eq(live, 5)
-- A cut: the following cycles are executed anew.
m:go(cycle[3])
m.regs.t6 = 1
check.eq(st.n, 4)
m:run()
check.eq(st.n, 10)
check.eq(live, 8)
m:restart()
check.eq(st.n, 0)
check.eq(#st.at, 0)
live = 0
m:run()
check.eq(st.n, 10)
m:close()
check.fails(function() return st.n end, "is closed")

-- Two machines with the same script end alike.
local function script(machine)
	local s = machine:state{ calls = 0, sum = 0 }
	machine:on("commit", { pc = "twice" }, function(e)
		s.calls = s.calls + 1
		if s.calls % 3 == 0 then machine.regs.a0 = s.calls end
	end)
	machine:every({ cycles = 37 }, function(x)
		s.sum = s.sum + x.cycle
		x:write("numbers", s.sum, 4)
	end)
	machine:on("squash", function(e)
		if s.calls == 10 then machine:patch("start+0x56", "nop") end
	end)
	return s
end

-- Random walks: at every cycle, the machine and the script's variables equal those of a straight
-- run.
local function walks(steps, seed)
	math.randomseed(seed)
	local truth, m = {}, open()
	local s = script(m)
	repeat
		truth[m.cycle] = m:hash() .. " " .. s.calls .. " " .. s.sum
		local last = m.cycle
		if m.status == "running" then m:step() end
	until m.cycle == last
	local final = m.cycle
	m = open()
	s = script(m)
	local wrong = 0
	for _ = 1, steps do
		local n, what = math.random(0, 60), math.random(8)
		if what == 1 then
			m:go(math.random(0, final))
		elseif what <= 3 then
			m:back(n)
		elseif what == 4 then
			m:backi(n)
		elseif what == 5 and m.status == "running" then
			m:run{ until_event = "squash" }
		elseif what == 6 then
			m:run_back{ until_event = "squash" }
		elseif m.status == "running" then
			m:run{ cycles = n }
		end
		if truth[m.cycle] ~= m:hash() .. " " .. s.calls .. " " .. s.sum then
			wrong = wrong + 1
		end
	end
	return wrong
end
check.eq(walks(os.getenv "CYCLOPS_TEST_SCALE" ~= "long" and 120 or 1000, 7), 0,
	"wrong places in random walks")

-- A batch has the events that a hook without one gets, in order; the rest comes at the motion's
-- end.
m = open()
local one, many, sizes = {}, {}, {}
local function line_of(e)
	e = e.table and e:table() or e
	return ("%s %d %s %s %s"):format(e.name, e.cycle, e.seq, e.pc, e.level)
end
m:on({ "commit", "mem" }, function(e) one[#one + 1] = line_of(e) end)
local late
m:on({ "commit", "mem" }, { batch = 20 }, function(b)
	local cycle, seq, pc = b:column "cycle", b:column "seq", b:column "pc"
	local name, op, level = b:column "name", b:column "op", b:column "level"
	sizes[#sizes + 1] = #b
	check.eq(#cycle, #b)
	for i = 1, #b do
		many[#many + 1] = ("%s %d %s %s %s"):format(name[i], cycle[i], seq[i], pc[i],
			level[i] or nil)
		check.eq(line_of(b[i]), many[#many])
		check.eq(b[i].op, op[i] or nil)
	end
	check.eq(b[0], nil)
	check.eq(b[#b + 1], nil)
	check.fails(function() b:column "depth_of_sea" end, "none of these events has a 'depth_of_sea' of its own")
	check.fails(function() m.regs.a0 = 1 end, "which only looks")
	check.fails(function() m:on("commit", print) end, "a hook: not in hook")
	late = b
end)
m:run{ cycles = 500 }
m:run()
check.ok(#one > 200, "events")
check.eq(#many, #one)
for i = 1, #one do check.eq(many[i], one[i]) end
check.eq(math.max(table.unpack(sizes)), 20)
local short = 0
for _, n in ipairs(sizes) do short = short + (n < 20 and 1 or 0) end
check.eq(short, 2)
check.fails(function() return #late end, "batch used after its hook returned")
-- Going back delivers no event again; a filter applies; "stop" ends the motion at the full batch.
m:go(700)
m:run()
check.eq(#many, #one)
m = open()
local full
m:on("commit", { batch = 10, pc = "twice" }, function(b) full = full or #b return "stop" end)
check.eq(m:run().reason, "hook")
check.eq(full, 10)
check.fails(function() m:on("commit", { batch = 70000 }, print) end, "batch: expected 1 to 65536")
for _, batch in ipairs{ -1, 0, "x" } do
	check.fails(function() m:on("commit", { batch = batch }, print) end,
		"batch: expected 1 to 65536 events, not " .. batch)
end
m = open()
m:on("commit", { batch = 10 }, function(b) error "it broke" end)
check.fails(function() m:run() end, "it broke")
-- With fewer events than a batch, an error still fails the motion; "stop" has no effect.
m = open()
local turn = 0
m:on("commit", { batch = 60000 }, function(b)
	turn = turn + 1
	if turn == 2 then error "it broke late" end
	return "stop"
end)
check.eq(m:run{ cycles = 300 }.reason, "done")
check.fails(function() m:run{ cycles = 300 } end, "it broke late")
check.eq(m.cycle, 600)

check.done()
