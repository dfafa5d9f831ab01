-- All callables are documented, and all documented names exist: `cyclops help lua` against the
-- objects themselves.
local check = require "check"
local CYCLOPS = os.getenv "CYCLOPS" or "build/cyclops"

local function said(words)
	local pipe <close> = io.popen(CYCLOPS .. " help " .. words .. " 2>&1")
	return pipe:read "a"
end

-- Usages by their first word: "m:step", "cyclops.machine", "m.mem:u8", "h:remove", "e:table",
-- "m.status".
local documented, areas = {}, 0
for area in said "lua":gmatch "\n  (%l+) +" do
	areas = areas + 1
	local text = said("lua " .. area)
	check.says(text, "lua " .. area .. ": ")
	text = text:sub((text:find("lua " .. area .. ": ", 1, true)))
	for line in text:match("\n\n(.*)"):gmatch "[^\n]+" do
		line = line:gsub("^for .* in ", "")
		for _, prefix in ipairs{ "cyclops.", "m.mem:", "m.cop:", "mp:", "mp.", "m:", "m.",
			"h:", "e:", "c:", "c.", "st:", "ms:", "p:" } do
			local name = line:sub(1, #prefix) == prefix and line:match("^[%w_]+",
				#prefix + 1)
			if name then
				documented[prefix .. name] = true
				break
			end
		end
	end
end
check.ok(areas > 12, "areas")

-- Lua's own view of the objects: methods are upvalues of the metatables' __index.
local m = cyclops.machine{ program = "build/tests/lua/guest" }
local registry = debug.getregistry()
local function methods_of(meta, at)
	local index = registry[meta].__index
	if type(index) == "table" then
		return index
	end
	return select(2, debug.getupvalue(index, at or 1)), select(2, debug.getupvalue(index, 2))
end
local methods, values = methods_of "cyclops.machine"
local objects = {
	{ "cyclops.", cyclops },
	{ "m:", methods },
	{ "m.", values },
	{ "m.mem:", (methods_of "cyclops.mem") },
	{ "m.cop:", (methods_of "cyclops.machine.cop") },
	{ "mp:", (methods_of("cyclops.microprogram", 2)) },
	{ "mp.", (methods_of("cyclops.microprogram", 3)) },
	{ "h:", (methods_of "cyclops.hook") },
	{ "e:", (methods_of "cyclops.event") },
	{ "c:", (methods_of("cyclops.compressor", 2)) },
	{ "c.", (methods_of("cyclops.compressor", 3)) },
	{ "st:", (methods_of("cyclops.stream", 2)) },
	{ "ms:", (methods_of("cyclops.messages", 2)) },
	{ "p:", (methods_of("cyclops.profile", 2)) },
}
local there = {}
for _, o in ipairs(objects) do
	local count = 0
	check.ok(type(o[2]) == "table", o[1])
	for name, f in pairs(o[2]) do
		if math.type(f) then goto word end -- what every event has
		count = count + 1
		there[o[1] .. name] = true
		check.eq(type(f), "function", o[1] .. name)
		check.ok(documented[o[1] .. name], o[1] .. name .. " is documented")
		::word::
	end
	check.ok(count > 0, o[1])
end
for name in pairs(documented) do
	check.ok(there[name], name .. " is documented and there")
end

-- No event has a field that hides a common one.
for _, event in ipairs(cyclops.events()) do
	local text = said(event)
	for _, name in ipairs{ "cycle", "name", "inst", "table", "seq", "pc", "op" } do
		check.ok(not text:find("\n  " .. name .. " "), event .. "." .. name)
	end
end

-- By name, by area, and unknown.
check.says(said "lua step", "m:step([CYCLES]) -> STOP")
check.says(said "lua m:step", "m:step([CYCLES]) -> STOP")
check.says(said "lua m.mem:u8", "An unsigned byte")
check.says(said "lua steep", "did you mean 'step'?")
check.says(said "lua xyzzyx", "`help lua` lists the areas")
m:cmd "help lua hooks"
check.says(m:cmd "help lua on", "m:on(EVENT")
check.says(m:cmd "apropos snapshot", "m:snapshot()")
check.done()
