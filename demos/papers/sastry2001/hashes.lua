-- Hash functions (3.5) on the programs' tuples: where the first million loads go among
-- 2048 counters.
--
-- Expect: a counter's own most frequent tuple makes up as much of its count with all three; a bad
-- one would leave counters empty and crowd others.
--
--     cyclops lua demos/papers/sastry2001/hashes.lua [--small] [--programs A,B] [--out FOLDER]
local runs, report = require "runs", require "report"
local e = runs.open(arg)
local MOST <const>, SETS <const> = 1000000, 2048
local HASHES <const> = { "random", "fold", "modulo" }

-- Counters in use; share of all loads in the fullest counter; share of the most frequent tuple in
-- its counter's count, on average over the loads.
local function spread(ideal, hash)
	local c = cyclops.compressor(("H(P(256), %d, %s)"):format(SETS, hash))
	local sum, most, used, fullest, own = {}, {}, 0, 0, 0
	for pc, value, tag, n in ideal:tuples() do
		local at = c:index(pc, value, tag)
		sum[at], most[at] = (sum[at] or 0) + n, math.max(most[at] or 0, n)
	end
	for at, n in pairs(sum) do
		used, fullest, own = used + 1, math.max(fullest, n), own + most[at]
	end
	return used, 100 * fullest / ideal:count(), 100 * own / ideal:count()
end

local columns, rows = { { "program" } }, {}
for _, hash in ipairs(HASHES) do
	table.move({ { hash .. ": counters", 0 }, { "fullest, %", 1 }, { "own tuple, %", 1 } }, 1,
		3, #columns + 1, columns)
end
for i, name in ipairs(e.names) do
	local ideal = cyclops.profile():feed((e:stream(name, MOST)))
	rows[i] = { name }
	for _, hash in ipairs(HASHES) do
		table.move({ spread(ideal, hash) }, 1, 3, #rows[i] + 1, rows[i])
	end
end
report.title("Hash functions: %s loads in %s counters",
	report.number(math.min(MOST, e:events_of())), report.number(SETS))
local means = report.means(rows)
local all = table.move(rows, 1, #rows, 1, {})
all[#all + 1] = { "**average**", table.unpack(means) }
report.table(columns, all)
print()
report.shape(math.min(means[6], means[9]) >= means[3] - 1, "the simple functions bias counters as much as the paper's: the most frequent tuple is %.1f, %.1f, %.1f %% of what a counter counts",
	means[3], means[6], means[9])
