-- A branch target buffer of one way that keeps 12 bits of tag and the last target. With full tags,
-- TAG_BITS = 62, it is the built-in one, cycle by cycle:
--   cyclops run -o bpred.update=commit --plugin btb.kind=demos/plugins/btb.lua --stats - \
--     build/demos/branchy
--   cyclops run -o bpred.update=commit -o btb.ways=1 -o btb.sets=256 -o bpred.index_shift=1 \
--     --stats - build/demos/branchy
local SETS <const>, TAG_BITS <const> = 256, 12

local function place(pc)
	return pc >> 1 & SETS - 1, pc >> 1 & (1 << TAG_BITS) - 1
end

return {
	description = "256 targets",
	state = {
		valid = { SETS, bits = 1 },
		tags = { SETS, bits = TAG_BITS },
		targets = { SETS, bits = 64 },
	},
	target = function(s, b)
		local i, tag = place(b.pc)
		if s.valid[i] == 1 and s.tags[i] == tag then
			return s.targets[i]
		end
	end,
	-- The return stack has the targets of returns.
	update = function(s, b)
		if b.taken and not b.returns then
			local i, tag = place(b.pc)
			s.valid[i], s.tags[i], s.targets[i] = 1, tag, b.next
		end
	end,
}
