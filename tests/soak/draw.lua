-- Random draws of soak.lua: numbers, and parameters of a configuration.
--
-- Parameters, names and ranges, come from core/defs/params.def: a new one takes part automatically.
-- Valid texts are listed here.

local draw = {}

local function hash(text)
	local h = 5381
	for i = 1, #text do
		h = h * 33 ~ text:byte(i)
	end
	return h
end

-- Each choice has its own random numbers: a new parameter does not change other choices.
local seed
function draw.begin(n)
	seed = n
end

function draw.choices(of)
	math.randomseed(seed, hash(of))
	for _ = 1, 4 do
		math.random(0)
	end
end

function draw.chance(p)
	return math.random() < p
end

function draw.one_of(list)
	return list[math.random(#list)]
end

-- From low to high, each order of magnitude as likely.
function draw.magnitude(low, high)
	return math.min(high, math.floor(low + (high - low + 1) ^ math.random()) - 1 + (low == high
		and 1 or 0))
end

function draw.some_of(list, most)
	local out = {}
	for _ = 1, math.random(most) do
		out[#out + 1] = draw.one_of(list)
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

-- The choices of a KIND row: the rows of its group in kinds.h.
local kinds_text = assert(io.open("core/defs/kinds.h")):read("a"):gsub("\\\n", " ")
local function choices_of(group)
	local rows = assert(kinds_text:match("#define " .. group .. "_ROWS%(KIND, APART%)([^\n]*)"),
		"core/defs/kinds.h: no group " .. group)
	local list = {}
	for inner in rows:gmatch "([%u_]+)_ROWS%(" do
		table.move(choices_of(inner), 1, 100, 1, list)
	end
	for choice in rows:gmatch '%([%u_]+,%s+[%l_]+,%s+"([^"]+)"' do
		list[#list + 1] = choice
	end
	return list
end

local function parameters()
	local list, known = {}, {}
	for line in io.lines "core/defs/params.def" do
		local name, type, default, min, max, unit = line:match '^PARAM%([%w_]+, "([%w_.]+)", (%u+), (.-), (.-), (.-), "(.-)",'
		name = name or line:match '^TEXT%([%w_]+, "([%w_.]+)",'
		local kind, group = line:match '^KIND%([%w_]+, "([%w_.]+)", ([%u_]+),'
		if kind then
			name, type, default, min, max = kind, "ENUM", "0", "0", "0"
			unit = table.concat(choices_of(group), "|")
		end
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
-- Limits of the host, the programs' own instruction set, and parameters with values of their own
-- below.
local left_out <const> = { ["sim.lua_memory"] = true, ["sim.debug_memory"] = true,
	["lua.hook_budget"] = true, ["firmware.enable"] = true, ["isa"] = true }

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
		function() return ("T(%d)"):format(draw.one_of(sizes)) end,
		function() return ("C(%s(%d))"):format(draw.one_of { "R", "P" },
			math.random(9)) end,
		function() return ("H(%s, %d)"):format(compressor(true), draw.one_of(sizes)) end,
	}
	if deep then
		return parts[math.random(3)]()
	end
	local chain = {}
	for i = 1, math.random(3) do
		chain[i] = draw.one_of(parts)()
	end
	return table.concat(chain, ", ")
end

local texts <const> = {
	["sampler.select"] = function()
		local streams = {}
		for i = 1, math.random(4) do
			local s = draw.one_of(tuples)
			if draw.chance(0.4) then
				s = s .. " of " .. draw.one_of(kinds)
			end
			streams[i] = s .. " tag " .. i
		end
		return table.concat(streams, ", ")
	end,
	["sampler.compressor"] = compressor,
	["vsample.capture"] = function()
		return draw.one_of { "all", "none",
			table.concat(
			draw.some_of({ "operands", "result", "address", "latency", "context" }, 3),
			" ") }
	end,
	["values.modules"] = function()
		local names, have = {}, {}
		for _, name in ipairs(
			draw.some_of({ "results", "args", "callers", "jumps", "operands", "latency",
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
	if draw.chance(0.1) then
		return p.default
	elseif draw.chance(0.1) then
		return low
	elseif draw.chance(0.1) and high <= 4096 then
		return high
	end
	-- Large tables take long, and nothing else.
	high = math.min(high, math.max(p.default * 4, 64))
	low = draw.chance(0.5) and math.max(low, p.default // 32) or low
	local v = draw.magnitude(low, high)
	return draw.chance(0.5) and v > 0 and math.max(low, 1 << math.floor(math.log(v, 2))) or v
end

local function value(p)
	if p.type == "TEXT" then
		return assert(texts[p.name], "tests/soak/draw.lua does not know what may be a " ..
			p.name)()
	elseif p.type == "BOOL" then
		return draw.chance(0.5)
	elseif p.type == "ENUM" then
		local names = {}
		for name in p.unit:gmatch "[^|]+" do
			names[#names + 1] = name
		end
		return draw.one_of(names)
	end
	return whole(p)
end

-- Settings that make a device act within some thousand cycles.
local function lively(set)
	draw.choices "lively"
	if set["vsample.enable"] and draw.chance(0.8) then
		local from = draw.magnitude(1, 300)
		set["vsample.interval_min"], set["vsample.interval_max"] = from,
			from + draw.magnitude(0, 500)
		for _, name in ipairs { "interrupt", "start", "inst", "tuple", "upcall",
			"return" } do
			set["vsample." .. name .. "_cycles"] = draw.magnitude(1, 60)
		end
		set["vsample.every"], set["vsample.service"] = math.random(3),
			draw.magnitude(1, 100)
		set["vsample.length"] = draw.magnitude(1, 40)
	end
	if set["profileme.enable"] and draw.chance(0.7) then
		set["profileme.interval_max"] = draw.magnitude(1, 200)
		set["profileme.reader"] = draw.one_of { "handler", "daemon" }
	end
	if set["oracle.enable"] then
		for _, name in ipairs { "blocks", "contexts", "addresses", "loads", "replays",
			"speculative" } do
			set["oracle." .. name] = draw.chance(0.5)
		end
		set["oracle.values"] = draw.one_of { "off", "loads", "all" }
	end
end

function draw.settings()
	local set = {}
	draw.choices "how many"
	local share = draw.one_of { 0.02, 0.05, 0.15, 0.4 }
	for _, p in ipairs(all) do
		draw.choices(p.name)
		if not left_out[p.name] and draw.chance(p.name:find "%.enable$" and 0.5
			or p.type == "TEXT" and 0.7 or share) then
			set[p.name] = p.name:find "%.enable$" and true or value(p)
		end
	end
	if draw.chance(0.85) then
		set["xprof.enable"] = true
	end
	lively(set)
	if not set["vsample.enable"] then
		set["values.modules"] = nil
	end
	return set
end

return draw
