-- cyclops lua flags.lua NEW CATCHERS HOW [ARGS...]: runs a program whose blocks and paths are
-- profile instructions of one type (`instrument --kind bb=1,path=1`). HOW "switch": each of its
-- flags is switched at random, again and again; "timing" or "functional": it is left to checks of
-- its own. Blocks have exactly the counts of the counted paths: a path is counted as a whole or not
-- at all. CATCHERS, names with commas between them, are functions left by a throw or a jump, and so
-- are those in which the program ends: their last paths are not over. Prints what was counted.
local xprof = require "cyclops.xprof"
local name, catchers, how = arg[1], "," .. arg[2] .. ",", arg[3]
local m = cyclops.machine{ program = name, args = table.move(arg, 4, #arg, 1, {}), history = false,
	ff = how == "functional" and 1 << 40 or nil }
local x = xprof.new(m)
local flags = {}
for _, f in ipairs(x:methods()) do
	for _, flag in ipairs(f.flags) do flags[#flags + 1] = flag end
end
assert(how ~= "switch" or #flags > 100, "there are no flags")

-- Which of them, and on or off: a xorshift generator's choice.
local seed = 0x9e3779b97f4a7c15
local function random(n)
	seed = seed ~ seed << 13
	seed = seed ~ seed >> 7
	seed = seed ~ seed << 17
	return (seed >> 11) % n
end
local switched = 0
if how == "switch" then
	m:every({ insts = 401 }, function()
		for _ = 1, 1 + random(40) do
			local flag = flags[random(#flags) + 1]
			m:patch(flag.addr, (random(2) == 0 and 0x0042 or 0x0062) + (flag.type << 2))
			switched = switched + 1
		end
	end)
end
if how ~= "functional" then
	m:finish()
end

-- Counts by blocks, and by paths through them.
local blocks, passed, functions, whole = {}, {}, {}, 0
for _, row in ipairs(m:report("counters all").rows) do
	blocks[math.tointeger(row.was)] = row.count
end
for _, row in ipairs(m:report("hot-paths all").rows) do
	local at = math.tointeger(row.was)
	local f = functions[at] or { name = row["function"] }
	functions[at] = f
	-- Long paths are cut.
	f.skipped = f.skipped or row.offsets:find("...", 1, true) or #row.offsets > 500
	for offset in row.offsets:gmatch "%+(0x%x+)" do
		local block = at + math.tointeger(offset)
		passed[block] = { f, (passed[block] and passed[block][2] or 0) + row.count }
	end
	whole = whole + row.count
end
local seen = 0
for block, pass in pairs(passed) do
	local f, count = pass[1], pass[2]
	local right = blocks[block] or 0
	if not f.skipped and (count > right or count < right and not catchers:find("," .. f.name ..
		",", 1, true)) then
		print(("%s, block 0x%x: %d times on paths, entered %d times"):format(f.name, block,
			count, right))
		os.exit(1)
	end
	seen = seen + count
end
print(("%d flags switched %d times; %d paths with %d blocks"):format(#flags, switched, whole, seen))
os.exit((switched > 0) == (how == "switch") and whole > 0 and 0 or 1)
