-- Every other function of an instrumented program is switched on: prints what --patch needs for that, and writes the profile
-- that must come of it, made of the complete one.
--
--     cyclops lua tests/xprof/half.lua PROGRAM COMPLETE EXPECTED
local program, complete, expected = table.unpack(arg)
local on = {}
for i, f in ipairs(require "cyclops.instrument".methods(cyclops.machine{ program = program })) do
	on[f.name] = i % 2 == 0
	for _, flag in ipairs(on[f.name] and f.flags or {}) do
		print(("0x%x=%0" .. (flag.setpf < 1 << 16 and 4 or 8) .. "x"):format(flag.addr, flag.setpf))
	end
end
local file <close> = io.open(expected, "w")
for line in io.lines(complete) do
	local name = line:match("^block\t[^\t]*\t([^\t]*)")
	local callee = line:match("^call\t[^\t]*\t[^\t]*\t([^\t]*)")
	if name and not on[name] then
		line = line:gsub("%d+$", "0")
	end
	if not callee or on[callee] then
		file:write(line, "\n")
	end
end
