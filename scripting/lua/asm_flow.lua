-- Find the basic blocks of functions in assembly text, how control flows between them, and which
-- registers are free where.
--
-- A block is a run of instructions that is entered only at its first one: at the function's entry,
-- at a label that is referred to, after a conditional branch. Calls end no block. Blocks have
-- `items`, `first` (the item before which code for the block is inserted), `label`, `next`
-- (possible successors) and `live` (registers live at its beginning). Items at which a function is
-- left have `leaves`.

local asm = require "cyclops.asm"

local flow = {}

local returned = asm.registers("a0", "a1", "ra") | asm.saved | asm.fixed
-- t2 is the static chain of nested functions
local arguments = asm.arguments | asm.registers("t2")

-- ---- blocks ----
-- Labels of f that may be jumped to: by name true, or "taken" if their address is used outside of
-- jumps.
local function entrances(unit, f)
	local found = {}
	for _, item in ipairs(f.items) do
		if item.kind == "label" and item.name ~= f.name then
			for _, where in ipairs(unit.references[item.name] or {}) do
				if where.kind == "flow" then
					found[item.name] = found[item.name] or true
				else
					found[item.name] = "taken"
				end
			end
		end
	end
	return found
end

local function goes_on(item)
	return item.flow ~= "jump" and item.flow ~= "indirect" and item.flow ~= "return"
end

local function refers_to(text, names)
	for word in text:gmatch("[%a_.$][%w_.$]*") do
		if names[word] then
			return true
		end
	end
	return false
end

local function ends_block(item, entrance)
	return item.flow == "branch" or not goes_on(item)
		or (item.kind == "asm" and refers_to(item.text, entrance))
end

-- Code can be inserted before an item, except between a label that a %pcrel_lo() refers to and its
-- auipc.
local function is_place(unit, item)
	return item.kind ~= "label" or unit.pinned[item.name]
end

