-- Random walks over a script whose hooks patch code, write memory and registers, stop the run and
-- count in m:state. Wherever a move ends, the machine and the script's counts equal those of a
-- machine that goes forwards only, with the same changes by hand in the same cycles.
local check = require "check"

local GUEST = "build/tests/reverse/hooked"
local MOVES <const>, WALKS_PER_SESSION <const>, LANDINGS_MOST <const>, CHANGES_MOST <const> = 3,
	100, 1000, 60
local WALKS = os.getenv "CYCLOPS_TEST_SCALE" ~= "long" and 150 or 4000

-- A generator of random numbers of our own: the walks do not depend on Lua's generator.
local seed = 88172645463325252
local function below(n)
	seed = seed ~ seed << 13
	seed = seed ~ seed >> 7
	seed = seed ~ seed << 17
	return math.ult(0, n) and (seed >> 1) % n or 0
end

-- ---- the script ----
local function addi(rd, rs, immediate)
	return (immediate & 0xfff) << 20 | rs << 15 | rd << 7 | 0x13
end

-- Number of calls of hooks, in all machines: not a part of any machine's history.
local entered = 0

local function script(m)
	local s = m:state{ patched = 0, words = 0, regs = 0, squashes = 0, ended = 0, sum = 0,
		last = { pc = 0, cycles = {} } }
	m:on("commit", { pc = "site" }, function(e)
		entered = entered + 1
		s.patched = s.patched + 1
		s.sum = s.sum * 31 + m.s4 + e.seq
		if s.patched % 3 == 0 then
			m:patch("site", addi(20, 20, s.patched % 50))
		end
		if s.patched % 17 == 0 then
			return "stop"
		end
	end)
	m:on("squash", function(e)
		s.squashes = s.squashes + e.count
		s.last.pc = e.pc
	end)
	m:every({ insts = 37 }, function()
		s.words = s.words + 1
		s.last.cycles[s.words % 5 + 1] = m.cycle
		m:write(m.table + s.words * 48 % 8192, s.sum, 8)
	end)
	m:every({ cycles = 101, first = 7 }, function()
		s.regs = s.regs + 1
		m.regs.s5 = s.regs + s.words
		m.regs.t6 = m.cycle
	end)
	m:at_exit(function()
		s.ended = s.ended + 1
	end)
	return s
end

local function counts(s)
	return table.concat({ s.patched, s.words, s.regs, s.squashes, s.ended, s.sum, s.last.pc,
		table.unpack(s.last.cycles) }, " ")
end

-- ---- the walks ----
local function open(settings, history)
	return cyclops.machine{ program = GUEST, set = settings, history = history }
end

-- A change by hand, from one number.
local function change_by_hand(m, value)
	if value % 3 ~= 0 then
		m.regs["t" .. 5 + value % 2] = value
	else
		m:write(m.table + value % 1024 * 8, value, 8)
	end
end

local function changes_up_to(w, cycle)
	local n = 0
	while n < #w.changes and w.changes[n + 1].cycle <= cycle do
		n = n + 1
	end
	return n
end

