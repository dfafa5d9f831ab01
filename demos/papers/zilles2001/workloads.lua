-- The value profile on real programs: error and overhead with five seeds, without re-sampling, and
-- of simple sampling at two rates.
--
-- Expect: errors below simple sampling's where loads are many; overhead that grows with the
-- loads that are at work.
--
--     cyclops lua demos/papers/zilles2001/workloads.lua [--programs A,B] [--insts N] [--small] [--out FOLDER] [--any-build]
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local real, report, ranks = require "real", require "report", require "ranks"
local values, truths = require "cyclops.values", require "truth"
local e = real.open(arg, "zilles2001", 2000000, { "gzip", "mawk" })

local CAM <const>, DATA <const> = 256, 1024
local VALUE <const>, MADE <const> = "build/demos/firmware/cop_value.elf",
	"build/demos/papers/zilles2001/"
-- The handler, and where the co-processor's random numbers begin; the first five differ in these
-- alone.
local RUNS <const> = { { VALUE, 1 }, { VALUE, 0x2545f491 }, { VALUE, 0x9e3779b9 },
	{ VALUE, 0x1b873593 }, { VALUE, 0x85ebca6b },
	{ MADE .. "resample-0.elf", 1 }, { MADE .. "sample-61.elf", 1 },
		{ MADE .. "sample-251.elf", 1 } }
local SEEDS <const>, NEVER <const>, SIMPLE <const> = 5, 6, 7

local function all(name)
	local files = { "demos/configs/zilles2001.lua" }
	for i, run in ipairs(RUNS) do
		files[i + 1] = run[1]
	end
	return e:record(name, "values", { CAM, DATA, #RUNS }, function()
		local plain <close>, to_end = e:machine(name, { config = "zilles2001",
			set = { ["oracle.enable"] = true, ["oracle.values"] = "loads",
			["oracle.memory"] = 1 << 30 } })
		to_end()
		local index = truths.index(values.truth(plain))
		local record = { cycles = plain.cycle, insts = plain.stats["sim.insts"],
			loads = truths.size(index) }
		for i, run in ipairs(RUNS) do
			local m <close>,
				go = e:machine(name, { config = "zilles2001", firmware = run[1],
				set = { ["cop.enable"] = true, ["cop.cam"] = CAM,
					["cop.data"] = DATA, ["cop.seed"] = run[2] } })
			go()
			local p = values.profile(m, { rest = true })
			record[i] = { error = 100 * truths.judge(index, p),
				overhead = 100 * (m.cycle / plain.cycle - 1),
				turns = p.counts.interrupts + p.counts.clocks }
		end
		return record
	end, files)
end

print "# Real programs"
print()
print "Made by `make papers`; [README.md](README.md) explains it."
e:about()

local rows, working, costs, simple_errors = {}, {}, {}, {}
local less, cheaper, resampled = 0, 0, 0
for i, name in ipairs(e.names) do
	local r, error, cost, least, most = all(name), 0, 0, math.huge, 0
	for s = 1, SEEDS do
		error, cost = error + r[s].error / SEEDS, cost + r[s].overhead / SEEDS
		least, most = math.min(least, r[s].error), math.max(most, r[s].error)
	end
	rows[i] = { name, r.loads.dynamic, r.loads.most, error, most - least, r[NEVER].error,
		r[SIMPLE].error, r[SIMPLE + 1].error, cost, r[NEVER].overhead,
		r[SIMPLE].overhead, r[SIMPLE + 1].overhead, r[1].turns }
	working[i], costs[i], simple_errors[i] = r.loads.most, cost, r[SIMPLE].error
	less = less + (most < r[SIMPLE].error and 1 or 0)
	cheaper = cheaper + (cost < r[SIMPLE].overhead and 1 or 0)
	resampled = resampled + (error <= r[NEVER].error and 1 or 0)
end
report.title("Errors (weighted RMS, %%) and overheads (%% of cycles): means of %d seeds", SEEDS)
report.table({ { "program" }, { "loads", 0 }, { "that do 99 %", 0 }, { "error", 2 },
	{ "most less least", 2 }, { "masks for good", 2 }, { "simple, 1 in 61", 2 },
	{ "1 in 251", 2 }, { "overhead", 2 }, { "masks for good", 2 }, { "simple, 1 in 61", 2 },
		{ "1 in 251", 2 }, { "turns", 0 } },
	table.move({ { "**average**", table.unpack(report.means(rows)) } }, 1, 1, #rows + 1,
		table.move(rows, 1, #rows, 1, {})))
print()
local n = #e.names
report.shape(less == n, "with every seed it errs less than one load in 61 in %d of %d programs",
	less, n)
report.shape(cheaper == n, "it costs less than one load in 61 in %d of %d", cheaper, n)
report.shape(resampled == n, "sampling masked loads again makes the error no larger in %d of %d: %.2f %% on average, and not %.2f %%", resampled, n,
	report.mean(rows, 4), report.mean(rows, 6))
if n > 2 then
	report.shape(ranks.correlation(working, costs) > 0.5,
		"overhead grows with the loads at work: correlation of ranks %.2f",
		ranks.correlation(working, costs))
	report.shape(ranks.correlation(working, simple_errors) > 0.5,
		"simple sampling's error grows with them: %.2f",
		ranks.correlation(working, simple_errors))
end
