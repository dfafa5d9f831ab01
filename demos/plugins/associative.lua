-- The associative table of counters of Sastry, Bodik and Smith (3.4), A(16), as a stage of the
-- stream sampler's compressor. Its messages are those of the built-in one. If a sampler of one in N
-- precedes it, set UNIT to N:
--   cyclops run --plugin demos/plugins/associative.lua --stats - build/demos/branchy
--   cyclops run -o sampler.enable=true -o 'sampler.compressor=A(16)' --stats - build/demos/branchy
local ENTRIES <const>, BITS <const>, UNIT <const> = 16, 8, 1
local MOST <const> = (1 << BITS) - 1

-- The tuple's entry and true; else a free entry, or the least recently used one, and false.
local function choose(s, pc, value)
	local oldest = 0
	for i = 0, ENTRIES - 1 do
		if s.counts[i] > 0 and s.pcs[i] == pc and s.values[i] == value then
			return i, true
		end
		if s.used[i] < s.used[oldest] then
			oldest = i
		end
	end
	return oldest, false
end

-- Sends the entry as a message, and gives it to another tuple with the count `n`.
local function send(s, i, pc, value, n)
	local old_pc, old_value, count = s.pcs[i], s.values[i], s.counts[i] * UNIT
	s.pcs[i], s.values[i], s.counts[i] = pc, value, n
	if n == 0 then
		s.used[i] = 0
	end
	return old_pc, old_value, count
end

return {
	description = "16 associative counters of 8 bits",
	state = {
		pcs = { ENTRIES, bits = 64 },
		values = { ENTRIES, bits = 64 },
		counts = { ENTRIES, bits = BITS },
		used = { ENTRIES, bits = 40 }, -- the clock at the last use; 0: free
		clock = { 1, bits = 40 },
	},
	take = function(s, pc, value, count)
		local n = count // UNIT
		local i, own = choose(s, pc, value)
		if own or n < MOST then
			s.used[i] = s.clock:add(0, 1)
		end
		if n >= MOST then -- more than a counter holds
			return pc, value, count
		end
		if own and s.counts[i] + n < MOST then
			s.counts:add(i, n)
		elseif own and s.counts[i] + n == MOST then
			s.counts[i] = MOST
			return send(s, i, pc, value, 0)
		elseif s.counts[i] > 0 then
			return send(s, i, pc, value, n)
		else
			s.pcs[i], s.values[i], s.counts[i] = pc, value, n
		end
	end,
	-- Sends the tuples still held, the least recently used entry first.
	drain = function(s)
		local first
		for i = 0, ENTRIES - 1 do
			if s.counts[i] > 0 and (not first or s.used[i] < s.used[first]) then
				first = i
			end
		end
		if first then
			return send(s, first, 0, 0, 0)
		end
	end,
}
