-- True against estimated invariance: a point for each pair of a load and a value whose true or
-- estimated invariance is at least 0.1.
--
-- Expect: points near the diagonal. Points far from it, and on the axis (never sampled), are rare
-- pairs.
--
--     cyclops lua demos/papers/zilles2001/invariance.lua [--small] [--programs A,B] [--insts N] [--out FOLDER]
local runs, report, scatter = require "runs", require "report", require "cyclops.scatter"
local e = runs.open(arg)
local main = e:main()
local BAND <const> = 10
-- Marks by how often the value was loaded.
local CLASSES <const> = { { 0, "below 1000 times" }, { 1000, "1000 times and more" },
	{ 30000, "30,000 times and more" } }

local function write_csv(name, points)
	local lines = { "pc,value,loaded,true,estimated" }
	for _, p in ipairs(points) do
		lines[#lines + 1] = ("0x%x,0x%x,%d,%.6f,%.6f"):format(p.pc, p.value, p.count,
			p.truth, p.estimate)
	end
	e:write(name, table.concat(lines, "\n") .. "\n")
end

report.title("True and estimated invariance of values: %s", main)
local points, series = e:record(main, "value").points, {}
for c, class in ipairs(CLASSES) do
	series[c] = { name = class[2] }
end
for _, p in ipairs(points) do
	local c = #CLASSES
	while p.count < CLASSES[c][1] do
		c = c - 1
	end
	table.insert(series[c], { 100 * p.truth, 100 * p.estimate,
		("pc 0x%x, value 0x%x: %d times"):format(p.pc, p.value, p.count) })
end
write_csv("invariance.csv", points)
e:save("invariance.svg", "estimated and true invariance",
	scatter.svg{ title = main .. ": estimated and true invariance of values",
	x = "true invariance, %", y = "estimated invariance, %", series = series, most = 100,
		band = BAND })
print()

-- ---- all programs ----
local function median(list)
	table.sort(list)
	return #list % 2 == 1 and list[#list // 2 + 1] or #list > 0
		and (list[#list // 2] + list[#list // 2 + 1]) / 2 or 0
end
local rows, near_all, rare_all, unseen_all = {}, 0, 0, 0
for i, name in ipairs(e.names) do
	local all, near, weight, near_weight, unseen = 0, 0, 0, 0, 0
	local inside, outside, absent = {}, {}, {}
	for _, p in ipairs(e:record(name, "value").points) do
		local close = math.abs(p.truth - p.estimate) <= BAND / 100
		all, weight = all + 1, weight + p.count
		near, near_weight = near + (close and 1 or 0),
			near_weight + (close and p.count or 0)
		table.insert(close and inside or outside, p.count)
		if p.estimate == 0 then
			unseen = unseen + 1
			absent[#absent + 1] = p.count
		end
	end
	local in_most, out_most, absent_most = median(inside), median(outside), median(absent)
	rows[i] = { name, all, 100 * near / math.max(all, 1), 100 * near_weight / math.max(weight,
		1), in_most, out_most,
		100 * unseen / math.max(all, 1), absent_most }
	near_all = near_all + (near_weight > 0.9 * weight and 1 or 0)
	rare_all = rare_all + ((#outside == 0 or out_most < in_most) and 1 or 0)
	unseen_all = unseen_all + ((#absent == 0 or absent_most < in_most) and 1 or 0)
end
report.table({ { "program" }, { "points", 0 }, { "within 10 % of the truth, %", 1 },
	{ "weighted by loads, %", 1 }, { "loaded, median: within", 0 },
	{ "farther off", 0 }, { "never seen, %", 1 }, { "loaded, median", 0 } }, rows)
print()
report.shape(near_all == #e.names,
	"most estimates are within 10 %%: of nine in ten values loaded, in %d of %d programs",
	near_all, #e.names)
report.shape(rare_all == #e.names,
	"outliers were loaded less often than the others (their medians), in %d of %d programs",
	rare_all, #e.names)
report.shape(unseen_all == #e.names, "so were values that were never seen, in %d of %d programs",
	unseen_all, #e.names)
