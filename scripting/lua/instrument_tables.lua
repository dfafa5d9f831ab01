-- Describe a program's instrumentation in the program, and read that description.
--
-- Tables in sections of their own name each function, its flags, its basic blocks and their
-- counters; the linker collects those of all files. cyclops.instrument has this function, too:
-- instrument.methods().

local RESETPF <const>, SETPF <const> = 16, 24

local tables = {}

--- tables.counters_of(FUNCTION) -> NAME
-- The symbol of its block counters.
function tables.counters_of(f)
	return "xprof.blocks." .. f.name
end

--- tables.describe(OUT, o, FUNCTION, ID)
-- Appends the lines that describe an instrumented function to OUT; demos/tools/xprof_profile.h has
-- the same in C.
function tables.describe(out, o, f, id)
	local function add(text, ...)
		out[#out + 1] = text:format(...)
	end
	local counted = o.blocks and not o.map and not o.control
	add("\t.section\txprof_methods,\"aw\",@progbits\n\t.balign\t8")
	add("\t.dword\t.Lxprof_name_%d, .Lxprof_file", id)
	add("\t.dword\t.Lxprof_start_%d, %s", id, f.finish and (".Lxprof_end_%d"):format(id) or "0")
	if f.cold and f.cold_end then
		add("\t.dword\t%s, .Lxprof_cold_end_%d", f.cold, id)
	else
		add("\t.dword\t0, 0")
	end
	add("\t.dword\t.Lxprof_flags_%d, %s, .Lxprof_blocks_%d", id, counted and tables.counters_of(f)
		or "0", id)
	add("\t.word\t%d, %d", #f.flags, #f.blocks)
	add("\t.section\txprof_names,\"a\",@progbits\n.Lxprof_name_%d:\n\t.string\t\"%s\"", id,
		f.name)
	for _, b in ipairs(f.blocks) do
		add(".Lxprof_label_%d_%d:\n\t.string\t\"%s\"", id, b.index, b.label or "")
	end
	add("\t.section\txprof_blocks,\"aw\",@progbits\n\t.balign\t8\n.Lxprof_flags_%d:", id)
	for _, flag in ipairs(f.flags) do
		add("\t.dword\t%s\n\t.byte\t%d, %d, %d, %d\n\t.word\t0", flag.label, flag.type,
			flag.bytes,
			(o.blocks or not o.calls) and flag.type == o.type.blocks and 1 or 0,
			o.calls and flag.type == o.type.calls and 1 or 0)
	end
	add(".Lxprof_blocks_%d:", id)
	for _, b in ipairs(f.blocks) do
		add("\t.dword\t.Lxprof_block_%d_%d, .Lxprof_label_%d_%d\n\t.word\t%d, %d", id,
			b.index, id, b.index, b.loc, b.insts)
	end
	if counted then
		local name = tables.counters_of(f)
		add("\t.section\txprof_counters,\"aw\",@nobits\n\t.balign\t8\n\t.type\t%s, " ..
			"@object\n\t.size\t%s, %d\n%s:\n\t.zero\t%d",
			name, name, 8 * #f.blocks, name, 8 * #f.blocks)
	end
end

--- tables.finish(LINES, UNIT) -> LINES
-- Appends, after the lines of all functions of a text, the lines by which the linker collects them.
function tables.finish(lines, unit)
	if #lines > 0 then
		lines[#lines + 1] = ("\t.section\txprof_names,\"a\",@progbits\n.Lxprof_file:\n\t.string\t\"%s\""):format(
			unit.source or "")
		-- The linker collects the sections of all files; a reference from one is enough.
		lines[#lines + 1] = "\t.section\txprof_blocks,\"aw\",@progbits\n\t.balign\t8\n\t.weak\txprof_table\n"
			.. "\t.type\txprof_table, @object\n\t.size\txprof_table, 16\nxprof_table:\n"
			.. "\t.dword\t__start_xprof_methods, __stop_xprof_methods"
	end
	return lines
end

--- tables.methods(MACHINE) -> ROWS
-- The instrumented functions of a machine's program, in no particular order: name, file, addr,
-- size; `flags`, a row {addr, type, setpf, resetpf, blocks, calls} for each resetpf, where setpf
-- and resetpf are words for m:patch(), and blocks and calls are true if it switches those; and
-- `blocks`, a row {addr, label, line, insts, counter} for each basic block, where counter is an
-- address (nil: not counted). A function has one resetpf of each type at its entry, and others
-- after its calls of setjmp and in its loops. {} if nothing in the program is instrumented.
function tables.methods(m)
	local mem, rows, where = m.mem, {}, m:sym"xprof_table"
	if not where then
		return rows
	end
	local function word(s, bytes)
		return bytes == 2 and (0x0002 | (s & 31) << 2 | (s >> 5) << 12)
			or (0x0000a013 | s << 20)
	end
	for at = mem:u64(where.addr), mem:u64(where.addr + 8) - 1, 80 do
		local u = function(offset) return mem:u64(at + offset) end
		local f = { name = mem:str(u(0)), file = mem:str(u(8)), addr = u(16),
			size = u(24) ~= 0 and u(24) - u(16) or 0,
			flags = {}, blocks = {} }
		for i = 0, mem:u32(at + 72) - 1 do
			local a = u(48) + 16 * i
			local k, bytes = mem:u8(a + 8), mem:u8(a + 9)
			f.flags[i + 1] = { addr = mem:u64(a), type = k,
				setpf = word(SETPF + k, bytes), resetpf = word(RESETPF + k, bytes),
				blocks = mem:u8(a + 10) == 1, calls = mem:u8(a + 11) == 1 }
		end
		for i = 0, mem:u32(at + 76) - 1 do
			local b = u(64) + 24 * i
			f.blocks[i + 1] = { addr = mem:u64(b), label = mem:str(mem:u64(b + 8)),
				line = mem:u32(b + 16),
				insts = mem:u32(b + 20), counter = u(56) ~= 0 and u(56) + 8 * i
					or nil }
		end
		rows[#rows + 1] = f
	end
	return rows
end

return tables
