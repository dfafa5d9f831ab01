-- cyclops lua counted.lua NEW [TYPE]: runs an instrumented program, with all flags of a profile
-- type switched off if one is given, and prints what blocks and what paths were counted, each as
-- often as it was.
local m <close> = cyclops.machine{ program = arg[1], history = false }
if arg[2] then
	assert(require "cyclops.xprof".new(m):off("all", tonumber(arg[2])) > 100)
end
m:finish()
local lines = {}
for _, report in ipairs{ "counters", "hot-paths" } do
	local ok, r = pcall(m.report, m, report .. " all")
	for _, row in ipairs(ok and r.rows or {}) do
		lines[#lines + 1] = ("%s %x %s %d"):format(report, math.tointeger(row.was),
			(row.offsets or ""):gsub("round ", ""):gsub(" back", ""), row.count)
	end
end
table.sort(lines)
print(table.concat(lines, "\n"))
