-- Stores and the loads that read what they wrote, within one interpretation.
--
-- For each load the store that wrote the first of its bytes that were written, and for each store
-- the loads: candidates for keeping a value in a register. A pair is found if both are interpreted
-- in one sample: -o vsample.length=128 -o vsample.every=32 suffices for most.

return {
	name = "pairs",
	capture = { load = "address", store = "address", atomic = "address" },
	kinds = {
		{ name = "stores", summary = "of a load: the store that wrote what it reads",
			column = "stores" },
		{ name = "loads", summary = "of a store: the load that reads what it wrote",
			column = "loads" },
	},
	sequence = function(seq, add)
		local writer = {}
		for _, t in ipairs(seq) do
			if t.address and t.class ~= "store" then
				for i = 0, t.bytes - 1 do
					local store = writer[t.address + i]
					if store then
						add(t.pc, store, "stores")
						add(store, t.pc, "loads")
						break
					end
				end
			end
			if t.address and t.class ~= "load" then
				for i = 0, t.bytes - 1 do
					writer[t.address + i] = t.pc
				end
			end
		end
	end,
	format = function(value)
		return machine.place(value)
	end,
}
