-- Machines as objects: creation, reads, closing.
local check = require "check"
local GUEST = "build/tests/lua/guest"
local function open(t)
	t = t or {}
	t.program = t.program or GUEST
	return cyclops.machine(t)
end

local m = open{ name = "one" }
check.eq(m.cycle, 0, "cycle")
check.eq(m.status, "running")
check.eq(m.exit_status, nil)
check.eq(m.name, "one")
check.eq(m.program, GUEST)
check.says(m, "one: " .. GUEST .. ", cycle 0")
check.eq(m.a0, 0)
check.eq(m.regs.sp, m.sp)
check.eq(m.eval(m, "*(u64)sp"), m.mem64(m.sp))
check.eq(m:eval "1 + 2", 3)
check.eq(m:eval "a0 != 0", false)
check.eq(m:eval "1.5", 1.5)
check.eq(m:eval "nil", nil)
check.eq(m:eval "where(start)", m.where(m.start))

-- Wrong names.
check.fails(function() return m.statuz end, "did you mean 'status'?")
check.fails(function() return m.stepp end, "did you mean 'step'?")
check.fails(function() return m.regs.a9 end, "no register is called 'a9'")
check.fails(function() return m.csr.fcsrr end, "did you mean 'fcsr'?")
check.fails(function() return m[1] end, "a machine has names")
check.fails(function() m.whatever = 1 end, "can't be set")
check.fails(function() m.a0 = 1 end, "m.regs.a0 = VALUE")
check.fails(function() m:eval "1 +" end, "1 +")
check.fails(function() m.step(3) end, "cyclops.machine expected")
check.fails(function() cyclops.machine() end, "table expected")
check.fails(function() cyclops.machine{} end, "no program given")
check.fails(function() cyclops.machine{ program = 3.5 } end, "3.5")
check.fails(function() cyclops.machine{ program = "nowhere" } end, "nowhere")
check.fails(function() open{ programm = 1 } end, "did you mean 'program'?")
check.fails(function() cyclops.machine{ GUEST } end, "names, not positions")

-- Bytes that are replaced before it is loaded: twice() returns at once.
do
	local m <close> = cyclops.machine{ program = GUEST, patch = { "twice=8082" } }
	local plain <close> = cyclops.machine{ program = GUEST }
	m:run()
	plain:run()
	check.ok(m.stats["sim.insts"] < plain.stats["sim.insts"], "fewer instructions")
end
check.fails(function() cyclops.machine{ program = GUEST, patch = { "nowhere=8082" } } end,
	"no symbol 'nowhere'")
check.fails(function() cyclops.machine{ program = GUEST, patch = { true } } end,
	"patch[1]: a text is needed")
check.fails(function() cyclops.machine{ program = GUEST, patch = {} } end,
	"a list of texts is needed")
check.fails(function() cyclops.machine{ program = GUEST, patch = "twice=8082" } end, "patch")
check.fails(function() open{ config = "clasic5" } end, "did you mean 'classic5'?")
check.fails(function() open{ config = { pipe = { rob_sise = 3 } } } end,
	"did you mean 'pipe.rob_size'?")
check.fails(function() open{ config = 3 } end, "config: a preset's name")
check.fails(function() open{ set = { ["pipe.rob_size"] = 1.5 } } end, "a whole number")
check.fails(function() open{ set = { 3 } } end, "names, not positions")
check.fails(function() open{ set = "pipe.rob_size=3" } end, "a table is needed")
check.fails(function() open{ args = { {} } } end, "args[1]")
check.fails(function() open{ stdin = "nowhere" } end, "No such file")
check.fails(function() open{ stdin = "a", input = "b" } end, "not both")
check.fails(function() open{ ff = -1 } end, "whole number from 0")
check.fails(function() open{ history = 3 } end, "a boolean is needed")

-- Two at once, of different kinds, closed in the middle.
local n = open{ config = "classic5", set = { ["pipe.fetch_queue"] = 8 }, name = "two" }
check.eq(n.pipe.fetch_queue, 8)
check.eq(m.pipe.fetch_queue, 32)
check.eq(m:hash(), open():hash())
m:run()
n:step(10)
check.eq(m.status, "exited")
check.eq(m.exit_status, 30)
check.eq(n.status, "running")
check.eq(n.cycle, 10)
local regs, mem = n.regs, n.mem
n:close()
n:close()
check.fails(function() return n.a0 end, "two is closed")
check.fails(function() return n:step() end, "two is closed")
check.fails(function() return regs.a0 end, "two is closed")
check.fails(function() return mem:u8(0) end, "two is closed")
check.says(n, "two, closed")
check.eq(m.exit_status, 30)
do
	local gone
	do
		local here <close> = open()
		gone = here
	end
	check.fails(function() return gone.cycle end, "closed")
