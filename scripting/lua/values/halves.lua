-- Results of instructions, the lower and upper 32 bits separately.
--
-- Programs pack several things into a word: flags into one half and a number into the other, a
-- board of 64 squares. The whole is then never the same, but a half may nearly always be.
-- Instructions on at most 32 bits (lw, addw) are left out: their upper half carries no information.

return {
	name = "halves",
	capture = { all = "result" },
	kinds = {
		{ name = "low", summary = "bits 0 to 31 of what an instruction computes",
			column = "low halves" },
		{ name = "high", summary = "bits 32 to 63 of it", column = "high halves" },
	},
	sequence = function(seq, add)
		for _, t in ipairs(seq) do
			if t.result and (t.bytes or 8) == 8 and not t.op:find "w$" then
				add(t.pc, t.result & 0xffffffff, "low")
				add(t.pc, t.result >> 32, "high")
			end
		end
	end,
}
