-- Read value profiles kept by the co-processor's firmware, and compare them with the exact ones.
--
-- The handlers of demos/firmware/cop_value.c and cop_sample.c keep loads and their values (the
-- lowest 32 bits):
--
--     local values = require "cyclops.values"
--     local p = values.profile(m)
--     for pc, value, estimate, samples in p:each() do ... end    -- estimate: share of the load's executions that brought the value
--     print(p.counts.interrupts, p.loads[m.main + 8].samples)
--     print(values.error(p, values.truth(m)))                    -- with oracle.enable=true, oracle.values=loads
--
-- Of the value profile a load has all samples, and for some values hits and misses: how often it
-- came, and something else did, while that value was the active one. Its samples are estimated from
-- three sources (Zilles and Sohi, appendix): its hits; of other values' misses a part, in
-- proportion to hits; and of samples that belong to no value, because the active one was given up
-- or is forgotten, as much as any other of the load's values gets. The paper limits the third part;
-- its number is lost in our copy. Here no value is expected more often than in the samples where it
-- was the active one, nor in those where others were given up than a sixth.

local values = {}

local MAGIC <const> = 0x706f632e637963
local KINDS <const> = { "values", "samples" }
local WORDS <const> = { "kind", "entries", "capacity", "entry_bytes", "table", "interrupts",
	"samples", "dropped", "seen", "slots", "clocks",
	"thrashes", "splits", "merges", "regions", "unmasked", "masked_high", "masked_low",
	"masked_often", "slots_in_array", "fault", "resamples" }
local MASKED <const> = { "high", "low", "often" }
-- demos/microcode/value.mic: misses before an active value may be given up, and twice the largest
-- share of the samples at such a time.
local TESTED <const>, GIVEN_UP <const> = 8, 1 / 6
local BLOCK <const> = 4 -- entries read at once: decoding is charged by the length of all

local Profile = {}
Profile.__index = Profile

local function header(m)
	local ok, at = pcall(function() return m.cop_profile end)
	if not ok or math.type(at) ~= "integer" or m.mem:u64(at) ~= MAGIC then
		error("the firmware keeps no profile of values: it has no `cop_profile` " ..
			"(demos/firmware/cop_profile.h)", 3)
	end
	local h = {}
	for i, name in ipairs(WORDS) do
		h[name] = m.mem:u64(at + 8 * i)
	end
	if not KINDS[h.kind] then
		error("the firmware keeps no profile of values, but one of counts: " ..
			"cyclops.counts reads it", 3)
	end
	return h
end

