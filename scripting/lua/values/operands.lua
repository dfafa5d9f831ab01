-- Operands of long operations: the second operands of divisions and multiplications.
--
-- A division that nearly always divides by one number, or a multiplication by a power of two, can
-- be a shift or a case of its own: the values by which `report hints` finds them (Calder, Feller
-- and Eustace specialise such places).

return {
	name = "operands",
	capture = { all = false, div = "operands", mul = "operands" },
	sequence = function(seq, add)
		for _, t in ipairs(seq) do
			add(t.pc, t.rs2)
		end
	end,
}
