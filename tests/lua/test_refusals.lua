-- Meaningless arguments are refused: an unknown word, and invalid numbers, as each argument of each
-- view, report and command. The machine stays in its place.
local check = require "check"

local WORD <const> = "zzqx9"
local m = cyclops.machine{ program = "build/tests/lua/guest", cop = "demos/microcode/edges.mic",
	set = { ["sampler.enable"] = true, ["vsample.enable"] = true, ["oracle.enable"] = true,
		["oracle.blocks"] = true, ["oracle.contexts"] = true, ["oracle.values"] = "all",
		["profileme.enable"] = true, ["values.modules"] = "results" } }
m:cmd "step 900"

local function refuses(line, names)
	local before, ok, said = m:hash(), pcall(m.cmd, m, line)
	if check.ok(not ok, line .. " is refused") and names then
		check.says(said, names)
	end
	check.eq(m:hash(), before, "the machine after " .. line)
end

-- Arguments that many commands accept, put before a meaningless one.
local before <const> = { "3", "all", "main", "of main", "3 4 5 6 7", "since main", "--" }
local function refuses_words(command)
	for _, words in ipairs(before) do
		refuses(command .. " " .. words .. " " .. WORD)
	end
end

for _, view in ipairs(cyclops.views()) do
	refuses("view " .. view .. " " .. WORD, view ~= "paths" and WORD) -- not instrumented
	refuses_words("view " .. view)
end
for line in m:cmd "report":gmatch "[^\n]+" do
	local name = line:match "^  (%l[%l-]* ?[%l-]*)  "
	refuses("report " .. name .. " " .. WORD)
	refuses_words("report " .. name)
end

-- ---- assignments where only a value is needed ----
for _, assigned in ipairs{ "counter = 5", "counter++", "--counter", "counter += 1", "$kept = 5",
	"a0 = 5", "*(int *)sp = 5" } do
	for _, command in ipairs{ "break twice if ", "tbreak twice if ", "watch ", "output ",
		"whatis ", "x/1x ", "info symbol ", "printf \"%d\", " } do
		refuses(command .. assigned, command ~= "info symbol " and "can be assigned here")
	end
end

-- ---- commands ----
-- Any text is right for some; some end, read or write; and numbers that are too large are Lua's.
local free <const> = { mark = true, lua = true, alias = true, unalias = true, echo = true,
	ask = true, answer = true, expect = true, apropos = true, shell = true, save = true,
	restore = true, quit = true, source = true, export = true, complete = true }
local computes <const> = { print = true, output = true, call = true, ptype = true, whatis = true,
	display = true, show = true }
local pipe <close> = io.popen((os.getenv "CYCLOPS" or "build/cyclops") .. " help 2>&1")
local commands = {}
for name in pipe:read "a":gmatch "\n  (%l[%l-]*)  " do
	commands[#commands + 1] = name
end
check.ok(#commands > 60, "commands")
for _, name in ipairs(commands) do
	if not free[name] then
		for _, words in ipairs{ WORD, "0x", "1 2 3 " .. WORD } do
			refuses(name .. " " .. words)
		end
		if not computes[name] then
			refuses(name .. " 99999999999999999999")
		end
	end
end
check.done()
