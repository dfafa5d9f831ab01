-- Grades lab 9: figures of the demo, and a program that counts its arms while flag 0 is on,
-- with numbers that are drawn, and moments at which the flag changes.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local TASK, N = lab.file "task.s", 40

local demo = lab.finish(cyclops.machine{ program = lab.file "demo.s",
	history = false })
h:answer(2, "dropped", demo.xprof.dropped, "`stats xprof` at the end.", 1)
h:answer(2, "executed", demo.xprof.dispatched, "`stats xprof` at the end.", 1)

local function draw_begins()
	local input = { begins = h:numbers(N, 500), steps = 0, evens = 0, odds = 0 }
	for i, n in ipairs(input.begins) do
		n = n + 1
		input.begins[i] = n
		while n ~= 1 do
			local even = n % 2 == 0
			n = even and n // 2 or 3 * n + 1
			input.steps = input.steps + 1
			input.evens = input.evens + (even and 1 or 0)
			input.odds = input.odds + (even and 0 or 1)
		end
	end
	return input
end
local inputs = { draw_begins(), draw_begins() }

-- Switches flag 0: on first, so that profile instructions may prepare registers; then off and on in
-- turn for random lengths, until a quarter of the other instructions is left. Switches only after a
-- jump, so as not to divide the three instructions that count in memory.
local function switch(m, trace, others)
	local flag, insts = 1, others // 50 + 1
	while m.status == "running" and trace.others < others * 3 // 4 do
		m.csr.pflags = flag
		m:run{ insts = insts }
		while m.status == "running" and not trace.jumped do
			m:step(1)
		end
		flag, insts = 1 - flag, h:number(1, others // 50 + 1)
	end
	m.csr.pflags = 1
end
-- Runs the file and records commits of profile instructions of type 0, by address, and a sum of the
-- addresses and results of all other instructions.
local function traced(file, input, flag, others)
	local m = lab.fill(cyclops.machine{ program = file, history = false }, "begins",
		input.begins)
	local trace = { commits = {}, others = 0, sum = 0, m = m }
	m.csr.pflags = flag
	m:on("commit", function(e)
		trace.jumped = e.next ~= e.pc + e.len
		if e.profile == 0 then
			trace.commits[e.pc] = (trace.commits[e.pc] or 0) + 1
		else
			trace.others = trace.others + 1
			trace.sum = ((trace.sum * 31 + e.pc) * 31 + e.result) * 31 + (e.addr or 0)
		end
	end)
	if others then
		switch(m, trace, others)
	end
	h:finish(m, 100000)
	for _, name in ipairs{ "steps", "evens", "odds" } do
		trace[name] = m.mem:i64(name)
	end
	return trace
end

-- True if, in each run, the commits of the profile instructions at some of these addresses, from
-- the i-th on, add up to the arm's count. rest: commits still missing, by run.
local function counts_at(addresses, i, runs, rest)
	local exact = true
	for k = 1, #runs do
		if rest[k] < 0 then
			return false
		end
		exact = exact and rest[k] == 0
	end
	if exact or not addresses[i] then
		return exact
	end
	local others = {}
	for k, run in ipairs(runs) do
		others[k] = rest[k] - (run.commits[addresses[i]] or 0)
	end
	return counts_at(addresses, i + 1, runs, others) or counts_at(addresses, i + 1, runs, rest)
end
-- True if the arm's count is correct with the flag on.
local function counted(arm)
	for _, input in ipairs(inputs) do
		if input.on[arm] ~= input[arm] then
			return false
		end
	end
	return true
end
-- The reason to reject a count that is correct with the flag on: it is not made by profile
-- instructions in its arm.
local function evaded(arm)
	local addresses, rest, runs = {}, {}, {}
	for _, input in ipairs(inputs) do
		if input.on.sum ~= input.off.sum or input.switched.sum ~= input.off.sum then
			return "instructions that are no profile instructions compute something else" ..
				" while the flag is on"
		end
		for _, run in ipairs{ input.on, input.switched } do
			runs[#runs + 1], rest[#rest + 1] = run, run[arm]
		end
	end
	for address, commits in pairs(runs[1].commits) do
		addresses[#addresses + 1] = commits > 2 * N and address or nil
	end
	if #addresses > 12 then
		return "more than twelve profile instructions are executed again and again"
	elseif not counts_at(addresses, 1, runs, rest) then
		return arm .. " is not the number of times that a profile instruction in its arm is" ..
			" executed while the flag is on"
	end
end

local wrong, arms = "steps is wrong", 0
h:expect(4, "steps is right, off and on", function()
	for _, input in ipairs(inputs) do
		input.plain = traced(lab.file "task.s", input, 0)
		input.off, input.on = traced(h.file, input, 0), traced(h.file, input, 1)
		input.switched = traced(h.file, input, 1, input.off.others)
		for _, flag in ipairs{ "off", "on", "switched" } do
			if input[flag].steps ~= input.steps then
				return false, "with the flag " .. flag .. " it is wrong"
			end
		end
	end
	wrong = nil
	return true
end, "Which registers does the program use itself?")
h:expect(5, "with the flag on, evens and odds are right", function()
	if wrong then
		return nil, wrong
	end
	local evens, odds = counted "evens", counted "odds"
	local why = evens and evaded "evens" or odds and evaded "odds"
	wrong = (why or not evens and not odds) and "there are no counts that are right" or nil
	if why then
		return nil, why
	end
	arms = (evens and 0.5 or 0) + (odds and 0.5 or 0)
	return arms, (evens and "odds" or "evens") .. " is wrong"
end, "Does each arm count, each time, and once?")
h:expect(3, "with the flag off they stay 0", function()
	if wrong then
		return nil, wrong
	end
	for _, input in ipairs(inputs) do
		if input.off.evens ~= 0 or input.off.odds ~= 0 then
			return false, "something counts although the flag is off"
		end
	end
	return arms, "one arm counts"
end, "Which instruction lacks pi.0?")
-- Points for cycles beside those of the program as it was given: all up to `best` %, 0 from `worst`
-- % on. Profile instructions in a row are skipped while the flag is off, and cost most while it is
-- on.
local function expect_cheap(flag, worst, best, hint)
	h:expect(2, ("with the flag %s it costs little"):format(flag), function()
		if wrong then
			return nil, wrong
		end
		local more = -math.huge
		for _, input in ipairs(inputs) do
			more = math.max(more, 100 * input[flag].m.cycle / input.plain.m.cycle - 100)
		end
		return arms * lab.share(more, worst, best),
			("it takes %.1f %% more cycles%s"):format(more,
				arms < 1 and ", and one arm counts" or "")
	end, hint)
end
expect_cheap("off", 40, 21, "What else does an arm fetch? `view pipe` shows it.")
expect_cheap("on", 25, 21, "How many instructions is a count? A register needs one.")
h:done()