end
for _ = 1, 50 do
	open()
end
collectgarbage()

-- A program's arguments, input and environment.
local args = { 1, "two", 3.5 }
m = open{ args = args }
check.eq(args[1], 1, "the script's own table")
check.eq(m.mem64(m.sp), 4, "argc")
check.eq(m.mem:str(m.mem:u64(m.sp + 8)), GUEST)
check.eq(m.mem:str(m.mem:u64(m.sp + 16)), "1")
check.eq(m.mem:str(m.mem:u64(m.sp + 32)), "3.5")
m = open{ env = { B = 2, A = "x" } }
check.eq(m.mem:str(m.mem:u64(m.sp + 24)), "A=x")
check.eq(m.mem:str(m.mem:u64(m.sp + 32)), "B=2")
check.eq(open{ env = { B = 2, A = "x", C = "y" } }:hash(),
	open{ env = { C = "y", A = "x", B = 2 } }:hash())
m = open{ args = { "f" } }
local stop = m:run()
check.eq(stop.reason, "exit")
check.eq(m.status, "faulted")
check.eq(m.fault.addr, 16)
check.eq(m.fault.pc, stop.pc)
check.eq(open{ ff = 20 }.insts, 20)
check.fails(function() open{ history = false }:back() end, "history")

-- The program's /: its file names do not depend on the folder's place.
do
	local pipe <close> = io.popen "mktemp -d"
	local folder = pipe:read "l"
	os.execute(
		("mkdir -p %s/one/sub %s/two/sub; echo first >%s/one/sub/a; echo second " ..
		">%s/two/sub/a"):format(folder, folder, folder, folder))
	local function copy(root, name)
		local m <close> = open{ args = { "o", name }, root = root, history = false }
		m:run()
		return m:output():match "begin\n(.*)end\n", m.exit_status, m.cycle
	end
	local first = copy(folder .. "/one", "sub/a")
	local second = copy(folder .. "/two/sub/..", "/sub/a")
	check.eq(first, "first\n")
	check.eq(second, "second\n")
	check.eq(select(3, copy(folder .. "/two/sub/..", "sub/b")),
		select(3, copy(folder .. "/one", "sub/b")), "where it lies takes no cycles")
	check.eq(select(2, copy(folder .. "/one", "../two/sub/a")), 1, "nothing is above it")
	check.eq(select(2, copy(folder .. "/one", "build/tests/lua/guest")), 1,
		"nor the current directory below")
	check.eq(select(2, copy(nil, "sub/a")), 1, "without it there is no such file")
	local m <close> = open{ args = { "o", "sub/a" }, root = folder .. "/one" }
	m:run()
	m:restart()
	m:run()
	check.eq(m.exit_status, 30, "it is the same after a restart")
	local d <close> = open{ args = { "o", "/x/y/a" }, root = folder .. "/one",
		dirs = { "/x/y=" .. folder .. "/two/sub", "/z=" .. folder } }
	collectgarbage()
	d:run()
	check.eq(d:output():match "begin\n(.*)end\n", "second\n", "a folder of dirs is there")
	d:restart()
	d:run()
	check.eq(d.exit_status, 30, "and after a restart")
	check.fails(function() open{ dirs = { "x=" .. folder } } end, "dirs: x=" .. folder ..
		": expected /PLACE=FOLDER")
	check.fails(function() open{ dirs = { "/x=" .. folder .. "/three" } } end, "No such file")
	check.fails(function() open{ dirs = { 1 } } end, "not of a number")
	check.fails(function() open{ root = folder .. "/three" } end, "root: " .. folder ..
		"/three: No such file")
	check.fails(function() open{ root = folder .. "/one/sub/a" } end, "Not a directory")
	os.execute("rm -r " .. folder)
end

-- Limits, with messages.
check.fails(function() cyclops.read "nowhere" end, "nowhere: No such file")
for _, complete in ipairs{ { "alpha", "beta" }, {}, "location", { "a b" }, { 1 }, 5 } do
	local words = type(complete) == "string" or type(complete) == "table" and
		(not complete[1] or complete[1] == "alpha")
	check.eq(pcall(cyclops.command, { name = "zed", run = print, complete = complete }), words)
end
check.fails(function()
	for i = 1, 20001 do cyclops.command{ name = "a" .. i, run = print } end
end, "too many definitions in one script")
check.done()
