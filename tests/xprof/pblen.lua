-- Whether each pblen in the instrumented functions of a program has the length of the profile block
-- after it. Prints how many were right, or which was wrong, with status 1.
--
--     cyclops lua tests/xprof/pblen.lua PROGRAM
local m = cyclops.machine{ program = arg[1] }
local function length(at)
	return m.mem:u8(at) & 3 == 3 and 4 or 2
end
local function is_prefix(at)
	if length(at) == 4 then
		return m.mem:u32(at) & ~(7 << 20) == 8 << 20 | 0xa013
	end
	return m.mem:u16(at) & ~(7 << 2) == 8 << 2 | 2
end
local right = 0
for _, f in ipairs(require "cyclops.instrument".methods(m)) do
	local at, last = f.addr, f.addr + f.size
	while at < last do
		local word, said = m.mem:u32(at), nil
		if length(at) == 4 and word & 0xfffff == 0x02013 then
			said = word >> 20
		end
		at = at + length(at)
		if said then
			local begins = at
			while is_prefix(at) do
				at = at + length(at)
				at = at + length(at)
			end
			if at - begins ~= said then
				print(("%s+0x%x: pblen %d before %d bytes"):format(f.name,
					begins - f.addr, said, at - begins))
				os.exit(1)
			end
			right = right + 1
		end
	end
end
print(right)
