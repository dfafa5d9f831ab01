-- Insert profile instructions (Xprof) into a compiler's assembly text: count basic blocks and
-- calls, with flags.
--
-- `cyclops instrument --asm` does this (Vaswani, figures 3 and 4). A function begins with pushpf
-- and resetpf and ends with poppf; to count it, a runtime replaces the resetpf by setpf. Tables in
-- the program describe the inserted code; instrument.methods() reads them. With units = "loops"
-- there is a resetpf in each iteration of loops as well, so that a method can be switched during a
-- long run:
--
--     local instrument = require "cyclops.instrument"
--     for _, f in ipairs(instrument.methods(m)) do
--         for _, flag in ipairs(f.flags) do m:patch(flag.addr, flag.setpf) end
--     end

local asm = require "cyclops.asm"
local flow = require "cyclops.asm_flow"
local loops = require "cyclops.asm_loops"
local tables = require "cyclops.instrument_tables"

local instrument = { methods = tables.methods }

local MIN_LOOP <const> = 16
local PI, RESETPF, SETPF, PUSHPF, POPPF, PUSHPF_ALL, POPPF_ALL = 8, 16, 24, 32, 40, 48, 49

-- Registers that xprof_mcount may overwrite, besides ra.
local mcount_scratch = asm.registers("t0", "t1", "t3", "t4", "t5", "t6")

-- ---- names ----
local function glob(pattern)
	return "^" .. pattern:gsub("[%^%$%(%)%%%.%[%]%+%-]", "%%%0"):gsub("%*", ".*"):gsub("%?",
		".") .. "$"
end

local function matches(list, name)
	for pattern in list:gmatch("[^,%s]+") do
		if name:match(glob(pattern)) then
			return true
		end
	end
	return false
end

