-- Results of the microprograms on tests/cop/known.S are those of its text; edges of real programs
-- are the oracle's.
package.path = "tests/cop/?.lua;tests/lua/?.lua;" .. package.path
local check = require "check"
local model = require "model"

local KNOWN <const> = "build/tests/cop/known"
local CAM <const>, DATA <const> = 256, 1024
local ROOMY <const> = { "cop.buffer=1024", "cop.transport=256", "cop.bus=8" }
local CONTROL <const>, RUN <const>, FIELDS <const>, PC <const> = 0x000, 1, 0x400, 1

local function start(ref, program, args, ...)
	local set = { table.unpack(ROOMY) }
	for _, s in ipairs{ ... } do
		set[#set + 1] = s
	end
	local m, state = machine.new{ program = program, args = args, microcode = ref.microcode,
		set = set }, ref.new(CAM, DATA)
	m:write(ref.setup(state))
	return m, state
end

-- Up to the program's end, or the last record; each is reported.
local function run(ref, m, state, totals, tell)
	for r, halted in m.next, m do
		tell(r)
		if halted ~= (ref.record(state, r) or false) then
			check.ok(false, ref.microcode ..
				": an interrupt is missing, or one too many")
			return
		elseif halted then
			m:write(ref.handle(state, totals))
			check.eq(m:differs(state), nil, "after the handler")
		end
	end
end

-- `left`: records that the program's end left.
local function nothing_dropped(m, left)
	check.eq(m:stat "cop.dropped" + m:stat "cop.lost", 0.0, "records dropped")
	check.eq(m:stat "cop.samples" + (left or 0), m:stat "cop.records",
		"all records came to be counted:")
end

local function known(name, tell)
	local ref, totals = require("model_" .. name), {}
	ref.sets = 1024
	local m, state = start(ref, KNOWN)
	m:write{ { FIELDS + 8 * model.BRANCH, PC } } -- for the test, not for the program
	run(ref, m, state, totals, tell or function() end)
	nothing_dropped(m, name == "calls" and 1) -- its exit, a record of class `system`
	check.eq(m:differs(state), nil, name .. " at the end")
	ref.handle(state, totals)
	return totals, m, state
end

local function same(got, want, what)
	check.eq(model.text(got), model.text(want), what)
end

-- ---- dependences ----
do
	local got, m, state = known "memdep"
	local at = setmetatable({}, { __index = function(_, name) return m:symbol(name) end })
	same(got, {
		[at.store_a] = { [at.load_a] = 50, [at.load_ab] = 50 },
		[at.store_b] = { [at.load_b] = 50 },
		[at.store_d] = { [at.load_c] = 50 },
		[at.store_1] = { [at.load_1] = 8 },
		[at.store_ra] = { [at.load_ra] = 64 }, -- of 100, the last 64
	}, "dependences")
	check.eq(state.v[4], 8, "dependences of store_2, whose slot is another's:")
end

-- ---- conflicts ----
do
	local got, m = known "conflicts"
	local at = setmetatable({}, { __index = function(_, name) return m:symbol(name) end })
	local each = { [at.load_x] = 39, [at.load_y] = 39, [at.load_z] = 39 }
	same(got, { conflicts = { [0] = 3 * 39 }, accesses = { [0] = each },
		misses = { [0] = each } }, "conflicts")
end

-- ---- contexts ----
do
	local truth = {}
	local got, m, state = known("calls", function(r)
		if r.events & model.MISPREDICTED ~= 0 then
			truth[#truth + 1] = r.pc
		end
	end)
	local at = setmetatable({}, { __index = function(_, name) return m:symbol(name) end })
	local function between(from, to)
		local n = 0
		for _, pc in ipairs(truth) do
			n = n + (pc >= from and pc < to and 1 or 0)
		end
		return n
	end
	local first, deeper = (got[at.call_deep] or {})[at.deep] or 0,
		(got[at.call_deeper] or {})[at.deep] or 0
	check.eq(first + deeper, between(at.deep, at.procedure_1), "mispredictions in deep")
	local elsewhere = #truth - between(at.work, at.procedure_done + 4)
	same(got, {
		[0] = { [0] = elsewhere },
		[at.call_easy] = { [at.work] = between(at.work, at.work_t0) },
		[at.call_hard] = { [at.work_t0] = between(at.work_t0, at.deep) },
		[at.call_deep] = { [at.deep] = first }, [at.call_deeper] = { [at.deep] = deeper },
		[at.call_1] =
			{ [at.procedure_1] = between(at.procedure_1,
			at.procedure_done + 4) - state.v[7] },
	}, "contexts")
	check.ok(got[at.call_hard][at.work_t0] > got[at.call_easy][at.work] + 50,
		"the branch that is random is blamed on its caller")
	check.ok(first > 0 and deeper > 20 and state.v[7] > 5, "each context had some")
	check.eq(state.v[5], 100 - 63, "calls beyond the deepest frame")
	check.eq(state.x[0] + state.v[4] + state.v[6], 0, "the stack is empty at the end:")
end

-- ---- edges ----
-- The reference's totals against the oracle's; both count from the program's beginning.
local KIND <const> = { [0] = "taken", "not taken", "jump", "indirect", "call", "return" }

local function compare_edges(totals, rows, indirect)
	local branches, targets = {}, {}
	for _, row in ipairs(rows) do
		local pc, to, n, kind = row[1], row[2], row[3], KIND[row[4]]
		if kind == "taken" or kind == "not taken" then
			model.add(branches, n, pc, kind == "taken" and 1 or 0)
		elseif indirect[pc] then
			model.add(targets, n, pc, to)
		end
	end
	same(totals.branch, branches, "branches")
	same(totals.target or {}, targets, "targets")
end

-- Pairs from the records themselves.
local function watch_pairs()
	local last, pairs_of, indirect = { pc = 0, taken = 0 }, {}, {}
	return function(r)
		if r.kind == model.BRANCH then
			local taken = r.events & model.TAKEN
			model.add(pairs_of, 1, last.pc, r.pc, 2 * last.taken + taken)
			last = { pc = r.pc, taken = taken }
		elseif select(2, model.jump_registers(r.inst)) ~= 0 then
			indirect[r.pc] = true
		end
	end, pairs_of, indirect
end

do
	local tell, pairs_of, indirect = watch_pairs()
	local got, m = known("edges", tell)
	local at = setmetatable({}, { __index = function(_, name) return m:symbol(name) end })
	compare_edges(got, m:edges(), indirect)
	same(got.pair, pairs_of, "pairs")
	same({ got.branch[at.round_ends], got.branch[at.many_ends], got.branch[at.work_branch] },
		{ { [0] = 1, [1] = 49 }, { [0] = 1, [1] = 63 }, { [1] = 200 } },
		"branches that the text says")
	same(got.target[at.work_done], { [at.call_easy + 4] = 200 }, "where a return went")
end

for _, p in ipairs{ { "build/demos/lisp", { "demos/programs/input/queens.lisp" } },
	{ "build/demos/fib" }, { "build/demos/linked" } } do
	local ref, totals = require "model_edges", {}
	local tell, pairs_of, indirect = watch_pairs()
	local m, state = start(ref, p[1], p[2], "pipe.fetch_width=1") -- slow enough for the engine
	m:insts(50000)
	run(ref, m, state, totals, tell)
	m:write{ { CONTROL, RUN } } -- tagging is off, and all tagged instructions have committed
	local rows = m:edges()
	m:insts(20000)
	run(ref, m, state, totals, tell)
	nothing_dropped(m)
	check.eq(m:differs(state), nil, p[1] .. " at the end")
	ref.handle(state, totals)
	compare_edges(totals, rows, indirect)
	same(totals.pair, pairs_of, p[1] .. ": pairs")
end
check.done()
