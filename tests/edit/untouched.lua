-- cyclops lua untouched.lua NEW INPUT "FUNCTION=N ...": `report untouched`'s executions of
-- functions are the sum of the oracle's counts over their code. These functions have no inserted
-- code, so all counts are theirs.
local m = cyclops.machine{ program = arg[1], args = { arg[2] }, history = false, ff = 1 << 40,
	set = { ["oracle.enable"] = true } }
local seen, looked = {}, 0
for pc, _, count in m:exact("instructions") do
	local s = m:sym(pc)
	if s then seen[s.name] = (seen[s.name] or 0) + count end
end
for name, n in arg[3]:gmatch("(%S+)=(%d+)") do
	looked = looked + 1
	if seen[name] ~= tonumber(n) then
		print(("%s: the report says %s, the oracle %s"):format(name, n, seen[name]))
		os.exit(1)
	end
end
os.exit(looked > 0 and 0 or 1)
