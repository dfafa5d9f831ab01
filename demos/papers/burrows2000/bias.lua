-- The bias of section 5: do samples come as often to each of some instructions that are executed
-- equally often? The paper's do not: of the two loads in figure 1, in one block, one has 1.6 times
-- the samples of the other. Its cure, which it only proposes, is to interpret a random number of
-- instructions before the first that is recorded.
--
-- Expect: here interrupts come exactly after the instruction that completes the interval,
-- so that a random interval is without bias. One that keeps step with a loop sees the same
-- instruction again and again; skipping cures it.
--
--     cyclops lua demos/papers/burrows2000/bias.lua [--small] [--out FOLDER]
local runs, guest, report = require "runs", require "guest", require "report"
local e = runs.open(arg)

local PROGRAM <const> = { name = "papers/burrows2000/fig1", args = { "1000000" }, input = "" }
local SAMPLES <const> = e.small and 2000 or 20000

-- After the program's initialization.
local FF <const> = 14700000
-- Costs that make no difference to where interrupts come.
local CHEAP <const> = { ["vsample.interrupt_cycles"] = 1, ["vsample.start_cycles"] = 0,
	["vsample.inst_cycles"] = 1, ["vsample.tuple_cycles"] = 0 }

-- Samples of each instruction of the loop, in their order, by a sampler of this kind; and the
-- loop's instructions.
local function sample(set)
	for key, value in pairs(CHEAP) do
		set[key] = value
	end
	set["vsample.enable"], set["vsample.length"], set["vsample.every"] = true, 1, 1
	local m <close> = e:machine(PROGRAM, set, { ff = FF })
	-- Once around it: which they are.
	local loop, place, counts = {}, {}, {}
	local watch = m:on("commit", function(event)
		if not place[event.pc] then
			loop[#loop + 1], place[event.pc] = event.pc, true
		end
	end)
	m:run{ insts = 60 }
	watch:remove()
	table.sort(loop)
	for i, pc in ipairs(loop) do
		place[pc], counts[i] = i, 0
	end
	local samples = 0
	m:on("interpret", { where = "recorded" }, function(event)
		local i = place[event.pc]
		if i then
			counts[i], samples = counts[i] + 1, samples + 1
		end
		return samples >= SAMPLES and "stop" or nil
	end)
	m:run()
	guest.reached(m, SAMPLES, samples, "samples")
	return counts, loop
end

-- The most frequent instruction's samples by the least frequent one's; and how far all are from
-- equal, as chi squared by its degrees of freedom: 1 by chance alone.
local function judge(counts)
	local least, most, sum, chi = math.huge, 0, 0, 0
	for _, n in ipairs(counts) do
		least, most, sum = math.min(least, n), math.max(most, n), sum + n
	end
	for _, n in ipairs(counts) do
		chi = chi + (n - sum / #counts) ^ 2 / (sum / #counts)
	end
	return least, most, chi / (#counts - 1)
end

report.title "Samples of the instructions of a loop, each executed as often as the others"
local _, loop = sample{ ["vsample.interval_min"] = 80, ["vsample.interval_max"] = 120 }
local step = #loop * 5 - 1
local rows, found = {}, {}
for i, way in ipairs{
	{ "random intervals, 80 to 120", { ["vsample.interval_min"] = 80, ["vsample.interval_max"] =
		120 } },
	{ ("the same, skipping 0 to %d"):format(#loop - 1), { ["vsample.interval_min"] = 80,
		["vsample.interval_max"] = 120, ["vsample.skip"] = #loop - 1 } },
	{ ("always %d"):format(step), { ["vsample.interval_min"] = step, ["vsample.interval_max"] =
		step } },
	{ ("always %d, skipping 0 to %d"):format(step, #loop - 1),
		{ ["vsample.interval_min"] = step, ["vsample.interval_max"] = step,
		["vsample.skip"] = #loop - 1 } },
} do
	local least, most, chi = judge(sample(way[2]))
	rows[i], found[i] = { way[1], least, most, chi }, chi
end
report.table({ { "intervals" }, { "fewest" }, { "most" }, { "chi squared by freedom", 2 } }, rows)
print()
report.shape(found[1] > 2.5, "random intervals alone are biased: chi squared by freedom %.2f (paper: one load has 1.6 times the samples of another of its block)", found[1])
report.shape(found[3] > 100, "intervals that keep step with the loop see one instruction")
report.shape(found[2] < 2.5 and found[4] < 2.5,
	"skipping a random number of instructions cures it: %.2f", found[4])
