-- The program whose dedicated thread switches profiling: what that costs, and how right its profile
-- is, by the lengths of windows and of a thread's slice.
--
-- Expect: longer windows cost more and count more, in the right proportions; a slice longer than a
-- window makes it as long as the slice, since the thread that is to end it waits for its turn.
-- See it: cyclops lua demos/xprof/thread.lua
local PROGRAM <const>, BLOCKS <const> = "build/demos/xprof/thread", 5

-- Cycles, and counts by block.
local function run(apart, window, set)
	local m <close> = cyclops.machine{ program = PROGRAM, args = { tostring(apart),
		tostring(window) }, set = set, history = false }
	m:run()
	local counts = {}
	for name, n in m:output():gmatch "\n(%a+) +(%d+)" do
		counts[#counts + 1] = { name = name, n = math.tointeger(n) }
	end
	assert(m.exit_status == 0 and #counts == BLOCKS, m:output())
	return m.cycle, counts, math.tointeger(m:output():match "(%d+) windows")
end

local plain = run(0, 0)
local _, exact = run(0, 0, { ["xprof.enable"] = false })
local all = 0
for _, block in ipairs(exact) do
	all = all + block.n
end
print(("%6s %6s %7s %8s %8s %8s %9s"):format("apart", "window", "slice", "windows", "cost, %",
	"share, %", "right, %"))
for _, row in ipairs{ { 30, 10, 5000 }, { 30, 10, 20000 }, { 90, 10, 5000 }, { 30, 30, 5000 },
	{ 30, 10, 100000 } } do
	local cycles, counts, windows = run(row[1], row[2], { ["os.slice"] = row[3] })
	local counted, same = 0, 0
	for _, block in ipairs(counts) do
		counted = counted + block.n
	end
	-- overlap of the two profiles: the sum of each block's smaller share
	for i, block in ipairs(counts) do
		same = same + math.min(block.n / math.max(counted, 1), exact[i].n / all)
	end
	print(("%6d %6d %7d %8d %8.2f %8.2f %9.2f"):format(row[1], row[2], row[3], windows,
		100 * (cycles / plain - 1), 100 * counted / all, 100 * same))
end
