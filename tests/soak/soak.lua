-- Machines at random, one to each seed: a program, a configuration, modules. Each runs some
-- thousand cycles and is saved; it runs on, goes back across the place and on again; another
-- machine takes the checkpoint and runs on, back and on. All of them must be the same in the same
-- cycle: state, all statistics, results of devices and modules, output. A checkpoint of a state
-- that was reached is never refused.
--
--   cyclops lua tests/soak/soak.lua FIRST [LAST [FOLDER]]
--
-- draw.lua draws all that is at random.

local draw = require "draw"
local choices, chance, one_of, magnitude = draw.choices, draw.chance, draw.one_of, draw.magnitude
local first = math.tointeger(arg[1]) or error "which seed?"
local last = math.tointeger(arg[2] or first)
local folder = arg[3] or "."
local file = folder .. "/soak.checkpoint"

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

-- Removes all settings that match.
local function unset(how, fits)
	local gone = false
	for name in pairs(how.set) do
		if fits(name) then
			how.set[name], gone = nil, true
		end
	end
	return gone
end

-- Sets the number that the message expects, or removes what the message names: the parameter, its
-- structure's parameters, a part, or else any part.
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

-- Impossible settings are taken out again.
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

-- ---- results that must be equal ----
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
	draw.begin(s)
	io.stdout:write(("seed %d\n"):format(s))
	io.stdout:flush()
	local how = { history = true }
	how.set = draw.settings()
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
