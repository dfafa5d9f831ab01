-- Arguments by call site: a0 to a3 of calls, at the instruction that calls.
--
-- A routine that gets anything at all may get the same from one place: log(1.0), there. Calls that were interpreted say so themselves. Where
-- the first instruction of a procedure was interpreted without its call, the call is the one before the address that it returns to, which
-- is in ra or at the top of the stack; call frame information says in which, if in either.

local kinds <const> = { "a0", "a1", "a2", "a3" }

local function note(add, site, t)
	for _, name in ipairs(kinds) do
		if t[name] then
			add(site, t[name], name)
		end
	end
end

return {
	name = "args",
	capture = { all = "a0 a1 a2 a3 context" },
	kinds = kinds,
	column = "arguments",
	sequence = function(seq, add)
		for i, t in ipairs(seq) do
			if t.class == "jump" and (t.rd == "ra" or t.rd == "t0") then
				note(add, t.pc, t)
			elseif i == 1 and t.ra and machine.procedure(t.pc) == t.pc then
				local behind = machine.caller(t.pc, t.ra, t.top or 0)
				local site, target
				if behind then
					site, target = machine.call(behind)
				end
				if site and (target or t.pc) == t.pc then -- else it was jumped to from what was called
					note(add, site, t)
				end
			end
		end
	end,
}
