-- Check arguments of a module's functions; errors name the line that called the module.
--
-- `level` counts the module's functions between that line and the caller of these functions: 1 if
-- the caller was itself called from outside.

local arguments = {}

--- arguments.fail(LEVEL, FORMAT, ...)
-- Raises an error at the line that called the module.
function arguments.fail(level, text, ...)
	error(text:format(...), level + 2)
end

local fail = arguments.fail

--- arguments.a(VALUE) -> TEXT
-- The value's type as messages name it: "a table"; nil is "nothing".
function arguments.a(v)
	return v == nil and "nothing" or "a " .. type(v)
end

--- arguments.check_keys(LEVEL, WHAT, OPTIONS, KNOWN)
-- Checks that OPTIONS is a table with no other keys than those of KNOWN.
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
			fail(level + 1, "%s has no option '%s'; expected %s", what, tostring(key),
				table.concat(names, ", "))
		end
	end
end

--- arguments.check_count(LEVEL, WHAT, VALUE, LEAST, MOST) -> number
-- Checks a whole number, which may be written as 2e6: at least LEAST, and at most MOST if given.
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