-- ---- inserted text ----
-- Inserts lines before the line of this number, after those inserted before.
local function put(w, line, ...)
	local list = w.before[line] or {}
	w.before[line] = list
	for _, text in ipairs{ ... } do
		list[#list + 1] = text
	end
end

-- An instruction of Xprof: 16 bits where allowed.
local function hint(rvc, s, what)
	return ("\t%s,%d\t# %s"):format(rvc and "c.slli\tzero" or "slti\tzero,ra", s, what)
end

-- A block of profile instructions: texts, and their sizes in bytes with 16-bit forms; 32-bit ones
-- always take four.
local function profile_block(o, rvc, type, list)
	local lines, bytes = {}, 0
	for _, inst in ipairs(list) do
		if inst.label then
			lines[#lines + 1] = hint(rvc, PI + type, "pi." .. type)
			lines[#lines + 1] = inst.label .. ":"
		else
			lines[#lines + 1] = hint(rvc, PI + type, "pi." .. type)
		end
		lines[#lines + 1] = "\t" .. inst[1]
		bytes = bytes + (rvc and 2 + inst[2] or 8)
	end
	local out = { "\t.option push", "\t.option norelax" }
	if o.pblen then
		out[#out + 1] = ("\tslti\tzero,zero,%d\t# pblen"):format(bytes)
	end
	table.move(lines, 1, #lines, #out + 1, out)
	out[#out + 1] = "\t.option pop"
	return out
end

-- Instructions that add one to the counter at `place`, with free registers or saved ones.
local function increment(unit, block, place, label)
	local free = flow.free(unit, block, 2)
	local saved = {}
	for _, name in ipairs{ "t6", "t5" } do
		if #free < 2 and free[1] ~= name then
			free[#free + 1], saved[#saved + 1] = name, name
		end
	end
	local list = {}
	if #saved > 0 then
		list[1] = { "addi\tsp,sp,-16", 2 }
	end
	for i, name in ipairs(saved) do
		list[#list + 1] = { ("sd\t%s,%d(sp)"):format(name, 8 * i - 8), 2 }
	end
	local at, value = free[1], free[2]
	list[#list + 1] = { ("auipc\t%s,%%pcrel_hi(%s)"):format(at, place), 4, label = label }
	list[#list + 1] = { ("ld\t%s,%%pcrel_lo(%s)(%s)"):format(value, label, at), 4 }
	list[#list + 1] = { ("addi\t%s,%s,1"):format(value, value), 2 }
	list[#list + 1] = { ("sd\t%s,%%pcrel_lo(%s)(%s)"):format(value, label, at), 4 }
	for i, name in ipairs(saved) do
		list[#list + 1] = { ("ld\t%s,%d(sp)"):format(name, 8 * i - 8), 2 }
	end
	if #saved > 0 then
		list[#list + 1] = { "addi\tsp,sp,16", 2 }
	end
	return list
end

-- The call of the runtime (figure 4). The return address is kept in t0, or on the stack if
-- temporaries are in use.
local function call_runtime(o, unit, entry, label)
	local busy = (entry.live | unit.kept) & mcount_scratch ~= 0
	local name = busy and "xprof_mcount_stack" or "xprof_mcount"
	local list = busy and { { "addi\tsp,sp,-16", 2 }, { "sd\tra,8(sp)", 2 } }
		or { { "mv\tt0,ra", 2 } }
	if o.far then
		list[#list + 1] = { ("auipc\tra,%%pcrel_hi(%s)"):format(name), 4, label = label }
		list[#list + 1] = { ("jalr\tra,%%pcrel_lo(%s)(ra)"):format(label), 4 }
	else
		list[#list + 1] = { "jal\tra," .. name, 4 }
	end
	if busy then
		list[#list + 1] = { "ld\tra,8(sp)", 2 }
		list[#list + 1] = { "addi\tsp,sp,16", 2 }
	else
		list[#list + 1] = { "mv\tra,t0", 2 }
	end
	return list
end

-- ---- one function ----
-- Its flags' types: one, or two.
local function types_of(o)
	local types = {}
	if o.blocks or (o.control and not o.calls) then
		types[1] = o.type.blocks
	end
	if o.calls and o.type.calls ~= types[1] then
		types[#types + 1] = o.type.calls
	end
	return types
end

-- Whether a loop goes back to the function's first instruction: then the entry code comes before
-- that label.
local function entry_line(f)
	local first = f.blocks[1]
	for _, item in ipairs(first.items) do
		if item.kind == "label" and f.entrances[item.name] then
			return item.line
		end
	end
	return first.first.line
end

-- The code at a place with flags, all of them or those of one type; the runtime patches these
-- addresses.
local function begin(o, f, id, rvc, lines, type)
	for _, k in ipairs(type and { type } or types_of(o)) do
		local flag = { label = (".Lxprof_flag_%d_%d"):format(id, #f.flags), type = k,
			bytes = rvc and 2 or 4 }
		f.flags[#f.flags + 1] = flag
		lines[#lines + 1] = flag.label .. ":"
		lines[#lines + 1] = hint(rvc, (o.on and SETPF or RESETPF) + k,
			(o.on and "setpf " or "resetpf ") .. k)
	end
	return lines
end

local function enter(w, o, f, id)
	local rvc = f.blocks[1].first.rvc
	local types = types_of(o)
	local lines = {}
	if #types == 1 then
		lines[1] = hint(rvc, PUSHPF + types[1], "pushpf " .. types[1])
	else
		lines[1] = hint(rvc, PUSHPF_ALL, "pushpf all")
	end
	begin(o, f, id, rvc, lines)
	if o.calls and not o.control then
		local call = call_runtime(o, w.unit, f.blocks[1], (".Lxprof_call_%d"):format(id))
		table.move(profile_block(o, rvc, o.type.calls, call), 1, 99, #lines + 1, lines)
	end
	put(w, f.entry, table.unpack(lines))
end

-- Functions that return twice, or when another coroutine goes back, from a function with flags of
-- its own.
local returns_twice = { setjmp = true, _setjmp = true, __setjmp = true, sigsetjmp = true,
	__sigsetjmp = true, getcontext = true, swapcontext = true }

-- Whether a function of the file stores sp where its argument points to, as these do, or ends with
-- a jump to one of them.
local function is_switch(f, switches)
	for _, item in ipairs(f.items) do
		local keeps = item.op == "sd" and item.args[1] == "sp"
			and item.args[2]:match("%(a0%)$")
		if keeps or (item.leaves == "call" and item.target and switches[item.target]) then
			return true
		end
	end
end

local function find_switches(o, unit)
	local switches = setmetatable({}, { __index = function(_, name) return returns_twice[name]
		or (o.switches and matches(o.switches, name)) end })
	repeat
		local more = false
		for _, f in ipairs(unit.functions) do
			if not switches[f.name] and is_switch(f, switches) then
				switches[f.name], more = true, true
			end
		end
	until not more
	return switches
end

local function calls_again(w, item)
	return item.flow == "call" and w.switches[item.target] and not item.leaves
end

-- Sets flags again after setjmp, since after longjmp they are another function's; after swapcontext
-- always.
local function begin_again(w, o, f, id)
	for _, item in ipairs(f.items) do
		if calls_again(w, item) then
			put(w, item.line + 1, table.unpack(begin(o, f, id, item.rvc, {})))
		end
	end
end

-- An instruction in each iteration slows a short loop much. An inner loop can rely on the outer
-- one's flag.
local function deserves_flag(o, loop)
	return loop.insts >= o.min_loop or loop.calls or loop.outer or not loop.inner
end

-- Whether an inner loop contains this block: it is executed more than once per iteration.
local function is_within(all, loop, b)
	for _, other in ipairs(all) do
		if other ~= loop and loop.body[other.head] and other.body[b] then
			return true
		end
	end
	return false
end

-- Blocks of which each iteration executes exactly one: the head, or the sources of back edges if
-- these are shorter (at least one is, and none is longer). The fetch of a short block often has
-- unused slots. In a search loop an iteration may be little more than this block.
local function places_in_round(all, loop)
	local are_shorter = false
	for _, turn in ipairs(loop.turns) do
		if turn.insts > loop.head.insts or is_within(all, loop, turn) then
			return { loop.head }
		end
		are_shorter = are_shorter or turn.insts < loop.head.insts
	end
	return are_shorter and loop.turns or { loop.head }
end

-- Sets the flag in each iteration of a loop. Calls need none: they are counted after the entry's
-- own resetpf. It belongs to no block: it acts at decode, and its word may change at any time.
local function begin_in_loops(w, o, f, id)
	local counts_blocks = o.blocks or not o.calls
	if o.units ~= "loops" or not counts_blocks
		or (o.loops and not matches(o.loops, f.name)) then
		return
	end
	local all = loops.find(f)
	for _, loop in ipairs(all) do
		for _, b in ipairs(deserves_flag(o, loop) and places_in_round(all, loop) or {}) do
			put(w, b.first.line,
				table.unpack(begin(o, f, id, b.first.rvc, {}, o.type.blocks)))
		end
	end
end

-- The item before which a block restores its caller's flags: as early as possible, because it is a
-- load for which decode may have to wait. Its address comes from sp, which must be the caller's
-- again.
local function place_to_leave(w, b)
	local place = b.last
	for i = #b.items, 1, -1 do
		local item = b.items[i]
		if item ~= b.last and (item.flow == "call" or item.kind == "asm"
			or (item.kind == "inst" and item.defs & asm.registers("sp") ~= 0)) then
			break
		elseif item.kind ~= "label" or w.unit.pinned[item.name] then
			place = item
		end
	end
	return place
end

-- __riscv_restore_N moves sp and returns to the caller, without a place for a poppf: inserts the
-- routine's code instead.
local function restore(w, line, registers)
	local size = (registers // 2 + 1) * 16
	for i = 0, registers do
		put(w, line, ("\tld\t%s,%d(sp)"):format(i == 0 and "ra" or "s" .. i - 1,
			size - 8 * (i + 1)))
	end
	put(w, line, "\taddi\tsp,sp," .. size)
end

local function leave(w, o, f, b)
	local types, place = types_of(o), place_to_leave(w, b)
	local registers = b.last.target and b.last.target:match("^__riscv_restore_(%d+)$")
	if registers then
		place = b.last
		restore(w, place.line, tonumber(registers))
	end
	if #types == 1 then
		put(w, place.line, hint(place.rvc, POPPF + types[1], "poppf " .. types[1]))
	else
		put(w, place.line, hint(place.rvc, POPPF_ALL, "poppf all"))
	end
	if registers then
		put(w, place.line, "\tret")
	end
end

local function instrument_function(w, o, f, id)
	f.entry, f.flags = entry_line(f), {}
	put(w, f.items[1].line + 1, (".Lxprof_start_%d:"):format(id))
	if not o.map then
		enter(w, o, f, id)
		begin_again(w, o, f, id)
		begin_in_loops(w, o, f, id)
	end
	for _, b in ipairs(f.blocks) do
		put(w, b.first.line, (".Lxprof_block_%d_%d:"):format(id, b.index))
		if o.blocks and not o.map and not o.control then
			local list = increment(w.unit, b, ("%s+%d"):format(tables.counters_of(f),
				8 * b.index),
				(".Lxprof_at_%d_%d"):format(id, b.index))
			put(w, b.first.line,
				table.unpack(profile_block(o, b.first.rvc, o.type.blocks, list)))
		end
	end
	for _, b in ipairs(f.blocks) do
		if b.last.leaves and not o.map then
			leave(w, o, f, b)
		end
	end
	if f.finish then
		put(w, f.finish, (".Lxprof_end_%d:"):format(id))
	end
	if f.cold and f.cold_end then
		put(w, f.cold_end, (".Lxprof_cold_end_%d:"):format(id))
	end
end

-- ---- which functions ----
local function is_wanted(o, f)
	return not (o.functions and not matches(o.functions, f.name))
		and not (o.except and matches(o.except, f.name))
end

-- ---- the whole ----
local function assemble(w, tables)
	local out = {}
	for n, line in ipairs(w.unit.lines) do
		local before = w.before[n]
		if before then
			table.move(before, 1, #before, #out + 1, out)
		end
		out[#out + 1] = line
	end
	table.move(w.before[#w.unit.lines + 1] or {}, 1, 1e6, #out + 1, out)
	table.move(tables, 1, #tables, #out + 1, out)
	return table.concat(out, "\n") .. "\n"
end

-- Whether this is what a RISC-V compiler wrote, and not yet instrumented.
local function check(unit)
	if unit.bits and unit.bits ~= 64 then
		error(("is for RV%d; profile instructions are for 64 bits"):format(unit.bits), 0)
	elseif unit.references[".Lxprof_file"] then
		error("is instrumented already", 0)
	end
	if not unit.has_sections then
		error("is no assembly", 0)
	end
	local insts, unknown, example = 0, 0, nil
	for _, f in ipairs(unit.functions) do
		for _, item in ipairs(f.items) do
			insts = insts + (item.kind == "inst" and 1 or 0)
			if item.unknown then
				unknown, example = unknown + 1, example or item
			end
		end
	end
	if unknown > insts // 2 then
		error(("is no assembly for RISC-V: line %d has '%s'"):format(example.line,
			example.op), 0)
	end
end

--- instrument.text(TEXT, OPTIONS) -> TEXT, REPORT
-- Instruments an assembly text. Options: blocks, calls (BOOLEAN: what is counted), control (only
-- the instructions that switch flags), map (insert nothing; the tables describe the original
-- program), type ({blocks = K, calls = K}), on (setpf initially, not resetpf), functions and except
-- (names and wildcards, separated by commas), pblen, far (the runtime is more than 1 MB away),
-- sibling_calls (false: there are none), units ("methods" if not given, or "loops": the flag of
-- blocks is set in each iteration of a loop as well, except in innermost loops of less than
-- min_loop instructions (16) that are nested and call nothing), loops (only in these functions, as
-- `functions`), switches (functions that return when another coroutine goes back, or twice, besides
-- the known ones). The report has `functions`, a row {name, blocks, reason} each: with a reason the
-- function was left alone. Raises an error, a text, for any other input.
function instrument.text(text, options)
	local o = setmetatable({ type = options.type or {} }, { __index = options })
	o.units, o.min_loop = o.units or "methods", o.min_loop or MIN_LOOP
	if o.units ~= "methods" and o.units ~= "loops" then
		error(("units = '%s'; expected methods, loops"):format(o.units), 0)
	end
	o.type = { blocks = o.type.blocks or 0, calls = o.type.calls
		or (options.blocks and 1 or 0) }
	local unit = asm.read(text)
	check(unit)
	flow.analyse(unit, { sibling_calls = options.sibling_calls ~= false })
	local w, lines, report = { unit = unit, before = {}, switches = find_switches(o, unit) },
		{}, { functions = {} }
	local id = 0
	for _, f in ipairs(unit.functions) do
		local reason = f.opaque or (#f.blocks == 0 and "it is empty") or nil
		if not reason and not is_wanted(o, f) then
			reason = "not asked for"
		end
		report.functions[#report.functions + 1] = { name = f.name, blocks = #f.blocks,
			reason = reason,
			asked = reason ~= "not asked for" }
		if not reason then
			instrument_function(w, o, f, id)
			tables.describe(lines, o, f, id)
			id = id + 1
		end
	end
	return assemble(w, tables.finish(lines, unit)), report
end

return instrument
