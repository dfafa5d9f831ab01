-- Memory, registers, symbols, statistics, views, output, commands: a script's values, against the
-- commands' output.
local check = require "check"
local GUEST = "build/tests/lua/guest"
local m = cyclops.machine{ program = GUEST }
m:run{ until_pc = "twice" }

-- Memory.
check.eq(m.mem:u64 "numbers", 10)
check.eq(m.mem:i64(m.numbers + 24), -40)
check.eq(m.mem:u64(m.numbers + 24), -40)
check.eq(m.mem:u32(m.numbers + 24), 0xffffffd8)
check.eq(m.mem:i32(m.numbers + 24), -40)
check.eq(m.mem:u16(m.numbers + 24), 0xffd8)
check.eq(m.mem:i16(m.numbers + 24), -40)
check.eq(m.mem:u8(m.numbers + 24), 0xd8)
check.eq(m.mem:i8(m.numbers + 24), -40)
check.eq(m.mem:f64 "half", 0.5)
check.eq(m.mem:f32 "third", 0.25)
check.eq(m.mem:str "text", "hello")
check.eq(m.mem:str("text", 2), "he")
check.eq(m.mem:bytes("text", 6), "hello\0")
check.eq(m.mem:bytes(1, 0), "")
check.eq(m.mem:mapped(m.sp), true)
check.eq(m.mem:mapped(1), false)
check.eq(m.mem(m.counter), m.mem:u32(m.counter))
check.eq(m.mem32(m.counter), m.mem:u32(m.counter))
check.fails(function() m.mem:u8(1) end, "0x1 is not mapped memory")
check.fails(function() m.mem:str(1) end, "0x1 is not mapped memory")
check.fails(function() m.mem:bytes(m.sp, 1 << 23) end, "is not all mapped memory")
check.fails(function() m.mem:bytes(m.sp, 1 << 60) end, "at most 16 MiB")
check.fails(function() m.mem:bytes(m.sp, -1) end, "not negative")
check.fails(function() m.mem:u8 "nowhere" end, "nowhere")
check.fails(function() m.mem:u8 {} end, "an address is needed")
check.fails(function() m.mem:u8(1.5) end, "an address is needed")
check.fails(function() m.mem:u8() end, "an address is needed")
check.fails(function() m.mem.u8(m, 1) end, "cyclops.mem expected")

-- Writing, as `set` does.
m:write("counter", 7, 4)
check.eq(m.mem:u32 "counter", 7)
m:write("numbers", -1)
check.eq(m.mem:u64 "numbers", -1)
m:write("half", 2.25)
check.eq(m.mem:f64 "half", 2.25)
m:write("third", 1.5, 4)
check.eq(m.mem:f32 "third", 1.5)
m:write(m.numbers, "abc")
check.eq(m.mem:bytes("numbers", 4), "abc\xff")
m:write(m.numbers, "")
check.fails(function() m:write(1, 1) end, "not mapped memory")
check.fails(function() m:write("counter", 1, 3) end, "1, 2, 4 or 8 bytes")
check.fails(function() m:write("counter", "abc", 3) end, "SIZE is for numbers, not for texts")
check.fails(function() m:write("counter", 1.5, 2) end, "with a fraction")
check.fails(function() m:write("counter", {}) end, "number expected")

-- Registers.
m.regs.a0 = -1
check.eq(m.a0, -1)
check.eq(m:eval "a0", -1)
m.regs.fa0 = 2.5
check.eq(m.regs.fa0, 2.5)
m.csr.frm = 2
check.eq(m.csr.frm, 2)
check.fails(function() m.regs.a0 = 1.5 end, "an integer register")
check.fails(function() m.regs.a0 = "1" end, "a number is needed")
check.fails(function() m.regs.zero = 1 end, "x0 is always zero")
check.fails(function() return m.csr.mepc end, "M-mode")
check.fails(function() m.csr.cycle = 1 end, "can only be read")
m.pc = "start"
check.eq(m.pc, m.start)
check.fails(function() m.pc = 3 end, "even address")
m.pc = m.numbers -- not executable: a fault if it runs there
check.eq(m.pc, m.numbers)

