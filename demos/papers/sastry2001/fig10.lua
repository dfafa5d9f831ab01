-- Figure 10: overheads with and without a second compressor of 16 associative counters.
--
-- Expect: less overhead for all compressors and all programs; messages are compressed by a further
-- factor of 1.15 to 2.5.
--
--     cyclops lua demos/papers/sastry2001/fig10.lua [--small] [--programs A,B] [--events N] [--out FOLDER]
local runs, compressors, curves, plot, report = require "runs", require "compressors",
	require "curves", require "plot", require "report"
local e = runs.open(arg)
local FIRST <const> = { "R256", "H[P256]2048", "T 2-bit" }

report.title "Figure 10: overhead without and with A16, and what A16 compresses"
local columns, rows, places, series = { { "program" } }, {}, {}, {}
for _, name in ipairs(FIRST) do
	columns[#columns + 1], columns[#columns + 2], columns[#columns + 3] = { name .. ", %", 2 },
		{ "with A16, %", 2 }, { "by", 2 }
	series[#series + 1], series[#series + 2] = { name = name }, { name = name .. " A16" }
end
local same, all, less = 0, 0, 0
local least, most = {}, {}
for i, name in ipairs(e.names) do
	local record = e:loads(name)
	local last = #record.events
	rows[i], places[i] = { name }, name
	for c, first in ipairs(FIRST) do
		local before, after = runs.overhead(record, first, last),
			runs.overhead(record, first .. " A16", last)
		local by = record.by[first].messages[last] / record.by[first ..
			" A16"].messages[last]
		local row = rows[i]
		row[#row + 1], row[#row + 2], row[#row + 3] = before, after, by
		series[2 * c - 1][i], series[2 * c][i] = before, after
		all, less = all + 1, less + (after < before and 1 or 0)
		least[c], most[c] = math.min(least[c] or 1e9, by), math.max(most[c] or 0, by)
		local a, b = record.by[first].error[last], record.by[first .. " A16"].error[last]
		same = same + (a and b and math.abs(a - b) < 0.05 and 1 or 0)
	end
end
rows[#rows + 1] = { "**average**", table.unpack(report.means(rows)) }
report.table(columns, rows)
print()
plot.csv(e, "fig10", "program", places, series)
plot.lines(e, "fig10", { title = "Overhead without and with A16", x = "program",
	y = "overhead, % of cycles", places = places, series = series, kind = "bars" })
print()
report.shape(less == all, "A16 reduces the overhead, in %d of %d cases", less, all)
for c, first in ipairs(FIRST) do
	report.shape(least[c] >= 1.15 * 0.98 and most[c] <= 2.5 * 1.02,
		"after %s it compresses by %.2f to %.2f (paper: 1.15 to 2.5)", first, least[c],
		most[c])
end
report.shape(same == all,
	"and the error stays the same (but for the 16 messages held back), in %d of %d cases", same,
	all)
