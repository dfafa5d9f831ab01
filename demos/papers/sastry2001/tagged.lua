-- Section 5.4 of the tagged compressor: ShouldEvict and ShouldReplace, which the paper leaves open,
-- and the tags and ways it chose. Over the first 4 million loads of each program.
--
-- Expect: the later an entry is sent, the fewer messages; errors hardly change until an
-- entry waits for most of its 256 hits.
--
--     cyclops lua demos/papers/sastry2001/tagged.lua [--small] [--programs A,B] [--out FOLDER]
local runs, compressors, report = require "runs", require "compressors", require "report"
local e = runs.open(arg)

report.title "The tagged compressor: errors over the first 4 million loads, and overhead against R256's, averages of all programs"
local function means(names)
	local rows = {}
	for i, c in ipairs(names) do
		local error, early, overhead, worst = 0, 0, 0, 0
		for _, name in ipairs(e.names) do
			local record = e:loads(name)
			local errors, place = record.by[c].error,
				runs.place(record, compressors.TAGGED_EVENTS)
			local sum, count, quarter = 0, 0, 0
			for p = 1, place do
				sum, count = sum + (errors[p] or 0), count + (errors[p] and 1 or 0)
				if p == (place + 3) // 4 then
					quarter = sum / math.max(count, 1)
				end
			end
			local ratio = record.by[c].messages[place] / record.by.R256.messages[place]
			error, early, overhead, worst = error + sum / math.max(count, 1),
				early + quarter, overhead + ratio, math.max(worst, ratio)
		end
		rows[i] = { c, e:loads(e.names[1]).by[c].bits, early / #e.names, error / #e.names,
			overhead / #e.names, worst }
	end
	return rows
end
local names = { "R256", "H[P256]2048", table.unpack(compressors.tagged) }
local rows = means(names)
report.table({ { "compressor" }, { "bits", 0 }, { "error over the first quarter, %", 2 },
	{ "error over all, %", 2 }, { "messages over R256's", 2 }, { "at most", 2 } }, rows)
print()
local by = {}
for i, c in ipairs(names) do
	by[c] = rows[i]
end
local function t(o)
	return by[("T ways=%d tag=%d evict=%d replace=%d"):format(o.ways or 2, o.tag or 2,
	o.evict or 32, o.replace or 8)] end
report.shape(t{ evict = 128 }[5] < t{ evict = 32 }[5] and t{ evict = 32 }[5] < t{ evict = 8 }[5], "entries that are sent later send fewer messages: %.2f, %.2f, %.2f times R256's for evict = 8, 32, 128",
	t{ evict = 8 }[5], t{ evict = 32 }[5], t{ evict = 128 }[5])
-- The Pareto front: no other compressor has both a smaller error and fewer messages.
local function product(r) return r[4] * r[5] end
local best = t{}
for _, c in ipairs(compressors.tagged) do
	best = product(by[c]) < product(best) and by[c] or best
end
print(("- least error times messages of the tagged ones: %s, %.2f %% at %.2f times the " ..
	"messages"):format(best[1], best[4], best[5]))
local tags_best = true
for _, tag in ipairs{ 1, 4, 8 } do
	tags_best = tags_best and product(t{}) <= product(t{ tag = tag })
end
report.shape(tags_best, "tags of 2 bits have the best error and overhead (their product): 1 bit %.2f, 2 bits %.2f, 4 bits %.2f, 8 bits %.2f", product(t{ tag = 1 }),
	product(t{}), product(t{ tag = 4 }), product(t{ tag = 8 }))
local strata = by["H[P256]2048"][2]
print(("- storage with a tag of 1 bit: %s bits against %s, %.1f %% more (paper: at least 62 " ..
	"%%); of 2 bits: %s, %.1f %% more"):format(report.number(t{ tag = 1 }[2]),
	report.number(strata), 100 * (t{ tag = 1 }[2] / strata - 1), report.number(t{}[2]),
	100 * (t{}[2] / strata - 1)))
