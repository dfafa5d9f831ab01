-- The processing of a sample by demos/microcode/value.mic and sample.mic, in words of the
-- algorithm: no microinstructions, no registers, no words of arrays. And the work of the handler of
-- demos/firmware/cop_value.c on slots.
local M = {}

local function lower(a, b)
	return a < b and a or b
end

-- Thirty-two bits with taps at 32, 22, 2 and 1; a number costs sixteen steps.
local function next_random(r)
	for _ = 1, 16 do
		local out = r & 1
		r = r >> 1
		if out == 1 then
			r = r ~ 0x80200003
		end
	end
	return r
end

-- ---- value profiling ----
local Value = {}
Value.__index = Value

--- M.value{ slots =, seed =, failed =, off =, thrash = } -> MODEL
-- failed, off, thrash: where these counters interrupt.
function M.value(o)
	local v = setmetatable({ slots = o.slots, limits = o, random = o.seed == 0 and 1 or o.seed,
		samples = 0, at = {} }, Value)
	v:clear()
	return v
end

-- The host's work for a new turn: the random numbers go on.
function Value:clear()
	self.failed, self.off, self.replaced, self.samples, self.victim = 0, 0, 0, 0, 0
	for i = 0, self.slots - 1 do
		local kept = self.at[i]
		self.at[i] = { pc = kept and kept.pc or 0, valid = false, value = 0, hits = 0,
			misses = 0, total = 0 }
	end
end

function Value:invalidate()
	for i = 0, self.slots - 1 do
		self.at[i].valid = false
	end
end

function Value:turn_off(slot)
	slot.valid = false
	self.off = lower(self.off + 1, 65535)
	return self.off >= self.limits.off and "interrupt" or nil
end

function Value:known(slot, value)
	slot.total = lower(slot.total + 1, 65535)
	if value == slot.value then
		slot.hits = lower(slot.hits + 1, 255)
		if slot.hits == 255 or slot.total == 65535 then
			return self:turn_off(slot)
		end
		return
	end
	slot.misses = lower(slot.misses + 1, 255)
	if slot.misses == 255 or slot.total == 65535 then
		return self:turn_off(slot)
	elseif slot.misses >= 8 and slot.hits < slot.misses // 2 then
		if slot.hits >= 16 then
			return self:turn_off(slot)
		end
		slot.value, slot.hits, slot.misses = value, 1, 0
	end
end

function Value:new(pc, value)
	local slot, random = self.at[self.victim], self.random & 255
	self.random = next_random(self.random)
	if random <= slot.total then
		self.failed = lower(self.failed + 1, 65535)
		return self.failed >= self.limits.failed and "interrupt" or nil
	end
	slot.pc, slot.valid, slot.value, slot.hits, slot.misses, slot.total = pc, true, value, 1, 0,
		1
	self.victim = (self.victim + 1) % self.slots -- only of a replaced slot
	self.failed = self.failed > 0 and self.failed - 1 or 0
	self.replaced = lower(self.replaced + 1, 65535)
	return self.replaced >= self.limits.thrash and "interrupt" or nil
end

--- v:sample(PC, VALUE) -> "interrupt", or nil
function Value:sample(pc, value)
	pc, value = pc & 0xffffffff, value & 0xffffffff
	self.samples = lower(self.samples + 1, 0xffffffff)
	for i = 0, self.slots - 1 do
		if self.at[i].valid and self.at[i].pc == pc then
			return self:known(self.at[i], value)
		end
	end
	return self:new(pc, value)
end

-- A slot's two words of the data array.
function M.words(slot)
	return slot.value, slot.hits | slot.misses << 8 | slot.total << 16
end

-- ---- simple sampling ----
local Sample = {}
Sample.__index = Sample

function M.simple(n, room)
	return setmetatable({ n = n, room = room, left = 0, kept = {} }, Sample)
end

-- The first load is passed over like N - 2 after it: of each N the last one is kept.
function Sample:sample(pc, value)
	self.left = self.left + 1
	if self.left < self.n then
		return
	end
	self.left = 0
	self.kept[#self.kept + 1] = { pc & 0xffffffff, value & 0xffffffff }
	return #self.kept == self.room and "interrupt" or nil
end

-- ---- the handler ----
local Handler = {}
Handler.__index = Handler

--- M.handler{ turns =, values =, low =, low_samples =, low_turns =, high_samples =, resample = } -> HANDLER
-- turns: slots of a load that are read; values: those kept. A load is masked if the share of its
-- most frequent value is at most `low` after low_samples and low_turns, or if it seems invariant
-- after high_samples. resample: turns of a region until masked loads are sampled again, 0: never.
function M.handler(o)
	return setmetatable({ turns = o.turns or 32, most = o.values or 7, low = o.low or 0.05,
		low_samples = o.low_samples or 1024,
		low_turns = o.low_turns or 4, high_samples = o.high_samples or 512,
			resample = o.resample or 4, read = 0, resamples = 0,
		loads = {}, samples = 0, slots = 0, masked = { high = 0, low = 0, often = 0 } },
			Handler)
end

function Handler:judge(load)
	local best = 0
	for _, v in ipairs(load.values) do
		best = math.max(best, v.hits)
	end
	if load.masked then
		return
	elseif load.total >= self.high_samples and best >= 0.95 * load.total then
		load.masked = "high"
	elseif load.total >= self.low_samples and load.turns >= self.low_turns
		and best <= self.low * load.total then
		load.masked = "low"
	elseif load.turns >= self.turns then
		load.masked = "often"
	else
		return
	end
	self.masked[load.masked] = self.masked[load.masked] + 1
end

-- The place to count a value in: its own, an empty one, or that of the value with the fewest hits,
-- if these are fewer; of several, the smallest value.
local function place_of(load, value, hits, most)
	local least = load.values[1]
	for _, v in ipairs(load.values) do
		if v.value == value then
			return v
		elseif v.hits < least.hits or v.hits == least.hits and v.value < least.value then
			least = v
		end
	end
	if #load.values < most then
		least = {}
		table.insert(load.values, least)
	elseif least.hits >= hits then
		return nil
	end
	least.value, least.hits, least.misses = value, 0, 0
	return least
end

-- - h:fold(VALUE MODEL) Adds all of its filled slots.
function Handler:fold(model)
	for i = 0, model.slots - 1 do
		local slot = model.at[i]
		if slot.total > 0 then
			local load = self.loads[slot.pc] or { total = 0, turns = 0, values = {} }
			self.loads[slot.pc] = load
			load.total, load.turns = load.total + slot.total, load.turns + 1
			self.samples, self.slots = self.samples + slot.total, self.slots + 1
			local v = place_of(load, slot.value, slot.hits, self.most)
			if v then
				v.hits, v.misses = v.hits + slot.hits, v.misses + slot.misses
			end
			self:judge(load)
		end
	end
end

--- h:turn(REGIONS) -> BOOLEAN
-- After a turn with read slots and so many regions: true if all masks expire.
function Handler:turn(regions)
	self.read = self.read + 1
	if self.resample == 0 or self.read < self.resample * regions then
		return false
	end
	self.read, self.resamples = 0, self.resamples + 1
	for _, load in pairs(self.loads) do
		if load.masked and load.turns >= self.turns then
			load.turns = load.turns // 2
		end
		load.masked = nil
	end
	return true
end

return M
