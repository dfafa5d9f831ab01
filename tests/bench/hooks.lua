-- The cost of a hook in Lua: runs a program with one, to be counted by callgrind
-- (tests/bench/hooks.sh).
--   cyclops lua hooks.lua none|every|batch|pc=PC|"EVENT CONDITION" INPUT FF INSTS PROGRAM [ARGS...]
-- prints how often it was called and how many seconds of processor time the run took.
local what, input, ff, insts, program = table.unpack(arg)
local m = cyclops.machine{ program = program, args = { table.unpack(arg, 6) }, stdin = input,
	ff = tonumber(ff), history = false }
local called = 0
local function count() called = called + 1 end
if what == "every" then
	m:on("commit", count)
elseif what == "batch" then
	m:on("commit", { batch = 10000 }, function(b)
		local pc = b:column "pc"
		for i = 1, #b do called = called + (pc[i] and 1 or 0) end
	end)
elseif what:find "^pc=" then
	local pc = tonumber(what:sub(4))
	m:on("commit", { pc = { pc, pc + 1 } }, count)
elseif what ~= "none" then
	m:on(what:match "^%w+", { where = what:match "^%w+ (.*)" }, count)
end
local began = os.clock()
m:run{ insts = tonumber(insts) }
print(called, os.clock() - began)
