-- Remembers each branch for ever, in a table that it does not declare.
local last = {}
return {
	predict = function(s, pc) return last[pc] or false end,
	update = function(s, pc, taken) last[pc] = taken end,
}
