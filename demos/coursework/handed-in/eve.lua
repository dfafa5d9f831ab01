-- Remembers every branch, in an undeclared table.
local last = {}
return {
	predict = function(s, pc) return last[pc] or false end,
	update = function(s, pc, taken) last[pc] = taken end,
}