-- Code.
m:restart()
m:patch("twice", "nop")
check.eq(m.mem:u32 "twice", 0x13)
check.fails(function() m:patch(m.twice + 1, "nop") end, "no instruction begins")
check.fails(function() m:patch(2, "nop") end, "no instruction begins")
check.fails(function() m:patch("twice", 1) end, "to replace it anyway, give bytes")
check.fails(function() m:patch("twice", 1 << 40) end, "2 or 4 bytes")
check.fails(function() m:patch("twice", 0x10001) end, "ends in the bits 11")
check.fails(function() m:patch("twice", "abc") end, "an even number")
m:patch("twice", 0x00008067) -- ret
m:run()
check.eq(m.exit_status, (1 + 2 + 3 + 4 + 10) % 256)
check.eq(m.mem:u32 "counter", 0)
m:restart()
check.ok(m.mem:u32 "twice" ~= 0x8067, "the program as it is in the file")

-- Symbols and lines.
local twice = m:sym "twice"
check.eq(twice.addr, m.twice)
check.eq(twice.type, "code")
check.ok(twice.size > 8)
check.eq(m:sym(m.twice + 2).name, "twice")
check.eq(m:sym "nowhere", nil)
check.eq(m:sym "numbers".size, 32)
check.eq(m:sym "numbers".type, "data")
local names = {}
for s in m:symbols "[tn]*" do names[#names + 1] = s.name end
table.sort(names)
check.eq(table.concat(names, " "), "numbers text third twice")
local n = 0
for f in m:functions() do
	check.eq(f.type, "code")
	n = n + 1
end
check.ok(n >= 4)
local file, line = m:line "twice"
check.says(file, "guest.c")
check.eq(line, 21)
check.says(m:source(file, line), "counter++")
check.eq(m:source("nowhere.c", 1), nil)
check.eq(m:line(0), nil)
check.eq(m:line(m:addr "guest.c:22"), file)
check.eq(m:addr "twice+2", m.twice + 2)
check.fails(function() m:addr "nowhere" end, "nowhere")
check.eq(m:moved(m.twice + 2), m.twice + 2, "it is not instrumented")
do
	local other <close> = cyclops.machine{ program = "build/demos/sort", instrument = "bb" }
	local was <close> = cyclops.machine{ program = "build/demos/sort" }
	local now = other:moved(was.main)
	check.ok(now > other.main, "code was put in before main's first instruction, which")
	check.ok(other:sym(now).name == "main" and other:moved(0) == nil)
end

-- Statistics and parameters.
m:run()
check.eq(m.stats["sim.cycles"], m.sim.cycles)
check.eq(m.stats["sim.ipc"], m.sim.insts / m.sim.cycles)
check.eq(m.config["pipe.rob_size"], m.pipe.rob_size)
check.eq(m.config["bpred.kind"], m:eval "config['bpred.kind']")
check.eq(m.config["sim.hostname"], "cyclops")
local named = cyclops.machine{ program = GUEST, set = { ["sim.hostname"] = "a, b = c" } }
check.eq(named.config["sim.hostname"], "a, b = c")
check.eq(named:eval "config['sim.hostname'] .. sim.hostname", "a, b = ca, b = c")
named:close()
check.fails(function() cyclops.machine{ program = GUEST, set = { ["sim.hostname"] = 5 } } end,
	"sim.hostname: expected a string")
local seen = 0
for name, value in pairs(m.stats) do
	seen = seen + 1
	local same = value ~= value and m.stats[name] ~= m.stats[name] or value == m.stats[name]
	check.ok(same, name)
end
check.ok(seen > 50)
seen = 0
for name in pairs(m.config) do seen = seen + (name == "lua.hook_budget" and 1 or 0) end
check.eq(seen, 1)
check.fails(function() return m.stats["sim.ips"] end, "did you mean 'sim.ipc'?")
check.fails(function() return m.stats["oracle.insts"] end, "oracle")
check.fails(function() return m.config["pipe.rob"] end, "pipe.rob")
check.fails(function() m.stats["sim.ipc"] = 1 end, "read-only")
check.fails(function() m.config["pipe.rob_size"] = 1 end, "read-only")
check.eq(#cyclops.stats() > 50, true)
check.eq(#cyclops.parameters() > 50, true)
check.eq(cyclops.events()[1] ~= nil, true)

-- Views: each of them works.
m:go(700)
for _, name in ipairs(cyclops.views()) do
	local v = m:view(name)
	check.eq(#v.rows, v.count, name)
	check.ok(#v.columns > 0, name)
	check.ok(v.title ~= "", name)
	for _, row in ipairs(v.rows) do
		for column in pairs(row) do
			local known = false
			for _, c in ipairs(v.columns) do known = known or c == column end
			check.ok(known, name .. "." .. column)
		end
	end
end
local rob = m:view "rob"
check.eq(rob.count, m.rob.count)
check.eq(rob.rows[1].seq, m.rob[1].seq)
check.eq(#m:view "mem sp 64".rows, 4)
check.fails(function() m:view "robb" end, "rob")
check.fails(function() m:view "mem nowhere" end, "nowhere")
check.fails(function() m:view() end, "string expected")
check.fails(function() m:report "oracle" end, "oracle.enable")
check.fails(function() m:report "oracel" end, "oracle")
local o = cyclops.machine{ program = GUEST, set = { ["oracle.enable"] = true } }
o:run()
local counted = 0
for _, row in ipairs(o:report "oracle all".rows) do
	counted = counted + (row.count or row.commits or 0) end
check.ok(o:report("oracle").count > 0)

-- A cycle shows the same when it is reached again; no read leaves a trace.
local before = m.btb[1].pc
m:finish()
m:go(700)
check.eq(m.btb[1].pc, before)
check.eq(m.rob[1].seq, rob.rows[1].seq)

do
	local fresh = cyclops.machine{ program = GUEST }
	check.eq(fresh.cpi.count, 0)
	check.eq(fresh.tlb.count, 0)
	fresh:run{ cycles = 800 }
	check.ok(fresh.cpi.count > 0, "a view of now")
	check.ok(fresh.tlb.count > 0, "a view of now")
end

-- Output.
m = cyclops.machine{ program = GUEST }
check.eq(m:output(), "")
m:run()
check.eq(m:output(), "begin\nend\n")
check.eq(m:output(1), "begin\nend\n")
check.eq(m:output(2), "middle\n")
check.eq(select(2, m:output()), 10)
m:go(m.cycle - 300)
check.eq(m:output(), "begin\n")
check.eq(m:output(2), "")
check.fails(function() m:output(3) end, "1 (standard output)")

-- Input.
m = cyclops.machine{ program = GUEST, args = { "i" }, input = "one\ntwo\n" }
m:run()
check.eq(m:output(), "begin\none\ntwo\nend\n")
m = cyclops.machine{ program = GUEST, args = { "i" }, stdin = "tests/lua/lua.mk" }
m:run()
check.says(m:output(), "test-programs:")
m:restart()
m:run()
check.says(m:output(), "test-programs:")

-- Commands.
m = cyclops.machine{ program = GUEST }
local text, answer = m:cmd "print 1 + 2"
check.says(text, "3")
check.eq(answer.lines[1], text:gsub("\n$", ""), nil)
m:cmd "break twice; continue"
check.ok(m.pc >= m.twice and m.pc < m.twice + m:sym "twice".size)
check.eq(m:run().reason, "breakpoint")
check.eq(m:run().id, 1)
answer = select(2, m:cmd "print 1 + 2")
check.eq(answer.value, 3)
check.eq(answer.stop, nil)
answer = select(2, m:cmd "step 2; view rob")
check.eq(answer.stop.reason, "done")
check.eq(answer.stop.cycle, m.cycle)
check.eq(answer.cycle, m.cycle)
check.eq(answer.view.rows[1].seq, m:view "rob".rows[1].seq)
check.eq(#answer.lines > 2, true)
answer = select(2, m:cmd "reverse-step")
check.eq(answer.stop.cycle, m.cycle)
local function listed(topic, register)
	local names = {}
	for name, value in m:cmd("info " .. topic):gmatch "(%w+) +(0x%x+)" do
		names[#names + 1] = name
		check.eq(math.tointeger(value), register(name), topic .. " " .. name)
	end
	return table.concat(names, " ")
end
local integers <const>, floats <const> = "ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 " ..
	"s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6", "ft0 ft1 ft2 ft3 ft4 ft5 ft6 ft7 fs0 fs1 " ..
	"fa0 fa1 fa2 fa3 fa4 fa5 fa6 fa7 fs2 fs3 fs4 fs5 fs6 fs7 fs8 fs9 fs10 fs11 ft8 ft9 ft10 ft11"
local function value_of(name)
	return name == "fcsr" and m.csr.fcsr or name == "pc" and m.pc or
		name:find "^f" and string.unpack("<i8", string.pack("<d", m.regs[name])) or
		m.regs[name]
end
check.eq(listed("registers", value_of), integers .. " pc")
check.eq(listed("all-registers", value_of), integers .. " " .. floats .. " fcsr pc")
check.eq(listed("registers a0 fa0", value_of), "a0 fa0")
check.fails(function() m:cmd "contineu" end, "did you mean 'continue'?")
check.fails(function() m:cmd "print nowhere" end, "nowhere")
check.fails(function() m:cmd() end, "string expected")

-- Snapshots and checkpoints.
m = cyclops.machine{ program = GUEST }
local st = m:state{ n = 0, list = { 1 } }
m:on("commit", { pc = m.twice }, function() st.n = st.n + 1 end)
m:run{ until_pc = "twice" }
local hash, snap, cycle = m:hash(), m:snapshot(), m.cycle
check.says(snap, "cycle " .. cycle)
m:run()
local final = m:hash()
check.eq(st.n, 5)
m:restore(snap)
check.eq(m:hash(), hash)
check.eq(st.n, 1)
m:run()
check.eq(m:hash(), final)
m:go(cycle - 10)
m.regs.t6 = 3 -- the record is gone
m:run()
check.ok(m:hash() ~= final)
m:restore(snap)
check.eq(m:hash(), hash, "a snapshot of what was cut")
check.eq(m.cycle, cycle)
check.eq(st.n, 1)
check.eq(m:output(), "begin\n")
m:run()
check.eq(m:hash(), final)
check.eq(st.n, 5)
check.eq(m:output(), "begin\nend\n")
check.fails(function() cyclops.machine{ program = GUEST }:restore(snap) end,
	"a snapshot of machine")
check.fails(function() m:restore(3) end, "cyclops.snapshot expected")
local path = os.tmpname()
m:go(cycle)
st.list[2] = "two"
m:save(path)
local saved = m:hash()
m:run()
m:load(path)
check.eq(m:hash(), saved)
check.eq(st.n, 1)
check.eq(st.list[2], "two")
m:run()
check.eq(st.n, 5)
local other = cyclops.machine{ program = GUEST }
other:load(path)
check.eq(other:hash(), saved)
local later = other:state{ n = 0, list = {} }
check.eq(later.n, 1, "a state that a checkpoint knew")
check.eq(later.list[2], "two")
check.fails(function() m:load "nowhere" end, "nowhere")
check.fails(function() m:save "/nowhere/x" end, "nowhere")
check.fails(function() m:restore(snap) end, "was replaced since")
os.remove(path)

-- The cost of a stretch without one of its causes, as by the command.
m = cyclops.machine{ program = "build/tests/lua/guest", args = { "l" } }
m:run{ until_cycle = 3000 }
local hash, all = m:hash(), m:whatif()
check.eq(m:hash(), hash)
local _, short = m:cmd "what-if"
local shown = { view = m:view "what-if all" }
check.eq(#all, shown.view.count)
check.ok(#all > 20, "causes")
for i, row in ipairs(all) do
	local cells = shown.view.rows[i]
	check.eq(row.cause, cells.cause)
	check.eq(row.cycles, cells.cycles)
	check.eq(row.saved, cells.saved)
	check.eq(row.claimed, cells.claim)
	check.eq(row.next, cells.next)
	check.eq(row.grew, cells.grew)
	check.eq(row.why or (row.settings ~= "" and row.settings
		or "nothing: this machine has no such limit"), cells.settings)
	check.eq(row.saved, row.cycles and all.cycles - row.cycles)
	check.ok(i == 1 or not row.cycles or row.cycles >= all[i - 1].cycles, "most saved first")
	check.ok(row.why or math.type(row.saved) == "integer" and row.saved < all.cycles, "cycles")
end
-- Causes that save or cost something, or would by the stack, and one line for the rest.
local few = 0
for _, row in ipairs(all) do
	local charged = (row.claimed or 0) * 1000 >= all.cycles
	local kept = row.why and row.settings == ""
	if kept and charged or row.cycles and row.settings ~= ""
		and (math.abs(row.saved) * 1000 >= all.cycles or charged) then
		few = few + 1
		check.eq(short.view.rows[few].cause, row.cause)
	end
end
check.ok(few > 3 and few < #all - 5, "some do")
check.eq(short.view.count, few + 1)
check.eq(short.view.rows[few + 1].cause, ("%d others"):format(#all - few))
check.fails(function() m:view "what-if some" end, "'some'")
check.fails(function() m:view "what-if all some" end, "'some'")
check.eq(all.from, 0)
check.eq(all.insts, m.insts)
check.eq(all.cut, false)
-- Without misses of the L1I, it equals a machine without them.
for _, row in ipairs(all) do
	if row.cause == "L1I misses" then
		check.eq(row.settings, "l1i.perfect=true")
		local other = cyclops.machine{ program = "build/tests/lua/guest", args = { "l" },
			set = { ["l1i.perfect"] = true } }
		check.eq(other:run{ until_insts = all.insts }.cycle, row.cycles)
	end
end
local part = m:whatif(1000, 2500)
check.ok(part.from > 0 and part.insts < all.insts, "a part of it")
check.eq(m:whatif("1000 2500").cycles, part.cycles)
check.eq(m:view "what-if all".count, #part)
m:cmd "mark here"
m:run{ cycles = 500 }
local since = m:whatif "here"
check.ok(since.from >= all.insts and since.insts <= 4 * 500, "since a mark")
check.eq(m:whatif("since here").cycles, since.cycles)
check.eq(m:whatif(3000).insts, since.insts)
check.fails(function() m:whatif "nowhere" end, "nowhere")
check.fails(function() m:whatif(2000, 1000) end, "ends before it begins")
check.fails(function() m:whatif "since here rubbish" end, "what-if takes a part of the run")
check.fails(function() m:whatif(2, 2) end, "no instruction was committed there")
-- The machines begin with the caches' contents: a ring loaded into L2 long before is not in memory.
-- The unchanged machine takes the stretch's cycles.
local far = cyclops.machine{ program = "build/tests/lua/ring" }
far:cmd "break again"
far:cmd "continue"
local start = far.cycle
far:cmd "break end"
far:cmd "continue"
local walked = far:whatif(start, far.cycle)
check.ok(walked.from > 1500000, "long after the ring was made")
check.eq(walked.cycles + walked.idle, far.cycle - start)
for _, row in ipairs(walked) do
	local share = row.cycles and row.saved / walked.cycles
	if row.cause == "memory's latency" then
		check.ok(math.abs(share) < 0.01, "the ring is not in memory")
	elseif row.cause == "L2's latency" then
		check.ok(share > 0.5, "but in L2")
	elseif row.cause == "window" or row.cause == "unknown targets" then
		check.ok(share, "it is rebuilt: " .. tostring(row.why))
	end
end
-- Input that the stretch read is read again, in the same pieces, at any time.
local text = "how now, brown cow\n"
local file <const> = os.tmpname()
do
	local f <close> = io.open(file, "w")
	f:write(text)
end
for _, from in ipairs{ "input", "stdin" } do
	local about = { program = "build/tests/lua/lines",
		[from] = from == "input" and text or file }
	local reads = cyclops.machine(about)
	reads:run()
	local checked, without = 0, reads:whatif()
	for _, row in ipairs(without) do
		if row.cycles and row.cycles ~= without.cycles then
			about.set = {}
			for name, value in row.settings:gmatch "(%S+)=(%S+)" do
				about.set[name] = tonumber(value) or value == "true" or value
			end
			checked = checked + 1
			local other = cyclops.machine(about)
			check.eq(other:run{ until_insts = without.insts }.cycle, row.cycles)
		end
	end
	check.ok(checked > 5, "remedies that change the time of reads")
end
os.remove(file)
-- Without a cause, a program that reads the time may take another path: then it is not measured.
local hours, others = cyclops.machine{ program = "build/tests/lua/hours" }, 0
hours:run()
for _, row in ipairs(hours:whatif()) do
	others = others + (row.why and row.why:find "takes another path" and 1 or 0)
end
check.ok(others > 3, "the time")
-- Any stretch, whatever the machine does at its ends.
for i = 1, 12 do
	local from = far.cycle // 13 * i + i * i * 7
	local one = far:whatif(from, from + 1000 * i + 3 * i)
	check.eq(one.cycles + one.idle, 1003 * i)
	far:go(from + 1003 * i)
	local insts = far.insts
	far:go(from + one.cycles)
	check.eq(far.insts, insts, "its last instruction commits in this run's own cycle")
	far:go(from + one.cycles - 1)
	check.ok(far.insts < insts, "and not before")
end
far:cmd "continue"
-- A rebuilt machine begins with an empty pipeline, which makes a short stretch too different.
local last = far:whatif(far.cycle - 60, far.cycle)
for _, row in ipairs(last) do
	if row.cause == "window" then
		check.says(row.why, "begin with an empty pipeline")
	end
end
local refused
h = m:on("commit", function() if not refused then refused = select(2, pcall(m.whatif, m)) end end)
m:step(20)
h:remove()
check.says(refused, "not while a machine is moving")
m.regs.a0 = 1
m:step()
check.fails(function() m:whatif() end, "changed by hand")
check.done()
