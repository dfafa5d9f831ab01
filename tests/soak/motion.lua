-- A session of commands at random, in which memory must not grow: motions forwards and backwards,
-- stop points, views, reports, exports, checkpoints, changes by hand, restarts with other
-- parameters, twins.
--
--   cyclops lua tests/soak/motion.lua COMMANDS|SECONDSs [SEED [FOLDER [leak]]]
--
-- Prints a line for each of forty pieces: commands, seconds, resident memory in KiB, the cycle.
-- Fails if the second half's peak exceeds the first half's by more than a tenth and 24 MiB. With
-- `leak` it keeps a MiB a command, which must fail.

local amount, unit = (arg[1] or "2000"):match "^(%d+)(s?)$"
local seed = math.tointeger(arg[2] or 1)
local folder, leaks, kept = arg[3] or ".", arg[4] == "leak", {}
if not amount or not seed then
	error "expected motion.lua COMMANDS|SECONDSs [SEED [FOLDER [leak]]]"
end
amount = math.tointeger(amount)
math.randomseed(seed)

local PIECES <const>, FAR <const> = 40, 300000
local programs <const> = {
	{ "build/demos/sort", "demos/programs/input/words.txt" },
	{ "build/demos/lisp", "demos/programs/input/queens.lisp" },
	{ "build/demos/hash", "demos/programs/input/words.txt" },
}
local program = programs[seed % #programs + 1]
local m <close> = cyclops.machine { program = program[1], args = { table.unpack(program, 2) },
	history = true }

local function one_of(list)
	return list[math.random(#list)]
end

local function number(most)
	return math.random(most)
end

local views <const> = { "rob", "lsq", "source", "stats", "cpi", "slots", "hot", "pipe", "map",
	"predictor", "cache", "registers", "timeline", "history" }
local parameters <const> = { "pipe.rob_size=32", "pipe.rob_size=64", "l1d.ways=1", "l1d.ways=2",
	"pipe.fetch_queue=16", "pipe.fetch_queue=32" }

-- How often, and what.
local kinds <const> = {
	{ 20, function() return "step " .. number(2000) end },
	{ 20, function() return "reverse-step " .. number(2000) end },
	{ 10, function() return "stepi " .. number(500) end },
	{ 10, function() return "reverse-stepi " .. number(500) end },
	{ 10, function() return one_of { "next", "reverse-next", "finish", "reverse-finish",
		"until" } end },
	{ 20, function() return "goto " .. number(FAR) end },
	{ 5, function() return "break *" .. number(FAR) end },
	{ 8, function() return one_of { "break main", "catch mispredict",
		"catch mem if latency > 90", "watch sp", "rwatch *(long *)(sp)",
		"tbreak main" } end },
	{ 10, function() return "delete" end },
	{ 20, function() return "view " .. one_of(views) end },
	{ 5, function() return "why" end },
	{ 5, function() return one_of { "backtrace", "info locals", "list", "disassemble",
		"info history", "info registers" } end },
	{ 3, function() return "report all" end },
	{ 3, function() return "set a" .. number(7) .. " = " .. number(1000) end },
	{ 2, function() return "mark m" .. number(50) end },
	{ 2, function() return "display a" .. number(7) end },
	{ 2, function() return "undisplay" end },
	{ 2, function() return "save " .. folder .. "/motion" .. number(3) .. ".checkpoint" end },
	{ 2, function() return "restore " .. folder .. "/motion" .. number(3) .. ".checkpoint"
		end },
	{ 1, function() return "export html " .. folder .. "/motion.html --force" end },
	{ 1, function() return "set " .. one_of(parameters) end },
	{ 1, function() return "starti" end },
	{ 1, function() return "twin " .. one_of { "wide6", "close" } end },
	{ 1, function() return one_of { "trace konata " .. folder .. "/motion.kanata",
		"trace stop" } end },
}
local weight = 0
for _, kind in ipairs(kinds) do
	weight = weight + kind[1]
end

local function command()
	local at = number(weight)
	for _, kind in ipairs(kinds) do
		at = at - kind[1]
		if at <= 0 then
			return kind[2]()
		end
	end
end

local function resident()
	for line in io.lines "/proc/self/status" do
		local kib = line:match "^VmRSS:%s*(%d+)"
		if kib then
			return math.tointeger(kib)
		end
	end
end

local begun, done, piece, good = os.time(), 0, 0, 0
local peak = { 0, 0 }
local function gone()
	return unit == "s" and os.time() - begun or done
end

print "commands seconds resident cycle"
while gone() < amount do
	local line = command()
	local ok = pcall(m.cmd, m, line)
	good = good + (ok and 1 or 0)
	-- It may have been restored after it, or run to the end: it comes back.
	if m.cycle > 2 * FAR then
		pcall(m.cmd, m, "goto " .. number(FAR))
	end
	done = done + 1
	if leaks then
		kept[done] = ("x"):rep(1 << 20)
	end
	if gone() * PIECES // amount > piece then
		piece = gone() * PIECES // amount
		collectgarbage()
		local now = resident()
		-- Memory that the first pieces build up, such as debug information, belongs to no
		-- curve.
		local half = piece <= PIECES // 2 and 1 or 2
		peak[half] = math.max(peak[half], now)
		print(("%d %d %d %d"):format(done, os.time() - begun, now, m.cycle))
		io.stdout:flush()
	end
end
print(("%d of %d commands were done; peak of the first half %d KiB, of the second %d KiB"):format(
	good, done, peak[1], peak[2]))
if good * 2 < done then
	error "most commands failed: nothing was tried"
end
if peak[2] > peak[1] * 1.1 + 24 * 1024 then
	error(("memory grows: seed %d"):format(seed))
end
