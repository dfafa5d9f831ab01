-- Runs a program twice, with its profile flags off and on, and prints what that changed.
--
-- Expect: nothing but the counts that the program prints at its end, and what counting costs.
-- See it: cyclops lua demos/xprof/on.lua build/demos/xprof/blocks
local xprof = require "cyclops.xprof"

local program = arg[1] or "build/demos/xprof/blocks"
local rows = {}
for _, on in ipairs{ false, true } do
	local m = cyclops.machine{ program = program, args = table.move(arg, 2, #arg, 1, {}) }
	local x = xprof.new(m)
	if on then
		x:on(x:methods())
	end
	m:finish()
	print(("flags %s\n%s"):format(on and "on" or "off", m:output()))
	rows[#rows + 1] = m
end
print(("%-38s %12s %12s"):format("", "off", "on"))
for _, name in ipairs{ "sim.cycles", "sim.insts", "xprof.fetched", "xprof.dropped",
	"xprof.dispatched", "xprof.skipped_insts" } do
	print(("%-38s %12d %12d"):format(name, rows[1].stats[name], rows[2].stats[name]))
end
