-- Switches on half of the functions of an instrumented program: prints the words for --patch, and
-- writes the expected profile, computed from the complete one. NUMBER selects the half by a bit of
-- the functions' index: 0 and 1 by the lowest bit, and so on. Any two functions differ in one of
-- these pairs of halves.
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
