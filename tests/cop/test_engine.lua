-- The engine against the reference: random programs over random records, compared after each
-- microinstruction: its whole state, the next address, and the clock.
package.path = "tests/cop/?.lua;tests/lua/?.lua;" .. package.path
local check = require "check"
local ref = require "micro_reference"

local small = os.getenv "CYCLOPS_TEST_SCALE" ~= "long"
local PROGRAMS <const> = small and 60 or 250
local RECORDS <const> = 60
local CAM <const>, DATA <const> = 70, 64 -- entries: more than a word of valid bits
local random = math.random
local covered = {}

local function one_of(list)
	return list[random(#list)]
end

local function chance(percent)
	return random(100) <= percent
end

-- ---- programs ----
local ALU2 <const> = { "add", "sub", "and", "or", "xor", "sadd", "ssub" }
local ALU1 <const> = { "mov", "shl1", "shr1", "shl4", "shr4", "shl8", "shr8", "rand" }
local FIELDS <const> = { "pc", "inst", "rs1", "rs2", "result", "addr", "target", "latency",
	"events", "class", "rd", "r1", "r2", "imm", "dest",
	"next" }
local CONDITIONS <const> = { "z", "nz", "lt", "ge", "sat", "nsat", "xz", "xnz", "xlt", "xge", "hit",
	"miss", "csat", "ncsat", "cz", "cnz", "never",
	"always" }

-- Resources used by one microinstruction: its literal, the first source of the main ALU,
-- registers that are written.
local function line_state()
	return { literal = nil, a = nil, wrote = {} }
end

local function literal(l)
	l.literal = l.literal or one_of{ random(1, 20), random(1, 255), random(1, 65535) }
	return tostring(l.literal)
end

local function source(l)
	local r = random(20)
	if r <= 7 then return "v" .. random(0, 15)
	elseif r <= 10 then return "k" .. random(0, 15)
	elseif r <= 12 then return "x" .. random(0, 7)
	elseif r <= 14 then return literal(l)
	elseif r == 15 then return one_of{ "zero", "match" }
	end
	return one_of(FIELDS)
end

local function fresh(l, letter, count)
	for _ = 1, 50 do
		local name = letter .. random(0, count - 1)
		if not l.wrote[name] then
			l.wrote[name] = true
			return name
		end
	end
	error "no register left"
end

local function width(list)
	return chance(40) and "." .. one_of(list) or ""
end

local function alu(l)
	local a = source(l)
	l.a = a
	local w = width{ 8, 16, 32, 64 }
	if chance(20) then
		if a:find "^x" and w == "" then
			w = ".64" -- else it is the index ALU's
		end
		return one_of{ "cmp", "test" } .. w .. " " .. a .. ", " .. source(l)
	elseif chance(60) then
		return ("%s%s %s, %s, %s"):format(one_of(ALU2), w, fresh(l, "v", 16), a, source(l))
	end
	return ("%s%s %s, %s"):format(one_of(ALU1), w, fresh(l, "v", 16), a)
end

-- Mostly numbers that are entries of both arrays.
local function index(l)
	local b = one_of{ "x" .. random(0, 7), "b" .. random(0, 7), literal(l), "match", "zero" }
	if chance(25) then
		b = l.a or source(l)
	end
	local x = "x" .. random(0, 7)
	if chance(45) then
		return ("%s %s, %s, %s"):format(one_of{ "inc", "dec" }, fresh(l, "x", 8), x,
			chance(70) and "b" .. random(0, 7) or b)
	elseif chance(15) then
		return one_of{ "inc ", "dec " } .. fresh(l, "x", 8)
	elseif chance(20) then
		return ("cmp %s, %s"):format(x, b)
	elseif chance(30) then
		return ("mov %s, %s"):format(fresh(l, "x", 8), b)
	end
	return ("%s %s, %s, %s"):format(one_of{ "add", "sub", "and", "and", "and" },
		fresh(l, "x", 8), x, one_of{ b, "b" .. random(0, 7) })
end

local function cam(l)
	local x = "x" .. random(0, 7)
	local r = random(100)
	if r <= 35 then return "match " .. fresh(l, "x", 8) .. ", " .. source(l)
	elseif r <= 45 then return "free " .. fresh(l, "x", 8)
	elseif r <= 80 then return "write cam[" .. x .. "], " .. source(l)
	elseif r <= 90 then return "read " .. fresh(l, "v", 16) .. ", cam[" .. x .. "]"
	elseif r <= 99 then return "invalidate cam[" .. x .. "]"
	end
	return "invalidate cam"
end

local function data(l)
	local bits = one_of{ 8, 16, 32 }
	local at = one_of{ "[x" .. random(0, 7) .. "]", "[x" .. random(0, 7) .. "]", "[match]", "" }
	if l.literal and l.literal < 24 and chance(50) then
		at = "[" .. l.literal .. "]"
	end
	local where = "b" .. random(0, 7) .. at .. (bits < 32 and "." .. random(0, 32 // bits - 1)
		or "")
	local name = one_of{ "read", "write", "inc", "dec", "add", "sub", "clear", "halve" }
	local out = name .. (bits < 32 and "." .. bits or chance(20) and ".32" or "") .. " "
	if name == "read" or (name ~= "write" and chance(40)) then
		out = out .. fresh(l, "v", 16) .. ", "
	end
	out = out .. where
	if name == "write" or name == "add" or name == "sub" then
		out = out .. ", " .. source(l)
	end
	return out
end

local function branch(at, count)
	local cond = chance(85) and "if " .. one_of(CONDITIONS) .. " " or ""
	local near = random(math.max(0, at - 20), math.min(count - 1, at + 20))
	local to = one_of{ "goto L" .. near, "goto L" .. near, "goto L" .. near, "goto t" ..
		random(0, 7), "done", "done", "done", "interrupt" }
	return cond .. to .. one_of{ "", " likely", " unlikely" }
end

-- Each unit sometimes; operations in any order.
local function microinstruction(at, count)
	local l, ops = line_state(), {}
	if chance(55) then ops[#ops + 1] = alu(l) end
	if chance(45) then ops[#ops + 1] = index(l) end
	if chance(35) then ops[#ops + 1] = cam(l) end
	if chance(50) then ops[#ops + 1] = data(l) end
	if chance(40) then ops[#ops + 1] = branch(at, count) end
	for i = #ops, 2, -1 do
		local j = random(i)
		ops[i], ops[j] = ops[j], ops[i]
	end
	for _, op in ipairs(ops) do
		covered[op:match "^%a%w*" .. (op:find "cam" and " cam" or op:find "^%a+[.%d]* x"
			and " x" or op:find "b%d" and " b" or "")] = true
	end
	return #ops > 0 and table.concat(ops, " | ") or "nop"
end

local VALUES <const> = { 0, 1, 2, 5, 255, 256, 65535, 65536, 0xffffffff, -1, math.mininteger,
	0x12345678, 0x10400, 0x10404 }

local function program()
	local count = random(8, 90)
	local lines =
		{ ".fields load, store, branch, jump: pc, inst, rs1, rs2, result, addr, target" }
	local function say(...)
		lines[#lines + 1] = string.format(...)
	end
	say(".on load, store: L0\n.on branch: L%d\n.on jump: L%d", random(0, count - 1),
		random(0, count - 1))
	for i = 0, 15 do
		say(".const k%d = %d", i, one_of(VALUES) & 0xffffffff)
		say(".value v%d = 0x%x", i, one_of(VALUES))
	end
	for i = 0, 7 do
		say(".base b%d = %d\n.index x%d = %d\n.target t%d = L%d", i, random(0, 36), i,
			random(0, 25), i, random(0, count - 1))
	end
	for at = 0, count - 2 do
		say("L%d: %s", at, microinstruction(at, count))
	end
	say("L%d: done", count - 1)
	return table.concat(lines, "\n")
end

-- ---- records ----
-- Instructions with known fields, since they are encoded here.
local function instruction()
	local rd, rs1, rs2, imm = random(0, 31), random(0, 31), random(0, 31), random(-2048, 2047)
	local dst = rd == 0 and 64 or rd
	local form = random(5)
	if form == 1 then -- addi
		return { inst = (imm & 0xfff) << 20 | rs1 << 15 | rd << 7 | 0x13, rd = dst,
			r1 = rs1, r2 = 0, imm = imm, bytes = 4 }
	elseif form == 2 then -- ld
		return { inst = (imm & 0xfff) << 20 | rs1 << 15 | 3 << 12 | rd << 7 | 0x03,
			rd = dst, r1 = rs1, r2 = 0, imm = imm, bytes = 4 }
	elseif form == 3 then -- sw
		return { inst = (imm >> 5 & 0x7f) << 25 | rs2 << 20 | rs1 << 15 | 2 << 12 | (
			imm & 31) << 7 | 0x23, rd = 64, r1 = rs1, r2 = rs2, imm = imm,
			bytes = 4 }
	elseif form == 4 then -- beq
		local i = imm * 2
		return {
			inst = (i >> 12 & 1) << 31 | (i >> 5 & 63) << 25 | rs2 << 20 | rs1 << 15 | (
			i >> 1 & 15) << 8 | (i >> 11 & 1) << 7 | 0x63, rd = 64,
			r1 = rs1, r2 = rs2, imm = i, bytes = 4 }
	end
	rd, imm = random(1, 31), random(-32, 31) -- c.li
	return { inst = 0x4001 | (imm >> 5 & 1) << 12 | rd << 7 | (imm & 31) << 2, rd = rd, r1 = 0,
		r2 = 0, imm = imm, bytes = 2 }
end

local function record()
	local r = instruction()
	r.kind = one_of{ 0, 0, 0, 1, 1, 3, 3, 4, 5, 7 }
	r.pc = 0x10400 + 4 * random(0, 12)
	for _, name in ipairs{ "rs1", "rs2", "result", "addr", "target" } do
		r[name] = chance(60) and one_of(VALUES) or random(0)
	end
	r.latency, r.events = one_of{ 1, 3, 15, 113 }, random(0, 31)
	r.class, r.dest, r.next = r.kind, r.pc + r.imm, r.pc + r.bytes
	return r
end

-- ---- comparing ----
local FLAGS <const> = { "z", "lt", "sat", "xz", "xlt", "hit", "csat", "cz" }

local function difference(got, s)
	for _, name in ipairs{ "v", "x", "cam", "valid", "data" } do
		for i = 0, #s[name] do
			if got[name][i] ~= s[name][i] then
				return ("%s[%d] is %s, not %s"):format(name, i, got[name][i],
					s[name][i])
			end
		end
	end
	local flags = 0
	for i, name in ipairs(FLAGS) do
		flags = flags | (s.flags[name] and 1 << (i - 1) or 0)
	end
	return got.conditions ~= flags and ("conditions are %x, not %x"):format(got.conditions,
		flags)
		or got.lfsr ~= s.lfsr and ("the random register is %x, not %x"):format(got.lfsr,
		s.lfsr)
		or got.match ~= s.match and ("match is %d, not %d"):format(got.match, s.match)
end

local FAULTS <const> = { code = 1, cam = 2, data = 3, endless = 5 }
local GOAL_RECORD <const>, GOAL_AT <const>, GOAL_STOP <const> = 0, 1, 2

-- The reference's next microinstruction, and its clock.
local function expect(run)
	local rec = run.records[run.head]
	if not rec then
		return
	end
	local out = { clock = ref.fetch_clock(run.fetched, run.wrong, not run.at and rec.arrived,
		run.resumed) + 2 }
	local start = run.p.start[rec.kind] or (rec.kind == 7 and run.stray)
	if not run.at and not start then
		out.kind, out.next, out.predicted = "skip", "done", "done"
		return out
	end
	out.at = run.at or start
	if run.worked == run.watchdog and out.at < run.p.count then -- nothing is done
		out.kind, out.fault = "code", "endless"
		return out
	end
	out.next, out.predicted = ref.step(run.s, rec, out.at)
	out.kind = "code"
	if not out.next then
		out.fault, out.kind = out.predicted, out.predicted == "code" and "fault" or "code"
	end
	run.worked = run.worked + 1
	return out
end

-- The engine's trace, if it differs.
local function wrong_step(t, want, clock, state, s)
	if not want or clock ~= want.clock then
		return ("executed in clock %d, not %s"):format(clock, want and want.clock
			or "at all")
	end
	local kinds = { code = 1, skip = 2, fault = 3 }
	local goal = want.fault and GOAL_STOP or want.next == "done" and GOAL_RECORD
		or want.next == "interrupt" and GOAL_STOP or GOAL_AT
	if t.kind ~= kinds[want.kind] or (want.at and t.at ~= want.at) then
		return ("at %d (kind %d), not %s (%s)"):format(t.at, t.kind, want.at, want.kind)
	elseif t.fault ~= (want.fault and FAULTS[want.fault] or 0) then
		return ("fault %d, not %s"):format(t.fault, want.fault)
	elseif t.goal ~= goal or (goal == GOAL_AT and t.next ~= want.next) then
		return ("goes on to %d (%d), not %s"):format(t.next, t.goal, want.next)
	elseif t.outcome ~= (want.fault and 3 or want.next == "done" and 1
		or want.next == "interrupt" and 2 or 0) then
		return ("outcome %d"):format(t.outcome)
	elseif (t.wrong == 1) ~= (not want.fault and want.next ~= want.predicted) then
		return ("wrong is %d"):format(t.wrong)
	end
	return difference(state, s)
end

-- A record ends; the next one's routine begins.
local function advance(run, want, clock)
	local over = want.fault or want.next == "done" or want.next == "interrupt"
	run.fetched = clock - 2
	run.wrong = not want.fault and want.predicted ~= want.next
	run.at = not over and want.next or nil
	if over then
		run.head, run.worked = run.head + 1, 0
	end
	if want.fault or want.next == "interrupt" then
		run.resume_at = clock + random(1, 6)
		run.fetched, run.wrong = nil, false
	end
end

local counts = { wrong = 0, halted = 0 }

-- Records that come in this clock, and a resume.
local function before_clock(run, clock)
	while run.pushed < RECORDS and clock >= run.records[run.pushed + 1].arrived
		and run.e:count() < 64 do
		run.pushed = run.pushed + 1
		run.e:push(run.records[run.pushed])
	end
	if run.resume_at == clock then
		run.e:resume()
		run.resumed, run.resume_at = clock, nil
	end
end

-- Runs a program over all records, or for `clocks` clocks; returns nil or the difference. watchdog:
-- most microinstructions for one record; one more faults.
local function compare(text, clocks, watchdog)
	local seed = random(0, 0xffffffff)
	local p = ref.parse(text)
	local run = { p = p, s = ref.new(p, CAM, DATA, seed), records = {}, head = 1, pushed = 0,
		worked = 0, watchdog = watchdog,
		e = engine.new{ watchdog = watchdog, code = p.count, cam = CAM, data = DATA,
			seed = seed, head = random(0, 63) } }
	local arrived = 0
	run.e:load(text)
	if chance(30) then -- a class whose routine lies beyond the microcode
		run.stray = p.count + random(0, 3)
		run.e:start(7, run.stray)
	end
	for i = 0, DATA - 1 do -- counters that are nearly full, too
		run.s.data[i] = one_of{ 0, random(0, 0xffffffff), 0xffffffff, 0xfefffeff,
			0xfffe00fe }
		run.e:data(i, run.s.data[i])
	end
	local valid = one_of{ 0, 50, 97, 100 } -- a full one, too
	for i = 0, CAM - 1 do
		run.s.cam[i], run.s.valid[i] = one_of(VALUES) + (chance(20) and i
			or 0) & 0xffffffff, chance(valid)
		run.e:cam(i, run.s.cam[i], run.s.valid[i])
	end
	for i = 1, RECORDS do
		run.records[i] = record()
		arrived = arrived + (chance(50) and 0 or random(0, 12))
		run.records[i].arrived = arrived
	end
	local want = expect(run)
	for clock = 0, clocks do
		before_clock(run, clock)
		local t = run.e:clock()
		if t then
			local wrong = wrong_step(t, want, clock, run.e:state(), run.s)
			if wrong then
				return ("clock %d, record %d, microinstruction %d: %s"):format(
					clock, run.head, t.at, wrong)
			end
			local what = want.fault and "fault " .. want.fault or want.kind
			counts[what] = (counts[what] or 0) + 1
			counts.wrong = counts.wrong + t.wrong
			advance(run, want, clock)
			counts.halted = counts.halted + (run.resume_at and 1 or 0)
			want = not run.resume_at and expect(run) or nil
		elseif want and clock >= want.clock then
			return ("clock %d, record %d: nothing was executed"):format(clock, run.head)
		end
		if not want and run.resume_at == clock + 1 then
			run.resumed = clock + 1
			want = expect(run)
		end
	end
end

math.randomseed(20010122)
for n = 1, PROGRAMS do
	local text = program()
	local wrong = compare(text, 400, n % 4 == 0 and 1 + n // 4 % 12 or nil)
	check.ok(not wrong, ("program %d: %s\n%s\n"):format(n, wrong, wrong and text or ""))
	if wrong then
		break
	end
end
for _, name in ipairs{ "code", "skip", "wrong", "halted", "fault cam", "fault data", "fault code",
	"fault endless" } do
	check.ok((counts[name] or 0) > PROGRAMS // 20, name .. " was met " ..
		tostring(counts[name]) .. " times, which is often enough:")
end
local operations = 0
for _ in pairs(covered) do
	operations = operations + 1
end
check.ok(operations >= 43, operations .. " forms of operations were tried: all")
if os.getenv "VERBOSE" then
	for k, v in pairs(counts) do print(k, v) end
	for k in pairs(covered) do print(k) end
end
check.done()
