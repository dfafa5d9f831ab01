-- Prints, a line each, what --patch needs to switch on profiling in every function of a program: PLACE=HEX.
--
--     cyclops lua tests/xprof/patches.lua PROGRAM blocks|calls
local instrument = require "cyclops.instrument"
for _, f in ipairs(instrument.methods(cyclops.machine{ program = arg[1] })) do
	local at, word = f[arg[2] .. "_flag"], f[arg[2] .. "_setpf"]
	if at then
		print(("0x%x=%0" .. (word < 1 << 16 and 4 or 8) .. "x"):format(at, word))
	end
end
