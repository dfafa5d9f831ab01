-- demos/microcode/calls.mic, written again from its text.
local model = require "model"

local M = { microcode = "demos/microcode/calls.mic",
	sizes = { { 256, 1024 }, { 20, 224, "cop.divider=2" }, { 10, 256, "cop.buffer=1024" } } }
local DEPTH <const> = 63
local KEYS <const>, CALLEES <const>, RETURNS <const>, PROCEDURES <const> = 0, DEPTH + 1,
	2 * (DEPTH + 1), 3 * (DEPTH + 1)

-- Microinstructions of other streams, from the last one: test_stacks.lua executes them.
M.elsewhere = { [1] = true, [2] = true, [3] = true, [4] = true, [5] = true, [8] = true,
	[9] = true }
-- By class: the usual path of records.
M.clocks = { [3] = { 1, 8 }, [4] = { 8, 5, 7 }, [9] = { 1 } }

function M.new(cam, data)
	local m = model.new(cam, data)
	m.slots = math.min(cam, (data - PROCEDURES) // 3, 256) & ~1
	m.counts = PROCEDURES + m.slots
	return m
end

function M.setup(m)
	return { { model.register("b", 3), m.counts }, { model.register("b", 5), m.slots },
		{ model.register("b", 6), m.counts + m.slots } }
end

local function context(m)
	m.v[0], m.v[1] = m.data[KEYS + m.x[0]], m.data[CALLEES + m.x[0]]
end

-- A misprediction in the context of v0 and v1.
local function count(m)
	local slot = model.find(m, m.v[0])
	if slot then
		m.x[1], m.v[3] = slot, m.data[PROCEDURES + slot]
		if m.v[3] ~= m.v[1] then
			m.v[7] = m.v[7] + 1
			return false
		end
		return model.count(m, m.counts + slot)
	end
	m.v[8] = 1
	slot = model.lowest_free(m)
	if not slot then
		return true
	end
	m.x[1], m.v[9] = slot, m.v[1] << 8
	if slot >= m.slots then
		return true
	end
	model.enter(m, slot, m.v[0])
	m.v[9] = m.v[0] ~ m.v[1] << 16
	m.v[8], m.data[PROCEDURES + slot], m.data[m.counts + slot],
		m.data[m.counts + m.slots + slot] = 0, m.v[1], 1, m.v[9] & 0xffffffff
	return false
end

local function call(m, r)
	m.v[2] = r.target << 8
	if m.x[0] >= DEPTH then
		m.v[4], m.v[5] = m.v[4] + 1, m.v[5] + 1
		return
	end
	m.x[0], m.v[2] = m.x[0] + 1, r.target << 16 ~ r.pc
	m.data[KEYS + m.x[0]], m.data[CALLEES + m.x[0]] = m.v[2] & 0xffffffff, r.target & 0xffffffff
	m.data[RETURNS + m.x[0]] = r.pc + (r.inst & 3 == 3 and 4 or 2) & 0xffffffff
end

-- A return to `target`, from the highest frame that returns there.
local function back(m, target)
	m.v[10] = m.data[RETURNS + m.x[0]]
	if m.v[4] > 0 then
		m.v[4], m.x[2] = m.v[4] - 1, m.x[0]
		return
	end
	for frame = m.x[0], 0, -1 do
		m.v[10], m.x[2] = m.data[RETURNS + frame], frame
		if m.v[10] == target & 0xffffffff then
			if frame < m.x[0] then
				m.v[12] = m.x[0] - frame
				m.v[11] = m.v[11] + m.v[12]
			end
			m.x[0] = frame
			context(m) -- the return's own
			m.x[0] = math.max(frame - 1, 0)
			return
		end
	end
	m.v[6], m.x[2] = m.v[6] + 1, 0xffff
end

local function is_link(register)
	return register == 1 or register == 5
end

function M.record(m, r)
	local mispredicted = r.events & model.MISPREDICTED ~= 0
	if r.kind ~= model.BRANCH and r.kind ~= model.JUMP then
		return false -- one thread without signals: no other stream
	end
	if r.kind == model.BRANCH then
		m.v[0] = m.data[KEYS + m.x[0]]
		if not mispredicted then
			return false
		end
		context(m)
		return count(m)
	end
	context(m)
	local rd, r1 = model.jump_registers(r.inst)
	if is_link(rd) then
		call(m, r)
	elseif is_link(r1) then
		back(m, r.target)
	end
	return mispredicted and count(m)
end

local function fold(totals, key, callee, n)
	model.add(totals, n, (key ~ callee << 16) & 0xffffffff, callee)
end

function M.handle(m, totals)
	local writes = {}
	for i = 0, m.slots - 1 do
		if m.valid[i] == 1 then
			fold(totals, m.cam[i], m.data[PROCEDURES + i], m.data[m.counts + i])
		end
	end
	if m.v[8] == 1 then
		fold(totals, m.v[0], m.v[1], 1)
	end
	model.forget(m, 0, {})
	m.v[8] = 0
	writes[1] = { model.INVALIDATE, 1 }
	writes[2] = { model.register("v", 8), 0 }
	writes[3] = { model.RESUME, 1 }
	return writes
end

-- A count that is nearly full, of slot i.
function M.fill(m, i, data)
	if m.valid[i] == 1 then
		data[m.counts + i] = 0xfffffffe
	end
end

return M
