-- Addresses that loads and stores access: whether an instruction goes to one place again and again.
--
-- A load of one value from one place, to which no store was seen to write, can be made once, before
-- its loop; an array that happens to hold one value can't. `report hints` needs this beside
-- `results` to report such a load.

return {
	name = "addresses",
	capture = { load = "address", store = "address", atomic = "address" },
	sequence = function(seq, add)
		for _, t in ipairs(seq) do
			if t.address then
				add(t.pc, t.address)
			end
		end
	end,
	format = function(value)
		return machine.place(value)
	end,
}
