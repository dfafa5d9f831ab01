-- Profile a program that profiles itself: switch its methods' flags in the code, for a while, where
-- it matters.
--
-- The runtime of a machine with profile instructions (Vaswani, III.C and VI). An instrumented
-- method begins with `resetpf K`; a runtime makes a `setpf K` of it and the method's profile
-- instructions of that type execute from its next entry on, or, if its loops have flags of their
-- own (cyclops instrument --units loops), from the next round on. Here the ten hottest methods are
-- profiled during two million instructions in every twenty (x:exact() reads the oracle, so m has
-- `oracle.enable`):
--
--     local xprof = require "cyclops.xprof"
--     local x = xprof.new(m)
--     x:window{ every = 20e6, length = 2e6, hottest = 10 }
--     m:run()
--     print(xprof.accuracy(x:blocks(), x:exact()), "% of what the program did")
--
-- Set a runtime up before the machine moves. It stands on cyclops.triggers: what is patched is
-- right in the past as well, and going back and forth repeats it exactly. A patch empties the
-- pipeline, as a store and fence.i would, and leaves the block descriptor table as it is.

local arguments = require "cyclops.arguments"
local instrument = require "cyclops.instrument"
local profiles = require "cyclops.profiles"
local triggers = require "cyclops.triggers"

local fail, check_keys, check_count = arguments.fail, arguments.check_keys, arguments.check_count

local xprof = { distance = profiles.distance, accuracy = profiles.accuracy }

local Runtime = {}
Runtime.__index = Runtime

local TYPES <const>, ALL_TYPES <const> = 8, 0xff
-- resetpf 0 and setpf 0, in 16 and 32 bits; type K is that many steps further.
local NARROW <const> = { reset = 0x0042, set = 0x0062, step = 1 << 2 }
local WIDE <const> = { reset = 0x0100a013, set = 0x0180a013, step = 1 << 20 }

--- xprof.new(MACHINE) -> x
-- A runtime for this machine. Its program should have methods whose flags can be switched;
-- x:methods() are those.
function xprof.new(m)
	if type(m) ~= "userdata" then
		fail(1, "xprof.new: a machine is needed, not %s", arguments.a(m))
	end
	return setmetatable({ m = m, t = triggers.new(m) }, Runtime)
end

-- ---- methods ----
-- Which flag `word` sets or resets, if it is a resetpf or setpf: form, type.
local function flag_of(word, bytes)
	local form = bytes == 2 and NARROW or WIDE
	for _, from in ipairs{ form.reset, form.set } do
		local k = (word - from) // form.step
		if word >= from and k < TYPES and word == from + k * form.step then
			return form, k
		end
	end
end

-- The flag instructions in a function's code.
local function flags_in(m, f)
	local flags, text = {}, m.mem:bytes(f.addr, f.size)
	local at, last = 1, #text
	while at + 1 <= last do
		local low = string.unpack("<I2", text, at)
		local bytes = low & 3 == 3 and 4 or 2
		if at + bytes - 1 <= last then
			local form, k = flag_of(bytes == 4 and string.unpack("<I4", text, at)
				or low, bytes)
			if form then
				flags[#flags + 1] = { addr = f.addr + at - 1, type = k,
					form = form }
			end
		end
		at = at + bytes
	end
	return flags
end

