-- Which access each load may conflict with, so that it is replayed: an order, size or synonym trap, and whose.
--
-- Section 3.2 of the paper: ProfileMe names loads that are replayed, but not because of whom; this names, for each load, accesses that are
-- near enough to be in flight with it and conflict by their addresses and sizes, unless the load's address is computed from what the
-- other one loads. Interpret long runs seldom (vsample.length=128 vsample.every=128), and believe it of loads that ProfileMe has seen replayed.

local IN_FLIGHT = 80     -- instructions; two loads may be farther apart
local INDEX = 32768      -- bytes after which the place in the cache is the same
local LINE = 64          -- bytes
local trap = { "order", "size", "synonym" }
local ORDER, SIZE, SYNONYM = 1, 2, 3

-- The place of the instruction that computed each source of instruction i, within the sequence.
local function find_producers(seq)
	local last, from = {}, {}
	for i, t in ipairs(seq) do
		from[i] = { last[t.source1], last[t.source2], last[t.source3] }
		if t.rd then
			last[t.rd] = i
		end
	end
	return from
end

-- Whether what instruction `user` reads was computed from what instruction `maker` computed. `seen` is for one user.
local function depends(from, user, maker, seen)
	for _, i in pairs(from[user]) do
		if i == maker then
			return true
		end
		if i > maker and not seen[i] then
			seen[i] = true
			if depends(from, i, maker, seen) then
				return true
			end
		end
	end
	return false
end

local function writes(t)
	return t.class ~= "load"
end

-- How the load t may conflict with the older access o; nil: not at all.
local function conflict(t, o, distance)
	local first, last = t.address, t.address + t.bytes - 1
	local behind = o.address + o.bytes - 1
	if writes(o) and distance < IN_FLIGHT and first <= behind and o.address <= last then
		return o.address <= first and last <= behind and ORDER or SIZE
	end
	if first // LINE ~= o.address // LINE and first % INDEX // LINE == o.address % INDEX // LINE and
		(distance < IN_FLIGHT or not writes(o)) then
		return SYNONYM
	end
	return nil
end

return {
	name = "vreplay",
	capture = { all = "pc", load = "address", store = "address", atomic = "address" },
	column = "traps",
	sequence = function(seq, add)
		local from, accesses = find_producers(seq), {}
		for i, t in ipairs(seq) do
			if t.class == "load" and t.address then
				local said, stored = {}, false
				for k = #accesses, 1, -1 do
					local j = accesses[k]
					local o = seq[j]
					local how = conflict(t, o, t.place - o.place)
					-- Of the stores to its bytes the youngest is the one that it meets.
					if how and (how == SYNONYM or not stored) then
						stored = stored or how ~= SYNONYM
						local value = o.pc << 2 | how
						if not said[value] and not depends(from, i, j, {}) then
							said[value] = true
							add(t.pc, value)
						end
					end
				end
			end
			if t.address then
				accesses[#accesses + 1] = i
			end
		end
	end,
	format = function(value)
		return ("%s 0x%x"):format(trap[value & 3], value >> 2)
	end,
}
