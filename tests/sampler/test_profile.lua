-- Profiles and the error of 5.3.1 against a few lines that compute the same in tables of Lua.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local ref = require "reference"
local streams = require "streams"

-- By the paper; counts[tag .. pc][value].
local function error_of(ideal, estimate, min_count, invariant, covered, only)
	local sum, weight, pcs, tuples, unseen, total = 0, 0, 0, 0, 0, 0
	for pc, values in pairs(ideal) do
		local n = 0
		for _, k in pairs(values) do
			n = n + k
		end
		local tag = pc >> 56
		if not only or tag == only then
			total = total + n
			local sufficient, part = {}, 0
			for value, k in pairs(values) do
				if k / n >= invariant then
					sufficient[value], part = k, part + k
				end
			end
			if n >= min_count and part / n >= covered then
				local seen, np = estimate[pc] or {}, 0
				for _, k in pairs(seen) do
					np = np + k
				end
				pcs, unseen = pcs + 1, unseen + (np == 0 and 1 or 0)
				for value, k in pairs(sufficient) do
					local ip = np > 0 and (seen[value] or 0) / np or 0
					sum, weight, tuples = sum + k * math.abs(k / n - ip),
						weight + k, tuples + 1
				end
			end
		end
	end
	return weight > 0 and sum / weight or nil, { pcs = pcs, tuples = tuples, weight = weight,
		total = total, unseen = unseen }
end

local function count(counts, pc, value, tag, n)
	local key = ref.key(pc, tag)
	counts[key] = counts[key] or {}
	counts[key][value] = (counts[key][value] or 0) + n
end