-- Compares all observations with a machine that goes forwards, and drops them.
local function compare(w)
	local m <close> = open(w.settings, false)
	local s = script(m)
	local made, wrong = 0, 0
	local function forward(cycle)
		while m.cycle < cycle and m.status == "running" do -- hooks stop it on the way
			m:run{ cycles = cycle - m.cycle }
		end
	end
	table.sort(w.seen, function(a, b) return a.cycle < b.cycle
		or (a.cycle == b.cycle and a.changes < b.changes) end)
	for _, landing in ipairs(w.seen) do
		for i = made + 1, landing.changes do
			forward(w.changes[i].cycle)
			change_by_hand(m, w.changes[i].value)
			made = i
		end
		forward(landing.cycle)
		if m:hash() ~= landing.hash or counts(s) ~= landing.counts then
			wrong = wrong + 1
			if wrong == 1 then
				check.eq(landing.counts, counts(s), "counts in cycle " ..
					landing.cycle)
				check.eq(landing.hash, m:hash(), "the machine's state in cycle " ..
					landing.cycle)
			end
		end
	end
	check.eq(wrong, 0, "wrong landings of " .. #w.seen)
	w.compared = w.compared + #w.seen
	w.seen = {}
end

local function land(w)
	if #w.seen == LANDINGS_MOST then
		compare(w)
	end
	if w.m.status ~= "running" then
		w.last = w.m.cycle
	end
	w.seen[#w.seen + 1] = { cycle = w.m.cycle, hash = w.m:hash(), counts = counts(w.s),
		changes = changes_up_to(w, w.m.cycle) }
end

local function cut(w)
	compare(w)
	for i = #w.changes, changes_up_to(w, w.m.cycle) + 1, -1 do
		w.changes[i] = nil
	end
	if #w.changes < CHANGES_MOST then
		local value = below(1 << 40)
		w.changes[#w.changes + 1] = { cycle = w.m.cycle, value = value }
		change_by_hand(w.m, value)
		w.cuts = w.cuts + 1
	end
end

local moves = {
	function(m, n) return m:step(n) end,
	function(m, n) return m:step(n) end,
	function(m, n) return m:stepi(n + 1) end,
	function(m, n) return m:back(n) end,
	function(m, n) return m:backi(n + 1) end,
	function(m, n, last) return m:go(below(last + 50)) end,
	function(m) return m:run() end,
	function(m) return m:cmd "reverse-continue" end,
}

local function move(w)
	local m, before = w.m, w.m.cycle
	local kind = below(#moves) + 1
	local forward = kind <= 3 or kind == 7
	if not forward or m.status == "running" then
		local n = below(below(10) > 0 and 100 or w.last + 50)
		local stop = moves[kind](m, n, w.last)
		if forward then
			w.stopped = w.stopped + (stop.reason == "hook" and 1 or 0)
		end
		if kind <= 2 and stop.reason == "done" then
			w.wrong = w.wrong + (m.cycle == before + n and 0 or 1)
		elseif kind == 4 then
			w.wrong = w.wrong + (m.cycle == math.max(0, before - n) and 0 or 1)
		end
	end
	if below(80) == 0 then
		cut(w)
	end
	land(w)
end

local function walks(settings, count)
	local w = { settings = settings, stopped = 0, cuts = 0, compared = 0, wrong = 0 }
	entered = 0
	for i = 0, count - 1 do
		if i % WALKS_PER_SESSION == 0 then
			w.m = open(settings, true)
			w.s = script(w.m)
			w.changes, w.seen, w.last = {}, {}, 1500
			w.m:cmd(i // WALKS_PER_SESSION % 5 > 0 and "break hot" or "break done")
		end
		for _ = 1, MOVES do
			move(w)
		end
		if i % WALKS_PER_SESSION == WALKS_PER_SESSION - 1 or i == count - 1 then
			compare(w)
			w.m:close()
		end
	end
	check.eq(w.compared, count * MOVES, "landings compared")
	check.eq(w.wrong, 0, "moves that ended elsewhere")
	check.ok(w.cuts > count / 100, "changes by hand")
	check.ok(w.stopped > count / 100, "stops by hooks")
	check.ok(entered > count, "hooks at work")
end

walks({ ["l1d.size"] = "1K", ["l2.size"] = "8K" }, WALKS * 6 // 10)
walks({ ["l1d.size"] = "1K", ["l2.size"] = "8K", ["pipe.rob_size"] = 12, ["lsq.size"] = 5,
	["lsq.speculate"] = true,
	["bpred.update"] = "commit", ["pipe.issue_queue"] = 6 }, WALKS * 4 // 10)

-- Cycles executed again on the way to a place call no hook, not even a new one.
local m = open(nil, true)
script(m)
m:run{ cycles = 1500 }
m:go(300)
local heard = 0
local late = m:on("commit", function() heard = heard + 1 end)
for _, cycle in ipairs{ 700, 400, 1200, 350 } do
	m:go(cycle)
end
m:back(20)
m:backi(10)
m:cmd "break hot"
m:cmd "reverse-continue; delete"
m:go(600)
check.eq(heard, 0, "commits observed on the way")
check.eq(late:calls(), 0)
m:step(200)
check.ok(heard > 50, "commits observed in a motion forwards: " .. heard)
check.eq(late:calls(), heard)

check.done()
