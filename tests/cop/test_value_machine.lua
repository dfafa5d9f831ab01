-- The whole path on a machine: the model gets the arriving records, and its slots must equal those
-- that the handler reads from the co-processor; the handler's data in memory must equal a model of
-- the handler. With small arrays, small buffers and slow clocks.
package.path = "tests/cop/?.lua;tests/lua/?.lua;" .. package.path
local check = require "check"
local model = require "value_model"
local values = require "cyclops.values"

local small = os.getenv "CYCLOPS_TEST_SCALE" ~= "long"
local BASE <const>, FIRMWARE <const> = 0x7f00100000, 0x4000000000
local LISP <const>, LISP_ARGS <const> = "build/demos/lisp", { "demos/programs/input/queens.lisp" }

-- ---- firmware's accesses to the device, from the instructions that it commits ----
local function each_access(m, load, store)
	local regs = { zero = 0 }
	m:on("commit", { where = "pc >= " .. FIRMWARE }, function(e)
		local value, offset, base = e.inst.text:match "^[ls]d%s+(%w+),(%-?%d+)%((%w+)%)$"
		local at = value and (regs[base] or 0) + tonumber(offset)
		if at and at >= BASE then
			if e.op == "ld" then
				load(at - BASE, e.result)
			else
				store(at - BASE, regs[value])
			end
		end
		local rd = e.inst.rd
		if rd and rd ~= "zero" then
			regs[rd] = e.result
		end
	end)
end

