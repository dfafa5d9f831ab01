-- Find what is hot, change code, and do both when it is time: the runtime of a machine that
-- profiles itself.
--
-- A runtime belongs to one machine. Set it up before the machine moves; from then on its hooks work
-- by themselves, and their state is in m:state, so that it is correct in the past as well. Here
-- functions are profiled during two million instructions in every twenty, and meanwhile an
-- instruction at the entry of the ten hottest is replaced:
--
--     local triggers = require "cyclops.triggers"
--     local t = triggers.new(m)
--     local p = t:profile{ every = 1009 }
--     t:window({ every = 20e6, length = 2e6 },
--         function() t:replace_all(p:top(10), 0x0042, 0x0062) p:start() end,
--         function() p:stop() t:restore_all() end)
--     m:run()
--     for _, f in ipairs(p:top(10)) do print(f.name, f.share) end
--
-- Functions passed as arguments are called in hooks: they may read anything, change the machine by
-- m:patch, m:write and m.regs at the end of the cycle, return "stop", and keep variables in
-- m:state.

local arguments = require "cyclops.arguments"

local fail, check_keys, count = arguments.fail, arguments.check_keys, arguments.check_count

local triggers = {}

local Runtime, Profile, Window = {}, {}, {}
Runtime.__index, Profile.__index, Window.__index = Runtime, Profile, Window

local function check_function(level, what, f)
	if type(f) ~= "function" then
		fail(level + 1, "%s: a function is needed, not %s", what, arguments.a(f))
	end
end

--- triggers.new(MACHINE) -> t
-- A runtime for this machine. A machine may have several; each handles only its own changes.
function triggers.new(m)
	if type(m) ~= "userdata" then
		fail(1, "triggers.new: a machine is needed, not %s", arguments.a(m))
	end
	local t = setmetatable({ m = m, ahead = {} }, Runtime)
	t.patches = m:state{ at = {} }
	return t
end