-- The flags inserted by the editor, by function: its file lists them.
local function listed_flags(x)
	local ok, report = pcall(x.m.report, x.m, "flags all")
	local by_function, functions = {}, {}
	for _, row in ipairs(ok and report.rows or {}) do
		local at = math.tointeger(row["function"])
		if row.now ~= "check" then
			local f = by_function[at] or { at = at, flags = {} }
			if not by_function[at] then
				by_function[at], functions[#functions + 1] = f, f
			end
			f.flags[#f.flags + 1] = { addr = math.tointeger(row.address),
				type = row.type, form = NARROW, unit = row.unit }
		end
	end
	return ok and functions
end

local function add_method(x, method)
	x.list[#x.list + 1], x.by_name[method.name], x.by_addr[method.addr] = method,
		x.by_name[method.name] or method, method
end

local function methods_of(x)
	if x.list then
		return x.list
	end
	x.list, x.by_name, x.by_addr = {}, {}, {}
	local listed = listed_flags(x)
	for _, f in ipairs(listed or {}) do
		local known = x.t:function_at(f.at) or { name = ("0x%x"):format(f.at), addr = f.at,
			size = 0 }
		add_method(x, { name = known.name, addr = known.addr, size = known.size,
			flags = f.flags })
	end
	if not listed then
		for f in x.m:functions() do
			if f.size > 0 and not x.by_addr[f.addr] and x.m.mem:mapped(f.addr) then
				local flags = flags_in(x.m, f)
				if #flags > 0 then
					add_method(x, { name = f.name, addr = f.addr, size = f.size,
						flags = flags })
				end
			end
		end
	end
	table.sort(x.list, function(a, b) return a.addr < b.addr end)
	return x.list
end

--- x:methods() -> { { name =, addr =, size =, flags = { { addr =, type = }, ... } }, ... }
-- The functions with a `resetpf` or `setpf`, by address, and where those stand; of a program that
-- the executable editor has instrumented, also the `unit` of code that each switches, by its place
-- ("main+0x1c", `report flags`). Functions without are not listed.
function Runtime:methods()
	local copy = {}
	for i, f in ipairs(methods_of(self)) do
		local flags = {}
		for j, flag in ipairs(f.flags) do
			flags[j] = { addr = flag.addr, type = flag.type, unit = flag.unit }
		end
		copy[i] = { name = f.name, addr = f.addr, size = f.size, flags = flags }
	end
	return copy
end

-- The methods that a caller selects: "all", or a list of names and of tables with `addr`.
local function chosen(x, level, what, methods)
	local all = methods_of(x)
	if methods == nil or methods == "all" then
		return all
	end
	if type(methods) ~= "table" then
		fail(level + 1, "%s: a list of methods or \"all\" is needed, not %s", what,
			arguments.a(methods))
	end
	local list = {}
	for i, method in ipairs(methods) do
		local is_table = type(method) == "table"
		list[i] = is_table and x.by_addr[method.addr] or not is_table and x.by_name[method]
			or fail(level + 1, "%s: '%s' is not a method with a profile flag", what,
			tostring(is_table and method.name or method))
	end
	return list
end

local function check_type(level, what, k)
	return k and check_count(level + 1, what .. ": type", k, 0, TYPES - 1)
end

local function put(x, methods, k, to)
	local n = 0
	for _, f in ipairs(methods) do
		for _, flag in ipairs(f.flags) do
			if not k or flag.type == k then
				x.t:patch(flag.addr, flag.form[to] + flag.type * flag.form.step)
				n = n + 1
			end
		end
	end
	return n
end

--- x:on([METHODS [, TYPE]]) -> COUNT
-- Puts `setpf` in the place of each flag instruction of these methods: a list of names, or of what
-- x:methods(), x:hot() and p:top() give; all if none are given or "all" is. Only those of one
-- profile type (0 to 7) if it is given. In a hook this happens at the end of the cycle. How many
-- instructions that were.
function Runtime:on(methods, k)
	return put(self, chosen(self, 1, "x:on", methods), check_type(1, "x:on", k), "set")
end

--- x:off([METHODS [, TYPE]]) -> COUNT
-- Replaces them by `resetpf` in the same way.
function Runtime:off(methods, k)
	return put(self, chosen(self, 1, "x:off", methods), check_type(1, "x:off", k), "reset")
end

--- x:restore() -> COUNT
-- Restores the instructions before x:on and x:off.
function Runtime:restore()
	return self.t:restore_all()
end

--- x:hot(N [, PROFILE]) -> { { name =, addr =, size =, insts =, share = }, ... }
-- The N methods that retired most instructions, the hottest first; functions without a flag are
-- left out. PROFILE is one of cyclops.triggers (t:profile), without it that of x:profile().
function Runtime:hot(n, profile)
	n = check_count(1, "x:hot: N", n, 0)
	profile = profile or self.sampled
		or fail(1, "x:hot: call x:profile() before the machine moves, or give a profile")
	methods_of(self)
	local hot = {}
	for _, f in ipairs(profile:top()) do
		if self.by_addr[f.addr] and #hot < n then
			hot[#hot + 1] = f
		end
	end
	return hot
end

--- x:profile([{ every = 1009 | exact = true }]) -> p
-- The profile of instructions by function that x:hot() reads: made and started now if there was
-- none, as t:profile of cyclops.triggers.
function Runtime:profile(options)
	if not self.sampled then
		self.sampled = self.t:profile(options)
		self.sampled:start()
	elseif options then
		fail(1, "x:profile: there is one already")
	end
	return self.sampled
end

-- ---- when ----
-- Shared by windows and conditions: functions that switch on and off.
local function switches(x, level, what, options)
	local k, methods = check_type(level + 1, what, options.type), nil
	if options.hottest then
		if options.methods then
			fail(level + 1, "%s: methods = LIST or hottest = N, not both", what)
		end
		local n = check_count(level + 1, what .. ": hottest", options.hottest, 1)
		x:profile()
		methods_of(x) -- reading all code takes longer than a hook may
		methods = function() return chosen(x, 0, what, x:hot(n)) end
	else
		local list = chosen(x, level + 1, what, options.methods)
		methods = function() return list end
	end
	local function on()
		put(x, methods(), k, "set")
	end
	local function off()
		x.t:restore_all()
	end
	return on, off
end

--- x:window{ every = N, length = N, first = N, cycles = BOOLEAN, methods = LIST | hottest = N, type = K } -> w
-- Profiles methods during `length` instructions in every `every`, from `first` on (counted from the
-- machine's beginning; `every` if it is not given); cycles if cycles = true. Profile instructions
-- that execute are instructions: a window of instructions is over sooner where there are many of
-- them, and what they count is too small a part of the profile; cycles have next to none of that.
-- The hottest are chosen anew when a window begins. w is as that of t:window of cyclops.triggers.
function Runtime:window(options)
	check_keys(1, "x:window", options,
		{ every = true, length = true, first = true, cycles = true, methods = true,
		hottest = true, type = true })
	local every = check_count(1, "x:window: every", options.every, 2)
	local length = check_count(1, "x:window: length", options.length, 1)
	if length >= every then
		fail(1, "x:window: a window of %d in every %d is always open: x:on() is for that",
			length, every)
	end
	local on, off = switches(self, 1, "x:window", options)
	return self.t:window({ every = every, length = length, first = options.first or every,
		cycles = options.cycles }, on, off)
end

-- How demos/firmware/flags.c has its words, and a flag in its table.
local RUNTIME <const> = { flags = 0, capacity = 8, table = 16, first = 24, length = 32, every = 40 }

--- x:handler{ every = N, length = N, first = N, methods = LIST, type = K } -> COUNT
-- Does what x:window does with cycles, by a handler that the machine runs and that is charged: its
-- firmware is build/demos/firmware/flags.elf, and it has not moved yet. How many flags are
-- switched.
function Runtime:handler(options)
	check_keys(1, "x:handler", options, { every = true, length = true, first = true,
		methods = true, type = true })
	local every = check_count(1, "x:handler: every", options.every, 2)
	local length = check_count(1, "x:handler: length", options.length, 1)
	local first = check_count(1, "x:handler: first", options.first or every, 1)
	local k, m = check_type(1, "x:handler", options.type), self.m
	local ok, at = pcall(function() return m.flag_runtime end)
	if not ok or math.type(at) ~= "integer" then
		fail(1, "x:handler: the machine's firmware switches no flags; use firmware = " ..
			"\"build/demos/firmware/flags.elf\"")
	elseif m.cycle > 0 then
		fail(1, "x:handler: the machine is in cycle %d; call it before the machine moves", m.cycle)
	elseif length >= every then
		fail(1, "x:handler: a window of %d in every %d is always open: x:on() is for that",
			length, every)
	end
	local entries, n = {}, 0
	for _, f in ipairs(chosen(self, 1, "x:handler", options.methods)) do
		for _, flag in ipairs(f.flags) do
			if not k or flag.type == k then
				local step, form = flag.type * flag.form.step, flag.form
				n = n + 1
				entries[n] = string.pack("<I8I4I4", flag.addr, form.reset + step,
					form.set + step)
			end
		end
	end
	local room = m.mem:u64(at + RUNTIME.capacity)
	if n > room then
		fail(1, "x:handler: %d flags, and the handler has room for %d; use fewer " ..
			"methods", n, room)
	end
	if n > 0 then
		m:write(m.mem:u64(at + RUNTIME.table), table.concat(entries))
	end
	for name, value in pairs{ flags = n, first = first, length = length, every = every } do
		m:write(at + RUNTIME[name], string.pack("<I8", value))
	end
	return n
end

--- x:during{ stat = NAME, per = NAME, above = X | below = X, every = N, methods = LIST | hottest = N, type = K }
-- Profiles methods while a statistic is above a threshold, or below. stat, per and every are those
-- of t:when of cyclops.triggers.
function Runtime:during(options)
	check_keys(1, "x:during", options, { stat = true, per = true, above = true, below = true,
		every = true, methods = true,
		hottest = true, type = true })
	local on, off = switches(self, 1, "x:during", options)
	return self.t:when({ stat = options.stat, per = options.per, above = options.above,
		below = options.below,
		every = options.every }, on, off)
end

-- ---- profiles ----
-- What `cyclops instrument` put into the program, once; of these methods only.
local function instrumented(x, methods)
	if not x.rows then
		x.rows = instrument.methods(x.m)
		table.sort(x.rows, function(a, b) return a.addr < b.addr end)
	end
	if not methods then
		return x.rows
	end
	local wanted, rows = {}, {}
	for _, f in ipairs(methods) do
		wanted[f.addr] = true
	end
	for _, f in ipairs(x.rows) do
		rows[#rows + 1] = wanted[f.addr] and f or nil
	end
	return rows
end

local function profiled(x, level, what, methods)
	local rows = instrumented(x, methods and chosen(x, level + 1, what, methods))
	if #instrumented(x) == 0 then
		fail(level + 1,
			"%s: nothing in this program is instrumented (cyclops instrument --help)",
			what)
	end
	return rows
end

--- x:blocks([METHODS]) -> { ["sift:2"] = COUNT, ... }
-- The block profile as the program's counters have it, of a program made by `cyclops instrument
-- --blocks`: how often each basic block was entered while it was profiled, by method and number,
-- from 0 on.
function Runtime:blocks(methods)
	local counts = {}
	for _, f in ipairs(profiled(self, 1, "x:blocks", methods)) do
		for i, b in ipairs(f.blocks) do
			if b.counter then
				counts[f.name .. ":" .. i - 1] = self.m.mem:u64(b.counter)
			end
		end
	end
	return counts
end

-- The address after the profile instructions that begin at an address.
local function behind_profile(mem, at)
	local function bytes(where)
		return mem:u16(where) & 3 == 3 and 4 or 2
	end
	while true do
		local word = bytes(at) == 4 and mem:u32(at) or mem:u16(at)
		local prefix = bytes(at) == 4 and word & 0xff8fffff == 0x0080a013 or bytes(at) == 2
			and word & 0xffe3 == 0x0022
		if not prefix then
			return at
		end
		at = at + bytes(at)
		at = at + bytes(at)
	end
end

--- x:exact([METHODS]) -> { ["sift:2"] = COUNT, ... }
-- The perfect profile of the same blocks: how often the program itself entered them, profiled or
-- not, as the oracle has counted. The machine needs oracle.enable = true.
function Runtime:exact(methods)
	local m, committed, counts = self.m, {}, {}
	if not m.config["oracle.enable"] then
		fail(1, "x:exact: the oracle is needed: set = { ['oracle.enable'] = true }")
	end
	for _, row in ipairs(m:report("oracle all").rows) do
		committed[row.address] = row.count
	end
	for _, f in ipairs(profiled(self, 1, "x:exact", methods)) do
		for i, b in ipairs(f.blocks) do
			counts[f.name .. ":" .. i - 1] = committed[behind_profile(m.mem, b.addr)]
				or 0
		end
	end
	return counts
end

--- x:arcs([METHODS]) -> { ["main+0x44 sift"] = COUNT, ... }
-- The call graph as the program counted it, made by `cyclops instrument --calls`: how often each
-- place called each of these methods, by where the caller goes on.
function Runtime:arcs(methods)
	local m, t, counts, wanted = self.m, self.t, {}, {}
	local table_of = m:sym "xprof_arcs"
		or fail(1, "x:arcs: this program does not count calls (cyclops instrument --help)")
	for _, f in ipairs(profiled(self, 1, "x:arcs", methods)) do
		wanted[f.addr] = true
	end
	local text = m.mem:bytes(table_of.addr, table_of.size)
	for at = 1, #text, 32 do
		local from, to, n = string.unpack("<i8i8i8", text, at)
		local callee, caller = to ~= 0 and t:function_at(to), t:function_at(from)
		if callee and wanted[callee.addr] then
			counts[("%s %s"):format(caller and ("%s+0x%x"):format(caller.name,
				from - caller.addr) or ("0x%x"):format(from),
				callee.name)] = n
		end
	end
	return counts
end

--- x:counts(KIND) -> { ["0x1043c"] = COUNT, ... }
-- The profile of one kind ("bb", "edge", "path", "path+hw") that the executable editor put into the
-- program (cyclops instrument --kind): by the block's address, or the branch's and where it leads,
-- or the procedure's and the path's number, in the program as it was.
function Runtime:counts(kind)
	local counts, is_path = {}, kind == "path" or kind == "path+hw"
	if not is_path and kind ~= "bb" and kind ~= "edge" then
		fail(1, "x:counts: '%s' is no kind that is read here; expected bb, edge, path, " ..
			"path+hw", tostring(kind))
	end
	for _, row in ipairs(self.m:report(is_path and "hot-paths all" or "counters all").rows) do
		local key = ("0x%x"):format(math.tointeger(row.was))
		if is_path then
			counts[key .. " " .. row.number] = row.count
		elseif row.kind == kind then
			counts[kind == "edge" and key .. " " .. row.to or key] = row.count
		end
	end
	return counts
end

return xprof
