-- Common parts of references of microprograms: the co-processor's arrays as tables from 0 on, and
-- decoding of jumps.
local M = {}

local function zeros(n)
	local t = {}
	for i = 0, n - 1 do
		t[i] = 0
	end
	return t
end

-- Arrays of these sizes, all 0.
function M.new(cam, data)
	return { v = zeros(16), x = zeros(8), cam = zeros(cam), valid = zeros(cam),
		data = zeros(data) }
end

-- The lowest valid entry with these 32 bits, or nil.
function M.find(m, key)
	key = key & 0xffffffff
	for i = 0, #m.cam do
		if m.valid[i] == 1 and m.cam[i] == key then
			return i
		end
	end
end

function M.lowest_free(m)
	for i = 0, #m.cam do
		if m.valid[i] == 0 then
			return i
		end
	end
end

function M.enter(m, i, key)
	m.cam[i], m.valid[i] = key & 0xffffffff, 1
end

-- Adds 1 to 16 bits of a word, up to 65535; true if they are full now.
function M.count16(m, at, lane)
	local n = math.min((m.data[at] >> 16 * lane & 0xffff) + 1, 0xffff)
	m.data[at] = m.data[at] & ~(0xffff << 16 * lane) | n << 16 * lane
	return n == 0xffff
end

-- The same of all 32 bits.
function M.count(m, at)
	m.data[at] = math.min(m.data[at] + 1, 0xffffffff)
	return m.data[at] == 0xffffffff
end

-- The registers of a jump: the number of the written one, 64 if none, and of the read one, 0 if
-- none.
function M.jump_registers(inst)
	local rd, rs1 = inst >> 7 & 31, inst >> 15 & 31
	if inst & 3 ~= 3 then
		local full = inst >> 13 & 7
		if inst & 3 == 1 then
			return 64, 0 -- c.j
		end
		return (inst >> 12 & 1) == 1 and 1 or 64, rd, full -- c.jalr, c.jr
	end
	return rd == 0 and 64 or rd, inst & 0x7f == 0x6f and 0 or rs1
end

M.TAKEN, M.MISPREDICTED, M.L1_MISS = 1, 2, 4
M.LOAD, M.STORE, M.BRANCH, M.JUMP = 0, 1, 3, 4

-- Registers, as a handler writes them (core/prof/cop/cop.h).
function M.register(letter, i)
	return ({ v = 0x100, k = 0x180, x = 0x200, b = 0x240 })[letter] + 8 * i
end

M.RESUME, M.INVALIDATE, M.CLEAR_DATA, M.CAM, M.VALID, M.DATA = 0x10, 0x40, 0x48, 0x20000, 0x28000,
	0x30000

-- Writes that invalidate entries from..to - 1 only; `from` is a multiple of 64, or 0.
function M.forget(m, from, writes)
	for i = from, #m.cam do
		m.valid[i] = 0
	end
	for w = from // 64, #m.cam // 64 do
		writes[#writes + 1] = { M.VALID + 8 * w, 0 }
	end
end

-- Adds to nested counts: add(t, n, a, b, ...) makes t[a][b]... n more.
function M.add(t, n, ...)
	local path = { ... }
	for i = 1, #path - 1 do
		t[path[i]] = t[path[i]] or {}
		t = t[path[i]]
	end
	local last = path[#path]
	t[last] = (t[last] or 0) + n
end

local function lines(t, before, out)
	for k, v in pairs(t) do
		local key = before .. (math.type(k) == "integer" and ("%x"):format(k) or k) .. " "
		if type(v) == "table" then
			lines(v, key, out)
		elseif v ~= 0 then
			out[#out + 1] = key .. v
		end
	end
	return out
end

-- Nested counts as text, so that surplus entries differ, too.
function M.text(t)
	local out = lines(t, "", {})
	table.sort(out)
	return table.concat(out, "; ")
end

return M
