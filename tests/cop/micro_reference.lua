-- The co-processor's engine, written again from the manual: executes the text of a microprogram,
-- one microinstruction after the other, and reports the clock of each. Uses no encoding, no table,
-- no pipeline.
local M = {}

local CLASSES <const> = { load = 0, store = 1, atomic = 2, branch = 3, jump = 4, int = 5, mul = 6,
	div = 7, fp = 8, system = 9 }
M.CLASSES = CLASSES

-- ---- reading ----
local function trim(s)
	return (s:gsub("^%s+", ""):gsub("%s+$", ""))
end

local function split(s, by)
	local out = {}
	for part in (s .. by):gmatch("(.-)%" .. by) do
		out[#out + 1] = trim(part)
	end
	return out
end

local function read_branch(words)
	local b, i = { cond = "always" }, 1
	if words[1] == "if" then
		b.cond, i = words[2], 3
	end
	b.to = words[i]
	if b.to == "goto" then
		i = i + 1
		b.label = words[i]
	end
	local hint = words[i + 1]
	b.likely = hint == "likely" or (not hint and b.cond == "always")
	return b
end

local function read_op(text)
	local words = {}
	for w in text:gmatch("%S+") do
		words[#words + 1] = w
	end
	if words[1] == "if" or words[1] == "goto" or words[1] == "done"
		or words[1] == "interrupt" then
		return "branch", read_branch(words)
	elseif words[1] == "nop" then
		return "nop", {}
	end
	local name, width, rest = text:match("^(%a%w*)%.?(%d*)%s*(.*)$")
	local op = { name = name, width = tonumber(width), args = rest == "" and {}
		or split(rest, ",") }
	local first = op.args[1] or ""
	local memory
	for i, a in ipairs(op.args) do
		if a:find "^cam" then
			return "cam", op
		end
		local base, index, lane = a:match "^b(%d)%[?(%w*)%]?%.?(%d*)$"
		if base and not first:find "^x%d" and not memory then
			memory = { base = tonumber(base), index = index, lane = tonumber(lane) or 0,
				at = i }
		end
	end
	if name == "match" or name == "free" then
		return "cam", op
	elseif memory then
		op.memory = memory
		op.dst = memory.at == 2 and tonumber(first:match "%d+")
		op.source = op.args[memory.at + 1]
		return "data", op
	elseif first:find "^x%d$" and not op.width then
		return "index", op
	end
	return "alu", op
end

-- A program: its lines from 0 on, labels, and initial registers.
function M.parse(text)
	local p = { code = {}, count = 0, labels = {}, k = {}, v = {}, x = {}, b = {}, t = {},
		start = {} }
	local late = {}
	for line in text:gmatch "[^\n]+" do
		line = trim((line:gsub("#.*", "")))
		local label, rest = line:match "^([%w_]+):%s*(.*)$"
		if label then
			p.labels[label] = p.count
			line = rest
		end
		local directive, what = line:match "^%.(%w+)%s+(.*)$"
		if directive then
			late[#late + 1] = { directive, what }
		elseif line ~= "" then
			local one = {}
			for _, op in ipairs(split(line, "|")) do
				local unit, read = read_op(op)
				one[unit] = read
			end
			p.code[p.count] = one
			p.count = p.count + 1
		end
	end
	local into = { const = "k", value = "v", index = "x", base = "b" }
	for _, d in ipairs(late) do
		local reg, value = d[2]:match "^%a(%d+)%s*=%s*(.*)$"
		if into[d[1]] then
			p[into[d[1]]][tonumber(reg)] = math.tointeger(tonumber(value))
		elseif d[1] == "target" then
			p.t[tonumber(reg)] = p.labels[value]
		elseif d[1] == "on" then
			local classes, label = d[2]:match "^(.-):%s*(%S+)$"
			for _, c in ipairs(split(classes, ",")) do
				p.start[CLASSES[c]] = p.labels[label]
			end
		end
	end
	return p
end

-- ---- executing ----
local function filled(from, n)
	local t = {}
	for i = 0, n - 1 do
		t[i] = from and from[i] or 0
	end
	return t
end

function M.new(p, cam, data, seed)
	local s = { p = p, v = filled(p.v, 16), k = filled(p.k, 16), x = filled(p.x, 8),
		b = filled(p.b, 8), cam = filled(nil, cam),
		valid = {}, data = filled(nil, data), cam_n = cam, data_n = data, lfsr = seed == 0
			and 1 or seed, match = 0, flags = {} }
	for i = 0, cam - 1 do
		s.valid[i] = false
	end
	return s
end

local function low(v, bits)
	return bits == 64 and v or v & ((1 << bits) - 1)
end

local function less(a, b)
	return math.ult(a, b)
end

-- A source's 64 bits. old: the state before the microinstruction.
local function source(old, rec, name)
	local letter, number = name:match "^([vkx])(%d+)$"
	if letter then
		return old[letter][tonumber(number)]
	elseif name == "match" then
		return old.match
	elseif name == "zero" then
		return 0
	end
	return rec[name] or math.tointeger(tonumber(name)) or error("no source " .. name)
end

-- Thirty-two bits, taps at 32, 22, 2 and 1, sixteen steps.
local function next_random(r)
	for _ = 1, 16 do
		local out = r & 1
		r = r >> 1
		if out == 1 then
			r = r ~ (1 << 31 | 1 << 21 | 1 << 1 | 1)
		end
	end
	return r
end

local function alu(s, old, rec, op)
	local bits = op.width or 64
	local max = low(-1, bits)
	local writes = op.name ~= "cmp" and op.name ~= "test"
	local a = low(source(old, rec, op.args[writes and 2 or 1]), bits)
	local b = op.args[writes and 3 or 2]
	b = b and low(source(old, rec, b), bits)
	local n, lt, sat, r = op.name, false, false
	if n == "mov" then r = a
	elseif n == "add" then r = a + b
	elseif n == "sub" or n == "cmp" then r, lt = a - b, less(a, b)
	elseif n == "and" or n == "test" then r = a & b
	elseif n == "or" then r = a | b
	elseif n == "xor" then r = a ~ b
	elseif n:find "^shl" then r = a << tonumber(n:sub(4))
	elseif n:find "^shr" then r = a >> tonumber(n:sub(4))
	elseif n == "sadd" then
		r = low(a + b, bits)
		sat = less(r, a)
		r = sat and max or r
	elseif n == "ssub" then
		lt = less(a, b)
		sat, r = lt, lt and 0 or a - b
	elseif n == "rand" then
		r = old.lfsr & a
		s.lfsr = next_random(old.lfsr)
	else error(n) end
	r = low(r, bits)
	s.flags.z, s.flags.lt, s.flags.sat = r == 0, lt, sat
	if writes then
		s.v[tonumber(op.args[1]:match "%d+")] = r
	end
end

local function index_source(old, rec, name)
	local base = name:match "^b(%d)$"
	return (base and old.b[tonumber(base)] or source(old, rec, name)) & 0xffff
end

local function index(s, old, rec, op)
	local n, args = op.name, op.args
	local dst = n ~= "cmp" and tonumber(args[1]:match "%d") or nil
	local a, b, r
	if n == "inc" or n == "dec" then
		a = old.x[tonumber((args[2] or args[1]):match "%d")]
		b = args[3] and index_source(old, rec, args[3]) or 0
		if n == "inc" then
			r = a + 1 == b and 0 or a + 1
		else
			r = a == 0 and b - 1 or a - 1
		end
	else
		b = index_source(old, rec, args[#args])
		a = n ~= "mov" and old.x[tonumber(args[#args - 1]:match "%d")]
		r = n == "mov" and b or n == "add" and a + b or n == "and" and a & b or a - b
	end
	r = r & 0xffff
	s.flags.xz, s.flags.xlt = r == 0, (n == "sub" or n == "cmp") and a < b
	if dst then
		s.x[dst] = r
	end
end

local function entry_of(old, op)
	for _, a in ipairs(op.args) do
		local x = a:match "^cam%[x(%d)%]$"
		if x then
			return old.x[tonumber(x)]
		end
	end
end

local function found(s, x, entry)
	s.flags.hit = entry ~= nil
	if entry then
		s.match, s.x[x] = entry, entry
	end
end

local function cam(s, old, rec, op)
	local n, entry = op.name, entry_of(old, op)
	if n == "match" or n == "free" then
		local at
		local key = n == "match" and low(source(old, rec, op.args[2]), 32)
		for i = s.cam_n - 1, 0, -1 do
			if (n == "free" and not s.valid[i])
				or (key and s.valid[i] and s.cam[i] == key) then
				at = i
			end
		end
		found(s, tonumber(op.args[1]:match "%d"), at)
	elseif n == "read" then
		s.v[tonumber(op.args[1]:match "%d+")] = s.cam[entry]
	elseif n == "write" then
		s.cam[entry], s.valid[entry] = low(source(old, rec, op.args[2]), 32), true
	elseif entry then
		s.valid[entry] = false
	else
		for i = 0, s.cam_n - 1 do
			s.valid[i] = false
		end
	end
end

local function address_of(old, op)
	local m = op.memory
	local x = m.index:match "^x(%d)$"
	return old.b[m.base] + (x and old.x[tonumber(x)] or m.index == "match" and old.match
		or tonumber(m.index) or 0)
end

local function data(s, old, rec, op)
	local bits, at = op.width or 32, address_of(old, op)
	local max, shift = low(-1, bits), op.memory.lane * bits
	local was = s.data[at] >> shift & max
	local by = op.source and low(source(old, rec, op.source), bits)
	local n, r = op.name, nil
	if n == "read" then r = was
	elseif n == "write" then r = by
	elseif n == "inc" then r = math.min(was + 1, max)
	elseif n == "dec" then r = math.max(was - 1, 0)
	elseif n == "add" then r = math.min(was + by, max)
	elseif n == "sub" then r = math.max(was - by, 0)
	elseif n == "clear" then r = 0
	elseif n == "halve" then r = was // 2
	else error(n) end
	s.data[at] = s.data[at] & ~(max << shift) | r << shift
	s.flags.csat, s.flags.cz = r == max, r == 0
	if op.dst then
		s.v[op.dst] = r
	end
end

local NOT <const> = { nz = "z", ge = "lt", nsat = "sat", xnz = "xz", xge = "xlt", miss = "hit",
	ncsat = "csat", cnz = "cz" }

local function holds(flags, cond)
	if cond == "always" or cond == "never" then
		return cond == "always"
	elseif NOT[cond] then
		return not flags[NOT[cond]]
	end
	return flags[cond] or false
end

-- A branch's target: an address, "done" or "interrupt".
local function goal(p, b, at)
	if b.to ~= "goto" then
		return b.to
	end
	local t = b.label:match "^t(%d)$"
	if t then
		return p.t[tonumber(t)]
	end
	return p.labels[b.label] or at + tonumber(b.label)
end

-- Executes the microinstruction at `at` for a record. Returns the next address and the predicted
-- one, or nil and the fault.
function M.step(s, rec, at)
	local one = s.p.code[at]
	if not one then
		return nil, "code"
	end
	local old = { v = table.move(s.v, 0, 15, 0, {}), x = table.move(s.x, 0, 7, 0, {}), k = s.k,
		b = s.b, match = s.match, lfsr = s.lfsr }
	local entry = one.cam and entry_of(old, one.cam)
	if entry and entry >= s.cam_n then
		return nil, "cam"
	elseif one.data and address_of(old, one.data) >= s.data_n then
		return nil, "data"
	end
	if one.alu then alu(s, old, rec, one.alu) end
	if one.index then index(s, old, rec, one.index) end
	if one.cam then cam(s, old, rec, one.cam) end
	if one.data then data(s, old, rec, one.data) end
	local b = one.branch
	local next = b and holds(s.flags, b.cond) and goal(s.p, b, at) or at + 1
	return next, b and b.likely and goal(s.p, b, at) or at + 1
end

-- ---- time ----
-- Fetched in one clock, executed two later; one is fetched in each clock, after a wrong prediction
-- in the one after it was found, of a record not before it is there, and not before a resume.
-- `before`: the clock in which the last one was fetched, nil at the beginning.
function M.fetch_clock(before, wrong, arrived, resumed)
	local clock = before and before + (wrong and 3 or 1) or 0
	return math.max(clock, arrived or 0, resumed or 0)
end

return M