--- values.estimate(LOAD) -> LOAD
-- Sets the `estimate` of each value of { samples =, values = { { hits =, misses = }, ... } }, its
-- share.
function values.estimate(load)
	local hits, rest = 0, load.samples
	for _, v in ipairs(load.values) do
		hits, rest = hits + v.hits, rest - v.hits - v.misses
	end
	rest = math.max(rest, 0)
	for _, v in ipairs(load.values) do
		-- Hits without the one that made it active, of TESTED samples more.
		local most = (v.hits - 1) / (v.hits + v.misses - 1 + TESTED)
		local n = v.hits + rest * math.min(1 / #load.values, most, GIVEN_UP)
		for _, other in ipairs(load.values) do
			if other ~= v then
				n = n + other.misses * math.min(v.hits / (hits - other.hits), most)
			end
		end
		v.estimate = n / load.samples
	end
	return load
end

local function by_estimate(a, b)
	return a.estimate > b.estimate or a.estimate == b.estimate and a.value < b.value
end

local function read_values(loads, bytes, at, size)
	local pc, turns, masked, total = string.unpack("<I4I2I2I8", bytes, at)
	if pc == 0 then
		return
	end
	local load = { pc = pc, samples = total, turns = turns, masked = MASKED[masked],
		values = {} }
	for place = at + 16, at + size - 16, 16 do
		local value, hits, misses = string.unpack("<I4I4I4", bytes, place)
		if hits > 0 then
			load.values[#load.values + 1] = { value = value, hits = hits,
				misses = misses }
		end
	end
	loads[pc] = load
end

local function read_sample(loads, bytes, at)
	local pc, value, n = string.unpack("<I4I4I8", bytes, at)
	if pc == 0 then
		return
	end
	local load = loads[pc] or { pc = pc, samples = 0, values = {} }
	loads[pc] = load
	load.samples = load.samples + n
	load.values[#load.values + 1] = { value = value, hits = n, misses = 0 }
end

local READ <const> = { values = read_values, samples = read_sample }

-- ---- data still in the co-processor ----
-- core/prof/cop/cop.h
local X0 <const>, B1 <const>, CAM <const>, DATA <const> = 0x200, 0x248, 0x20000, 0x30000

-- Word i of an array; two lie in each register.
local function word(m, array, i)
	return m.cop:read(array + i // 2 * 8) >> 32 * (i % 2) & 0xffffffff
end

local function add(loads, pc, value, hits, misses, total)
	local load = loads[pc] or { pc = pc, samples = 0, turns = 0, values = {} }
	loads[pc], load.samples = load, load.samples + total
	for _, v in ipairs(load.values) do
		if v.value == value then
			v.hits, v.misses = v.hits + hits, v.misses + misses
			return
		end
	end
	table.insert(load.values, { value = value, hits = hits, misses = misses })
end

local REST <const> = {}

REST["values"] = function(m, loads)
	local slots = m.cop:read(B1)
	for i = 0, slots - 1 do
		local counts = word(m, DATA, slots + i)
		if counts > 0 then
			add(loads, word(m, CAM, i), word(m, DATA, i), counts & 0xff,
				counts >> 8 & 0xff, counts >> 16)
		end
	end
end

REST["samples"] = function(m, loads)
	local room = m.cop:read(B1)
	for i = 0, m.cop:read(X0) - 1 do
		add(loads, word(m, DATA, i), word(m, DATA, room + i), 1, 0, 1)
	end
end

local function finish(loads, kind)
	for _, load in pairs(loads) do
		if kind == "values" then
			values.estimate(load)
		else
			for _, v in ipairs(load.values) do
				v.estimate = v.hits / load.samples
			end
		end
		table.sort(load.values, by_estimate)
	end
end

-- Cycles of firmware, including its start, per interrupt (also of the clock) and per sample that it
-- received.
local function cost(m, h)
	local cycles, interrupts = m.firmware.cycles, h.interrupts + h.clocks
	local function per(n)
		return n > 0 and cycles / n or nil
	end
	return { cycles = cycles, per_interrupt = per(interrupts), per_sample = per(h.samples),
		per_slot = per(h.slots) }
end

--- values.profile(MACHINE[, { rest = true }]) -> PROFILE
-- What the handler has folded so far; with `rest` also what it would read now, as at the program's
-- end: slots, or the buffer of samples. p.kind is "values" or "samples"; p.counts are the handler's
-- own counts (demos/firmware/cop_profile.h); p.loads, by pc, { pc =, samples =, turns =, masked =
-- "high" | "low" | "often" | nil, values = { { value =, hits =, misses =, estimate = }, ... } },
-- the most frequent value first; p.cost = { cycles =, per_interrupt =, per_sample =, per_slot = }
-- what firmware took.
function values.profile(m, options)
	local h = header(m)
	local p = setmetatable({ kind = KINDS[h.kind], counts = h, loads = {} }, Profile)
	local size, read = h.entry_bytes, READ[p.kind]
	-- there is no table before the handler has begun
	for first = 0, h.table ~= 0 and h.capacity - 1 or -1, BLOCK do
		local bytes = m.mem:bytes(h.table + first * size,
			math.min(BLOCK, h.capacity - first) * size)
		for at = 1, #bytes, size do
			read(p.loads, bytes, at, size)
		end
	end
	if options and options.rest then
		REST[p.kind](m, p.loads)
	end
	finish(p.loads, p.kind)
	p.cost = cost(m, h)
	return p
end

--- profile:each() -> ITERATOR of PC, VALUE, ESTIMATE, SAMPLES
-- Every value of every load that is known, loads by pc: its estimated share, and the load's
-- samples.
function Profile:each()
	local order, i, k = {}, 1, 0
	for pc in pairs(self.loads) do
		order[#order + 1] = pc
	end
	table.sort(order)
	return function()
		k = k + 1
		while order[i] and k > #self.loads[order[i]].values do
			i, k = i + 1, 1
		end
		local load = self.loads[order[i]]
		if load then
			return load.pc, load.values[k].value, load.values[k].estimate, load.samples
		end
	end
end

--- profile:constant_for_long([HITS]) -> { { pc =, samples =, values = { VALUE, ... } }, ... }
-- Loads that bring one value for a long time, then another: several of their values have "zero bad
-- counts" (Zilles and Sohi, 4.5), no other value ever came while they were the active one, in HITS
-- (64) samples each or more. Their estimates have which values came, not how often each. The most
-- samples first. Of value profiles; simple sampling has no such counts.
function Profile:constant_for_long(hits)
	local found = {}
	for pc, load in pairs(self.kind == "values" and self.loads or {}) do
		local steady = {}
		for _, v in ipairs(load.values) do
			if v.misses == 0 and v.hits >= (hits or 64) then
				steady[#steady + 1] = v.value
			end
		end
		if #steady > 1 then
			found[#found + 1] = { pc = pc, samples = load.samples, values = steady }
		end
	end
	table.sort(found, function(a, b)
		return a.samples > b.samples or a.samples == b.samples and a.pc < b.pc
	end)
	return found
end

--- profile:estimate(PC, VALUE) -> SHARE
-- 0 if the value was never seen.
function Profile:estimate(pc, value)
	for _, v in ipairs(self.loads[pc] and self.loads[pc].values or {}) do
		if v.value == value then
			return v.estimate
		end
	end
	return 0
end

--- values.truth(MACHINE) -> { PC = { count =, values = { VALUE = COUNT, ... } }, ... }
-- How often each load brought which lowest 32 bits, exactly: of a machine with oracle.enable=true
-- and oracle.values=loads.
function values.truth(m)
	local loads = {}
	for pc, value, n in m:exact "values" do
		local load = loads[pc] or { count = 0, values = {} }
		loads[pc] = load
		value = value & 0xffffffff
		load.count = load.count + n
		load.values[value] = (load.values[value] or 0) + n
	end
	return loads
end

--- values.index(TRUTH) -> INDEX
-- Prepares the result of values.truth, for judging many profiles.
function values.index(truth)
	local index = { loads = truth, weight = 0, sum = 0 }
	for _, load in pairs(truth) do
		local sum = 0
		for _, n in pairs(load.values) do
			sum = sum + n * (n / load.count) ^ 2
		end
		load.sum = sum -- for a profile without the load
		index.sum, index.weight = index.sum + sum, index.weight + load.count
	end
	return index
end

--- values.judge(INDEX, PROFILE) -> ERROR, { missed =, unseen =, wrong = }
-- The weighted RMS error of invariances, 0 to 1, and the parts of its square by cause: loads
-- without any sample; values not among the known ones of their load; estimates.
function values.judge(index, p)
	local missed, unseen, wrong = index.sum, 0, 0
	for pc, load in pairs(p.loads) do
		local known = index.loads[pc]
		if known then
			missed, unseen = missed - known.sum, unseen + known.sum
			for _, v in ipairs(load.values) do
				local n = known.values[v.value] or 0
				local share = n / known.count
				unseen, wrong = unseen - n * share ^ 2,
					wrong + n * (v.estimate - share) ^ 2
			end
		end
	end
	local sum = missed + unseen + wrong
	return math.sqrt(math.max(sum, 0) / index.weight),
		{ missed = missed / sum, unseen = unseen / sum, wrong = wrong / sum }
end

--- values.error(PROFILE, TRUTH) -> NUMBER
-- Only the error, of one profile.
function values.error(p, truth)
	local index = values.index(truth)
	return index.weight > 0 and (values.judge(index, p)) or 0
end

return values
