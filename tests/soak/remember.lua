-- A customisation module with much to remember from one sequence to the next, of which each changes
-- little.
return {
	name = "remember",
	capture = { all = "result", load = "result address latency" },
	kinds = { "seen", "apart" },
	column = "numbers",
	state = { count = 0, last = {} },
	sequence = function(seq, add, state)
		for _, t in ipairs(seq) do
			local key = t.pc % 1021
			state.count = state.count + 1
			add(t.pc, state.count, "seen")
			if state.last[key] then
				add(t.pc, (t.result or 0) - state.last[key], "apart")
			end
			state.last[key] = t.result or 0
		end
	end,
}
