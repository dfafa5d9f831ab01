-- TAGE of Seznec and Michaud (JILP 2006): a table of two-bit counters, and four tables of tagged
-- entries that are chosen by ever longer histories. The longest match predicts; a wrong prediction
-- takes an entry for a longer history.
--   cyclops run -o bpred.update=fetch --plugin demos/plugins/tage.lua --summary \
--     build/demos/branchy
local LENGTH <const> = { 5, 15, 44, 130 }
local TABLES <const>, SIZE <const>, BASE <const> = 4, 1024, 4096
local INDEX_BITS <const>, TAG_BITS <const> = 10, 9
local AGING <const> = 1 << 18 -- updates until half of the bits of usefulness are cleared

-- Place of a branch's entry in table t, and its tag.
local function place(t, pc, h)
	local at = pc >> 1 ~ pc >> 1 + INDEX_BITS - t ~ h:fold(LENGTH[t], INDEX_BITS)
	local tag = pc >> 1 ~ h:fold(LENGTH[t], TAG_BITS) ~ h:fold(LENGTH[t], TAG_BITS - 1) << 1
	return (t - 1) * SIZE + (at & SIZE - 1), tag & (1 << TAG_BITS) - 1
end

-- The table that matches with the longest history up to table `most`, and its entry; 0: none does.
local function longest(s, pc, h, most)
	for t = most, 1, -1 do
		local i, tag = place(t, pc, h)
		if s.valid[i] == 1 and s.tag[i] == tag then
			return t, i
		end
	end
	return 0
end

local function base(pc)
	return pc >> 1 & BASE - 1
end

local function says(s, pc, t, i)
	if t == 0 then
		return s.base[base(pc)] >= 2
	end
	return s.counter[i] >= 0
end

-- The prediction of the longest match; of the next one if the longest's entry is new, and new
-- entries have predicted worse lately. Also that match, and the prediction without it.
local function decide(s, pc, h)
	local t, i = longest(s, pc, h, TABLES)
	local taken = says(s, pc, t, i)
	if t == 0 then
		return taken, t, i, taken
	end
	local other, j = longest(s, pc, h, t - 1)
	local without = says(s, pc, other, j)
	local c = s.counter[i]
	local new = (c == 0 or c == -1) and s.useful[i] == 0
	if new and s.distrust[0] >= 0 then
		return without, t, i, without
	end
	return taken, t, i, without
end

-- An entry without use in a table of longer histories becomes this branch's; if there is none, all
-- become less useful.
local function allocate(s, pc, h, from, taken)
	for t = from, TABLES do
		local i, tag = place(t, pc, h)
		if s.useful[i] == 0 then
			s.valid[i], s.tag[i], s.counter[i] = 1, tag, taken and 0 or -1
			return
		end
	end
	for t = from, TABLES do
		s.useful:add(place(t, pc, h), -1)
	end
end

return {
	description = "TAGE with four tables of 1024 entries, histories of 5 to 130 outcomes",
	state = {
		base = { BASE, bits = 2, init = { 1, 2 } },
		valid = { TABLES * SIZE, bits = 1 },
		tag = { TABLES * SIZE, bits = TAG_BITS },
		counter = { TABLES * SIZE, bits = 3, signed = true },
		useful = { TABLES * SIZE, bits = 2 },
		distrust = { 1, bits = 4, signed = true },
		clock = { 1, bits = 20 },
	},
	predict = function(s, pc, history, h)
		return (decide(s, pc, h))
	end,
	update = function(s, pc, taken, history, predicted, h)
		local said, t, i, without = decide(s, pc, h)
		local step = taken and 1 or -1
		if t == 0 then
			s.base:add(base(pc), step)
		else
			local own = s.counter[i] >= 0
			local c = s.counter[i]
			if (c == 0 or c == -1) and s.useful[i] == 0 and own ~= without then
				s.distrust:add(0, own == taken and -1 or 1)
			end
			if own ~= without then
				s.useful:add(i, own == taken and 1 or -1)
			end
			s.counter:add(i, step)
			if s.useful[i] == 0 then
				local other, j = longest(s, pc, h, t - 1)
				if other == 0 then
					s.base:add(base(pc), step)
				else
					s.counter:add(j, step)
				end
			end
		end
		if said ~= taken and t < TABLES then
			allocate(s, pc, h, t + 1, taken)
		end
		if s.clock:add(0, 1) == AGING then
			s.clock[0] = 0
			for k = 0, TABLES * SIZE - 1 do
				s.useful[k] = s.useful[k] >> 1
			end
		end
	end,
}
