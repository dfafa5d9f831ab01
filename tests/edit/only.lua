-- cyclops lua only.lua NEW FUNCTION: runs a program with the flags of one function on, all others
-- off. Prints the count of one block of each function; if it builds a context tree with metrics,
-- the sum of the first metric over all contexts, and the number of executed instructions.
local xprof = require "cyclops.xprof"
local m = cyclops.machine{ program = arg[1], history = false }
xprof.new(m):on{ arg[2] }
m:finish()
local ok, folded = pcall(m.export, m, "folded")
if ok then
	local sum = 0
	for n in folded:gmatch " (%d+)\n" do
		sum = sum + tonumber(n)
	end
	print(sum, m.stats["sim.insts"])
else
	local seen = {}
	for _, row in ipairs(m:report("counters").rows) do
		local name = row.place:match "^[^+]*"
		if row.count > 0 and not seen[name] then
			seen[name] = true
			print(("%s %d"):format(name, row.count))
		end
	end
end
