-- Labs: reads a student's hand-in, and grades it.
--
-- A hand-in is one file, the lab's task, whose comments hold the answers: `# answer wait 12`, in
-- whatever the file's language calls a comment, and `# name: ADA`. `cyclops lab grade` runs a lab's
-- check.lua for each of them, with --lua-safe and within limits:
--
--     local h = require "cyclops.lab".hand_in(...)
--     h:answer(2, "wait", 12, "Count the dots between D and X.")
--     h:expect(5, "it still adds up", function() return h:run{ config = "classic5" }.a0 == 42 end)
--     h:done()
--
-- Reports on wrong answers do not reveal the right ones.
local lab = {}
local hand_in = {}
hand_in.__index = hand_in

local function line_of(text)
	return (tostring(text):gsub("[\t\n\r]+", " "))
end

--- lab.hand_in(FILE) -> H
-- Reads a hand-in: H.file, H.text, H.name (nil if none is said), H.answers by name, and H.code, the
-- text without comments.
function lab.hand_in(file)
	if not file then
		error("which hand-in? cyclops lua CHECK.lua FILE", 2)
	end
	local text = cyclops.read(file)
	local h = { file = file, text = text, answers = {}, got = 0, of = 0 }
	local code = {}
	for line in (text .. "\n"):gmatch("(.-)\r?\n") do
		local comment = line:match("^%s*[#;/%-][#;/%-]*%s*(.-)%s*$")
		if comment then
			local name, value = comment:match("^answer%s+(%a[%w_]*)%s+(.+)$")
			if name and #value < 200 then
				h.answers[name] = value
			end
			h.name = h.name or comment:match("^name:%s*(.+)$")
		end
		code[#code + 1] = line:gsub("#.*", ""):gsub("%-%-.*", "")
	end
	h.code = table.concat(code, "\n")
	return setmetatable(h, hand_in)
end

local function tell(h, points, share, what, said)
	local got = math.floor(points * math.max(0, math.min(1, share)) + 0.5)
	h.got, h.of = h.got + got, h.of + points
	print(("point\t%d\t%d\t%s\t%s"):format(got, points, line_of(what), got < points
		and line_of(said or "") or ""))
	return got == points
end

--- h:expect(POINTS, WHAT, FUNCTION [, HINT]) -> ALL
-- Gives all points if the function returns true, a share of them if it returns a number from 0 to
-- 1; the student reads its second result, an error's message or the hint. Returns true for all
-- points.
function hand_in:expect(points, what, f, hint)
	local ok, share, said = pcall(f)
	if not ok then
		return tell(self, points, 0, what, tostring(share))
	end
	share = share == true and 1 or math.type(share) and share == share and share or 0
	if share < 1 and said and hint then
		said = said .. ". " .. hint
	end
	return tell(self, points, share, what, said or hint or "it is not so")
end

local function number_of(text)
	return tonumber((text:gsub(",", ""):match("^%s*([-+]?%d[%w.]*)")))
end

--- h:answer(POINTS, NAME, RIGHT [, HINT [, PERCENT]]) -> ALL
-- Gives points for the answer of that name: RIGHT is a number, met within PERCENT (0), or
-- alternative words, "load
-- memory", or a function that returns either.
function hand_in:answer(points, name, right, hint, percent)
	local typed = self.answers[name]
	local what = "answer " .. name
	if not typed or typed == "?" then
		return tell(self, points, 0, what, "there is none: " ..
			(self.file:find("%.lua$") and "--" or "#") .. " answer " .. name .. " ...")
	end
	if type(right) == "function" then
		right = right()
	end
	local said
	if type(right) == "string" then
		for word in right:gmatch("[^|]+") do
			if typed:lower() == word:lower() then
				return tell(self, points, 1, what)
			end
		end
		said = "'" .. typed .. "': it is something else"
	else
		local n = number_of(typed)
		local off = math.abs(right) * (percent or 0) / 100 + (math.type(right) == "float"
			and 0.0051 or 0)
		if n and math.abs(n - right) <= off then
			return tell(self, points, 1, what)
		end
		said = "'" .. typed .. "': " .. (not n and "a number is asked for" or n < right
			and "too low" or "too high")
	end
	return tell(self, points, 0, what, said .. (hint and ". " .. hint or ""))
end

--- h:machine(OPTIONS) -> MACHINE
-- The hand-in as a program in a machine: options as for cyclops.machine, without history.
function hand_in:machine(options)
	local t = { program = self.file, history = false }
	for key, value in pairs(options or {}) do
		t[key] = value
	end
	return cyclops.machine(t)
end

--- lab.finish(MACHINE [, INSTRUCTIONS]) -> MACHINE
-- Runs it to its end, which must come within INSTRUCTIONS (1,000,000) and with exit status 0;
-- otherwise raises an error with the cause.
function lab.finish(m, insts)
	insts = insts or 1000000
	m:run{ insts = insts }
	if m.failure then
		error(m.failure, 0)
	elseif m.status == "running" then
		error("it has not ended after " .. insts .. " instructions", 0)
	elseif m.exit_status ~= 0 then
		error("it ended with exit status " .. tostring(m.exit_status), 0)
	end
	return m
end

--- h:run(OPTIONS [, INSTRUCTIONS]) -> MACHINE
-- h:machine(), then lab.finish().
function hand_in:run(options, insts)
	return lab.finish(self:machine(options), insts)
end

--- lab.fill(MACHINE, SYMBOL, VALUES [, SIZE]) -> MACHINE
-- Writes the values there, SIZE bytes each (8), before the program begins, so that it must compute
-- its results.
function lab.fill(m, symbol, values, size)
	size = size or 8
	for i, value in ipairs(values) do
		m:write(m:addr(symbol) + (i - 1) * size, value, size)
	end
	return m
end

--- lab.lap(MACHINE, LABEL [, WARM [, COUNT]]) -> CYCLES
-- Cycles from one commit of the instruction at the label to the next: the mean of COUNT (10)
-- iterations after WARM (10) others.
function lab.lap(m, label, warm, count)
	warm, count = warm or 10, count or 10
	local from
	for i = 0, warm + count do
		if m:run{ until_pc = label, insts = 1000000 }.reason ~= "until" then
			error("it gets to " .. label .. " only " .. i .. " times", 0)
		end
		from = i == warm and m.cycle or from
	end
	local cycles = (m.cycle - from) / count
	return math.tointeger(cycles) or cycles
end

--- lab.numbers(SEED, COUNT, MOST) -> VALUES
-- Numbers from 0 to MOST that look random, the same for each seed.
function lab.numbers(seed, count, most)
	local values, x = {}, seed * 2654435761 + 88172645463325252
	for i = 1, count do
		x = x ~ x << 13
		x = x ~ x >> 7
		x = x ~ x << 17
		values[i] = (x >> 11) % (most + 1)
	end
	return values
end

--- lab.share(GOT, WORST, BEST) -> SHARE
-- The position between the worst and the best: 0 to 1, for h:expect.
function lab.share(got, worst, best)
	return math.max(0, math.min(1, (worst - got) / (worst - best)))
end

--- h:done()
-- Ends the check: prints the total of points.
function hand_in:done()
	print(("done\t%d\t%d\t%s"):format(self.got, self.of, line_of(self.name or "")))
end

return lab
