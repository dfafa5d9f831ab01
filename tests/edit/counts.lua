-- cyclops lua counts.lua NEW [INPUT ARGS...]: runs a program with counters of blocks (`instrument
-- --kind bb`), and compares each with how often the oracle saw the block's first instruction, at
-- its new place. Prints how many blocks ran.
local name = arg[1]
local f <close> = assert(io.open(name, "rb"))
local function read(offset, format)
	f:seek("set", offset)
	return string.unpack(format, f:read(string.packsize(format)))
end
local shoff, shnum, shstrndx = read(0x28, "<I8"), read(0x3c, "<I2I2")
shstrndx = read(0x3e, "<I2")
local function section(i)
	local name_at, _, _, _, offset, size = read(shoff + 64 * i, "<I4I4I8I8I8I8")
	return name_at, offset, size
end
local _, names_at, names_size = section(shstrndx)
f:seek("set", names_at)
local names = f:read(names_size)
local sections = {}
for i = 1, shnum - 1 do
	local name_at, offset, size = section(i)
	sections[string.unpack("z", names, name_at + 1)] = { offset, size }
end
local m = cyclops.machine{ program = name, args = table.move(arg, 3, #arg, 1, {}), stdin = arg[2],
	history = false, ff = 1 << 40, set = { ["oracle.enable"] = true, ["xprof.enable"] =
	false } }
local seen, new = {}, {}
for pc, _, count in m:exact("instructions") do seen[pc] = count end
-- The section holds the new code's address and size, then each instruction's new and old place.
local at, size = table.unpack(sections[".cyclops.map"])
local text = read(at, "<I8")
for k = at + 8, at + size - 8, 8 do
	local now, old = read(k, "<I4I4")
	new[old] = text + now
	if seen[old] then
		print(("the old code at 0x%x was executed"):format(old))
		os.exit(1)
	end
end
at = sections[".cyclops.counters"][1]
local magic, _, memory, words, n = read(at, "<c8I8I8I8I8")
assert(magic == "CYCCOUN4", "the counters' header is another: change what is read here")
local ran = 0
for k = 0, n - 1 do
	local old = read(at + 56 + 16 * k, "<I8")
	local counted, right = m.mem:u64(memory + 8 * words * k), seen[new[old]] or 0
	if counted ~= right then
		print(("block 0x%x: counted %d, the oracle %d"):format(old, counted, right))
		os.exit(1)
	end
	ran = ran + (right > 0 and 1 or 0)
end
print(ran .. " blocks")
os.exit(ran > 3 and 0 or 1)
