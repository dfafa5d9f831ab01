-- Prints, a line each, what --patch needs to switch on profiling in every function of a program:
-- PLACE=HEX.
--
--     cyclops lua tests/xprof/patches.lua PROGRAM blocks|calls|found
--
-- The instrumenter's tables have the places of flags; for programs written by hand, `found` looks
-- for them in the code.
local program, kind = table.unpack(arg)
local m = cyclops.machine{ program = program }

local function switch(at, word)
	print(("0x%x=%0" .. (word < 1 << 16 and 4 or 8) .. "x"):format(at, word))
end

if kind == "found" then
	for _, f in ipairs(require "cyclops.xprof".new(m):methods()) do
		for _, flag in ipairs(f.flags) do
			local wide = m.mem:u16(flag.addr) & 3 == 3
			local s = 24 + flag.type
			switch(flag.addr, wide and 0x0000a013 | s << 20 or 0x0002 | (s & 31) << 2)
		end
	end
else
	for _, f in ipairs(require "cyclops.instrument".methods(m)) do
		for _, flag in ipairs(f.flags) do
			if flag[kind] then
				switch(flag.addr, flag.setpf)
			end
		end
	end
end
