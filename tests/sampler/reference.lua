-- The components of stream compressors, written from the paper (Sastry, Bodik, Smith, 3 and 4) and
-- from compressor.h where the paper leaves something open: slow, and with nothing in common with
-- the C but that.
--
--   ref.chain(parts, seed) -> chain      parts are tables like { kind = "P", rate = 3 }, see
--                                        ref.text
--   chain:take(pc, value, tag) -> steps  what each stage did: { act =, entry =, before =, after =,
--                                        misses =, message = { key =, value =, count = } }
--
-- A tuple's first word, key, is pc with the tag above it.
local ref = {}

local TAG_SHIFT <const> = 56

function ref.key(pc, tag)
	return pc | (tag or 0) << TAG_SHIFT
end

-- ---- random numbers ----
local Random = {}
Random.__index = Random

function ref.random(state)
	return setmetatable({ state = state }, Random)
end

function Random:next()
	self.state = self.state + 0x9e3779b97f4a7c15
	local z = self.state
	z = (z ~ z >> 30) * 0xbf58476d1ce4e5b9
	z = (z ~ z >> 27) * 0x94d049bb133111eb
	return z ~ z >> 31
end

-- 0 to n - 1, by the upper 32 bits.
function Random:below(n)
	return (self:next() >> 32) * n >> 32
end

-- ---- the hash of 3.5, 4.1 ----
local function unsigned_modulo(w, n)
	return ((w >> 1) % n * 2 + (w & 1)) % n
end

local ROM <const> = {}
do
	local random = ref.random(0)
	for i = 0, 255 do
		ROM[i] = i
	end
	for i = 255, 1, -1 do
		local j = unsigned_modulo(random:next(), i + 1)
		ROM[i], ROM[j] = ROM[j], ROM[i]
	end
end

local function bytes_of(w)
	local b = {}
	for i = 0, 7 do
		b[i] = w >> 8 * i & 0xff
	end
	return b
end

local function word_of(b)
	local w = 0
	for i = 0, 7 do
		w = w | b[i] << 8 * i
	end
	return w
end

function ref.randomize(w)
	local b = bytes_of(w)
	for i = 0, 7 do
		b[i] = ROM[b[i]]
	end
	return word_of(b)
end

function ref.flip(w)
	local b = bytes_of(w)
	for i = 0, 3 do
		b[i], b[7 - i] = b[7 - i], b[i]
	end
	return word_of(b)
end

function ref.fold(w, bits)
	local out = 0
	if bits == 0 then
		return 0
	end
	for at = 0, 63, bits do
		out = out ~ (w >> at & (1 << bits) - 1)
	end
	return out
end

local function log2(n)
	local bits = 0
	while 1 << bits < n do
		bits = bits + 1
	end
	return bits
end

local function index(hash, sets, key, value)
	if hash == "fold" then
		return ref.fold(key ~ value, log2(sets))
	elseif hash == "modulo" then
		return unsigned_modulo(key ~ value, sets)
	end
	return ref.fold(ref.flip(ref.randomize(key)) ~ ref.randomize(value), log2(sets))
end

-- Results are kept: streams repeat themselves.
local known = setmetatable({}, { __mode = "k" })

function ref.index(part, sets, key, value)
	local of = known[part] or {}
	known[part] = of
	local values = of[key] or {}
	of[key] = values
	values[value] = values[value] or index(part.hash, sets, key, value)
	return values[value]
end

-- ---- samplers (3.1 to 3.3) ----
local Sampler = {}
Sampler.__index = Sampler

local function new_sampler(part, seed)
	local s = setmetatable({ part = part, random = ref.random(seed), at = {}, since = {} },
		Sampler)
	for i = 0, (part.strata or 1) - 1 do
		s.since[i] = 0
		s.at[i] = part.kind == "Rc" and s:countdown() or 0
	end
	return s
end

function Sampler:countdown()
	return 1 + self.random:below(2 * self.part.rate - 1)
end

function Sampler:selects(i)
	local part = self.part
	if part.kind == "R" then
		return self.random:below(part.rate) == 0
	elseif part.kind == "Rc" then
		self.at[i] = self.at[i] - 1
		if self.at[i] > 0 then
			return false
		end
		self.at[i] = self:countdown()
		return true
	end
	self.at[i] = (self.at[i] + 1) % part.rate
	return self.at[i] == 0
