-- Arguments by call site: a0 to a3 of calls, at the instruction that calls.
--
-- A routine that takes any value may get the same one from one place: log(1.0), there. Interpreted
-- calls are known. If the first instruction of a procedure was interpreted without its call, the
-- call is the one before the return address, which is in ra or at the top of the stack; call frame
-- information decides which, if either. Only registers that hold arguments count: by debug
-- information, or else those that the function's code reads before it writes them.

local kinds <const> = { "a0", "a1", "a2", "a3" }

local known = {} -- argument registers by function entry

local function note(add, site, target, t)
	local taken = target and (known[target] or machine.arguments(target))
	if target then
		known[target] = taken
	end
	for _, name in ipairs(kinds) do
		if t[name] and (not taken or taken[name]) then
			add(site, t[name], name)
		end
	end
end

-- The target of a call; nil: the method of sampling does not provide it. A call with a prefix of
-- two bytes begins at the prefix.
local function target_of(t)
	if t.op ~= "jal" then
		return t.rs1 and t.rs1 + t.imm & ~1
	end
	local to = t.pc + t.imm
	return machine.procedure(to) ~= to and machine.procedure(to + 2) == to + 2 and to + 2 or to
end

return {
	name = "args",
	capture = { all = "a0 a1 a2 a3 context", jalr = "a0 a1 a2 a3 context operands" },
	kinds = kinds,
	column = "arguments",
	sequence = function(seq, add)
		for i, t in ipairs(seq) do
			if t.class == "jump" and (t.rd == "ra" or t.rd == "t0") then
				note(add, t.pc, target_of(t), t)
			elseif i == 1 and t.ra and machine.procedure(t.pc) == t.pc then
				local behind = machine.caller(t.pc, t.ra, t.top or 0)
				local site, target
				if behind then
					site, target = machine.call(behind)
				end
				-- otherwise the callee jumped here
				if site and (target or t.pc) == t.pc then
					note(add, site, t.pc, t)
				end
			end
		end
	end,
}
