-- Half of the functions of an instrumented program is switched on: prints what --patch needs for
-- that, and writes the profile that must come of it, made of the complete one. A number selects the
-- half: by a bit of their index, 0 and 1 by the lowest. Of any two functions one is on and the
-- other off in one of them, and the other way round in the next.
--
--     cyclops lua tests/xprof/half.lua PROGRAM COMPLETE EXPECTED NUMBER
local program, complete, expected, number = table.unpack(arg)
local on = {}
for i, f in ipairs(require "cyclops.instrument".methods(cyclops.machine{ program = program })) do
	on[f.name] = (i >> (number // 2) & 1) == number % 2
	for _, flag in ipairs(on[f.name] and f.flags or {}) do
		print(("0x%x=%0" .. (flag.setpf < 1 << 16 and 4 or 8) .. "x"):format(flag.addr,
			flag.setpf))
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
