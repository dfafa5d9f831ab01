-- Machines at random, one to each seed: a program, a configuration, modules. Each runs some
-- thousand cycles and is saved; it runs on, goes back across the place and on again; another
-- machine takes the checkpoint and runs on, back and on. All of them must be the same in the same
-- cycle: state, all statistics, what devices and modules have found out, output. A state that was
-- come to is never refused.
--
--   cyclops lua tests/soak/soak.lua FIRST [LAST [FOLDER]]
--
-- Parameters, names and ranges, come from core/defs/params.def: a new one takes part by itself.
-- What a text may be is said here.

local first = math.tointeger(arg[1]) or error "which seed?"
local last = math.tointeger(arg[2] or first)
local folder = arg[3] or "."
local file = folder .. "/soak.checkpoint"

-- ---- choices ----
local function hash(text)
	local h = 5381
	for i = 1, #text do
		h = h * 33 ~ text:byte(i)
	end
	return h
end

-- Each thing that is chosen has numbers of its own: a new parameter changes no other choice.
local seed
local function choices(of)
	math.randomseed(seed, hash(of))
	for _ = 1, 4 do
		math.random(0)
	end
end

local function chance(p)
	return math.random() < p
end

local function one_of(list)
	return list[math.random(#list)]
end

-- From low to high, each order of magnitude as likely.
local function magnitude(low, high)
	return math.min(high, math.floor(low + (high - low + 1) ^ math.random()) - 1 + (low == high
		and 1 or 0))
end

local function some_of(list, most)
	local out = {}
	for _ = 1, math.random(most) do
		out[#out + 1] = one_of(list)
	end
	return out
end

-- ---- parameters ----
local choices_text = assert(io.open("core/defs/choices.h")):read("a")
local constants = { math = math }
for name, value in choices_text:gmatch "enum { ([%u_]+) = (%d+) };" do
	constants[name] = tonumber(value)
end

local function number(text)
	text = text:gsub("U?INT64_C", ""):gsub("UINT32_MAX", "0xffffffff"):gsub("INT64_MAX",
		"math.maxinteger"):gsub("%f[%w](%d+)L+%f[%W]", "%1")
	local f = assert(load("return " .. text, "params.def", "t", constants),
		"core/defs/params.def: a number is none here: " .. text)
	return f()
end

local function parameters()
	local list, known = {}, {}
	for line in io.lines "core/defs/params.def" do
		local name, type, default, min, max, unit = line:match '^PARAM%([%w_]+, "([%w_.]+)", (%u+), (.-), (.-), (.-), "(.-)",'
		name = name or line:match '^TEXT%([%w_]+, "([%w_.]+)",'
		if name then
			list[#list + 1] = { name = name, type = type or "TEXT", unit = unit,
				default = type and number(default), min = type and number(min),
			                    max = type and number(max) }
			known[name] = true
		end
	end
	for _, name in ipairs(cyclops.parameters()) do
		assert(known[name], "core/defs/params.def: this row is not understood: " .. name)
	end
	return list
end

local all = parameters()
-- What the host may spend, and what has values of its own below.
local left_out <const> = { ["sim.lua_memory"] = true, ["sim.debug_memory"] = true,
	["lua.hook_budget"] = true, ["firmware.enable"] = true }

local kinds <const> = { "load", "store", "atomic", "branch", "jump", "int", "mul", "div", "fp",
	"system" }
local tuples <const> = { "value", "address", "edge", "call", "type", "mispredict", "miss" }
local function compressor(deep)
	local sizes = { 1, 2, 4, 16, 64, 256 }
	local parts = {
		function() return ("R(%d)"):format(math.random(9)) end,
		function() return ("Rc(%d)"):format(math.random(9)) end,
		function() return ("P(%d)"):format(math.random(9)) end,
		function() return ("A(%d)"):format(math.random(16)) end,
		function() return ("T(%d)"):format(one_of(sizes)) end,
		function() return ("C(%s(%d))"):format(one_of { "R", "P" }, math.random(9)) end,
		function() return ("H(%s, %d)"):format(compressor(true), one_of(sizes)) end,
	}
	if deep then
		return parts[math.random(3)]()
	end
	local chain = {}
	for i = 1, math.random(3) do
		chain[i] = one_of(parts)()
	end
	return table.concat(chain, ", ")
end

local texts <const> = {
	["sampler.select"] = function()
		local streams = {}
		for i = 1, math.random(4) do
			local s = one_of(tuples)
			if chance(0.4) then
				s = s .. " of " .. one_of(kinds)
			end
			streams[i] = s .. " tag " .. i
		end
		return table.concat(streams, ", ")
	end,
	["sampler.compressor"] = compressor,
	["vsample.capture"] = function()
		return one_of { "all", "none",
			table.concat(
			some_of({ "operands", "result", "address", "latency", "context" }, 3),
			" ") }
	end,
	["values.modules"] = function()
		local names, have = {}, {}
		for _, name in ipairs(
			some_of({ "results", "args", "callers", "jumps", "operands", "latency",
			"strides", "pairs", "halves", "addresses", "vreplay",
		                                "tests/soak/remember.lua" }, 3)) do
			if not have[name] then
				names[#names + 1] = name
			end
			have[name] = true
		end
		return table.concat(names, ",")
	end,
	["sim.hostname"] = function()
		return ("h"):rep(math.random(64))
	end,
}

local function whole(p)
	local low, high = p.min, p.max
	if chance(0.1) then
		return p.default
	elseif chance(0.1) then
		return low
	elseif chance(0.1) and high <= 4096 then
		return high
	end
	-- Large tables take long, and nothing else.
	high = math.min(high, math.max(p.default * 4, 64))
	low = chance(0.5) and math.max(low, p.default // 32) or low
	local v = magnitude(low, high)
	return chance(0.5) and v > 0 and math.max(low, 1 << math.floor(math.log(v, 2))) or v
end

local function value(p)
	if p.type == "TEXT" then
		return assert(texts[p.name], "tests/soak/soak.lua does not know what may be a " ..
			p.name)()
	elseif p.type == "BOOL" then
		return chance(0.5)
	elseif p.type == "ENUM" then
		local names = {}
		for name in p.unit:gmatch "[^|]+" do
			names[#names + 1] = name
		end
		return one_of(names)
	end
	return whole(p)
end

-- What makes a device do something within some thousand cycles.
local function lively(set)
	choices "lively"
	if set["vsample.enable"] and chance(0.8) then
		local from = magnitude(1, 300)
		set["vsample.interval_min"], set["vsample.interval_max"] = from,
			from + magnitude(0, 500)
		for _, name in ipairs { "interrupt", "start", "inst", "tuple", "upcall",
			"return" } do
			set["vsample." .. name .. "_cycles"] = magnitude(1, 60)
		end
		set["vsample.every"], set["vsample.service"] = math.random(3), magnitude(1, 100)
		set["vsample.length"] = magnitude(1, 40)
	end
	if set["profileme.enable"] and chance(0.7) then
		set["profileme.interval_max"] = magnitude(1, 200)
		set["profileme.reader"] = one_of { "handler", "daemon" }
	end
	if set["oracle.enable"] then
		for _, name in ipairs { "blocks", "contexts", "addresses", "loads", "replays",
			"speculative" } do
			set["oracle." .. name] = chance(0.5)
		end
		set["oracle.values"] = one_of { "off", "loads", "all" }
	end
end

local function settings()
	local set = {}
	choices "how many"
	local share = one_of { 0.02, 0.05, 0.15, 0.4 }
	for _, p in ipairs(all) do
		choices(p.name)
		if not left_out[p.name] and chance(p.name:find "%.enable$" and 0.5
			or p.type == "TEXT" and 0.7 or share) then
			set[p.name] = p.name:find "%.enable$" and true or value(p)
		end
	end
	if chance(0.85) then
		set["xprof.enable"] = true
	end
	lively(set)
	if not set["vsample.enable"] then
		set["values.modules"] = nil
	end
	return set
end

-- ---- machines ----
local xprof <const> = "build/demos/xprof/"
local function programs()
	local list = {}
	local function add(program, arguments, stdin)
		local p = { program = program, args = {}, stdin = stdin }
		for word in arguments:gmatch "%S+" do
			p.args[#p.args + 1] = word
		end
		list[#list + 1] = p
	end
	for line in io.lines "demos/programs/list.txt" do
		local name, arguments, stdin = line:match "^(%w+)|(.-)|(.-)|"
		if name then
			add("build/demos/" .. name, arguments, #stdin > 1 and stdin or nil)
			for _, kind in ipairs { "blocks", "calls", "control", "map" } do
				local file = ("%s%s-%s.elf"):format(xprof, name, kind)
				local there = chance(0.3) and io.open(file)
				if there then
					there:close()
					add(file, arguments, #stdin > 1 and stdin or nil)
				end
			end
		end
	end
	for _, name in ipairs { "blocks", "calls", "checks" } do
		add(xprof .. name, "")
	end
	for _, name in ipairs { "reverse/guest", "reverse/profiled", "lua/guest", "lua/xprof",
		"cmd/guest" } do
		add("build/tests/" .. name, "")
	end
	return list
end

local presets <const> = { "ammons1997", "burrows2000", "classic5", "default", "inorder2",
	"sastry2001", "vaswani2003", "wide6", "zilles2001" }
local microprograms <const> = { "calls", "conflicts", "edges", "first", "memdep", "sample",
	"value" }
local replacements <const> = { "lru", "srrip" }

-- Parts that belong to no parameter.
local function parts(how)
	choices "program"
	local p = one_of(programs())
	how.program, how.args, how.stdin = p.program, p.args, p.stdin
	how.input = not p.stdin and ("a few words\n"):rep(math.random(0, 40)) or nil
	choices "preset"
	how.config = one_of(presets)
	choices "fast-forward"
	how.ff, how.warmup = chance(0.6) and magnitude(100, 200000) or nil, chance(0.5)
	choices "co-processor"
	if how.set["cop.enable"] and chance(0.85) then
		local name = one_of(microprograms)
		how.cop = "demos/microcode/" .. name .. ".mic"
		how.firmware = name ~= "first" and chance(0.7) and "build/demos/firmware/cop_" ..
			name .. ".elf" or nil
	end
	choices "firmware"
	if not how.firmware and chance(0.25) then
		how.firmware = "build/demos/firmware/" .. one_of { "pcprofile", "sampler",
			"tick" } .. ".elf"
	end
	if how.firmware and how.set["sampler.enable"] and chance(0.6) then
		how.firmware = "build/demos/firmware/sampler.elf"
		how.set["sampler.reader"], how.set["sampler.threshold"] = "interrupt",
			magnitude(1, 60)
	end
	choices "plug-ins"
	if chance(0.15) then
		how.predictor = "demos/plugins/" .. one_of { "gshare", "perceptron" } .. ".lua"
	end
	if chance(0.15) then
		how.replacement = { [one_of { "l1i", "l1d", "l2" }] = "demos/plugins/" ..
			one_of(replacements) .. ".lua" }
	end
	if chance(0.1) then
		how.prefetcher = "demos/plugins/next_line.lua"
	end
	if chance(0.1) then
		how.flags = "demos/plugins/" .. one_of { "flag_bits", "flag_last" } .. ".lua"
	end
	if chance(0.1) then
		how.stage = "demos/plugins/" .. one_of { "associative", "two_way" } .. ".lua"
		how.set["sampler.compressor"] = one_of { "external", "P(3), external",
			"T(16, evict=4), external, A(4)", "external, A(8)" }
	end
	choices "instrumentation"
	if chance(0.1) then
		how.instrument = one_of { "bb", "edge", "path", "cct", "path+hw", "cct+hw" }
	end
end

-- Settings that fit: all of them are taken out.
local function unset(how, fits)
	local gone = false
	for name in pairs(how.set) do
		if fits(name) then
			how.set[name], gone = nil, true
		end
	end
	return gone
end

-- Takes the number that the message calls right, or takes out what it names: the parameter, or
-- those of its structure, a part, or else some part.
local function leave_out(how, said)
	local name, right = said:match "([%w_]+%.[%w_]+): %d+ is not a [%w ]+: (%d+).* would be"
	if name and how.set[name] then
		how.set[name] = math.tointeger(right)
		return true
	end
	for name in said:gmatch "[%w_]+%.[%w_.*]+" do
		name = name:gsub("%.$", "")
		local of = name:match "^[%w_]+%."
		if unset(how, function(set) return set == name end) or
		   unset(how, function(set) return set:sub(1, #of) == of
		   and not set:find "%.enable$" end) then
			return true
		end
	end
	for _, part in ipairs { "instrument", "predictor", "replacement", "prefetcher", "flags",
		"stage", "cop", "firmware" } do
		if how[part] then
			how[part] = nil
			return true
		end
	end
	return false
end

-- What a machine can't be is taken out again.
local function fit(how)
	for _ = 1, 80 do
		local ok, m = pcall(cyclops.machine, how)
		if ok then
			return m
		end
		local said = tostring(m)
		if not leave_out(how, said) then
			error(said, 0)
		end
	end
	error "no machine is possible"
end

-- Instrumentation, which takes long, is tried when the rest fits.
local function make(how)
	local instrument = how.instrument
	how.instrument = nil
	local m = fit(how)
	if instrument then
		m:close()
		how.instrument = instrument
		m = fit(how)
	end
	return m
end

-- ---- what must be the same ----
local reports <const> = { "sampler", "values", "oracle", "oracle blocks", "oracle edges",
	"oracle calls", "oracle contexts", "oracle values",
                          "oracle addresses", "oracle loads", "oracle speculative", "profileme",
                          "invariants" }

local function look(m)
	local seen = { hash = m:hash(), cycle = m.cycle, status = m.status }
	for name, value in pairs(m.stats) do
		seen[name] = value == value and value or "none"
	end
	seen.output, seen.errors = m:output(1), m:output(2)
	for _, name in ipairs(reports) do
		local ok, text = pcall(m.cmd, m, "report " .. name .. " --csv")
		seen["report " .. name] = ok and text or nil
	end
	if seen["report values"] then
		seen["values of modules"], seen["values"] = m.values:totals().values,
			m.values:digest()
	end
	return seen
end

local function compare(where, a, b)
	local names = {}
	for name in pairs(a) do
		names[name] = true
	end
	for name in pairs(b) do
		names[name] = true
	end
	local wrong = {}
	for name in pairs(names) do
		if a[name] ~= b[name] then
			wrong[#wrong + 1] = ("%s: %s, not %s"):format(name,
				tostring(b[name]):sub(1, 200), tostring(a[name]):sub(1, 200))
		end
	end
	table.sort(wrong)
	if #wrong > 0 then
		error(where .. ": " .. table.concat(wrong, "\n      ", 1, math.min(#wrong, 6)), 0)
	end
end

local function change(m)
	if chance(0.3) then
		m.regs[one_of { "s11", "t6", "fs3" }] = math.random(100)
	end
	if chance(0.1) then
		m:write(m.sp - 64, math.random(100), 8)
	end
end

local function step(m, cycles)
	if m.status == "running" then
		m:step(cycles)
	end
end

-- Machines in which a device did something.
local at_work <const> = { "sampler.messages", "cop.samples", "cop.interrupts", "vsample.tuples",
	"values of modules", "profileme.records", "oracle.insts", "firmware.insts",
                          "xprof.skips", "squash.events" }
local did = {}
local function count(seen)
	for _, name in ipairs(at_work) do
		did[name] = (did[name] or 0) + ((seen[name] or 0) > 0 and 1 or 0)
	end
end

local function soak(how)
	local m <close> = make(how)
	choices "cycles"
	local most = chance(0.1) and 150000 or 30000
	local before, behind = magnitude(chance(0.1) and 1 or 5000, most),
		magnitude(chance(0.1) and 2 or 2000, most // 2)
	step(m, before)
	change(m)
	local cycle, here = m.cycle, look(m)
	m:save(file)
	step(m, behind // 2)
	local middle, there = m.cycle, look(m)
	step(m, behind - behind // 2)
	local behind_all = look(m)
	count(behind_all)
	m:go(cycle)
	compare("gone back to cycle " .. cycle, here, look(m))
	m:go(middle)
	compare("gone on to cycle " .. middle, there, look(m))
	step(m, behind - behind // 2)
	compare("gone on again to cycle " .. m.cycle, behind_all, look(m))

	local n <close> = cyclops.machine(how)
	n:load(file)
	compare("restored at cycle " .. cycle, here, look(n))
	step(n, behind)
	compare("restored, gone on to cycle " .. n.cycle, behind_all, look(n))
	n:go(middle)
	compare("restored, back at cycle " .. middle, there, look(n))
end

-- ---- all seeds ----
local function command_line(how)
	local words = {}
	for name, value in pairs(how.set) do
		words[#words + 1] = ("-o '%s=%s'"):format(name, value)
	end
	table.sort(words)
	for _, part in ipairs { "cop", "firmware", "instrument", "ff", "predictor", "prefetcher",
		"flags", "stage" } do
		local option = part:find "^pre" or part == "flags" or part == "stage"
		words[#words + 1] = how[part] and ("--%s %s"):format(option and "plugin" or part,
			how[part]) or nil
	end
	return "cyclops inspect -c " .. how.config .. " " .. table.concat(words, " ") ..
		(how.stdin and " --stdin " .. how.stdin or "") .. " " .. how.program .. " " ..
	       table.concat(how.args, " ")
end

local passed, failed = 0, 0
for s = first, last do
	seed = s
	io.stdout:write(("seed %d\n"):format(s))
	io.stdout:flush()
	local how = { history = true }
	how.set = settings()
	parts(how)
	local ok, wrong = pcall(soak, how)
	passed, failed = passed + (ok and 1 or 0), failed + (ok and 0 or 1)
	if not ok then
		print(("FAIL: seed %d: %s\n  again: cyclops lua tests/soak/soak.lua %d\n  by " ..
			"hand: %s"):format(s, wrong, s, command_line(how)))
	end
	collectgarbage()
end
os.remove(file)
for _, name in ipairs(at_work) do
	print(("at work: %s in %d"):format((name:gsub(" ", "_")), did[name] or 0))
end
print(("%d passed, %d failed"):format(passed, failed))
os.exit(failed == 0 and 0 or 1)