-- ---- the device's model ----
local function table_bits(pc, bits, hashes)
	local out, p = {}, pc >> 1
	for i = 0, hashes - 1 do
		out[#out + 1] = (p ~ p >> 5 + 2 * i) & bits - 1
	end
	return out
end

-- handler: the differences of its variant.
local function follow(set, firmware, handler)
	set["cop.enable"] = true
	firmware = firmware or "build/demos/firmware/cop_value.elf"
	local m = cyclops.machine{ program = LISP, args = LISP_ARGS, firmware = firmware, set = set,
		history = false }
	local f = { m = m, way = {}, buffer = {}, results = {}, high = {}, low = {}, halted = false,
		handler = model.handler(handler),
		met = { full = 0, waiting = 0, thrash = 0, turns = 0, forgot = 0, capped = 0 },
			idle = handler.turn_cycles or 100000 }
	local v = model.value{ slots = 2, seed = set["cop.seed"] or 1, failed = 0, off = 0,
		thrash = 0 }
	f.v = v

	local function fail(text, ...)
		f.wrong = f.wrong or ("cycle %d: "):format(m.cycle) .. text:format(...)
		return "stop"
	end

	-- Records on their way: the instruction's result is known when it commits.
	m:on("commit", { class = "load" }, function(e)
		f.results[e.seq] = e.result
	end)
	m:on("sample", function(e)
		f.results[e.seq] = f.results[e.seq] or e.inst.result
		if not e.dropped then
			f.way[#f.way + 1] = { e.pc, e.seq }
		end
	end)
	m:on("record", function(e)
		local r = table.remove(f.way, 1)
		if not r or r[1] ~= e.pc then
			return fail("another record arrives")
		elseif e.dropped then
			f.met.full = f.met.full + (f.halted and 1 or 0)
		else
			f.buffer[#f.buffer + 1] = { r[1], f.results[r[2]] }
		end
		f.results[r[2]] = nil
	end)
	local divider = m.cop.divider
	m:on("micro", function(e)
		if e.cycle % divider ~= 0 then
			return fail("a microinstruction between two clocks")
		elseif e.step == "on" then
			return
		end
		local r = table.remove(f.buffer, 1)
		if not r then
			return fail("done with a record that never came")
		elseif f.region and (r[1] >> 1 ~ r[1] >> 6) & f.region[1] ~= f.region[2] then
			return fail("0x%x is of another region", r[1])
		end
		local interrupt = v:sample(r[1], r[2])
		f.halted = e.step == "interrupt"
		f.met.waiting = f.met.waiting + (f.halted and #f.buffer > 0 and 1 or 0)
		if (interrupt == "interrupt") ~= f.halted then
			return fail("the model %s", interrupt and "interrupts"
				or "does not interrupt")
		end
	end)

	local function known(offset)
		if offset >= 0x40000 then
			return nil
		elseif offset >= 0x30000 then
			local i = (offset - 0x30000) // 4
			local a, b = v.at[i % v.slots], v.at[i % v.slots + 1]
			local value_a, counts_a = model.words(a)
			local value_b, counts_b = model.words(b)
			return i < v.slots and value_a | value_b << 32 or i >= v.slots
				and counts_a | counts_b << 32
		elseif offset >= 0x28000 then
			local word = 0
			for i = 0, 63 do
				local slot = v.at[(offset - 0x28000) * 8 + i]
				word = word | (slot and slot.valid and 1 or 0) << i
			end
			return word
		elseif offset >= 0x20000 then
			local i = (offset - 0x20000) // 4
			return v.at[i].pc | v.at[i + 1].pc << 32
		end
		return ({ [0x128] = v.off, [0x130] = v.replaced, [0x138] = v.samples })[offset]
	end

	local stores = {
		[0x40] = function()
			f.met.turns, f.ended, f.by_clock = f.met.turns + 1, true, not f.halted
			if v.replaced >= 2 * v.slots
				and v.samples < (handler.share or 4) * v.replaced then
				f.met.thrash = f.met.thrash + 1
			else
				f.handler:fold(v)
				f.read = true
			end
			v:invalidate()
		end,
		[0x48] = function()
			for _, slot in pairs(v.at) do
				slot.value, slot.hits, slot.misses, slot.total = 0, 0, 0, 0
			end
		end,
		[0x50] = function() f.high, f.forgot = {}, (f.forgot or 0) + 1 end,
		[0x58] = function() f.low, f.forgot = {}, (f.forgot or 0) + 1 end,
		[0x60] = function() f.way, f.buffer = {}, {} end,
		[0x10] = function() f.halted = false end,
		[0x120] = function(x) v.failed = x end, [0x128] = function(x) v.off = x end,
			[0x130] = function(x) v.replaced = x end,
		[0x138] = function(x) v.samples = x end, [0x208] = function(x) v.victim = x end,
		[0x1a0] = function(x) v.limits.failed = x end, [0x1a8] = function(x) v.limits.off =
			x end, [0x1b0] = function(x) v.limits.thrash = x end,
		[0x248] = function(x) v.slots = x v:clear() end,
	}
	each_access(m, function(offset, value)
		local want = f.started and known(offset)
		if want and want ~= value then
			return fail("firmware reads 0x%x at 0x%x, not 0x%x", value, offset, want)
		end
	end, function(offset, value)
		if offset == 0x28 or offset == 0x30 then
			f.region = f.region or { 0, 0 }
			f.region[offset == 0x28 and 1 or 2] = value
		elseif offset == 0 and value == 3 then
			f.started = true
			local left = v.failed + v.off + v.replaced + v.samples + v.victim
			for _, slot in pairs(v.at) do
				left = left + slot.total + (slot.valid and 1 or 0)
			end
			return left == 0 or fail("a new turn begins with something of the last")
		elseif f.started or offset >= 0x100 then
			local words = offset >= 0x50000 and f.low or offset >= 0x40000 and f.high
			if words then
				words[offset & 0xffff] = value
			elseif stores[offset] then
				stores[offset](value)
			end
		end
	end)
	m:on("mret", function()
		if f.started and not f.wrong then
			f:compare_memory(fail)
		end
	end)
	f.compare_memory = function()
		local p = values.profile(m)
		local entries, masked_before = 0, false
		for _, load in pairs(f.handler.loads) do
			masked_before = masked_before or load.masked
		end
		local forgets = f.read and f.handler:turn(p.counts.regions)
		if (f.forgot or 0) ~= (forgets and 2 or 0)
			or p.counts.resamples ~= f.handler.resamples then
			return fail("the handler %s masks", forgets and "should have forgotten"
				or "forgets")
		end
		f.met.forgot = f.met.forgot + (forgets and masked_before and 1 or 0)
		f.read, f.forgot = nil, nil
		if f.ended then -- the longest next turn if there is one region
			local first, most = handler.turn_cycles or 100000, handler.idle_max
				or 1 << 40
			local long = not f.by_clock and first or p.counts.regions == 1
				and f.idle < most and 2 * f.idle or f.idle
			f.met.capped = f.met.capped + (long == f.idle and f.by_clock
				and p.counts.regions == 1 and 1 or 0)
			f.idle, f.ended = long, nil
			if m.mem:u64(m.idle_cycles) ~= long then
				return fail(
					"the clock is to end a turn of all after %d cycles, not %d",
					m.mem:u64(m.idle_cycles), long)
			end
		end
		for pc, load in pairs(f.handler.loads) do
			entries = entries + 1
			local had = p.loads[pc]
			if not had or had.samples ~= load.total or had.turns ~= load.turns
				or had.masked ~= load.masked or #had.values ~= #load.values then
				return fail("the handler's load 0x%x is another", pc)
			end
			for _, v in ipairs(had.values) do
				local same = false
				for _, w in ipairs(load.values) do
					same = same or (v.value == w.value and v.hits == w.hits
						and v.misses == w.misses)
				end
				if not same then
					return fail("load 0x%x: value 0x%x has other counts", pc,
						v.value)
				end
			end
		end
		if entries ~= p.counts.entries or f.handler.slots ~= p.counts.slots
			or f.handler.samples ~= p.counts.samples then
			return fail("the handler has %d loads of %d slots, not %d of %d",
				p.counts.entries, p.counts.slots, entries, f.handler.slots)
		end
		f:compare_masks(fail, p)
		f:compare_regions(fail, p)
	end
	-- The handler's profile if it read the slots now.
	f.compare_rest = function()
		local p, n = values.profile(m, { rest = true }), 0
		for i = 0, v.slots - 1 do
			local slot = v.at[i]
			if slot.total > 0 then
				local load, had = p.loads[slot.pc], f.handler.loads[slot.pc]
					or { total = 0 }
				n = n + 1
				load.left = (load.left or load.samples - had.total) - slot.total
			end
		end
		local more = 0
		for pc, load in pairs(p.loads) do
			more = more + math.abs(load.left
				or load.samples - f.handler.loads[pc].total)
		end
		if more > 1 then -- a sample may be under way
			fail("%d samples are left that should not be", more)
		end
		f.met.rest = n
	end
	f.compare_masks = function(_, _, p)
		local want = { high = {}, low = {} }
		for pc, load in pairs(p.loads) do
			for _, bit in ipairs(load.masked and table_bits(pc, m.cop.filter,
				m.cop.filter_hashes) or {}) do
				want[load.masked == "high" and "high" or "low"][bit] = true
			end
		end
		for _, which in ipairs{ "high", "low" } do
			local set_bits, wanted = 0, 0
			for at, word in pairs(f[which]) do
				for i = 0, 63 do
					if word >> i & 1 == 1 then
						set_bits = set_bits + 1
						if not want[which][at * 8 + i] then
							return fail(
								"table %s masks by a bit too many",
								which)
						end
					end
				end
			end
			for _ in pairs(want[which]) do
				wanted = wanted + 1
			end
			if set_bits ~= wanted then
				return fail("table %s has %d bits, not %d", which, set_bits, wanted)
			end
		end
	end
	-- Each pc belongs to one region.
	f.compare_regions = function(_, _, p)
		local regions, head, most = {}, m.mem:u32(m.ring_head), 0
		for i = 0, p.counts.regions - 1 do
			local at = m.ring + 16 * ((head + i) % 64)
			regions[#regions + 1] = { m.mem:u64(at), m.mem:u64(at + 8) }
			most = math.max(most, regions[#regions][1])
		end
		for hash = 0, math.min(most, 4095) do
			local n = 0
			for _, r in ipairs(regions) do
				n = n + (hash & r[1] == r[2] and 1 or 0)
			end
			if n ~= 1 then
				return fail("%d regions of %d have the hash 0x%x", n, #regions,
					hash)
			end
		end
	end
	return f
end

local INSTS <const> = small and 200000 or 600000
local all = { full = 0, waiting = 0, thrash = 0, rest = 0, splits = 0, merges = 0, clocks = 0,
	high = 0, low = 0, often = 0, forgot = 0, capped = 0 }
for _, o in ipairs{
	{}, { turns = 3, low_turns = 2, low_samples = 200, high_samples = 64, resample = 4,
		turn_cycles = 15000, idle_max = 60000 },
	-- divided
	{ turns = 3, low_turns = 2, low_samples = 200, high_samples = 64, resample = 4,
		turn_cycles = 15000, idle_max = 60000, ["cop.cam"] = 16 },
	{ values = 2, turns = 100, low = 0, share = 100, resample = 0, ["cop.cam"] = 64 },
	{ values = 2, turns = 100, low = 0, share = 100, resample = 0, ["cop.cam"] = 24,
		["cop.seed"] = 9 },
	{ ["cop.divider"] = 2 }, { ["cop.divider"] = 4, ["cop.cam"] = 64 },
	-- its first random number is 0: slot 0 stays empty
	{ ["cop.cam"] = 1024, ["cop.data"] = 2048, ["cop.seed"] = 256 },
	{ ["cop.cam"] = 16, ["cop.divider"] = 4 }, -- slots thrash while records wait
	{ ["cop.cam"] = 32, ["cop.buffer"] = 8 }, { ["cop.data"] = 48, ["cop.seed"] = 9 },
	{ ["cop.cam"] = 16, ["cop.bus"] = 4, ["cop.transport"] = 64, ["cop.filter_hashes"] = 3,
		["cop.filter"] = 256 },
} do
	local variant = {}
	for _, rule in ipairs{ "turns", "values", "low", "low_turns", "low_samples", "high_samples",
		"share", "resample", "turn_cycles", "idle_max" } do
		variant[rule], o[rule] = o[rule], nil
	end
	local name = variant.values and "forgets" or variant.turns and "turns"
	local f = follow(o, name and "build/tests/cop/" .. name .. ".elf", variant)
	local what = (name or "") .. " "
	for option, value in pairs(o) do
		what = what .. option .. "=" .. tostring(value) .. " "
	end
	f.m:run{ insts = variant.resample == 4 and 3 * INSTS or INSTS }
	while f.m.pc >= FIRMWARE and not f.wrong do
		f.m:run{ cycles = 10 }
	end
	if not f.wrong then
		f:compare_rest()
	end
	check.eq(f.wrong, nil, what)
	check.ok(f.met.turns > 0, what .. "has turns")
	local c = values.profile(f.m).counts
	check.eq(c.slots_in_array, math.min(f.m.cop.cam, f.m.cop.data // 2), "slots")
	check.eq(f.m.cop.interrupts, c.interrupts, what .. ": interrupts")
	check.eq(c.thrashes, f.met.thrash, what .. ": turns that thrashed")
	check.eq(c.interrupts + c.clocks, f.met.turns, what .. ": turns")
	for _, name in ipairs{ "full", "waiting", "thrash", "rest", "forgot", "capped" } do
		all[name] = all[name] + (f.met[name] or 0)
	end
	for _, name in ipairs{ "splits", "merges", "clocks" } do
		all[name] = all[name] + c[name]
	end
	for _, name in ipairs{ "high", "low", "often" } do
		all[name] = all[name] + f.handler.masked[name]
	end
end
for name, n in pairs(all) do
	check.ok(n > 0, name .. " was met: " .. n)
end

-- ---- limits of the handlers ----
local function open(firmware, set, program)
	set["cop.enable"] = firmware and true or nil
	return cyclops.machine{ program = program or LISP, args = program and {} or LISP_ARGS,
		firmware = firmware, set = set, history = false }
end

-- Full tables: entries without room are counted.
for _, name in ipairs{ "small", "small_sample" } do
	local m = open("build/tests/cop/" .. name .. ".elf", {})
	m:run{ insts = 600000 }
	local p, samples = values.profile(m), 0
	for _, load in pairs(p.loads) do
		samples = samples + load.samples
	end
	check.ok(p.counts.dropped > 0 and p.counts.entries <= 16, name)
	check.eq(samples + p.counts.dropped, p.counts.samples, name)
end

-- Back and forth over turns: the same states, and the same profile.
do
	local function machine(history)
		return cyclops.machine{ program = LISP, args = LISP_ARGS,
			firmware = "build/demos/firmware/cop_value.elf", history = history,
			set = { ["cop.enable"] = true, ["cop.cam"] = 32 } }
	end
	local m, w, at, seen = machine(true), machine(false), {}, {}
	m:on("interrupt", function() at[#at + 1] = m.cycle end)
	m:run{ cycles = 150000 }
	check.ok(#at >= 2, "turns to go back over")
	local last = m:hash()
	for _, cycle in ipairs{ at[1], at[#at] } do
		for _, d in ipairs{ 300, 1, 0, -1, -40 } do
			m:go(cycle + d)
			seen[#seen + 1] = { cycle + d, m:hash() }
		end
	end
	table.sort(seen, function(a, b) return a[1] < b[1] end)
	for _, place in ipairs(seen) do
		if place[1] > w.cycle then
			w:run{ until_cycle = place[1] }
		end
		check.eq(w:hash(), place[2], "cycle " .. place[1])
	end
	m:go(150000)
	w:run{ until_cycle = 150000 }
	check.eq(m:hash(), last)
	check.eq(w:hash(), last)
	local a, b = values.profile(m, { rest = true }), values.profile(w, { rest = true })
	for pc, value, share in a:each() do
		check.eq(b:estimate(pc, value), share)
	end
	check.eq(a.counts.interrupts, b.counts.interrupts)
end

-- A fault stops the profiler, not the program.
do
	local m = open("build/tests/cop/fault.elf", {}, "build/demos/longjmp")
	m:finish()
	local c = values.profile(m).counts
	check.eq(c.fault >> 8 & 0xff, 1, "microcode address out of range")
	check.eq(c.fault >> 16 & 0xffff, 0x7fff)
	check.eq(m.cop.faults, 1)
	check.eq(c.interrupts, 0)
	check.eq(m.status, "exited")
end

-- The program runs as without the profiler.
for _, program in ipairs{ "linked", "readfile" } do
	local function run(firmware, set)
		local m = open(firmware, set, "build/demos/" .. program)
		m:finish()
		return m
	end
	local plain = run(nil, {})
	check.eq(plain.status, "exited")
	for _, firmware in ipairs{ "cop_value", "cop_sample" } do
		local m = run("build/demos/firmware/" .. firmware .. ".elf", {})
		check.eq(m:output(), plain:output(), firmware)
		check.eq(m.sim.insts, plain.sim.insts, firmware)
		check.ok(m.cop.interrupts > 0 or m.firmware.interrupts > 0, program .. ": " ..
			firmware .. " did something")
		check.ok(m.cycle > plain.cycle and m.cycle < 2 * plain.cycle, "it costs")
	end
end
check.done()
