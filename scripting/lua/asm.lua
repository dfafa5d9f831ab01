-- Parse a compiler's assembly text for RISC-V: functions, their instructions, and references to
-- labels.
--
-- It handles the output of gcc and clang for C, not all hand-written code. A function whose
-- `opaque` is set contains something (control flow of an inline assembly, an unknown instruction)
-- that makes its analysis uncertain.
--
-- A unit has `lines`, the text, and `functions`, in order. A function has `name`, `items`, and in
-- `finish` the line of its .size. An item is an instruction, a label, or an inline assembly (which
-- is one item, whatever is in it):
--     kind     "inst", "label", "asm"
--     line     of the text: what is put in before it goes before this line
--     op, args of an instruction; `uses` and `defs` are integer registers, a bit for each
--     name     of a label
--     rvc      whether 16-bit instructions may be written there
--     loc      source line, 0: unknown
--     cold     it lies in the function's part that is seldom executed (NAME.cold)

local asm = {}

-- ---- registers ----
local register = { fp = 8 }
do
	local names = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 " ..
		"s7 s8 s9 s10 s11 t3 t4 t5 t6"
	local n = 0
	for name in names:gmatch("%S+") do
		register[name], register["x" .. n] = n, n
		n = n + 1
	end
	asm.register_names = {}
	for name in names:gmatch("%S+") do
		asm.register_names[register[name]] = name
	end
end

--- asm.registers(NAME...) -> MASK
-- A mask with a bit for each of these integer registers; zero has none.
function asm.registers(...)
	local mask = 0
	for _, name in ipairs{ ... } do
		mask = mask | 1 << register[name]
	end
	return mask & ~1
end
local registers = asm.registers

asm.every_register = 0xfffffffe
asm.arguments = registers("a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7")
asm.temporaries = registers("t0", "t1", "t2", "t3", "t4", "t5", "t6")
asm.saved = registers("s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11")
asm.fixed = registers("sp", "gp", "tp")

--- asm.number(NAME) -> NUMBER
-- The number of this integer register; nil for any other name.
function asm.number(name)
	return register[name]
end

--- asm.mentioned(TEXT) -> MASK
-- The mask of the integer registers named in a text.
function asm.mentioned(text)
	local mask = 0
	for word in text:gmatch("[%a_.$][%w_.$]*") do
		if register[word] then
			mask = mask | 1 << register[word]
		end
	end
	return mask & ~1
end
local mentioned = asm.mentioned

-- ---- instructions ----
local function set_of(text)
	local set = {}
	for word in text:gmatch("%S+") do
		set[word] = true
	end
	return set
end

asm.branches = set_of"beq bne blt bge bltu bgeu bgt ble bgtu bleu beqz bnez blez bgez bltz bgtz"
-- These write the first operand, if it is an integer register, and do not read it.
local writes_first = set_of[[
	lui auipc li la lla lga mv not neg negw sext.b sext.h sext.w zext.b zext.h zext.w seqz snez sltz sgtz
	lb lh lw ld lbu lhu lwu addi slti sltiu xori ori andi slli srli srai addiw slliw srliw sraiw
	add sub sll slt sltu sgt sgtu xor srl sra or and addw subw sllw srlw sraw
	mul mulh mulhu mulhsu mulw div divu divw divuw rem remu remw remuw
	lr.w lr.d sc.w sc.d csrr csrrw csrrs csrrc csrrwi csrrsi csrrci frcsr frflags frrm rdcycle rdtime rdinstret
	fmv.x.w fmv.x.s fmv.x.d fclass.s fclass.d feq.s flt.s fle.s fgt.s fge.s feq.d flt.d fle.d fgt.d fge.d
	sh1add sh2add sh3add add.uw sh1add.uw sh2add.uw sh3add.uw slli.uw andn orn xnor clz clzw ctz ctzw cpop cpopw
	max maxu min minu rol rolw ror rori rorw roriw rev8 orc.b bset bseti bclr bclri binv binvi bext bexti]]
