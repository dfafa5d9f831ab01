-- A run's required end, and the places of its files (demos/papers/guest.lua, inputs.lua,
-- kept.lua).
package.path = "tests/lua/?.lua;demos/papers/?.lua;" .. package.path
local check, guest, inputs, kept = require "check", require "guest", require "inputs",
	require "kept"
local folder = arg[1]
local function fails(f, text)
	check.fails(f, text, false) -- a message without a place in a script
end
local o = { out = folder, root = folder .. "/files", input = "made" }
os.execute(("mkdir -p '%s/made' '%s/demos/programs/input' '%s/records'"):format(o.root, o.root,
	folder))

-- ---- files ----
local list = inputs.list({ { "readfile", "-n @one demos/programs/input/phrases.txt", stdin = "@one",
	more = 3 } }, { one = function() return "first\n" end })
local program = list:get("readfile", o)
check.eq(table.concat(program.args, " "), "-n made/one demos/programs/input/phrases.txt",
	"names are the program's")
check.eq(table.concat(program.files, " "), o.root .. "/made/one " .. o.root ..
	"/demos/programs/input/phrases.txt", "files are where results go")
check.eq(program.input, "first\n")
check.eq(program.more, 3)
check.eq(inputs.read(program.files[1]), "first\n")
check.eq(inputs.read(program.files[2]), inputs.read "demos/programs/input/phrases.txt")
fails(function() inputs.list({ { "x", "demos/programs/input/no-such.txt" } }, {}):get("x", o) end,
	"no-such.txt is not there, which programs read")

-- ---- how runs end ----
local function run(args, about)
	about = about or {}
	about.program = "build/tests/lua/guest"
	about.name = "guest " .. table.concat(args, " ")
	local m = guest.machine(o, { args = args }, about)
	m:run{ until_insts = about.insts or 100000 }
	return m
end
local m = run{ "o", "made/one" } -- it exits with 30
fails(function() guest.whole(m) end, "guest o made/one: no good run: the program's end with status 0 expected, it exited with status 30 after")
fails(function() guest.whole(m) end, "its output:\nmiddle\nbegin\nfirst\nend")
fails(function() guest.reached(m, 1, m.insts) end,
	"no good run: 1 instructions expected, there were")
fails(function() guest.whole(run{ "o", "made/two" }) end, "it exited with status 1 after")
fails(function() guest.whole(run{ "f" }) end, "it faulted, ")
fails(function() guest.reached(run{ "f" }, 10, 20, "loads") end,
	"10 loads expected, there were 20, it faulted")
local long = run({ "l" }, { set = {} })
guest.reached(long, 100000, long.insts)
guest.passed(long, "start")
fails(function() guest.reached(long, 100, 99, "loads") end,
	"100 loads expected, there were 99, it is running after")
fails(function() guest.whole(long) end, "it is running")
fails(function() guest.passed(m, "start") end,
	"start on its way expected, it exited with status 30")
local good <close> = guest.machine(o, { args = {} }, { program = "build/demos/hello",
	name = "hello", ff = 1 << 30 })
guest.whole(good)
guest.reached(good, good.insts, good.insts)
fails(function() guest.reached(good, good.insts + 1, good.insts) end, "it exited with status 0")

-- ---- kept records ----
local function record(make)
	return kept.record(o, "guest-run", { 1 }, { program.files[1] }, make)
end
fails(function() record(function() guest.whole(m) end) end, "no good run")
check.ok(not io.open(folder .. "/records/guest-run.lua"), "a bad run is not kept")
check.eq(record(function() return { n = 1 } end).n, 1)
check.eq(record(function() error "it is kept" end).n, 1)
check.done()
