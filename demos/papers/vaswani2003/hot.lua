-- Prints the hot methods of a program: the ten that retire most instructions, as the oracle counts
-- them in a run without timing. These alone are instrumented, as in the paper (VI.B). A second line
-- has those of them that are at work for long, thousands of instructions from entry to entry: their
-- loops get flags as well, since the next entry is too late to switch them.
--
--     cyclops lua demos/papers/vaswani2003/hot.lua PROGRAM INPUT-FOLDER

-- Modules shared by papers are in demos/papers.
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local guest, instrument = require "guest", require "cyclops.instrument"
local programs = require "programs"
local triggers = require "cyclops.triggers"

local MOST <const>, LONG <const>, FOREVER <const> = 10, 5000, 1 << 40
local name, folder = table.unpack(arg)
if not folder then
	io.stderr:write("usage: hot.lua PROGRAM INPUT-FOLDER\n")
	os.exit(2)
end

local o = { input = folder } -- below the current directory
local program = programs.normal:get(name, o)
if not program then
	io.stderr:write("no program is called '", name, "'\n")
	os.exit(2)
end

local m = guest.machine(o, program, { program = ("build/demos/papers/%s-map.elf"):format(name),
	set = { ["oracle.enable"] = true }, ff = FOREVER })
guest.whole(m)
local t = triggers.new(m)
local committed, insts = {}, {}
for _, row in ipairs(m:report("oracle all").rows) do
	local f = t:function_at(row.address)
	committed[row.address] = row.count
	insts[f and f.name or ""] = (insts[f and f.name or ""] or 0) + row.count
end
local methods = {}
for _, f in ipairs(instrument.methods(m)) do
	local entries = committed[f.addr] or 0
	if entries > 0 then
		local n = insts[f.name] or 0
		methods[#methods + 1] = { name = f.name, addr = f.addr, insts = n,
			is_long = n / entries >= LONG }
	end
end
table.sort(methods, function(a, b) return a.insts > b.insts or a.insts == b.insts
	and a.addr < b.addr end)
local names, long = {}, {}
for i = 1, math.min(MOST, #methods) do
	names[i] = methods[i].name
	long[#long + 1] = methods[i].is_long and names[i] or nil
end
print(table.concat(names, ","))
print(table.concat(long, ","))
