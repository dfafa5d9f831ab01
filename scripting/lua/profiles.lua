-- Compare two profiles, tables of counts by any name: the difference of their shares.
--
-- These functions are in cyclops.xprof, too:
--
--     local profiles = require "cyclops.profiles"
--     print(profiles.accuracy({ main = 3, sift = 1 }, { main = 2, sift = 2 }))

local arguments = require "cyclops.arguments"
local fail = arguments.fail

local profiles = {}

-- Keys of both, in a fixed order: sums of floats depend on it.
local function keys_of(level, a, b)
	local keys, seen = {}, {}
	for _, v in ipairs{ a, b } do
		if type(v) ~= "table" then
			fail(level + 1, "a profile is a table of counts, not %s", arguments.a(v))
		end
		for key, n in pairs(v) do
			if type(n) ~= "number" or n < 0 or n ~= n then
				fail(level + 1, "a profile has counts, not %s = %s", tostring(key),
					tostring(n))
			end
			if not seen[key] then
				seen[key], keys[#keys + 1] = true, key
			end
		end
	end
	table.sort(keys, function(p, q)
		if type(p) ~= type(q) then
			return type(p) < type(q)
		end
		return p < q
	end)
	return keys
end

local function sum(v, keys)
	local total = 0
	for _, key in ipairs(keys) do
		total = total + (v[key] or 0)
	end
	return total
end

local function distance_of(level, a, b)
	local keys = keys_of(level + 1, a, b)
	local total_a, total_b = sum(a, keys), sum(b, keys)
	if total_a == 0 or total_b == 0 then
		return total_a == total_b and 0.0 or 2.0
	end
	local distance = 0.0
	for _, key in ipairs(keys) do
		distance = distance + math.abs((a[key] or 0) / total_a - (b[key] or 0) / total_b)
	end
	return distance
end

--- profiles.distance(A, B) -> NUMBER
-- The Manhattan distance of two profiles, tables of counts by any name: each is divided by its sum,
-- and the absolute differences are added. 0 if they are proportional, 2 if they have nothing in
-- common; also 2 if only one of them is empty.
function profiles.distance(a, b)
	local distance = distance_of(1, a, b)
	return distance
end

--- profiles.accuracy(A, B) -> PERCENT
-- Similarity to the perfect profile: (1 - distance / 2) * 100 (Vaswani, VI.C).
function profiles.accuracy(a, b)
	return math.max(0, 1 - distance_of(1, a, b) / 2) * 100 -- not negative by rounding
end

return profiles
