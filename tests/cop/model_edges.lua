-- demos/microcode/edges.mic, written again from its text.
local model = require "model"

local M = { microcode = "demos/microcode/edges.mic" }
local NONE <const> = 0x800000

M.clocks = { [3] = { 5, 7 }, [4] = { 1, 7 } } -- by class: the usual path of records

function M.new(cam, data)
	local m = model.new(cam, data)
	m.slots = math.min(cam, data // 4, 256) & ~1
	m.v[1] = NONE
	return m
end

function M.setup(m)
	return { { model.register("b", 1), 3 * m.slots }, { model.register("b", 2), m.slots },
		{ model.register("b", 3), 2 * m.slots }, { model.register("b", 4), m.slots } }
end

local function take(m)
	local slot = model.lowest_free(m)
	if slot then
		m.last_free = slot
	end
	return slot and slot < m.slots and slot or nil, slot
end

-- The slot of a pc, allocated on first use; nil if none is left.
local function own(m, pc, bits)
	local slot = model.find(m, pc)
	if slot then
		m.x[0] = slot
		return slot
	end
	local found, any = take(m)
	m.x[0] = any or m.x[0]
	if any then
		m.v[2] = any << 8
	end
	if not found then
		return
	end
	model.enter(m, found, pc)
	m.v[2] = found << 24 | bits
	m.data[3 * m.slots + found], m.data[2 * m.slots + found] = m.v[2], pc
	return found
end

local function other(m, key, place)
	local slot = model.find(m, key)
	if slot then
		m.x[1] = slot
		return slot
	end
	local found, any = take(m)
	m.x[1] = any or m.x[1]
	if found then
		model.enter(m, found, key)
		m.data[2 * m.slots + found] = place
	end
	return found
end

local function no_slot(m, r, register, value)
	m.v[3], m.v[register], m.x[0] = r.pc, value, 0
	return true
end

local function branch(m, r)
	local before = m.v[1]
	m.v[0] = r.pc ~ before
	local slot = own(m, r.pc, 1)
	if not slot then
		return no_slot(m, r, 4, r.events)
	end
	local pair = other(m, m.v[0], r.pc)
	if not pair then
		return no_slot(m, r, 4, r.events)
	end
	local taken = r.events & model.TAKEN
	m.v[1] = m.data[3 * m.slots + slot]
	m.x[3] = pair + m.x[2]
	local full = model.count16(m, slot, taken)
	local full_pair = model.count16(m, m.x[3], taken)
	m.x[2] = taken == 1 and m.slots or 0
	return full or full_pair
end

local function jump(m, r)
	local _, r1 = model.jump_registers(r.inst)
	if r1 == 0 then
		m.x[0] = model.find(m, r.pc) or m.x[0]
		return false
	end
	m.v[2] = m.data[3 * m.slots + m.x[0]]
	local slot = own(m, r.pc, NONE | 1)
	if not slot then
		return no_slot(m, r, 5, r.target)
	end
	m.v[2] = m.data[3 * m.slots + slot]
	m.v[0] = r.target ~ m.v[2]
	local target = other(m, m.v[0], r.target)
	if not target then
		return no_slot(m, r, 5, r.target)
	end
	return model.count(m, target)
end

-- True if it calls the handler.
function M.record(m, r)
	if r.kind == model.BRANCH then
		return branch(m, r)
	end
	return jump(m, r)
end

local function count_branch(totals, pc, taken, n)
	model.add(totals, n, "branch", pc, taken)
end

-- Counts a record without a slot, by its known fields.
local function fold_missed(m, totals)
	local pc = m.v[3]
	if pc == 0 then
		return
	elseif m.v[5] ~= 0 then
		model.add(totals, 1, "target", pc, m.v[5])
		return
	end
	local taken, before = m.v[4] & model.TAKEN, m.v[1] ~= NONE and m.cam[m.v[1] >> 24] or 0
	count_branch(totals, pc, taken, 1)
	model.add(totals, 1, "pair", before, pc, (m.x[2] ~= 0 and 2 or 0) + taken)
	m.v[1], m.x[2] = NONE, taken == 1 and m.slots or 0
	return pc
end

-- The handler: adds all slots to totals; returns its writes.
function M.handle(m, totals)
	for i = 0, m.slots - 1 do
		local key, low, high = m.cam[i], m.data[i], m.data[m.slots + i]
		if m.valid[i] == 0 then
			goto continue
		elseif key & 1 == 0 and key < NONE then
			for taken = 0, 1 do
				count_branch(totals, key, taken, low >> 16 * taken & 0xffff)
			end
		elseif key & 1 == 1 and key & NONE ~= 0 then
			model.add(totals, low, "target", m.cam[key >> 24], key & 0x7ffffe)
		else
			local before = key & 1 == 1 and m.cam[key >> 24] or 0
			for outcome = 0, 3 do
				model.add(totals,
					(outcome < 2 and low
					or high) >> 16 * (outcome & 1) & 0xffff, "pair", before,
					key & 0x7ffffe, outcome)
			end
		end
		::continue::
	end
	local last = fold_missed(m, totals) or (m.v[1] ~= NONE and m.cam[m.v[1] >> 24]) or nil
	for i = 0, #m.cam do
		m.valid[i] = 0
	end
	for i = 0, #m.data do
		m.data[i] = 0
	end
	m.v[1], m.v[3], m.v[5] = NONE, 0, 0
	local writes = { { model.INVALIDATE, 1 }, { model.CLEAR_DATA, 1 } }
	if last then
		model.enter(m, 0, last)
		m.data[3 * m.slots], m.v[1], m.cam[1] = 1, 1, 0
		writes[#writes + 1] = { model.CAM, last }
		writes[#writes + 1] = { model.VALID, 1 }
		writes[#writes + 1] = { model.DATA + 12 * m.slots, 1 }
	end
	writes[#writes + 1] = { model.register("v", 1), m.v[1] }
	writes[#writes + 1] = { model.register("v", 3), 0 }
	writes[#writes + 1] = { model.register("v", 5), 0 }
	writes[#writes + 1] = { model.register("x", 2), m.x[2] }
	writes[#writes + 1] = { model.RESUME, 1 }
	return writes
end

-- Counts that are nearly full, of slot i.
function M.fill(m, i, data)
	local key = m.cam[i]
	if m.valid[i] == 0 then
		return
	elseif key & 1 == 1 and key & NONE ~= 0 then
		data[i] = 0xfffffffe
	elseif key & 1 == 1 then
		data[i], data[m.slots + i] = 0xfffefffe, 0xfffefffe
	elseif i & 1 == 0 then -- other values, which fill pairs before their branch commits
		data[i] = 0xfffefffe
	end
end

return M
