-- Labs: reads a student's hand-in, and grades it.
--
-- A hand-in is one file, the lab's task, whose comments hold the answers: `# answer wait 12`, in
-- whatever the file's language calls a comment, and `# name: ADA`. `cyclops lab grade` runs a lab's
-- check.lua for each of them, with --lua-safe and within limits:
--
--     local lab = require "cyclops.lab"
--     local h = lab.hand_in(...)
--     local inputs = { h:numbers(48, 1000), h:numbers(48, 1000) }
--     h:answer(2, "wait", 12, "Count the dots between D and X.")
--     h:expect(5, "it still adds up", function()
--         return h:worst(inputs, function(x)
--             local m = h:finish(lab.fill(h:machine(), "x", x))
--             return m, m.mem:i64 "sum" == sum_of(x)
--         end) and true
--     end)
--     h:done()
--
-- Inputs come from the seed of the grading, a new one each time unless --seed fixes it, so that
-- results can't be hard-coded; points for speed require correct results of the same runs. A guest
-- begins in an empty folder, and a hand-in that makes another system call than `exit` is an error.
-- A wrong answer is reported without the expected value, and without the side of it that it is on.
-- A task as the lab gives it gets no points: nothing was handed in.
local lab = {}
local hand_in = {}
hand_in.__index = hand_in

local function line_of(text)
	return (tostring(text):gsub("[\t\n\r]+", " "))
end

