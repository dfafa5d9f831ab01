-- Figure 1: a multiply waits for memory, and two loads feed it. Which of them misses?
--
-- Expect: the latencies of one load are nearly all those of the L1 data cache, D, the
-- other's nearly all those of memory, M.
--
--     cyclops lua demos/papers/burrows2000/fig1.lua [--small] [--out FOLDER]
local runs, guest, report, paper = require "runs", require "guest", require "report",
	require "paper"
local e = runs.open(arg)

local PROGRAM <const> = { name = "papers/burrows2000/fig1", args = { "1000000" }, input = "" }
local FF <const> = 14700000 -- initialization
local INSTS <const> = e.small and 300000 or 6000000

local COLUMNS <const> = { { "instruction" }, { "retdelay", 4 }, { "pc" }, { "vtot", 0 }, { "nv" },
	{ "latencies" } }

-- The rows of the loop's two loads and of the multiply, by a handler that comes sixteen times as
-- often as in the paper and skips at least so many instructions before the first that it records;
-- nil: as many as it does by default.
local function listing(least)
	local m <close> = e:machine(PROGRAM, { ["vsample.interval_min"] = (62 << 10) // e.scale,
		["vsample.interval_max"] = (64 << 10) // e.scale,
		["vsample.every"] = 1, ["vsample.length"] = 4, ["vsample.skip_min"] = least,
			["profileme.enable"] = true, ["profileme.interval_max"] =
			2000 // (e.scale // 16) },
		{ values = "latency", ff = FF })
	m:run{ until_insts = FF + INSTS }
	guest.reached(m, FF + INSTS, m.insts)
	local rows, loads, multiply = {}, {}, nil
	for _, row in ipairs(m:report("values walk").rows) do
		local is_load, is_multiply = row.instruction:find "^fld" and row.vtot > 0,
			row.instruction:find "^fmul"
		if is_load or is_multiply then
			local shares = { D = 0, B = 0, M = 0, d = 0 }
			for share, bin in (row.values or ""):gmatch "%(([%d.]+)%% ([^)]+)%)" do
				shares[bin] = (shares[bin] or 0) + tonumber(share)
			end
			rows[#rows + 1] = { row.instruction, row.retdelay or "",
				("0x%x"):format(row.pc), row.vtot, tostring(row.nv), row.values
				or "" }
			if is_load then
				loads[#loads + 1] = { row = row, shares = shares }
			else
				multiply = row
			end
		end
	end
	report.table(COLUMNS, rows)
	print()
	table.sort(loads, function(a, b) return a.shares.D > b.shares.D end)
	return loads[1], loads[#loads], multiply
end

report.title "Figure 1: load latencies"
print "Four instructions, after as many as the reorder buffer holds: none of them was in the pipeline when the interrupt came."
print()
local hit, miss, multiply = listing(nil)
print "Four instructions from where the interrupt came:"
print()
local near_hit, near_miss = listing(0)
print "The paper's:"
print()
local hits, misses = paper.latencies.hits, paper.latencies.misses
report.table(COLUMNS, {
	{ "ldt $f17, 8(t6)", hits.delay, "0x64", 23278, "3", "(94.26% D) (3.58% M) (2.15% B)" },
	{ "ldt $f11, 0(t2)", misses.delay, "0x78", 14559, "3", "(84.91% M) (15.07% D) (0.01% B)" },
	{ "mult $f11,$f17,$f17", paper.latencies.multiply, "0x94", 0, "0", "" },
})
print()
report.shape(hit.row.pc == near_hit.row.pc and miss.row.pc ~= hit.row.pc
	and miss.shares.M > 10 * hit.shares.M and miss.shares.M > 30,
	"the listing shows which load misses: %.2f %% M, the other %.2f %% (paper %.2f and %.2f)",
	miss.shares.M, hit.shares.M, misses.M, hits.M)
report.shape(hit.shares.D + hit.shares.d > 90,
	"one load hits: %.2f %% D and %.2f %% d (paper %.2f)", hit.shares.D, hit.shares.d, hits.D)
report.shape(miss.shares.M > 70, "the other goes to memory: %.2f %% M (paper %.2f)", miss.shares.M,
	misses.M)
report.shape(near_miss.shares.M < miss.shares.M - 20,
	"where the interrupt came it seems to hit, as it was sent to memory before: %.2f %% M",
	near_miss.shares.M)
report.shape(math.max(hit.row.vtot / miss.row.vtot, miss.row.vtot / hit.row.vtot) > 1.3,
	"samples of two loads in one block are not as many: %d and %d (paper 23,278 and 14,559)",
	hit.row.vtot, miss.row.vtot)
local load_delay, multiply_delay = tonumber(miss.row.retdelay) or 0, tonumber(multiply.retdelay)
	or 0
report.shape(multiply_delay > load_delay, "the multiply is where the processor waits, %.1f cycles, not the load, %.1f (paper %.1f and %.2f)", multiply_delay, load_delay,
	paper.latencies.multiply, misses.delay)