local function same_counts(p, counts, what)
	local tuples, total = 0, 0
	for key, values in pairs(counts) do
		local of_pc = 0
		for value, n in pairs(values) do
			tuples, of_pc = tuples + 1, of_pc + n
			if p:count(key & (1 << 56) - 1, value, key >> 56) ~= n then
				check.eq(p:count(key & (1 << 56) - 1, value, key >> 56), n, what)
			end
		end
		total = total + of_pc
		check.eq(p:count(key & (1 << 56) - 1, nil, key >> 56), of_pc,
			what .. ": executions")
	end
	check.eq(#p, tuples, what .. ": tuples")
	check.eq(p:count(), total, what .. ": all")
end

local function same_error(p, ideal_of, counts, estimate, limits, what)
	local e, d = p:error(ideal_of, limits)
	local want, details = error_of(counts, estimate, limits.min_count or 1000, limits.invariant
		or 0.10, limits.covered or 0.40, limits.tag)
	check.ok((e == nil) == (want == nil) and (e == nil or math.abs(e - want) < 1e-12),
		("%s: error %s, not %s"):format(what, e, want))
	for name, value in pairs(details) do
		check.eq(d[name], value, what .. ": " .. name)
	end
	-- The empty profile, too, equals itself only.
	local nothing = cyclops.profile()
	local all = ideal_of:errors({ nothing, p, ideal_of }, limits)
	check.eq(all[2], e or false, what .. ": among others")
	check.eq(all[1], nothing:error(ideal_of, limits) or false, what .. ": nothing seen")
	check.eq(all[3], e and 0.0 or false, what .. ": all seen")
	return e, d
end

-- ---- streams through a compressor ----
local made = {
	uniform = function(seed) return streams.uniform(seed, 30, 4) end,
	skewed = streams.skewed,
	wide = streams.wide,
	phases = streams.phases,
}
local selected = 0
for name, make in pairs(made) do
	for seed = 1, 3 do
		local st, next_tuple, counts, estimate = cyclops.stream(), make(seed), {}, {}
		for _ = 1, 6000 do
			local pc, value, tag = next_tuple()
			st:add(pc, value, tag)
			count(counts, pc, value, tag, 1)
		end
		local c = cyclops.compressor("H(P(8), 32)", { seed = seed })
		local messages = c:feed(st)
		for pc, value, tag, n in messages:tuples() do
			count(estimate, pc, value, tag, n)
		end
		local ideal, p = cyclops.profile():feed(st), cyclops.profile():fold(messages)
		local what = name .. " " .. seed
		same_counts(ideal, counts, what .. ", ideal")
		same_counts(p, estimate, what .. ", estimate")
		for _, limits in ipairs{ {}, { min_count = 100 }, { min_count = 1 },
			{ min_count = 200, invariant = 0.3, covered = 0.5 },
			{ min_count = 10, invariant = 0, covered = 1 },
				{ min_count = 100, tag = 0 }, { min_count = 100, tag = 1 },
				{ tag = 77 } } do
			local _, d = same_error(p, ideal, counts, estimate, limits, what)
			selected = selected + d.tuples
		end
		local top, last = ideal:top(#ideal), math.huge
		for i, t in ipairs(top) do
			check.ok(t.count <= last and t.count == ideal:count(t.pc, t.value, t.tag),
				"top " .. i)
			last = t.count
		end
		check.eq(#top, #ideal)
	end
end
check.ok(selected > 500, "tuples were selected")

-- ---- by hand: each threshold at its edge ----
local function profile(rows)
	local p, counts = cyclops.profile(), {}
	for _, row in ipairs(rows) do
		p:add(row[1], row[2], row[4] or 0, row[3])
		count(counts, row[1], row[2], row[4] or 0, row[3])
	end
	return p, counts
end
local function details(rows, limits)
	local p, counts = profile(rows)
	local _, d = same_error(p, p, counts, counts, limits or {}, "by hand")
	return d
end
check.eq(details{ { 1, 1, 1000 } }.tuples, 1)
check.eq(details{ { 1, 1, 999 } }.tuples, 0, "999 executions")
check.eq(details{ { 1, 1, 600 }, { 1, 2, 100 }, { 1, 3, 300 } }.tuples, 3, "10 %")
check.eq(details{ { 1, 1, 601 }, { 1, 2, 99 }, { 1, 3, 300 } }.tuples, 2, "9.9 %")
local function spread(first, others)
	local rows, left = { { 1, 0, first } }, 1000 - first
	for i = 1, others do
		rows[i + 1] = { 1, i, left // others + (i <= left % others and 1 or 0) }
	end
	return rows
end
check.eq(details(spread(400, 20)).tuples, 1, "40 % covered")
check.eq(details(spread(399, 20)).tuples, 0, "39.9 % covered")
check.eq(details({ { 1, 1, 70 }, { 1, 2, 30 }, { 1, 1, 50, 9 } },
	{ min_count = 60, tag = 9 }).total, 50)

-- I_i is 0.8 and 0.2 of pc 1, 1 of pc 2; the estimate has 0.5 and 0.5 of pc 1 and has not seen pc
-- 2.
local ideal, counts = profile{ { 1, 1, 800 }, { 1, 2, 200 }, { 2, 1, 1000 } }
local estimate, guesses = profile{ { 1, 1, 10 }, { 1, 2, 10 }, { 3, 3, 10 } }
local e, d = same_error(estimate, ideal, counts, guesses, {}, "the formula")
check.ok(math.abs(e - (800 * 0.3 + 200 * 0.3 + 1000 * 1) / 2000) < 1e-12, "the formula gives " .. e)
check.eq(d.unseen, 1)
-- Other tuples of the estimate increase its pc's executions.
estimate:add(1, 99, 0, 20)
count(guesses, 1, 99, 0, 20)
e = same_error(estimate, ideal, counts, guesses, {}, "with another value")
check.ok(math.abs(e - (800 * 0.55 + 200 * 0.05 + 1000 * 1) / 2000) < 1e-12, "the formula gives " ..
	e)

-- ---- many tuples: tables grow, and find everything ----
local big, r = cyclops.profile(), ref.random(3)
local want = {}
for i = 1, 30000 do
	local pc, value = r:below(5000) * 4, r:next()
	big:add(pc, value, i & 3, i)
	want[i] = { pc, value, i & 3 }
end
local wrong = 0
for i, w in ipairs(want) do
	wrong = wrong + (big:count(w[1], w[2], w[3]) ~= i and 1 or 0)
end
check.eq(wrong, 0)
check.eq(#big, 30000)
check.eq(big:count(), 30000 * 30001 // 2)
local i = 0
for pc, value, tag, n in big:tuples() do
	i = i + 1
	wrong = wrong + ((pc ~= want[i][1] or value ~= want[i][2] or tag ~= want[i][3] or n ~= i)
		and 1 or 0)
end
check.eq(wrong, 0, "in the order in which they came")
check.done()
