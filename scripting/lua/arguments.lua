-- Refuse what a module's functions can't take, with an error that names the line that called into
-- the module.
--
-- `level` counts the functions of the module between that line and the function that calls in here:
-- 1 if that is the one that was called from outside.

local arguments = {}

--- arguments.fail(LEVEL, FORMAT, ...)
-- An error at the line that called the module.
function arguments.fail(level, text, ...)
	error(text:format(...), level + 2)
end

local fail = arguments.fail

--- arguments.a(VALUE) -> TEXT
-- What it is, as messages name it: "a table", "nothing" of nil.
function arguments.a(v)
	return v == nil and "nothing" or "a " .. type(v)
end

--- arguments.check_keys(LEVEL, WHAT, OPTIONS, KNOWN)
-- OPTIONS is a table, all of whose keys are keys of KNOWN.
function arguments.check_keys(level, what, options, known)
	if type(options) ~= "table" then
		fail(level + 1, "%s takes a table of options, not %s", what, arguments.a(options))
	end
	for key in pairs(options) do
		if not known[key] then
			local names = {}
			for name in pairs(known) do
				names[#names + 1] = name
			end
			table.sort(names)
			fail(level + 1, "%s has no option '%s'; right: %s", what, tostring(key),
				table.concat(names, ", "))
		end
	end
end

--- arguments.check_count(LEVEL, WHAT, VALUE, LEAST, MOST) -> number
-- A whole number, which may be written as 2e6, from LEAST on, to MOST if that is given.
function arguments.check_count(level, what, value, least, most)
	local n = math.tointeger(value)
	if not n or n < least or n > (most or n) then
		fail(level + 1, "%s = %s: a whole number from %d %s is needed", what,
			tostring(value), least,
			most and "to " .. most or "on")
	end
	return n
end

return arguments