local function find_blocks(unit, f)
	local entrance = entrances(unit, f)
	local blocks, at, b = {}, {}, nil
	local ended = true
	for _, item in ipairs(f.items) do
		local enters = item.kind == "label" and entrance[item.name]
		if b and ((enters and b.first) or item.cold ~= b.cold) then
			ended = true
		end
		if ended and (enters or is_place(unit, item)) then
			b = { items = {}, next = {}, cold = item.cold }
			blocks[#blocks + 1] = b
			ended = false
		end
		if b then
			if enters then
				at[item.name] = b
				b.label = b.label or item.name
			end
			if not ended then
				b.first = b.first or (is_place(unit, item) and item) or nil
				b.items[#b.items + 1] = item
				item.block = b
			end
			ended = ended or (item.kind ~= "label" and ends_block(item, entrance))
		end
	end
	f.blocks, f.block_at, f.entrances = blocks, at, entrance
	if #blocks > 0 and not blocks[#blocks].first then
		blocks[#blocks] = nil -- labels at the end, without code
	end
	for i, each in ipairs(blocks) do
		each.index = i - 1
		each.loc = each.first and each.first.loc or 0
		each.insts = 0
		for _, item in ipairs(each.items) do
			each.insts = each.insts + (item.kind == "label" and 0 or 1)
		end
	end
end

-- ---- indirect jumps: within the function, or tail calls? ----
-- Whether a register's value at an item may come from a table of labels of this function, or from
-- such a label.
local function is_from_table(unit, f, item, name, before, names_table)
	local seen = {}
	local function trace(b, last, reg)
		for i = last, 1, -1 do
			local it = b.items[i]
			local mask = 1 << reg
			if it.kind ~= "label" and it.defs & mask ~= 0 then
				if names_table(it) then
					return true
				end
				for r = 1, 31 do
					if it.uses & 1 << r ~= 0
						and not (it.uses == asm.every_register)
						and trace(b, i - 1, r) then
						return true
					end
				end
				return false
			elseif it.kind ~= "label" and it.flow == "call"
				and (1 << reg) & (asm.temporaries | asm.arguments) ~= 0 then
				return false
			end
		end
		for _, p in ipairs(before[b] or {}) do
			local key = p.index * 32 + reg
			if not seen[key] then
				seen[key] = true
				if trace(p, #p.items, reg) then
					return true
				end
			end
		end
		return false
	end
	for i, it in ipairs(item.block.items) do
		if it == item then
			return trace(item.block, i - 1, asm.number(name))
		end
	end
end

-- Bytes that sp is below its value at the function's entry, at each block's beginning; false: not
-- known.
local function depths(f)
	local depth = {}
	local function walk(b, d)
		local list = { { b, d } }
		while #list > 0 do
			local top = table.remove(list)
			b, d = top[1], top[2]
			if depth[b] == nil or (depth[b] ~= d and depth[b]) then
				depth[b] = depth[b] == nil and d or false
				d = depth[b]
				for _, it in ipairs(b.items) do
					if it.kind == "inst" and it.defs & asm.registers(
						"sp") ~= 0 then
						local step = it.op == "addi" and it.args[2] == "sp"
							and tonumber(it.args[3])
						d = d and step and d - step
					end
					it.depth = d
				end
				for _, n in ipairs(b.next) do
					list[#list + 1] = { n, d }
				end
			end
		end
	end
	if f.blocks[1] then
		walk(f.blocks[1], 0)
	end
end

local function decide_jumps(unit, f, indirect, taken)
	local before = {}
	for _, b in ipairs(f.blocks) do
		for _, n in ipairs(b.next) do
			before[n] = before[n] or {}
			table.insert(before[n], b)
		end
	end
	for _, b in ipairs(taken) do
		before[b] = before[b] or {}
		for _, item in ipairs(indirect) do
			table.insert(before[b], item.block)
		end
	end
	-- Names of tables: their own label, or an anchor in their section.
	local tables, sections, plain = {}, {}, true
	for name, how in pairs(f.entrances) do
		for _, where in ipairs(how == "taken" and unit.references[name] or {}) do
			if where.kind == "data" and where.table then
				tables[where.table], sections[where.section] = true, true
				plain = plain and where.table:match("^%.L") ~= nil
			elseif where.kind ~= "flow" and where.kind ~= "eh" then
				tables[name] = true
				plain = false
			end
		end
	end
	local function names_table(it)
		for word in table.concat(it.args or {}, " "):gmatch("[%a_.$][%w_.$]*") do
			local known = unit.tables[word]
			if tables[word] or (known and known.anchor and sections[known.section]) then
				return true
			end
		end
		return false
	end
	depths(f)
	for _, item in ipairs(indirect) do
		if (item.depth and item.depth ~= 0) or is_from_table(unit, f, item, item.via,
			before, names_table) then
			item.within = true
		elseif not plain then
			f.opaque = f.opaque
				or ("line " .. item.line .. ": 'jr " .. item.via
				.. "' may leave the function; compile with " ..
					"-fno-optimize-sibling-calls and use --no-sibling-calls")
		end
	end
end

-- ---- successors ----
local function link(unit, f, options)
	local taken, indirect = {}, {}
	for name, how in pairs(f.entrances) do
		if how == "taken" and f.block_at[name] and f.block_at[name].first then
			taken[#taken + 1] = f.block_at[name]
		end
	end
	table.sort(taken, function(a, b) return a.index < b.index end)
	for i, b in ipairs(f.blocks) do
		local last, successor = b.items[#b.items], f.blocks[i + 1]
		for _, item in ipairs(b.items) do
			last = item.kind ~= "label" and item or last
			if item.kind == "asm" then
				for name, to in pairs(f.block_at) do
					if refers_to(item.text, { [name] = true }) then
						b.next[#b.next + 1] = to
					end
				end
			end
		end
		if last.flow == "branch" or last.flow == "jump" then
			local to = f.block_at[last.target]
			if to and to.first then
				b.next[#b.next + 1] = to
			elseif last.flow == "jump" and not (last.target:match("^%.L")
				or last.target:match("^%d")) then
				last.leaves = "call"
			elseif not to then
				f.opaque = f.opaque or ("line " .. last.line .. ": '" .. last.op ..
					"' goes to " .. last.target
					.. ", which isn't in the function")
			end
		elseif last.flow == "return" then
			last.leaves = "return"
		elseif last.flow == "indirect" then
			indirect[#indirect + 1] = last
		end
		if goes_on(last) and successor and successor.cold == b.cold then
			b.next[#b.next + 1] = successor
		elseif goes_on(last) then
			b.falls_off = last.flow == "call" and "call" or "code"
			if last.kind == "asm" then
				f.opaque = f.opaque or "its end is inline assembly"
			end
		end
		b.last = last
	end
	if #indirect > 0 and #taken > 0 and options.sibling_calls then
		decide_jumps(unit, f, indirect, taken)
	end
	for _, item in ipairs(indirect) do
		if #taken > 0 and (item.within or not options.sibling_calls) then
			for _, to in ipairs(taken) do
				table.insert(item.block.next, to)
			end
		else
			item.leaves = "call"
		end
	end
end

local returns_elsewhere = { mret = true, sret = true, uret = true, dret = true }

local function look_for_unknown(f)
	for _, item in ipairs(f.items) do
		if item.kind == "inst" and (returns_elsewhere[item.op] or item.op:match("^cm%.")
			or item.op:match("^c%.[jb]")) then
			f.opaque = f.opaque or ("line " .. item.line .. ": what '" .. item.op ..
				"' does is not known here")
		end
	end
end

-- ---- liveness ----
-- Live registers before an item, from those after it. strict: inline assembly and calls read only
-- the registers that they name, else all that they might read.
local function before_item(item, live, kept, strict)
	if item.kind == "label" then
		return live
	elseif item.kind == "asm" then
		return strict and live | asm.mentioned(item.text) or asm.every_register
	elseif item.leaves or item.flow == "call" then
		if item.millicode then
			return strict and live or asm.every_register
		elseif item.leaves == "return" then
			return returned
		elseif item.leaves then
			return returned | item.uses | (strict and 0 or arguments)
		end
		local lost = (asm.temporaries | asm.arguments | asm.registers("ra")) & ~kept
		return (live & ~lost) | item.uses | asm.fixed | (strict and 0 or arguments)
	end
	if strict and item.uses == asm.every_register then
		return live
	end
	return (live & ~item.defs) | item.uses
end

local function at_end(b, strict)
	local live = 0
	for _, n in ipairs(b.next) do
		live = live | n.live
	end
	if b.falls_off == "code" and not strict then
		live = asm.every_register
	end
	return live
end

-- Sets `live` of every block; calls `told` with each call and the live registers after it.
local function find_live(f, kept, strict, told)
	local changed = true
	for _, b in ipairs(f.blocks) do
		b.live = 0
	end
	while changed do
		changed = false
		for i = #f.blocks, 1, -1 do
			local b = f.blocks[i]
			local live = at_end(b, strict)
			for k = #b.items, 1, -1 do
				live = before_item(b.items[k], live, kept, strict)
			end
			if live ~= b.live then
				b.live, changed = live, true
			end
		end
	end
	for _, b in ipairs(told and f.blocks or {}) do
		local live = at_end(b, strict)
		for k = #b.items, 1, -1 do
			if b.items[k].flow == "call" and not b.items[k].leaves
				and not b.items[k].millicode then
				told(b.items[k], live)
			end
			live = before_item(b.items[k], live, kept, strict)
		end
	end
end

--- flow.analyse(UNIT [, {sibling_calls = BOOLEAN}])
-- Finds blocks, flow and live registers of a unit's functions. A function that is not understood
-- has `opaque`, the reason. If `sibling_calls` is false (default true), every jump through a
-- register stays in its function.
--
-- unit.kept are temporaries that must survive a call: with -fipa-ra, gcc relies on registers that a
-- function of the same file leaves alone. Inserted code must not use them.
function flow.analyse(unit, options)
	options = options or { sibling_calls = true }
	unit.kept = 0
	for _, f in ipairs(unit.functions) do
		find_blocks(unit, f)
		link(unit, f, options)
		look_for_unknown(f)
		find_live(f, 0, true, function(_, live)
			unit.kept = unit.kept | (live & asm.temporaries)
		end)
	end
	for _, f in ipairs(unit.functions) do
		find_live(f, unit.kept, false)
	end
end

-- Order in which registers are taken. Never arguments: a caller may have left one in place across
-- this call.
local preferred = { "t6", "t5", "t4", "t3", "t1", "t0", "t2", "ra", "s11", "s10", "s9", "s8", "s7",
	"s6", "s5", "s4", "s3", "s2",
	"s1", "s0" }

--- flow.free(UNIT, BLOCK, COUNT) -> NAMES
-- At most COUNT registers that may be overwritten at a block's beginning.
function flow.free(unit, block, count)
	local names = {}
	for _, name in ipairs(preferred) do
		if #names < count and (block.live | unit.kept) & asm.registers(name) == 0 then
			names[#names + 1] = name
		end
	end
	return names
end

return flow
