-- Assertions of the Lua tests. A script ends with check.done(), which prints the counts.
local check = {}
local passed, failed = 0, 0

local function count(ok, message)
	if ok then
		passed = passed + 1
	else
		failed = failed + 1
		print(debug.traceback("FAIL: " .. message, 3))
	end
	return ok
end

function check.ok(value, what)
	return count(value, (what or "it") .. " should hold")
end

function check.eq(got, want, what)
	if got == want and math.type(got) == math.type(want) then
		passed = passed + 1 -- a text for each would take most of the time
		return true
	end
	return count(false, string.format("%s is %s (%s), not %s (%s)", what or "it", tostring(got),
		math.type(got) or type(got),
		tostring(want), math.type(want) or type(want)))
end

-- The function must fail, with a message that holds this text and begins with the file and line of
-- the caller.
function check.fails(f, text, place)
	local ok, message = pcall(f)
	if not count(not ok, "an error with '" .. text .. "' was expected") then
		return
	end
	message = tostring(message)
	count(message:find(text, 1, true), "the error should say '" .. text .. "': " .. message)
	if place ~= false then
		count(message:find("^[%w/._-]+%.lua:%d+: "),
			"the error should begin with file and line: " .. message)
	end
	return message
end

function check.says(text, what)
	return count(tostring(text):find(what, 1, true), "'" .. tostring(text) ..
		"' should say '" .. what .. "'")
end

function check.done()
	print(passed .. " passed, " .. failed .. " failed")
	if failed > 0 then
		os.exit(1)
	end
end

return check
