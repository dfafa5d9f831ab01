-- demos/microcode/memdep.mic, written again from its text.
local model = require "model"

local M = { microcode = "demos/microcode/memdep.mic" }
local STORES <const> = 64

M.clocks = { [0] = { 4, 10, 13 }, [1] = { 3, 5 } } -- by class: the usual path of records

function M.new(cam, data)
	local m = model.new(cam, data)
	m.entries = math.min(cam, data // 3, 256) & ~1
	m.x[2] = STORES
	return m
end

function M.setup(m)
	return { { model.register("b", 1), m.entries }, { model.register("b", 3), m.entries },
		{ model.register("b", 4), 2 * m.entries } }
end

local function store(m, r)
	m.v[0] = r.addr | 7
	local entry = model.find(m, m.v[0])
	if entry then
		m.x[0] = entry
	else
		entry = m.x[3]
		model.enter(m, entry, m.v[0])
		m.x[3] = (entry + 1) % STORES
	end
	m.data[entry] = r.pc & 0xffffffff
end

local function depends(m, r)
	m.v[1] = m.data[m.x[0]]
	m.v[2] = m.v[1] << 16 ~ r.pc
	local slot = model.find(m, m.v[2])
	if slot then
		m.x[1], m.v[3] = slot, m.data[slot]
		if m.v[3] ~= m.v[1] then
			m.v[4] = m.v[4] + 1
			return false
		end
		return model.count(m, m.entries + slot)
	elseif m.x[2] >= m.entries then
		m.v[5] = r.pc
		return true
	end
	slot = m.x[2]
	model.enter(m, slot, m.v[2])
	m.data[slot], m.data[m.entries + slot], m.data[2 * m.entries + slot], m.x[2] = m.v[1], 1,
		r.pc, slot + 1
	return false
end

function M.record(m, r)
	if r.kind == model.STORE then
		store(m, r)
		return false
	end
	m.v[0] = r.addr | 7
	local entry = model.find(m, m.v[0])
	if not entry then
		return false
	end
	m.x[0] = entry
	return depends(m, r)
end

function M.handle(m, totals)
	local writes = {}
	for i = STORES, m.x[2] - 1 do
		local from = m.data[i]
		model.add(totals, m.data[m.entries + i], from, (m.cam[i] ~ from << 16) & 0xffffffff)
	end
	if m.v[5] ~= 0 then
		model.add(totals, 1, m.v[1], m.v[5])
	end
	model.forget(m, STORES, writes)
	m.v[5], m.x[2] = 0, STORES
	writes[#writes + 1] = { model.register("v", 5), 0 }
	writes[#writes + 1] = { model.register("x", 2), STORES }
	writes[#writes + 1] = { model.RESUME, 1 }
	return writes
end

-- A count that is nearly full, of slot i.
function M.fill(m, i, data)
	if i >= STORES and m.valid[i] == 1 then
		data[m.entries + i] = 0xfffffffe
	end
end

return M
