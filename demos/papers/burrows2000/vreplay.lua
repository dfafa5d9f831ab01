-- Section 3.2: vreplay names the access that a replayed load conflicts with. How often it is right,
-- in programs not made for it: compared with the machine's event `replay`,
-- from the same program without a sampler.
--
-- Expect: next to all traps are of pairs that are named, for few loads have most of them.
-- Of loads that are replayed a few times, an interpretation seldom sees the moment; what is named
-- first then is an access that could conflict and mostly doesn't.
--
--     cyclops lua demos/papers/burrows2000/vreplay.lua [--small] [--programs NAMES] [--out FOLDER]
local runs, guest, report, options = require "runs", require "guest", require "report",
	require "options"
local e = runs.open(arg)

local INSTS <const> = e.small and 1000000 or options.times(e, 3000000, 1000000)
local LEAST <const> = 5 -- traps of a load; fewer are ignored
local TYPES <const> = { "order", "size", "synonym" }
local CHEAP <const> = { ["vsample.interrupt_cycles"] = 1, ["vsample.start_cycles"] = 0,
	["vsample.inst_cycles"] = 1, ["vsample.tuple_cycles"] = 0 }
-- The interpreted part of the program: 128 instructions after each `every`-th interval, whose mean
-- is an eighth longer.
local RATES <const> = { { "one in 36", 1000, 4 }, { "one in 5", 500, 1 } }

-- From the beginning, since start-up replays, too.
local function machine(program, set)
	return e:machine(program, set, { ff = 1000 })
end

local function go(m)
	local goal = m.insts + INSTS
	m:run{ until_insts = goal }
	guest.reached(m, goal, m.insts)
end

-- By load: traps, and of these by type and partner.
local function truth_of(program)
	local m <close> = machine(program, {})
	local truth = {}
	m:on("replay", function(event)
		local t = truth[event.pc] or { traps = 0, of = {} }
		local key = ("%s 0x%x"):format(event.type, event.partner_pc)
		truth[event.pc] = t
		t.traps, t.of[key] = t.traps + 1, (t.of[key] or 0) + 1
	end)
	go(m)
	return truth
end

-- vreplay's answers by load, the most frequent first.
local function said_of(program, rate)
	local set = { ["vsample.enable"] = true, ["vsample.length"] = 128, ["vsample.every"] =
		rate[3], ["vsample.interval_min"] = rate[2],
		["vsample.interval_max"] = rate[2] + rate[2] // 4, ["vsample.queue"] = 4096,
			["vsample.service"] = 1, ["values.method"] = "exact", ["values.modules"] =
			"vreplay" }
	for key, value in pairs(CHEAP) do
		set[key] = value
	end
	local m <close> = machine(program, set)
	local said = {}
	go(m)
	for list in m.values:each("vreplay", "exact") do
		local names = {}
		for i, v in ipairs(list) do
			names[i] = ("%s 0x%x"):format(TYPES[v.value & 3], v.value >> 2)
		end
		said[list.pc] = names
	end
	return said
end

local function most(of)
	local best
	for key, n in pairs(of) do
		if not best or n > of[best] or (n == of[best] and key < best) then
			best = key
		end
	end
	return best
end

local function judge(truth, said)
	local j = { traps = 0, loads = 0, answered = 0, first = 0, pairs = 0, named = 0, found = 0,
		evenly = 0 }
	for pc, t in pairs(truth) do
		if t.traps >= LEAST then
			local named, found = {}, 0
			for _, key in ipairs(said[pc] or {}) do
				named[key] = true
			end
			for key, n in pairs(t.of) do
				j.pairs, j.named, found = j.pairs + 1,
					j.named + (named[key] and 1 or 0),
					found + (named[key] and n or 0)
			end
			j.traps, j.loads, j.found, j.evenly = j.traps + t.traps, j.loads + 1,
				j.found + found, j.evenly + found / t.traps
			j.answered, j.first = j.answered + (said[pc] and 1 or 0),
				j.first + (said[pc] and said[pc][1] == most(t.of) and 1 or 0)
		end
	end
	return j
end

-- For each type: reported pairs, and how many of them trapped at least once.
local function judge_types(truth, said)
	local j = {}
	for _, kind in ipairs(TYPES) do
		j[kind] = { named = 0, right = 0 }
	end
	for pc, names in pairs(said) do
		for _, key in ipairs(names) do
			local of = j[key:match "%a+"]
			of.named = of.named + 1
			of.right = of.right + (truth[pc] and truth[pc].of[key] and 1 or 0)
		end
	end
	return j
end

local function share(part, whole)
	return whole > 0 and ("%.2f"):format(part / whole) or ""
end

report.title "Loads that are replayed: does vreplay name the access that they conflict with?"
local rows, sums, truths, types = {}, {}, {}, {}
for i, rate in ipairs(RATES) do
	local sum = { traps = 0, loads = 0, answered = 0, first = 0, pairs = 0, named = 0,
		found = 0, evenly = 0 }
	for _, name in ipairs(e.names) do
		local program = e.by_name[name]
		truths[name] = truths[name] or truth_of(program)
		local said = said_of(program, rate)
		local j = judge(truths[name], said)
		if i == #RATES then
			types[#types + 1] = judge_types(truths[name], said)
		end
		for what, n in pairs(j) do
			sum[what] = sum[what] + n
		end
		rows[#rows + 1] = { name, rate[1], j.traps, j.loads, j.answered, j.first, j.pairs,
			j.named, share(j.found, j.traps), share(j.evenly, j.loads) }
	end
	rows[#rows + 1] = { "**all**", rate[1], sum.traps, sum.loads, sum.answered, sum.first,
		sum.pairs, sum.named, share(sum.found, sum.traps), share(sum.evenly, sum.loads) }
	sums[i] = sum
end
report.table({ { "program" }, { "interpreted" }, { "traps" }, { "loads" }, { "answered" },
	{ "first answer right" }, { "pairs" }, { "named" },
	{ "recall by traps" }, { "recall by loads" } }, rows)
print()
report.title "The part of the pairs named by vreplay that trapped at all; one in 5 interpreted"
local columns, lines, all = { { "program" } }, {}, { "**all**" }
for k, kind in ipairs(TYPES) do
	columns[2 * k], columns[2 * k + 1] = { kind .. ": named" }, { "trapped" }
	all[2 * k], all[2 * k + 1] = 0, 0
end
for i, name in ipairs(e.names) do
	lines[i] = { name }
	for k, kind in ipairs(TYPES) do
		for at, n in pairs{ [2 * k] = types[i][kind].named,
			[2 * k + 1] = types[i][kind].right } do
			lines[i][at], all[at] = n, all[at] + n
		end
	end
end
lines[#lines + 1] = all
report.table(columns, lines)
print()
local first, more = sums[1], sums[2]
report.shape(first.found > 0.9 * first.traps,
	"of all traps most are of pairs that are named: %.1f %%", 100 * first.found / first.traps)
report.shape(first.first > first.loads / 2, "the first answer is right for most loads: %d of %d",
	first.first, first.loads)
report.shape(first.evenly > 0.5 * first.loads,
	"a load's traps are of pairs that are named: %.2f of them, each load counted alike",
	first.evenly / first.loads)
report.shape(more.named > first.named, "interpreting more names more pairs: %d and %d of %d",
	first.named, more.named, first.pairs)
