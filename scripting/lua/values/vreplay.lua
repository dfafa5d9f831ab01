-- The accesses with which each load may conflict, so that it is replayed: order, size or synonym
-- traps.
--
-- Section 3.2 of the paper: ProfileMe finds loads that are replayed, but not the cause; this lists,
-- for each load, accesses that are near enough to be in flight with it and conflict by address and
-- size, unless the load's address is computed from the other one's result. A load passes an older
-- store only while the store's address is unknown; for its data the load waits. If a store and a
-- load access the same bytes, the store is named if its address is ready later than the load's, by
-- the lengths of the chains that compute them. An atomic has its address when all before it is
-- done. Interpret long runs seldom (vsample.length=128 vsample.every=128), and trust the result for
-- loads that ProfileMe has seen replayed.

local IN_FLIGHT = 80     -- instructions; two loads may be farther apart
local INDEX = 32768      -- bytes after which the cache index repeats
local LINE = 64          -- bytes
local WIDTH = 4          -- instructions that come in a cycle
-- Cycles from an instruction's operands to its result, where it is not 1: loads that hit.
local LATENCY = { load = 3, atomic = 3, mul = 7, div = 20, fp = 4 }
local trap = { "order", "size", "synonym" }
local ORDER, SIZE, SYNONYM = 1, 2, 3

-- The index in the sequence of the instruction that computed each source of instruction i.
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

-- The cycle in which each access has its address, if all older results are available: in arrival
-- order, or after the longest chain.
local function find_known(seq, from)
	local known, done, all = {}, {}, 0
	for i, t in ipairs(seq) do
		local at = (i - 1) // WIDTH
		known[i] = math.max(at, done[from[i][1]] or 0)
		for _, maker in pairs(from[i]) do
			at = math.max(at, done[maker])
		end
		if t.class == "atomic" then
			at = math.max(at, all)
			known[i] = at
		end
		done[i] = at + (LATENCY[t.class] or 1)
		all = math.max(all, done[i])
	end
	return known
end

-- depends(J): whether an input of instruction i was computed from the result of instruction J.
-- Searches back only as far as J.
local function ancestors(from, i)
	local seen, waiting = { [i] = true }, { i }
	return function(j)
		local left, expand = {}, waiting
		waiting = {}
		while #expand > 0 do
			for _, node in ipairs(expand) do
				if node <= j then
					waiting[#waiting + 1] = node
				else
					for _, maker in pairs(from[node]) do
						if not seen[maker] then
							seen[maker] = true
							left[#left + 1] = maker
						end
					end
				end
			end
			expand, left = left, {}
		end
		return seen[j]
	end
end

local function writes(t)
	return t.class ~= "load"
end

-- How the load t conflicts with an older access that writes some of its bytes; nil: it does not.
local function overlap(t, o)
	local first, last, behind = t.address, t.address + t.bytes - 1, o.address + o.bytes - 1
	if first <= behind and o.address <= last then
		return o.address <= first and last <= behind and ORDER or SIZE
	end
end

local function in_flight(t, o)
	return t.place - o.place < IN_FLIGHT
end

-- The load conflicts with the youngest store to its bytes, by their order if it can pass it.
local function youngest_store(seq, stores, t, depends, passes, found)
	for k = #stores, 1, -1 do
		local j = stores[k]
		local o = seq[j]
		if not in_flight(t, o) then
			return
		end
		local how = overlap(t, o)
		if how then
			if not depends(j) and (how ~= ORDER or passes(j)) then
				found[#found + 1] = { j, o.pc << 2 | how }
			end
			return
		end
	end
end

-- The youngest access of each instruction to a line with this cache index, and another address.
local function synonyms(seq, lines, t, depends, found)
	for line, by_pc in pairs(lines) do
		for pc, list in pairs(line ~= t.address // LINE and by_pc or {}) do
			for k = #list, 1, -1 do
				local j = list[k]
				local o = seq[j]
				if writes(o) and not in_flight(t, o) then
					break
				elseif not depends(j) then
					found[#found + 1] = { j, pc << 2 | SYNONYM }
					break
				end
			end
		end
	end
end

local function younger(a, b)
	return a[1] > b[1]
end

return {
	name = "vreplay",
	capture = { all = "pc", load = "address", store = "address", atomic = "address" },
	column = "traps",
	-- Accesses are indexed by cache index, so that each load is compared with few.
	sequence = function(seq, add)
		local from, stores, places = find_producers(seq), {}, {}
		local known = find_known(seq, from)
		for i, t in ipairs(seq) do
			local line = t.address and t.address // LINE
			local place = t.address and t.address % INDEX // LINE
			if t.address and t.class == "load" then
				local said, found, depends = {}, {}, ancestors(from, i)
				youngest_store(seq, stores, t, depends,
					function(j) return known[j] > known[i] end, found)
				synonyms(seq, places[place] or {}, t, depends, found)
				table.sort(found, younger)
				for _, f in ipairs(found) do
					if not said[f[2]] then
						said[f[2]] = true
						add(t.pc, f[2])
					end
				end
			end
			if t.address then
				if writes(t) then
					stores[#stores + 1] = i
				end
				local lines = places[place] or {}
				local by_pc = lines[line] or {}
				local list = by_pc[t.pc] or {}
				places[place], lines[line], by_pc[t.pc] = lines, by_pc, list
				list[#list + 1] = i
			end
		end
	end,
	format = function(value)
		return ("%s 0x%x"):format(trap[value & 3], value >> 2)
	end,
}
