-- Figure 7: error and overhead over events of the program that is hardest to profile; the paper's
-- is gcc, ours lisp, which has a million different (load, value) pairs and yet many loads that are
-- worth knowing.
--
-- Expect: P like R; T the most accurate, for almost three times the overhead; H[P256]2048
-- at a given error for good in a part of the events that R256 needs, for less overhead at first;
-- H[P512]2048 as accurate as R256 at half the overhead.
--
--     cyclops lua demos/papers/sastry2001/fig7.lua [--small] [--programs NAME] [--events N] [--out FOLDER]
local runs, compressors, curves, report = require "runs", require "compressors", require "curves",
	require "report"
local e = runs.open(arg)
local name = e.only and e.only[1] or "lisp"
local record = e:loads(name)
local last = #record.events
local n = record.events[last]
local R <const>, P <const>, H <const>, H512 <const>, T <const> = table.unpack(compressors.main)

report.title("Figure 7: %s, values of loads; %s events, %s instructions, %s cycles", name,
	report.number(n), report.number(record.insts),
	report.number(record.cycles[last]))
curves.errors(e, "fig7-error-4M", name .. ": error, first 4 million events", record,
	compressors.main, 4000000)
curves.errors(e, "fig7-error", name .. ": error", record, compressors.main, n)
curves.overheads(e, "fig7-overhead", name .. ": overhead of 30 cycles a message", record,
	compressors.main, n)
print()

local LIMITS <const> = { 5, 3, 2 }
local columns = { { "compressor" }, { "bits", 0 }, { "error, %", 2 }, { "overhead, %", 2 },
	{ "messages", 0 } }
for _, limit in ipairs(LIMITS) do
	columns[#columns + 1] = { ("at %d %% first"):format(limit) }
	columns[#columns + 1] = { ("for good"):format(limit) }
end
local rows = {}
for i, c in ipairs(compressors.main) do
	local by = record.by[c]
	rows[i] = { c, by.bits, by.error[last] or "", runs.overhead(record, c, last),
		by.messages[last] }
	for _, limit in ipairs(LIMITS) do
		local first, good = runs.settles(record, c, limit)
		rows[i][#rows[i] + 1] = curves.events(first)
		rows[i][#rows[i] + 1] = curves.events(good)
	end
end
report.table(columns, rows)
print()

-- ---- the paper's claims ----
local function error_at(c, place) return record.by[c].error[place or last] or 0 end
local function mean(c)
	local sum, count = 0, 0
	for _, x in ipairs(record.by[c].error) do
		if x then
			sum, count = sum + x, count + 1
		end
	end
	return sum / count
end
for _, limit in ipairs(LIMITS) do
	local _, r = runs.settles(record, R, limit)
	local _, h = runs.settles(record, H, limit)
	if r and h then
		report.shape(h * 2 <= r, "%s is at %d %% for good after %s events, %s after %s: %.1f times as many (paper, 5 %%: 300k and 7M)", H, limit, curves.events(h), R,
			curves.events(r), r / h)
	end
end
report.shape(math.abs(mean(P) / mean(R) - 1) < 0.25,
	"R and P are alike: %.2f %% and %.2f %% on average over the run", mean(R), mean(P))
local least = T
for _, c in ipairs(compressors.main) do
	least = mean(c) < mean(least) and c or least
end
local ratio = runs.overhead(record, T, last) / runs.overhead(record, R, last)
report.shape(least == T, "T is the most accurate: %.2f %% on average over the run, %s %.2f %%",
	mean(T), H, mean(H))
report.shape(ratio >= 1.7 and ratio <= 3.5, "for almost three times the overhead of %s: %.2f times",
	R, ratio)
report.shape(mean(H512) < mean(R) * 1.15,
	"%s is as accurate as %s (%.2f %% and %.2f %% on average)", H512, R, mean(H512), mean(R))
report.shape(math.abs(record.by[H512].messages[last] / record.by[R].messages[last] - 0.5) < 0.08,
	"at half the overhead: %.2f",
	record.by[H512].messages[last] / record.by[R].messages[last])
local saved, most = {}, 0
for i, m in ipairs(record.by[H].messages) do
	saved[i] = record.events[i] // 256 - m
	most = math.max(most, saved[i])
end
report.shape(most <= 2048 and saved[last] > 0,
	"strata hold back up to 2K messages: at most %s, %s at the end", report.number(most),
	report.number(saved[last]))
local early, late = runs.place(record, n // 16), last
local function part(place) return runs.overhead(record, H, place) / runs.overhead(record, R,
	place) end
report.shape(part(late) > part(early), "the advantage in overhead vanishes with time: %.3f of %s's after %s events, %.3f at the end", part(early), R,
	curves.events(record.events[early]), part(late))