end

function Sampler:take(m)
	local part = self.part
	local i = part.strata and ref.index(part, part.strata, m.key, m.value) or 0
	local step = { act = "counted", entry = i, before = self.since[i] }
	self.since[i] = self.since[i] + 1
	if self:selects(i) then
		step.act = "sampled"
		step.message = { key = m.key, value = m.value,
			count = (part.counted and self.since[i] or part.rate) * part.unit }
		self.since[i] = 0
	end
	step.after = self.since[i]
	return step
end

function Sampler:entry(i)
	return { at = self.at[i], since = self.since[i] * self.part.unit }
end

-- ---- tagged counters (4.1, figure 6) ----
local Tagged = {}
Tagged.__index = Tagged

local function new_tagged(part)
	local t = setmetatable({ part = part, entries = {} }, Tagged)
	for i = 0, part.entries - 1 do
		t.entries[i] = { state = "empty", tag = 0, hits = 0, misses = 0 }
	end
	return t
end

-- Figure 6's transition of an entry, by its state and by whether the tags match: the new state,
-- hits and misses, and the count that is sent, if any. `full` and the two conditions are functions
-- of what the counters are once this tuple is in them.
local function transition(e, match, part)
	local function full(hits)
		return hits >= 1 << part.hit
	end
	if e.state == "empty" then
		local hits = e.hits + 1
		if full(hits) then -- after E6 it may be full already
			return "E1", "empty", 0, 0, hits
		end
		return "E1", "valid", hits, 0
	elseif e.state == "valid" and match then
		if full(e.hits + 1) then
			return "E2", "empty", 0, 0, e.hits + 1
		end
		return "E3", "valid", e.hits + 1, 0
	elseif e.state == "valid" then
		return "E4", "evict", e.hits, 1
	elseif match then
		local should_evict = e.hits + 1 >= part.evict or full(e.hits + 1)
		if should_evict then
			return "E6", "empty", e.misses, 0, e.hits + 1
		end
		return "E6a", "evict", e.hits + 1, e.misses
	end
	local should_replace = e.misses + 1 >= part.replace
	if not should_replace then
		return "E5a", "evict", e.hits, e.misses + 1
	end
	local hits = e.hits + e.misses + 1
	if full(hits) then
		return "E5", "empty", 0, 0, hits
	end
	return "E5", "valid", hits, 0
end

-- The entry of a set for a tuple: its own entry, else an empty one, else one that waits to be
-- evicted, else the one with the fewest hits. The first of several.
local function way(entries, first, ways, tag)
	local orders = {
		function(e) return e.state ~= "empty" and e.tag == tag end,
		function(e) return e.state == "empty" end,
		function(e) return e.state == "evict" end,
	}
	for _, is in ipairs(orders) do
		for i = first, first + ways - 1 do
			if is(entries[i]) then
				return i
			end
		end
	end
	local best = first
	for i = first, first + ways - 1 do
		if entries[i].hits < entries[best].hits then
			best = i
		end
	end
	return best
end

