-- demos/microcode/conflicts.mic, written again from its text.
local model = require "model"

-- Few sets, so that more blocks share one than in a cache.
local M = { microcode = "demos/microcode/conflicts.mic", sets = 64,
	sizes = { { 256, 1024 }, { 90, 360, "cop.divider=2" },
	{ 66, 512, "l1d.size=2K", "cop.buffer=1024", "cop.transport=256", "cop.bus=8" } } }
local MISSES <const>, LINE <const> = 64, 32
local LOAD <const> = 0x800000

M.clocks = { [0] = { 3, 8, 8, 13 } } -- by class: the usual path of records

function M.new(cam, data)
	local m = model.new(cam, data)
	m.entries = math.min(cam, data // 4, 256) & ~1
	m.x[3] = MISSES
	return m
end

function M.setup(m)
	return { { model.register("k", 0), (M.sets - 1) * LINE },
		{ model.register("k", 1), LINE - 1 }, { model.register("b", 1), m.entries },
		{ model.register("b", 3), m.entries }, { model.register("b", 4), 2 * m.entries },
		{ model.register("b", 5), 3 * m.entries } }
end

-- True if the block is among the last missed ones; adds it to them.
local function again(m, r)
	m.v[1] = r.addr | LINE - 1
	local entry = model.find(m, m.v[1])
	if entry then
		m.x[1] = entry
		return true
	end
	model.enter(m, m.x[4], m.v[1])
	m.x[4] = (m.x[4] + 1) % MISSES
	return false
end

local function watch(m)
	local slot = m.x[3]
	model.enter(m, slot, m.v[0])
	m.v[2] = slot << 24 | LOAD
	m.data[slot], m.data[m.entries + slot], m.data[2 * m.entries + slot],
		m.data[3 * m.entries + slot] = 0, 0, 0, m.v[2]
	m.x[0], m.x[3] = slot, slot + 1
	return slot
end

local function full(m, r, new_set)
	m.v[4], m.v[5], m.v[6] = r.pc, r.events, new_set
	return true
end

local function access(m, r, set)
	local missed = r.events & model.L1_MISS ~= 0
	m.v[2] = m.data[3 * m.entries + set]
	m.v[3] = m.v[2] ~ r.pc
	local slot = model.find(m, m.v[3])
	local asks = false
	if not slot and m.x[3] >= m.entries then
		asks = full(m, r, m.v[6])
	else
		if not slot then
			slot = m.x[3]
			model.enter(m, slot, m.v[3])
			m.data[slot], m.data[m.entries + slot], m.data[2 * m.entries + slot],
				m.x[3] = 0, 0, r.pc, slot + 1
		end
		m.x[2] = slot
		model.count(m, slot)
		if missed then
			model.count(m, m.entries + slot)
		end
	end
	if missed and again(m, r) then
		asks = model.count(m, set) or asks
	end
	return asks
end

function M.record(m, r)
	m.v[0] = r.addr & (M.sets - 1) * LINE
	local set = model.find(m, m.v[0])
	if not set then
		if r.events & model.L1_MISS == 0 or not again(m, r) then
			return false
		elseif m.x[3] >= m.entries then
			return full(m, r, 1)
		end
		set = watch(m)
	else
		m.x[0] = set
	end
	return access(m, r, set)
end

local function fold_access(totals, set, pc, accesses, misses)
	model.add(totals, accesses, "accesses", set, pc)
	model.add(totals, misses, "misses", set, pc)
end

function M.handle(m, totals)
	local writes = {}
	for i = MISSES, m.x[3] - 1 do
		local key = m.cam[i]
		if key & LOAD == 0 then
			model.add(totals, m.data[i], "conflicts", key)
		else
			fold_access(totals, m.cam[key >> 24], key & LOAD - 1, m.data[i],
				m.data[m.entries + i])
		end
	end
	if m.v[4] ~= 0 then
		fold_access(totals, m.v[0], m.v[4], 1, m.v[5] & model.L1_MISS ~= 0 and 1 or 0)
		model.add(totals, m.v[6], "conflicts", m.v[0])
	end
	model.forget(m, MISSES, writes)
	m.v[4], m.v[6], m.x[3] = 0, 0, MISSES
	for _, w in ipairs{ { "v", 4, 0 }, { "v", 6, 0 }, { "x", 3, MISSES } } do
		writes[#writes + 1] = { model.register(w[1], w[2]), w[3] }
	end
	writes[#writes + 1] = { model.RESUME, 1 }
	return writes
end

-- Counts that are nearly full, of slot i.
function M.fill(m, i, data)
	if i >= MISSES and m.valid[i] == 1 and m.cam[i] & LOAD == 0 then
		data[i] = 0xfffffffe
	end
end

return M
