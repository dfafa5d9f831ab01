-- value.mic and sample.mic against models of their algorithms, record by record: on loads of real
-- programs (files in $COP_LOADS), and on generated ones that fill counters.
package.path = "tests/cop/?.lua;tests/lua/?.lua;" .. package.path
local check = require "check"
local model = require "value_model"

local small = os.getenv "CYCLOPS_TEST_SCALE" ~= "long"
local DONE <const>, INTERRUPT <const> = 1, 2

local function read(path)
	local f <close> = assert(io.open(path, "rb"))
	return f:read "a"
end

local VALUE <const>, SAMPLE <const> = read "demos/microcode/value.mic",
	read "demos/microcode/sample.mic"

-- The text with other numbers for its .equ.
local function with(text, equ)
	for name, value in pairs(equ) do
		local n
		text, n = text:gsub("(%.equ " .. name .. " = )[^\n#]*", "%1" .. value .. " ")
		assert(n == 1, name)
	end
	return text
end

-- ---- the engine, a record at a time ----
-- Records are pushed as long as there is room, so that routines follow each other without a pause;
-- after each that is done, `compare` runs.
local function run(e, next_record, compare)
	local waiting, clocks = {}, 0
	local function fill()
		while e:count() < 8 do
			local r = next_record()
			if not r then
				return
			end
			e:push{ pc = r[1], result = r[2], kind = 0 }
			waiting[#waiting + 1] = r
		end
	end
	fill()
	while #waiting > 0 do
		local t = e:clock()
		clocks = clocks + 1
		if t and t.outcome ~= 0 then
			local r = table.remove(waiting, 1)
			if compare(r, t.outcome) == "stop" then
				return clocks
			end
			fill()
		end
	end
	return clocks
end

local function of_stream(name, count)
	local bytes, at = read(os.getenv "COP_LOADS" .. "/" .. name), 1
	count = math.min(count, #bytes // 16)
	check.ok(count > 1000, name .. " has loads")
	return function()
		count = count - 1
		if count >= 0 then
			local pc, value
			pc, value, at = string.unpack("<i8i8", bytes, at)
			return { pc, value }
		end
	end
end

-- ---- value profiling ----
local met = { interrupt = 0, off = 0, failed = 0, replaced = 0, thrash = 0, gave_up = 0 }

local function differs(e, v, whole)
	local s = e:state()
	for i, name in ipairs{ "failed", "off", "replaced", "samples" } do
		if s.v[3 + i] ~= v[name] then
			return ("%s is %d, not %d"):format(name, s.v[3 + i], v[name])
		end
	end
	if s.x[1] ~= v.victim or s.lfsr ~= v.random then
		return ("the next slot is %d, not %d, or random numbers differ"):format(s.x[1],
			v.victim)
	end
	for i = 0, v.slots - 1 do
		local slot = v.at[i]
		local value, counts = model.words(slot)
		if s.valid[i] ~= slot.valid or (slot.pc ~= 0 and s.cam[i] ~= slot.pc)
			or s.data[i] ~= value or s.data[v.slots + i] ~= counts then
			return ("slot %d is 0x%x %s 0x%x 0x%x, not 0x%x %s 0x%x 0x%x"):format(i,
				s.cam[i], s.valid[i], s.data[i], s.data[v.slots + i],
				slot.pc, slot.valid, value, counts)
		end
	end
end

local function value_engine(slots, seed, limits)
	local e = engine.new{ code = 64, cam = slots, data = 2 * slots, seed = seed }
	local o = { slots = slots, seed = seed, failed = limits.FAILED or slots // 2,
		off = limits.OFF or slots * 3 // 4,
		thrash = limits.THRASH or slots * 4 }
	e:load(with(VALUE, { SLOTS = slots, FAILED = o.failed, OFF = o.off, THRASH = o.thrash }))
	return e, model.value(o)
end

-- The handler's work, the same on both.
local function new_turn(e, v)
	e:invalidate()
	e:clear()
	for i = 4, 7 do
		e:set("v", i, 0)
	end
	e:set("x", 1, 0)
	v:clear()
	e:resume()
end

local function follow(what, e, v, next_record, options)
	local n, wrong = 0
	local clocks = run(e, next_record, function(r, outcome)
		n = n + 1
		local replaced, failed, off = v.replaced, v.failed, v.off
		local interrupt = v:sample(r[1], r[2])
		wrong = differs(e, v) or (outcome == INTERRUPT) ~= (interrupt == "interrupt")
			and "one interrupts" or nil
		met.replaced, met.off = met.replaced + v.replaced - replaced, met.off + v.off - off
		met.failed = met.failed + (v.failed > failed and 1 or 0)
		if wrong then
			wrong = ("%s, record %d (0x%x 0x%x): %s"):format(what, n, r[1], r[2], wrong)
			return "stop"
		elseif interrupt then
			met.interrupt, met.thrash = met.interrupt + 1,
				met.thrash + (v.replaced >= v.limits.thrash and 1 or 0)
			met.gave_up = met.gave_up + (v.failed >= v.limits.failed and 1 or 0)
			new_turn(e, v)
		elseif options and options.invalidate and n % options.invalidate == 0 then
			e:invalidate() -- while the next record's routine is in the pipeline
			v:invalidate()
		end
	end)
	check.eq(wrong, nil, what)
	check.ok(n > 0 and (wrong or clocks / n < 16), what .. ": " .. clocks .. " clocks for " ..
		n .. " records")
	return n
end

local COUNT <const> = small and 3000 or 12000
for _, name in ipairs{ "lisp", "hash", "json" } do
	local e, v = value_engine(256, 1, {})
	follow(name .. ", 256 slots", e, v, of_stream(name, COUNT))
	for seed = 1, 2 do
		e, v = value_engine(16, 77 * seed, {})
		follow(name .. ", 16 slots", e, v, of_stream(name, COUNT))
	end
	for failures = 1, 2 do
		e, v = value_engine(16, 5, { FAILED = failures, THRASH = 10000 })
		follow(name .. ", failures", e, v, of_stream(name, COUNT))
	end
	e, v = value_engine(32, 5, { OFF = 4, FAILED = 200 })
	follow(name .. ", invalidated", e, v, of_stream(name, COUNT), { invalidate = 97 })
end
for name, n in pairs(met) do
	check.ok(n > (small and 0 or 10), name .. " was met: " .. n)
end

-- Full counters: the records of one pc, with values by a function; the slot's state when it is
-- turned off.
local function fill(what, values, preset)
	local e, v = value_engine(4, 1, { OFF = 1 })
	local n, stopped = 0, nil
	local slot = v.at[0]
	v:sample(0x1000, 7)
	run(e, function() local sent = n == 0 and { 0x1000, 7 } n = n + 1 return sent or nil end,
		function() end)
	if preset then
		local _, counts = model.words(slot)
		slot.total = preset
		e:data(4, counts & 0xffff | preset << 16)
	end
	local sent = 0
	run(e, function()
		sent = sent + 1
		return sent <= 70000 and { 0x1000, values(sent) } or nil
	end, function(r, outcome)
		local interrupt = v:sample(r[1], r[2])
		local wrong = differs(e, v) or (outcome == INTERRUPT) ~= (interrupt ~= nil)
			and "one interrupts"
		if wrong or outcome == INTERRUPT then
			stopped = wrong or ("%d %d %d %s"):format(slot.hits, slot.misses,
				slot.total, slot.valid)
			return "stop"
		end
	end)
	check.eq(stopped, what, what)
end
fill("255 0 255 false", function() return 7 end)
fill("253 255 508 false", function(i) return i < 253 and 7 or i end)
fill("20 42 62 false", function(i) return i < 20 and 7 or i end) -- worth keeping
fill("1 6 65535 false", function(i) return i end, 65000) -- dropped repeatedly
fill("31 0 65535 false", function() return 7 end, 65505)

-- The paper's appendix increments the index of the next slot when an entry is replaced, and ignores
-- a sample whose replacement fails, which keeps the index. A slot of 255 samples is never replaced,
-- so that the empty slots after it stay unused.
do
	local LIMIT <const> = 20
	local e = value_engine(4, 3, { FAILED = LIMIT })
	e:set("x", 1, 2)
	e:data(4 + 2, 255 << 16)
	local sent, last = 0, nil
	run(e, function()
		sent = sent + 1
		return sent <= LIMIT and { 0x1000 + 4 * sent, 7 } or nil
	end, function(_, outcome) last = outcome end)
	local s = e:state()
	check.eq(("%d %d %d"):format(s.x[1], s.v[4], s.v[6]), ("2 %d 0"):format(LIMIT),
		"the index, and what failed and what was replaced")
	check.eq(last, INTERRUPT, "so many failures interrupt")
	check.ok(not (s.valid[0] or s.valid[1] or s.valid[3]), "the other slots are empty")
	-- Empty slots: each is replaced at once, and the index wraps around.
	e = value_engine(4, 3, { THRASH = 100 })
	for i = 0, 7 do
		e:data(4 + i % 4, 0)
		local left = 1
		run(e, function()
			left = left - 1
			return left == 0 and { 0x1000 + 4 * i, 7 } or nil
		end, function() end)
		s = e:state()
		check.eq(("%d %d"):format(s.v[6], s.x[1]), ("%d %d"):format(i + 1, (i + 1) % 4),
			"what was replaced, and the index behind it")
	end
end

-- ---- simple sampling ----
for _, o in ipairs{ { 61, 512 }, { 5, 8 }, { 2, 1000 }, { 1, 3 } } do
	local n, room = table.unpack(o)
	local e, s = engine.new{ code = 64, cam = 4, data = 2 * room }, model.simple(n, room)
	e:load(with(SAMPLE, { N = n, SAMPLES = room }))
	local read_one, wrong, records, interrupts = of_stream("lisp", COUNT), nil, 0, 0
	run(e, read_one, function(r, outcome)
		records = records + 1
		local interrupt = s:sample(r[1], r[2])
		if (outcome == INTERRUPT) ~= (interrupt ~= nil) then
			wrong = "one interrupts at record " .. records
		elseif interrupt or records % 50 == 0 then
			local data = e:state().data
			for i, kept in ipairs(s.kept) do
				wrong = wrong
					or (data[i - 1] ~= kept[1] or data[room + i - 1] ~= kept[2])
					and ("sample %d of record %d"):format(i, records) or nil
			end
		end
		if interrupt then
			interrupts, s.kept = interrupts + 1, {}
			e:resume()
		end
		return wrong and "stop"
	end)
	check.eq(wrong, nil, ("every %d in %d"):format(n, room))
	check.eq(interrupts, records // (n * room), "interrupts")
end
check.done()
