-- Computations of the pages of demos/papers/zilles2001: errors of profiles, correlations,
-- pictures.
package.path = "tests/lua/?.lua;demos/papers/zilles2001/?.lua;demos/papers/?.lua;" .. package.path
local check, truths, ranks, scatter, values = require "check", require "truth", require "ranks",
	require "cyclops.scatter", require "cyclops.values"

local function near(got, want, what)
	check.ok(math.abs(got - want) < 1e-12, ("%s: %.17g is %.17g"):format(what, got, want))
end

-- ---- errors ----
-- Two loads: one brings 7 in nine of ten cases and 8 in one, the other brings 5 always.
local truth = { [16] = { count = 10, values = { [7] = 9, [8] = 1 } },
	[32] = { count = 30, values = { [5] = 30 } } }
local function profile(loads)
	local p = { loads = {} }
	for pc, estimates in pairs(loads) do
		p.loads[pc] = { pc = pc, samples = 1, values = {} }
		for value, estimate in pairs(estimates) do
			table.insert(p.loads[pc].values, { value = value, estimate = estimate })
		end
	end
	return p
end
local index = truths.index(truth)

local nothing, parts = truths.judge(index, profile{})
near(nothing ^ 2, (9 * 0.9 ^ 2 + 1 * 0.1 ^ 2 + 30) / 40, "knowing nothing")
near(parts.missed, 1, "all loads are missed")

local all = truths.judge(index, profile{ [16] = { [7] = 0.9, [8] = 0.1 }, [32] = { [5] = 1 } })
near(all, 0, "knowing all")

local some
some, parts = truths.judge(index, profile{ [16] = { [7] = 0.5 } })
local missed, unseen, wrong = 30, 1 * 0.1 ^ 2, 9 * 0.4 ^ 2
near(some ^ 2, (missed + unseen + wrong) / 40, "knowing something")
near(parts.missed, missed / (missed + unseen + wrong), "loads that are missed")
near(parts.unseen, unseen / (missed + unseen + wrong), "values that are not seen")
near(parts.wrong, wrong / (missed + unseen + wrong), "estimates that are wrong")

-- At random, as cyclops.values reckons it.
local seed = 12345
local function random(n)
	seed = (seed * 1103515245 + 12345) & 0x7fffffff
	return (seed >> 8) % n
end
for round = 1, 20 do
	local loads, known = {}, {}
	for i = 1, 1 + random(30) do
		local load = { count = 0, values = {} }
		loads[4 * i], known[4 * i] = load, random(4) > 0 and {} or nil
		for _ = 1, 1 + random(9) do
			local value, n = random(50), 1 + random(1000)
			load.count, load.values[value] = load.count + n - (load.values[value] or 0),
				n
			if known[4 * i] and random(3) > 0 then
				known[4 * i][value] = random(1001) / 1000
			end
		end
	end
	local p = profile(known)
	local error
	error, parts = truths.judge(truths.index(loads), p)
	near(error, values.error(p, loads), "round " .. round)
	near(parts.missed + parts.unseen + parts.wrong, 1, "parts")
end

-- ---- sizes and points ----
local size = truths.size(index)
check.eq(size.static, 2)
check.eq(size.most, 2)
check.eq(size.dynamic, 40)
check.eq(size.distinct, 3)
near(size.invariant, 39 / 40, "of 90 % invariance: 7 and 5")
local function most(a, b)
	return truths.size(truths.index{ [4] = { count = a, values = { [1] = a } },
		[8] = { count = b, values = { [1] = b } } }).most
end
check.eq(most(990, 10), 1, "loads that do 99 %")
check.eq(most(11, 989), 2)

local points =
	truths.points(
	truths.index{ [4] = { count = 100, values = { [1] = 5, [2] = 10, [3] = 85 } } },
	profile{ [4] = { [1] = 0.1, [3] = 0.7 } })
check.eq(#points, 3, "one is overrated, one never seen")
check.eq(points[1].estimate, 0.1)
check.eq(points[2].estimate, 0)
check.eq(points[3].truth, 0.85)
check.eq(points[3].count, 85)
check.eq(#truths.points(truths.index{ [4] = { count = 100, values = { [1] = 9, [2] = 91 } } },
	profile{}), 1, "a tenth at least")
check.eq(truths.pairs(profile{ [4] = { [1] = 1, [2] = 1 }, [8] = { [1] = 1 } }), 3)

-- ---- ranks ----
near(ranks.correlation({ 1, 2, 3 }, { 10, 100, 1000 }), 1, "grows")
near(ranks.correlation({ 1, 2, 3 }, { 9, 8, 1 }), -1, "falls")
near(ranks.correlation({ 1, 2, 3, 4 }, { 2, 1, 4, 3 }), 0.6, "mostly grows")
near(ranks.correlation({ 1, 2, 3 }, { 5, 5, 5 }), 0, "does not change")
near(ranks.correlation({ 1, 1, 2, 2 }, { 3, 3, 7, 7 }), 1, "equal ones share a rank")

-- ---- pictures ----
local one, two = { name = "one", { 0, 0, "the < origin" }, { 100, 50 } },
	{ name = "two", joined = true, { 25, 100 }, { 50, 25 } }
local chart = { title = "a < b & c", x = "x", y = "y", series = { one, two },
	most = 100, band = 10 }
local svg = scatter.svg(chart)
check.eq(svg, scatter.svg(chart), "the same bytes")
check.ok(svg:find("a &lt; b &amp; c", 1, true) and svg:find("the &lt; origin", 1, true))
local marks = select(2, svg:gsub('class="s%d" ', "%0"))
check.eq(marks, 6, "marks, of two series and four points")
-- 460 pixels to a side, from (64, 524) at the origin.
check.ok(svg:find('cx="64.0" cy="524.0"', 1, true), "the origin")
check.ok(svg:find('cx="524.0" cy="294.0"', 1, true), "100, 50")
check.ok(svg:find('class="s1 line" d="M179.0 64.0L294.0 409.0"', 1, true), "two is joined")
check.ok(svg:find('class="guide" d="M64.0 524.0L524.0 64.0"', 1, true), "the diagonal")
local log = scatter.svg{ title = "", x = "", y = "", xlog = true,
	series = { { name = "", { 10, 1 }, { 100, 1 }, { 1000, 2 } } } }
check.ok(log:find('cx="294.0"', 1, true), "100 is in the middle of 10 to 1000")
check.done()