function Tagged:take(m)
	local part = self.part
	local set = ref.index(part, part.entries // part.ways, m.key, m.value)
	local tag = ref.fold(m.key ~ m.value, part.tag)
	local i = way(self.entries, set * part.ways, part.ways, tag)
	local e = self.entries[i]
	local step = { entry = i, before = e.hits }
	local act, state, hits, misses, sent = transition(e, e.tag == tag, part)
	if act == "E1" or act == "E5" then
		e.tag = tag
	end
	if state == "empty" then
		e.tag = 0
	end
	e.state, e.hits, e.misses = state, hits, misses
	step.act, step.after, step.misses = act, hits, misses
	if sent then
		step.message = { key = m.key, value = m.value, count = sent * part.unit }
	end
	return step
end

function Tagged:entry(i)
	return self.entries[i]
end

-- ---- associative counters (3.4) ----
-- `list` has those in use, the least recently used one first; `free` the places that are free.
local Associative = {}
Associative.__index = Associative

local function new_associative(part)
	local a = setmetatable({ part = part, list = {}, places = {} }, Associative)
	for i = 0, part.entries - 1 do
		a.places[i] = false
	end
	return a
end

function Associative:find(m)
	for n, e in ipairs(self.list) do
		if e.key == m.key and e.value == m.value then
			return n, e
		end
	end
end

-- The message that an entry has become.
local function message_of(e, unit)
	return { key = e.key, value = e.value, count = e.count * unit }
end

function Associative:leave(n)
	local e = table.remove(self.list, n)
	self.places[e.place] = false
	return e
end

function Associative:enter(m, units, place)
	local e = { key = m.key, value = m.value, count = units, place = place }
	self.list[#self.list + 1] = e
	self.places[place] = e
end

function Associative:take(m)
	local part = self.part
	local unit = part.unit == 0 and 1 or part.unit
	local units, most = part.unit == 0 and m.count or 1, (1 << part.bits) - 1
	local n, e = self:find(m)
	if units >= most then -- no counter can hold it: it passes
		local place = e and e.place
		if e then
			table.insert(self.list, table.remove(self.list, n))
		end
		return { act = "full", entry = place, passes = true, before = e and e.count or nil,
			after = e and e.count or nil, message = m }
	end
	if e then
		local step = { entry = e.place, before = e.count }
		table.insert(self.list, table.remove(self.list, n))
		if e.count + units > most then
			step.act, step.after, step.message = "full", units, message_of(e, unit)
			e.count = units
		elseif e.count + units == most then
			e.count = most
			step.act, step.after, step.message = "full", 0, message_of(e, unit)
			self:leave(#self.list)
		else
			e.count = e.count + units
			step.act, step.after = "hit", e.count
		end
		return step
	end
	for i = 0, part.entries - 1 do
		if not self.places[i] then
			self:enter(m, units, i)
			return { act = "placed", entry = i, before = 0, after = units }
		end
	end
	local old = self:leave(1)
	self:enter(m, units, old.place)
	return { act = "replaced", entry = old.place, before = old.count, after = units,
		message = message_of(old, unit) }
end

function Associative:entry(i)
	local e = self.places[i]
	return e and { key = e.key, value = e.value, count = e.count } or { count = 0 }
end

function Associative:drain()
	local out, unit = {}, self.part.unit == 0 and 1 or self.part.unit
	while #self.list > 0 do
		out[#out + 1] = message_of(self:leave(1), unit)
	end
	return out
end

-- ---- chains ----
local Chain = {}
Chain.__index = Chain

function ref.text(parts)
	local texts = {}
	for i, p in ipairs(parts) do
		local text
		if p.kind == "T" then
			text = ("T(%d, ways=%d, tag=%d, hit=%d, miss=%d, evict=%d, replace=%d, " ..
				"hash=%s)"):format(p.entries, p.ways, p.tag, p.hit, p.miss, p.evict,
				p.replace, p.hash or "random")
		elseif p.kind == "A" then
			text = ("A(%d, %d)"):format(p.entries, p.bits)
		else
			text = ("%s(%d)"):format(p.kind, p.rate)
			text = p.counted and ("C(%s)"):format(text) or text
			text = p.strata and ("H(%s, %d, %s)"):format(text, p.strata,
				p.hash or "random") or text
		end
		texts[i] = text
	end
	return table.concat(texts, ", ")
end

function ref.chain(parts, seed)
	local stages, unit = {}, 1
	for i, p in ipairs(parts) do
		p.unit = unit
		if p.kind == "T" then
			stages[i] = new_tagged(p)
		elseif p.kind == "A" then
			stages[i] = new_associative(p)
		else
			stages[i] = new_sampler(p, seed + i - 1)
		end
		unit = (p.kind == "T" or p.kind == "A" or p.counted) and 0 or p.rate * unit
	end
	return setmetatable({ parts = parts, stages = stages }, Chain)
end

function Chain:through(first, m)
	local steps = {}
	for i = first, #self.stages do
		local step = self.stages[i]:take(m)
		step.stage = i
		steps[#steps + 1] = step
		m = step.message
		if not m then
			return steps
		end
	end
	return steps, m
end

-- Steps, and the message to software or nothing.
function Chain:take(pc, value, tag)
	return self:through(1, { key = ref.key(pc, tag), value = value, count = 1 })
end

function Chain:drain()
	local out = {}
	for i, stage in ipairs(self.stages) do
		for _, m in ipairs(stage.drain and stage:drain() or {}) do
			if i < #self.stages then
				local _, sent = self:through(i + 1, m)
				m = sent
			end
			out[#out + 1] = m
		end
	end
	return out
end

return ref