local function read_hand_in(file)
	local text, code = cyclops.read(file), {}
	local h = { file = file, text = text, answers = {}, twice = {} }
	for line in (text .. "\n"):gmatch("(.-)\r?\n") do
		local comment = line:match("^%s*[#;/%-][#;/%-]*%s*(.-)%s*$")
		if comment then
			local name, value = comment:match("^answer%s+(%a[%w_]*)%s+(.+)$")
			-- the template's line with ? takes no answer back
			if name and #value < 200 and not (value == "?" and h.answers[name]) then
				h.twice[name] = h.answers[name] and h.answers[name] ~= "?"
					and "answered more than once: the last line counts" or nil
				h.answers[name] = value
			end
			h.name = h.name or comment:match("^name:%s*(.+)$")
		end
		code[#code + 1] = line:gsub("#.*", ""):gsub("%-%-.*", "")
	end
	h.code = table.concat(code, "\n")
	return h
end

--- lab.hand_in(FILE [, SEED]) -> H
-- Reads a hand-in: H.file, H.text, H.name (nil if there is none), H.answers by name, and H.code,
-- the text without comments. Its inputs are drawn from SEED (1).
function lab.hand_in(file, seed)
	if not file then
		error("which hand-in? cyclops lua CHECK.lua FILE [SEED]", 2)
	end
	seed = math.tointeger(tonumber(seed or 1))
	if not seed then
		error("the seed is a whole number", 2)
	end
	local h = read_hand_in(file)
	h.got, h.of, h.random, h.questions = 0, 0, seed, {}
	local has_lab, header = pcall(cyclops.read, lab.file "lab.cyc")
	local name = has_lab and header:match "\n# hand%-in: *(%S+)"
	h.given = name and read_hand_in(lab.file(name))
	return setmetatable(h, hand_in)
end

-- True if nothing but comments and answers to questions differs from the lab's file.
local function is_as_given(h)
	local given = h.given
	if not given or h.code:gsub("%s+", " ") ~= given.code:gsub("%s+", " ") then
		return false
	end
	for name, value in pairs(h.answers) do
		if not h.questions[name] and given.answers[name] ~= value then
			return false
		end
	end
	return true
end

local function tell(h, points, share, what, said, kind, always)
	local got = math.floor(points * math.max(0, math.min(1, share)) + 0.5)
	h.got, h.of = h.got + got, h.of + points
	print(("%s\t%d\t%d\t%s\t%s"):format(kind or "point", got, points, line_of(what),
		line_of(always or got < points and said or "")))
	return got == points
end

--- h:expect(POINTS, WHAT, FUNCTION [, HINT]) -> ALL
-- Gives all points if the function returns true, a share of them if it returns a number from 0 to
-- 1; the student reads its second result and the hint, or an error's message. If the first result
-- is nil, an earlier row is the reason, and the hint is left out. Returns true for all points.
-- A task without a change gets no points, and the function isn't called.
function hand_in:expect(points, what, f, hint)
	if is_as_given(self) then
		return tell(self, points, 0, what, "the task is as it was given: nothing was handed in")
	end
	local ok, share, said = pcall(f)
	if not ok then
		said = tostring(share):gsub("^%S*check%.lua:%d+: ", "")
		said = said:gsub("^cyclops/lab%.lua:%d+: ", "")
		print("note\t" .. said:match "[^\n]*")
		return tell(self, points, 0, what, said)
	elseif share == nil and said then
		hint = nil
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
-- alternative words, "load|memory", or a function that returns either. Where a number is expected,
-- another text is no try.
function hand_in:answer(points, name, right, hint, percent)
	local typed = self.answers[name]
	local what = "answer " .. name
	local twice = self.twice[name]
	self.questions[name] = true
	if not typed or typed == "?" then
		return tell(self, points, 0, what, "there is none: " ..
			(self.file:find("%.lua$") and "--" or "#") .. " answer " .. name .. " ...")
	end
	if type(right) == "function" then
		right = right()
	end
	local said, kind
	if type(right) == "string" then
		for word in right:gmatch("[^|]+") do
			if typed:lower() == word:lower() then
				return tell(self, points, 1, what, nil, nil, twice)
			end
		end
		said = "'" .. typed .. "' is not right"
	else
		local n = number_of(typed)
		local off = math.abs(right) * (percent or 0) / 100 + (math.type(right) == "float"
			and 0.0051 or 0)
		if n and math.abs(n - right) <= off then
			return tell(self, points, 1, what, nil, nil, twice)
		end
		said = "'" .. typed .. (n and "' is not right" or "': expected a number")
		kind = not n and "unread" or nil
	end
	return tell(self, points, 0, what, said .. (hint and ". " .. hint or "") ..
		(twice and "; " .. twice or ""), kind)
end

-- SplitMix64 (Steele, Lea and Flood, 2014).
local function next_random(h)
	h.random = h.random + 0x9e3779b97f4a7c15
	local z = h.random
	z = (z ~ z >> 30) * 0xbf58476d1ce4e5b9
	z = (z ~ z >> 27) * 0x94d049bb133111eb
	return z ~ z >> 31
end

--- h:number(LOW, HIGH) -> NUMBER
-- A whole number from LOW to HIGH, drawn from the grading's seed.
function hand_in:number(low, high)
	return low + (next_random(self) >> 1) % (high - low + 1)
end

--- h:numbers(COUNT, MOST) -> VALUES
-- So many numbers from 0 to MOST, drawn from the grading's seed.
function hand_in:numbers(count, most)
	local values = {}
	for i = 1, count do
		values[i] = self:number(0, most)
	end
	return values
end

--- h:shuffled(COUNT) -> VALUES
-- The numbers from 1 to COUNT in an order drawn from the grading's seed.
function hand_in:shuffled(count)
	local values = {}
	for i = 1, count do
		local k = self:number(1, i)
		values[i] = values[k]
		values[k] = i
	end
	return values
end

--- h:worst(INPUTS, FUNCTION) -> MACHINE
-- Calls FUNCTION(INPUT) for each input: it runs the hand-in with it, and answers the machine, and
-- whether the result is right. The machine that took the most cycles; nil if a result is wrong.
function hand_in:worst(inputs, f)
	local worst
	for _, input in ipairs(inputs) do
		local m, right = f(input)
		if not right then
			return nil
		end
		if not worst or m.cycle > worst.cycle then
			worst = m
		end
	end
	return worst
end

--- lab.file(NAME) -> PATH
-- A file of the lab's folder, or one that its lab.cyc names as an input.
function lab.file(name)
	return arg[0]:gsub("[^/]*$", "", 1) .. name
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
	if m.status == "running" then
		m:run{ insts = insts }
	end
	local fault = m.fault
	if m.failure then
		error(m.failure, 0)
	elseif fault then
		error(("it ended with a fault at %s: %s%s"):format(m.where(fault.pc), fault.name,
			fault.addr and (" (0x%x)"):format(fault.addr) or ""), 0)
	elseif m.status == "running" then
		error("it has not ended after " .. insts .. " instructions", 0)
	elseif m.exit_status ~= 0 then
		error("it ended " .. (m.exit_status and "with exit status " .. m.exit_status or
			"stuck: no instruction can go on"), 0)
	end
	return m
end

--- h:finish(MACHINE [, INSTRUCTIONS]) -> MACHINE
-- lab.finish() of a hand-in that makes one system call: a task that computes needs `exit` alone.
function hand_in:finish(m, insts)
	lab.finish(m, insts)
	if m.sim.syscalls ~= 1 then
		error(("it makes %d system calls: the task needs exit alone"):format(
			m.sim.syscalls), 0)
	end
	return m
end

--- h:run(OPTIONS [, INSTRUCTIONS]) -> MACHINE
-- h:machine() and h:finish() at once.
function hand_in:run(options, insts)
	return self:finish(self:machine(options), insts)
end

--- lab.fill(MACHINE, SYMBOL, VALUES [, SIZE]) -> MACHINE
-- Writes the values there, SIZE bytes each (8), before the program begins.
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