-- Instructions that write no integer register; they read all registers named.
local writes_none = set_of[[
	sb sh sw sd fsw fsd flw fld fence fence.i fence.tso nop ebreak unimp ecall csrw csrs csrc csrwi csrsi csrci fscsr fsflags fsrm]]

local function is_known(op)
	return writes_first[op] or writes_none[op] or asm.branches[op] or op:match("^amo%l+%.[wd]")
		or op:match("^lr%.")
		or op:match("^sc%.") or op:match("^f%l+%.")
end

local function writes_first_operand(op)
	return writes_first[op] or op:match("^amo") or op:match("^lr%.") or op:match("^sc%.")
		or op:match("^fcvt%.[wl]")
end

-- The registers that an item other than a transfer of control reads and writes. An unknown
-- instruction reads all.
local function effects(item)
	local first = item.args[1]
	if not is_known(item.op) then
		item.unknown, item.uses, item.defs = true, asm.every_register, 0
	elseif writes_first_operand(item.op) and first and register[first] then
		item.uses, item.defs = mentioned(table.concat(item.args, ",", 2)),
			(1 << register[first]) & ~1
	else
		item.uses, item.defs = mentioned(table.concat(item.args, ",")), 0
	end
end

-- flow: nil, "branch", "jump" (to `target`), "indirect", "return", "call".
local function control(item)
	local op, args = item.op, item.args
	local target = args[#args]
	if asm.branches[op] then
		item.flow, item.target = "branch", target
	elseif op == "ret" or (op == "jr" and register[target] == 1) then
		item.flow = "return"
	elseif op == "j" or op == "tail"
		or (op == "jal" and #args == 2 and register[args[1]] == 0) then
		item.flow, item.target = "jump", target
	elseif op == "jump" then
		item.flow, item.target = "jump", args[1]
	elseif op == "jr" or (op == "jalr" and #args > 1 and register[args[1]] == 0) then
		item.flow = "indirect"
		item.via = op == "jr" and args[1] or args[2]:match("%(([%w]+)%)") or args[2]
		if register[item.via] == 1 then
			item.flow = "return"
		end
	elseif op == "call" or op == "jal" or op == "jalr" then
		item.flow, item.target = "call", target
		-- A link register other than ra is for millicode, which has rules of its own.
		item.millicode = (#args > 1 and register[args[1]] and register[args[1]] ~= 1)
			or target:match("^__riscv_") ~= nil
	end
	if item.target then
		item.target = item.target:gsub("@plt$", "")
		item.millicode = item.millicode or item.target:match("^__riscv_") ~= nil
	end
	item.uses, item.defs = mentioned(table.concat(args, ",")), 0
end

local function instruction(op, rest)
	local item = { kind = "inst", op = op, args = {} }
	for arg in rest:gmatch("[^,]+") do
		item.args[#item.args + 1] = arg:match("^%s*(.-)%s*$")
	end
	control(item)
	if not item.flow then
		effects(item)
	end
	return item
end

-- ---- text ----
-- A line without its comment.
local function bare(line)
	if not line:find("#", 1, true) then
		return line
	end
	local quoted = false
	for at = 1, #line do
		local c = line:sub(at, at)
		if c == '"' and line:sub(at - 1, at - 1) ~= "\\" then
			quoted = not quoted
		elseif c == "#" and not quoted then
			return line:sub(1, at - 1)
		end
	end
	return line
end

-- Lines of a text. Several statements in a line become several lines, except in inline assembly,
-- which is unchanged.
local function lines_of(text)
	local lines, inline = {}, false
	for line in (text:gsub("\r", "") .. "\n"):gmatch("(.-)\n") do
		if line:match("^%s*#APP") then
			inline = true
		elseif line:match("^%s*#NO_APP") then
			inline = false
		end
		if line:match("^%s*%.addrsig") then
			-- A directive of clang for its linker that GNU as does not have.
		elseif not inline and line:find(";", 1, true) and not line:find('"', 1, true) then
			local code = bare(line)
			for statement in code:gmatch("[^;]+") do
				lines[#lines + 1] = statement
			end
		else
			lines[#lines + 1] = line
		end
	end
	if lines[#lines] == "" then
		lines[#lines] = nil
	end
	return lines
end

-- ---- a reader: the state at the current line ----
local function has_rvc(arch)
	local letters = arch:lower():gsub("_.*", ""):gsub("%d+p%d+", "")
	return letters:find("c", 5, true) ~= nil or arch:lower():match("_c%d") ~= nil
		or arch:lower():match("_zca") ~= nil
end

local function enter(r, name, flags)
	r.section = { name = name, exec = name:match("^%.text") ~= nil or (flags or ""):find("x", 1,
		true) ~= nil,
		debug = name:match("^%.debug") ~= nil or name:match("^%.z?debug") ~= nil
			or name == ".eh_frame",
		eh = name:match("^%.gcc_except_table") ~= nil }
end

local data = set_of".byte .2byte .4byte .8byte .half .short .hword .word .long .int .dword .quad .uleb128 .sleb128"

-- Records references to labels, or their substitutes.
local function refer(r, words, where)
	for word in words:gmatch("[%a_.$][%w_.$]*") do
		local list = r.unit.references[word]
		if not list then
			list = {}
			r.unit.references[word] = list
		end
		list[#list + 1] = where
	end
end

local directives = {}

directives[".text"] = function(r) r.previous = r.section enter(r, ".text") end
directives[".data"] = function(r) r.previous = r.section enter(r, ".data") end
directives[".bss"] = function(r) r.previous = r.section enter(r, ".bss") end
directives[".section"] = function(r, rest)
	r.previous = r.section
	local name, flags = rest:match('^"?([^",%s]+)"?%s*,%s*"([^"]*)"')
	enter(r, name or rest:match('^"?([^",%s]+)') or "?", flags)
end
directives[".pushsection"] = function(r, rest)
	r.stack[#r.stack + 1] = { r.section, r.previous }
	directives[".section"](r, rest)
end
directives[".popsection"] = function(r)
	local top = table.remove(r.stack)
	if top then
		r.section, r.previous = top[1], top[2]
	end
end
directives[".previous"] = function(r) r.section, r.previous = r.previous or r.section, r.section end
directives[".type"] = function(r, rest)
	local name, what = rest:match('^"?([^",%s]+)"?%s*,%s*[@%%]?(%w+)')
	if what == "function" or what == "STT_FUNC" then
		r.is_function[name] = true
	end
end
directives[".size"] = function(r, rest)
	local name = rest:match('^"?([^",%s]+)')
	for _, part in pairs(r.open) do
		if part.label == name and not part.closed then
			part.closed = true
			part.f[part.cold and "cold_end" or "finish"] = r.line
		end
	end
end
directives[".option"] = function(r, rest)
	if rest == "push" then
		r.options[#r.options + 1] = r.rvc
	elseif rest == "pop" then
		r.rvc = table.remove(r.options)
	elseif rest == "rvc" or rest == "norvc" then
		r.rvc = rest == "rvc"
	end
end
directives[".attribute"] = function(r, rest)
	local arch = rest:match('^arch%s*,%s*"([^"]+)"') or rest:match('^5%s*,%s*"([^"]+)"')
	if arch then
		r.unit.bits = tonumber(arch:match("^rv(%d+)"))
		r.rvc = has_rvc(arch)
	end
end
directives[".loc"] = function(r, rest) r.loc = tonumber(rest:match("^%d+%s+(%d+)")) or r.loc end
directives[".file"] = function(r, rest)
	r.unit.source = r.unit.source or rest:match('^"([^"]+)"')
		or rest:match('^[01]%s.*"([^"]+)"')
end
directives[".set"] = function(r, rest)
	local name, value = rest:match("^([^,%s]+)%s*,%s*(.*)$")
	if value and value:match("^%.") then
		r.data_label(name, true)
		refer(r, value:gsub("^%.%s", ""),
			{ kind = "set", name = name, section = r.section.name })
	end
end

-- Whether an inline assembly transfers control, or may do so.
local function leaves(text)
	for line in (text .. "\n"):gmatch("(.-)[\n;]") do
		local op, rest = bare(line):gsub("^%s*[%w_.$]+:", ""):match(
			"^%s*([%a][%w.]*)%s*(.*)$")
		if op then
			local item = instruction(op, rest)
			local flow, target = item.flow, item.target or ""
			if flow == "return" or flow == "indirect" or op == "mret" or op == "tail"
				or op == "jump"
				or ((flow == "jump" or flow == "branch")
				and not target:match("^%d+[bf]$") and not target:match("^%.L")) then
				return true
			end
		end
	end
	return false
end

-- The function that the reader is in, or its cold part.
local function open_part(r)
	local part = r.section.exec and r.open[r.section.name]
	return part and not part.closed and part or nil
end

local function add(r, item, line)
	local part = open_part(r)
	if part then
		item.line, item.rvc, item.loc, item.cold = line, r.rvc, r.loc, part.cold
		table.insert(part.f.items, item)
	end
	return part and part.f
end

local function label(r, name, line)
	if not r.section.exec then
		r.data_label(name)
		return
	end
	local base = name:match("^(.*)%.cold[.%d]*$")
	local whole = base and r.unit.by_name[base]
	if r.is_function[name] and whole then
		r.open[r.section.name] = { f = whole, label = name, cold = true }
		whole.cold = name
	elseif r.is_function[name] then
		local f = { name = name, items = {}, loc = r.loc }
		r.unit.functions[#r.unit.functions + 1] = f
		r.unit.by_name[name] = f
		r.open[r.section.name] = { f = f, label = name }
	end
	add(r, { kind = "label", name = name }, line)
end

local function statement(r, line, code)
	local name, rest = code:match('^%s*"?([%w_.$]+)"?:%s*(.*)$')
	if name then
		label(r, name, line)
		return statement(r, line, rest)
	end
	local op, args = code:match("^%s*(%S+)%s*(.-)%s*$")
	if not op then
		return
	end
	if directives[op] then
		r.unit.has_sections = r.unit.has_sections or op == ".text"
			or op:match("section$") ~= nil
		directives[op](r, args)
	elseif data[op] then
		if not r.section.debug then
			refer(r, args, { kind = r.section.eh and "eh" or "data",
				table = r.last_label[r.section.name],
				section = r.section.name })
		end
	elseif op:sub(1, 1) ~= "." and not args:match("^=") and r.section.exec then
		local item = instruction(op, args)
		add(r, item, line)
		local pinned = args:match("%%pcrel_lo%(%s*([^)%s]+)")
		if pinned then
			r.unit.pinned[pinned] = true
		else
			refer(r, args, { kind = item.flow and item.target and "flow" or "inst",
				item = item })
		end
	end
end

-- An inline assembly from line to line.
local function inline(r, from, to)
	local text = table.concat(r.unit.lines, "\n", from + 1, to - 1)
	if not text:match("%S") then
		return
	end
	local item = { kind = "asm", text = text, uses = asm.every_register, defs = 0 }
	local f = add(r, item, from)
	if f then
		f.opaque = f.opaque
			or (leaves(text) and "its inline assembly goes elsewhere by itself") or nil
		refer(r, text:gsub("#[^\n]*", ""), { kind = "asm", item = item })
	end
end

--- asm.read(TEXT) -> UNIT
-- Parses an assembly text.
function asm.read(text)
	local unit = { lines = lines_of(text), functions = {}, by_name = {}, references = {},
		pinned = {}, tables = {} }
	local r = { unit = unit, stack = {}, options = {}, open = {}, is_function = {},
		last_label = {}, rvc = true,
		loc = 0 }
	-- Names of data: a jump table by the label before it, an anchor by its section.
	r.data_label = function(name, anchor)
		unit.tables[name] = { section = r.section.name, anchor = anchor }
		if not anchor then
			r.last_label[r.section.name] = name
		end
	end
	enter(r, ".text")
	local began -- line of the #APP before an inline assembly
	for n, line in ipairs(unit.lines) do
		if line:match("^%s*#APP") then
			began = n
		elseif line:match("^%s*#NO_APP") then
			if began then
				inline(r, began, n)
			end
			began = nil
		elseif not began then
			r.line = n
			statement(r, n, bare(line))
		end
	end
	return unit
end

return asm