-- ---- functions ----
-- The program's functions by address, and where each begins.
local function functions_of(t)
	if not t.functions then
		local list = {}
		for f in t.m:functions() do
			if f.size > 0 then
				list[#list + 1] = f
			end
		end
		table.sort(list, function(a, b) return a.addr < b.addr
			or (a.addr == b.addr and a.name < b.name) end)
		t.functions = list
	end
	return t.functions
end

-- The index of the function that has an address; nil if none has.
local function function_at(list, pc)
	local low, high = 1, #list
	while low <= high do
		local middle = (low + high) // 2
		local f = list[middle]
		if pc < f.addr then
			high = middle - 1
		elseif pc >= f.addr + f.size then
			low = middle + 1
		else
			return middle
		end
	end
end

--- t:function_at(ADDRESS) -> FUNCTION
-- The function that has an address, as from m:functions(): { name =, addr =, size = }; nil if none
-- has.
function Runtime:function_at(pc)
	local list = functions_of(self)
	return list[function_at(list, pc)]
end

-- ---- profiles ----
--- t:profile{ every = 1009 | exact = true } -> p
-- Counts the instructions that each function retires, while it is on: from p:start() to p:stop().
-- With every = N, which is the default, it looks where the program stands after each N-th
-- instruction and counts N for the function there. A prime number does not fall into step with
-- loops; instructions that wait long to commit are met somewhat too often. With exact = true it
-- counts each instruction: by the oracle if the machine has it (oracle.enable), which costs little,
-- else by a hook on every commit, which is slow.
function Runtime:profile(options)
	options = options or {}
	check_keys(1, "t:profile", options, { every = true, exact = true })
	local m, list = self.m, functions_of(self)
	local p = setmetatable({ t = self, state = m:state{ on = false, total = 0, counts = {} } },
		Profile)
	if options.exact then
		if options.every then
			fail(1, "t:profile: every = N or exact = true, not both")
		end
		p.oracle = m.config["oracle.enable"]
		if not p.oracle then
			m:on("commit", function(e) p:_count(function_at(list, e.pc), 1) end)
		end
		return p
	end
	local every = count(1, "every", options.every or 1009, 1)
	m:every({ insts = every }, function() p:_count(function_at(list, m.pc), every) end)
	return p
end

function Profile:_count(index, n)
	local s = self.state
	if s.on then
		s.total = s.total + n
		if index then
			s.counts[index] = (s.counts[index] or 0) + n
		end
	end
end

-- The oracle's counts since the run began, by function; only functions that ran.
function Profile:_oracle()
	local m, list, counts = self.t.m, self.t.functions, {}
	for _, row in ipairs(m:report("oracle all").rows) do
		local index = function_at(list, row.address)
		if index then
			counts[index] = (counts[index] or 0) + row.count
		end
	end
	return counts, m.stats["oracle.insts"]
end

-- Counts of this profile up to now.
function Profile:_counts()
	local s = self.state
	if not self.oracle or not s.on then
		return s.counts, s.total
	end
	local now, total = self:_oracle()
	local counts = {}
	for index, n in pairs(now) do
		counts[index] = n - (s.begun[index] or 0)
	end
	for index, n in pairs(s.counts) do
		counts[index] = (counts[index] or 0) + n
	end
	return counts, s.total + total - s.begun_total
end

--- p:start()
-- Continues counting. No effect if the profile counts already.
function Profile:start()
	local s = self.state
	if self.oracle and not s.on then
		s.begun, s.begun_total = self:_oracle()
	end
	s.on = true
end

--- p:stop()
-- Stops counting, and keeps the counts.
function Profile:stop()
	local s = self.state
	if self.oracle and s.on then
		local counts, total = self:_counts()
		s.counts, s.total, s.begun = counts, total, nil
	end
	s.on = false
end

--- p:reset()
-- Clears the counts; counting continues if it was on.
function Profile:reset()
	local s = self.state
	s.counts, s.total = {}, 0
	if self.oracle and s.on then
		s.begun, s.begun_total = self:_oracle()
	end
end

--- p:total() -> INSTRUCTIONS
-- All instructions counted, in functions or elsewhere.
function Profile:total()
	local _, total = self:_counts()
	return total
end

--- p:top([N]) -> { { name =, addr =, size =, insts =, share = }, ... }
-- The N functions that retired most instructions (all that retired any without N); the hottest
-- first, of equal ones that with the lower address. share is a part of p:total().
function Profile:top(n)
	local list, hot = self.t.functions, {}
	local counts, total = self:_counts()
	local most = n and count(1, "N", n, 0) or math.maxinteger
	for index, insts in pairs(counts) do
		local f = list[index]
		if insts > 0 then
			hot[#hot + 1] = { name = f.name, addr = f.addr, size = f.size,
				insts = insts, share = insts / total }
		end
	end
	table.sort(hot, function(a, b) return a.insts > b.insts
		or (a.insts == b.insts and a.addr < b.addr) end)
	while #hot > most do
		hot[#hot] = nil
	end
	return hot
end

-- ---- code ----
local function word_in_memory(m, addr)
	local low = m.mem:u16(addr)
	return low & 3 == 3 and m.mem:u32(addr) or low
end

-- In a hook, code patched in this cycle still has its old bytes; t.ahead has the new ones.
local function word_at(t, addr)
	local word = word_in_memory(t.m, addr)
	local ahead = t.ahead.cycle == t.m.cycle and t.ahead[addr]
	return ahead and ahead.was == word and ahead.to or word
end

-- Returns the former word.
local function put_word(t, addr, word)
	local m, was, before = t.m, word_at(t, addr), word_in_memory(t.m, addr)
	m:patch(addr, word)
	if t.ahead.cycle ~= m.cycle then
		t.ahead = { cycle = m.cycle }
	end
	t.ahead[addr] = word_in_memory(m, addr) == before and { was = before, to = word } or nil
	return was
end

local function length_of(word)
	return word & 3 == 3 and 4 or 2
end

--- t:patch(ADDRESS, WORD)
-- Replaces the instruction there by another of the same length, and remembers the first one that
-- was there. In a hook this happens at the end of the cycle.
function Runtime:patch(addr, word)
	local s = self.patches
	addr = self.m:addr(addr)
	local was, now = put_word(self, addr, word), s.at[addr]
	if now then
		now.to = word
	else
		s.at[addr] = { from = was, to = word }
	end
end

--- t:restore(ADDRESS) -> BOOLEAN
-- Restores the word before t:patch; false if it has not patched there.
function Runtime:restore(addr)
	local s = self.patches
	addr = self.m:addr(addr)
	local was = s.at[addr]
	if not was then
		return false
	end
	put_word(self, addr, was.from)
	s.at[addr] = nil
	return true
end

--- t:restore_all() -> COUNT
-- Restores all instructions that t:patch and t:replace have changed, and returns their number.
function Runtime:restore_all()
	local addresses = {}
	for addr in pairs(self.patches.at) do
		addresses[#addresses + 1] = addr
	end
	table.sort(addresses)
	for _, addr in ipairs(addresses) do
		self:restore(addr)
	end
	return #addresses
end

--- t:patched() -> { [ADDRESS] = { from = WORD, to = WORD }, ... }
-- The current patches: a new table.
function Runtime:patched()
	local copy = {}
	for addr, p in pairs(self.patches.at) do
		copy[addr] = { from = p.from, to = p.to }
	end
	return copy
end

--- t:replace(FUNCTION, FROM, TO [, BYTES]) -> ADDRESS
-- Replaces the first instruction FROM in a function by TO, both as words: 0x0042, `resetpf 0`, by
-- 0x0062, `setpf 0`. FUNCTION is a name, or a table with addr and size, as from p:top(). Searches
-- its first BYTES, 64 if not given. nil if FROM is not found.
function Runtime:replace(f, from, to, bytes)
	f = type(f) == "table" and f or self.m:sym(f) or fail(1, "no function is called '%s'",
		tostring(f))
	local addr, stop = f.addr, f.addr + math.min(f.size, count(1, "BYTES", bytes or 64, 2))
	while addr < stop do
		local word = word_at(self, addr)
		if word == from then
			self:patch(addr, to)
			return addr
		end
		addr = addr + length_of(word)
	end
end

--- t:replace_all(FUNCTIONS, FROM, TO [, BYTES]) -> COUNT
-- t:replace for each of a list of functions; returns how many had such an instruction.
function Runtime:replace_all(list, from, to, bytes)
	local n = 0
	for _, f in ipairs(list) do
		if self:replace(f, from, to, bytes) then
			n = n + 1
		end
	end
	return n
end

-- ---- time ----
-- From { insts = N, first = N } or { cycles = N, first = N }: the unit, and N.
local function unit_of(level, what, options)
	check_keys(level + 1, what, options, { insts = true, cycles = true, first = true })
	if (options.insts == nil) == (options.cycles == nil) then
		fail(level + 1, "%s: insts = N or cycles = N", what)
	end
	local unit = options.insts and "insts" or "cycles"
	return unit, count(level + 1, unit, options[unit], 1), options.first
		and count(level + 1, "first", options.first, 1)
end

--- t:every({ insts = N | cycles = N, first = N }, FUNCTION) -> HOOK
-- Calls FUNCTION at the end of the first cycle that reaches each N-th instruction or cycle, the
-- first time at `first`, counted from the machine's beginning; if that is not given, N from now.
function Runtime:every(options, f)
	local unit, n, first = unit_of(1, "t:every", options)
	check_function(1, "t:every", f)
	return self.m:every({ [unit] = n, first = first }, f)
end

--- t:at({ insts = N | cycles = N }, FUNCTION) -> HOOK
-- Calls FUNCTION once, at the end of the first cycle that reaches this instruction or cycle of the
-- machine.
function Runtime:at(options, f)
	local unit, n, first = unit_of(1, "t:at", options)
	check_function(1, "t:at", f)
	if first then
		fail(1, "t:at happens once: it has no `first`")
	end
	return self.m:every({ [unit] = math.maxinteger, first = n }, f)
end

--- t:window({ every = N, length = N, first = N, cycles = true }, ON, OFF) -> w
-- Calls ON at the beginning of each window, at `first` and each `every` instructions later, and OFF
-- at its end, `length` instructions later. Without `first` a window begins at once. Units are
-- cycles if cycles = true. w:open() tests whether one is open; ON and OFF get the number of the
-- window, from 1 on.
function Runtime:window(options, on, off)
	check_keys(1, "t:window", options, { every = true, length = true, first = true,
		cycles = true })
	local every = count(1, "every", options.every, 2)
	local length = count(1, "length", options.length, 1)
	local unit = options.cycles and "cycles" or "insts"
	local first = count(1, "first", options.first or self.m[unit == "cycles" and "cycle"
		or "insts"] + 1, 1)
	if length >= every then
		fail(1, "a window of %d in every %d is always open", length, every)
	end
	check_function(1, "t:window: ON", on)
	check_function(1, "t:window: OFF", off)
	local w = setmetatable({ state = self.m:state{ open = false, n = 0 } }, Window)
	local m, s = self.m, w.state
	m:every({ [unit] = every, first = first }, function()
		s.open, s.n = true, s.n + 1
		return on(s.n)
	end)
	m:every({ [unit] = every, first = first + length }, function()
		-- One cycle may pass the end of a window and the beginning of the next.
		local now = m[unit == "cycles" and "cycle" or "insts"]
		if now >= first + every and (now - first) % every < length then
			return
		end
		s.open = false
		return off(s.n)
	end)
	return w
end

--- w:open() -> BOOLEAN
-- Whether a window is open.
function Window:open()
	return self.state.open
end

--- w:count() -> NUMBER
-- The number of windows that have begun.
function Window:count()
	return self.state.n
end

-- ---- conditions ----
--- t:when({ stat = NAME, per = NAME, above = X | below = X, every = N }, FUNCTION [, BEHIND]) -> HOOK
-- Reads a statistic each N instructions (10,000 if not given) and calls FUNCTION(VALUE) when it
-- becomes larger than X (above), or smaller (below); and BEHIND(VALUE), if given, when that is
-- over. With per = NAME the value is the growth of `stat` since the last look, divided by that of
-- `per`: { stat = "l1d.misses", per = "l1d.accesses", above = 0.1 } is the recent miss rate, stat =
-- "l1d.miss_rate" that of the whole run. stat may also be a function that returns the number.
function Runtime:when(options, f, behind)
	check_keys(1, "t:when", options, { stat = true, per = true, above = true, below = true,
		every = true })
	check_function(1, "t:when", f)
	if behind ~= nil then
		check_function(1, "t:when: BEHIND", behind)
	end
	local m, stat, per = self.m, options.stat, options.per
	local limit = options.above or options.below
	if (options.above == nil) == (options.below == nil) or type(limit) ~= "number" then
		fail(1, "t:when: above = NUMBER or below = NUMBER")
	end
	if type(stat) ~= "function" and type(stat) ~= "string" then
		fail(1, "t:when: which stat? A name or a function is needed, not %s", arguments.a(stat))
	end
	local value = type(stat) == "function" and stat or function() return m.stats[stat] end
	local base = per and function() return m.stats[per] end or function() return 0 end
	local s = m:state{ held = false, value = value(), base = base() }
	return m:every({ insts = count(1, "every", options.every or 10000, 1) }, function()
		local now, under = value(), base()
		local v = now
		if per then
			v = under > s.base and (now - s.value) / (under - s.base) or 0
			s.value, s.base = now, under
		end
		local holds = options.above and v > limit or not options.above and v < limit
		if holds ~= s.held then
			s.held = holds
			if holds then
				return f(v)
			end
			return behind and behind(v)
		end
	end)
end

-- ---- signals ----
--- t:signal("FUNCTION" | SIGNAL, FUNCTION) -> HOOK
-- Calls FUNCTION(VALUE) when the program signals: by calling a function of the given name, whose
-- first argument is VALUE; trigger_signal() of demos/include/trigger.h is exact. Or, if SIGNAL is a
-- number, by sending itself that POSIX signal (raise, kill), which it should ignore (10: SIGUSR1);
-- then VALUE is that number.
function Runtime:signal(what, f)
	local m = self.m
	check_function(1, "t:signal", f)
	if type(what) == "string" then
		local addr = (m:sym(what) or fail(1, "no function is called '%s'", what)).addr
		return m:on("commit", { pc = { addr, addr + 2 } }, function() return f(m.a0) end)
	end
	local signal = count(1, "SIGNAL", what, 1)
	return m:on("syscall", function(e)
		local sent = (e.call == "kill" or e.call == "tkill") and m.a1 or e.call == "tgkill"
			and m.a2
		if sent == signal and e.result == 0 then
			return f(signal)
		end
	end)
end

return triggers
