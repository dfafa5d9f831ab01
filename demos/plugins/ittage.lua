-- ITTAGE of Seznec (JWAC-2, 2011): targets of indirect jumps from tables that are chosen by ever
-- longer paths. The longest match predicts, unless it has been wrong lately; a wrong prediction
-- takes an entry for a longer path. The target buffer predicts where no table matches:
--   cyclops run --plugin demos/plugins/ittage.lua --max-insts 400000 --stats - \
--     build/demos/lisp demos/programs/input/queens.lisp demos/programs/input/deriv.lisp
-- Of 733 jumps that are no returns it has 46 wrong, the target buffer alone 429.
local LENGTH <const> = { 4, 12, 32, 88 } -- bits of the path
local TABLES <const>, SIZE <const> = 4, 256
local INDEX_BITS <const>, TAG_BITS <const> = 8, 9

-- Place of a jump's entry in table t, and its tag.
local function place(t, pc, h)
	local at = pc >> 1 ~ pc >> 1 + INDEX_BITS - t ~ h:path_fold(LENGTH[t], INDEX_BITS)
	local tag = pc >> 1 ~ h:path_fold(LENGTH[t], TAG_BITS) ~
		h:path_fold(LENGTH[t], TAG_BITS - 1) << 1
	return (t - 1) * SIZE + (at & SIZE - 1), tag & (1 << TAG_BITS) - 1
end

-- The table that matches with the longest path up to table `most`, and its entry; 0: none does.
local function longest(s, pc, h, most)
	for t = most, 1, -1 do
		local i, tag = place(t, pc, h)
		if s.valid[i] == 1 and s.tag[i] == tag then
			return t, i
		end
	end
	return 0
end

-- The target of the longest match; of the next one if that entry is unsure and the other is not.
-- Also both entries.
local function decide(s, pc, h)
	local t, i = longest(s, pc, h, TABLES)
	if t == 0 then
		return nil, 0
	end
	local other, j = longest(s, pc, h, t - 1)
	if other > 0 and s.sure[i] == 0 and s.sure[j] > 0 then
		return s.target[j], t, i, j
	end
	return s.target[i], t, i
end

-- An entry without use for a longer path becomes this jump's; if there is none, all become less
-- useful.
local function allocate(s, pc, h, from, target)
	for t = from, TABLES do
		local i, tag = place(t, pc, h)
		if s.useful[i] == 0 then
			s.valid[i], s.tag[i], s.target[i], s.sure[i] = 1, tag, target, 0
			return
		end
	end
	for t = from, TABLES do
		s.useful[place(t, pc, h)] = 0
	end
end

return {
	description = "ITTAGE with four tables of 256 targets, paths of 4 to 88 bits",
	state = {
		valid = { TABLES * SIZE, bits = 1 },
		tag = { TABLES * SIZE, bits = TAG_BITS },
		target = { TABLES * SIZE, bits = 64 },
		sure = { TABLES * SIZE, bits = 2 },
		useful = { TABLES * SIZE, bits = 1 },
	},
	target = function(s, b, h)
		return (decide(s, b.pc, h))
	end,
	update = function(s, b, h)
		if not b.indirect or b.returns then
			return
		end
		local said, t, i, j = decide(s, b.pc, h)
		if t > 0 then
			if s.target[i] == b.next then
				s.sure:add(i, 1)
				if said == b.next and j == nil and s.sure[i] > 1 then
					s.useful[i] = 1
				end
			elseif s.sure[i] > 0 then
				s.sure:add(i, -1)
			else
				s.target[i] = b.next
			end
		end
		if (said or b.predicted) ~= b.next and t < TABLES then
			allocate(s, b.pc, h, t + 1, b.next)
		end
	end,
}
