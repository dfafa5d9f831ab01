-- Table 1: effect of the value sampler on the caches of a program that touches each block of a
-- cache in turn, each with its own load.
--
-- The paper gives miss rates of blocks, but not its unit of rounds. A block that every interrupt
-- evicts misses once per interrupt, so rates here are misses per 100 interrupts, counted exactly,
-- by the oracle; below 1 is the paper's 0 %. There are two to four rounds between interrupts, after
-- which all blocks are cached again. Of L2, one block in 33 is touched.
--
-- Expect: nine tenths of L1D's blocks are never evicted, one in thirty nearly always. The handler's
-- lines are fitted to these numbers (vsample.data_lines, vsample.varied_lines); the other methods
-- and L2 are not fitted.
--
--     cyclops lua demos/papers/burrows2000/table1.lua [--small] [--out FOLDER]
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local options, guest, report, plot, paper = require "options", require "guest", require "report",
	require "plot", require "paper"
local o = options.read(arg, "build/papers/burrows2000")
local INTERRUPTS <const>, ROUND <const> = o.small and 600 or options.times(o, 8000, 600), 2050
local BINS <const> = { "0%", "1-20%", "21-40%", "41-60%", "61-80%", "81-100%" }

local function bin(rate)
	return rate < 0.01 and 1 or math.min(6, 1 + math.ceil(rate * 5))
end

-- Percent of the blocks in each bin by this method; then percent of interpreted loads whose own
-- measured latency is more than L1D's, or nil.
local function perturb(cache, method, every)
	local m <close> = guest.machine(o, { args = {} },
		{ program = "build/demos/papers/burrows2000/touch-" .. cache, name = "touch-" ..
		cache, config = "burrows2000", set = {
		["vsample.enable"] = true, ["vsample.method"] = method, ["vsample.every"] = every
			or 2, ["vsample.interval_min"] = 2 * ROUND,
		["vsample.interval_max"] = 4 * ROUND, ["oracle.enable"] = true, ["oracle.loads"] =
			true } })
	m:run{ until_insts = 3 * ROUND } -- all are there
	local before, level = {}, cache == "l1d" and "l2" or "memory"
	local function misses(r)
		return r.memory + (level == "l2" and r.l2 or 0)
	end
	for _, r in ipairs(m:report "oracle loads all".rows) do
		before[r.address] = misses(r)
	end
	local measured, slow, quick = 0, 0,
		m.config["vsample.inst_cycles"] + m.config["l1d.latency"]
	local hook = m:on("interpret", function(event)
		if before[event.pc] then -- a load
			measured, slow = measured + 1, slow + (event.cycles > quick and 1 or 0)
		end
	end)
	m:run{ until_insts = 3 * ROUND * INTERRUPTS }
	guest.reached(m, 3 * ROUND * INTERRUPTS, m.insts)
	hook:remove()
	local bins, rows = { 0, 0, 0, 0, 0, 0 }, m:report "oracle loads all".rows
	for _, r in ipairs(rows) do
		local b =
			bin((misses(r) - (before[r.address] or 0)) / m.stats["vsample.interrupts"])
		bins[b] = bins[b] + 1
	end
	for b in ipairs(bins) do
		bins[b] = 100 * bins[b] / #rows
	end
	return bins, measured > 0 and 100 * slow / measured or nil
end

report.title("Table 1: percent of cache blocks that miss after so many of 100 interrupts; %d interrupts", INTERRUPTS)
local series = {}
local function add(name, cache, method, every)
	local bins, slow = perturb(cache, method, every)
	bins.name = name
	series[#series + 1] = bins
	return bins, slow
end
local handler, slow = add("handler", "l1d", "handler")
local alone = add("no interpretation", "l1d", "handler", 0)
local upcall = add("upcall", "l1d", "upcall")
local bounce = add("bounce", "l1d", "bounce")
local l2 = add("handler, L2", "l2", "handler")
local l2_upcall = add("upcall, L2", "l2", "upcall")
local theirs = { name = "the paper's (L1D)", table.unpack(paper.blocks) }
series[#series + 1] = theirs
plot.table(o, "table1", { "misses" }, BINS, series, 1)

local worst = 0
for b in ipairs(BINS) do
	worst = math.max(worst, math.abs(handler[b] - theirs[b]))
end
-- few interrupts make "fewer than 1 in 100" a matter of luck
report.shape(worst < (INTERRUPTS < 4000 and 9 or 2.5),
	 "the handler's blocks are the paper's, to which they were fitted, within %.1f points",
	 worst)
report.shape(l2[1] > handler[1],
	"fewer blocks of L2 are evicted, which is larger: %.1f %% never, of L1D %.1f %%", l2[1],
	handler[1])
report.shape(upcall[1] < handler[1],
	"an upcall evicts more, for it has a frame on the program's stack: %.1f %% never",
	upcall[1])
report.shape(l2_upcall[1] <= l2[1], "also of L2: %.1f %% never", l2_upcall[1])
report.shape(bounce[1] > handler[1] and alone[1] >= handler[1], "bouncing back reads no instructions as data, %.1f %% never; interrupts without any %.1f %%", bounce[1], alone[1])
print(("- The interpreter's own measurements have %.1f %% of misses: the loads after an interrupt were executed before it, out of order, and their lines are the last to be evicted."):format(slow))
