-- The judge gets known answers: exact counts, in each profiler's form, have no error, and damaged
-- counts have the error of the damage.
--
--     cyclops lua tests/bakeoff/perfect.lua [PROGRAM ARGS...]      prints the table of these programs
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local bakeoff, profilers, truths = require "cyclops.bakeoff", require "cyclops.bakeoff_profilers",
	require "cyclops.bakeoff_truth"

local LOST <const> = 1 / 3

-- The reader's form, and the reader, of each profiler and question.
local function each_answer(f)
	for _, way in ipairs(profilers.ways) do
		for _, question in ipairs(way.answers) do
			f(way, question)
		end
	end
end

local function answer(way, truth, form, question)
	return truths.errors(truth, question, way.reader.answer(truth, form)[question])
end

-- ---- exact counts ----
-- Samples of an unfinished block are missing. The papers' own metrics get shares of values in steps
-- of a millionth.
local function allowed(way, truth, question, metric)
	local sampled = question == "blocks"
		and (way.profiler == "burrows" or way.profiler == "profileme")
	return sampled and 100 / truth.all_blocks
		or question == "values" and metric ~= "top" and 1e-4 or 1e-9
end

local function is_perfect(name, truth)
	local worst = {}
	each_answer(function(way, question)
		for metric, error in pairs(answer(way, truth, way.reader.exact(truth), question)) do
			worst[question] = math.max(worst[question] or 0, error or 0)
			check.ok(not error or error <= allowed(way, truth, question, metric),
				("%s: exact counts of %s in the form of %s: %s %.9f %%, which"):format(
				name, question, way.profiler, metric, error or 0))
		end
	end)
	return worst
end

-- ---- damaged counts ----
-- The error of a profile after one name has lost a part: its share s is s - s * (1 - LOST) / (1 - s
-- * LOST) too small, and the others together are too large by as much.
local function error_of_loss(profile, name)
	local all = 0
	for _, n in pairs(profile) do
		all = all + n
	end
	local s = profile[name] / all
	return 100 * (s - s * (1 - LOST) / (1 - s * LOST))
end

local function most_frequent(profile, is_right)
	local best
	for name, n in pairs(profile) do
		if (not is_right or is_right(name)) and (not best or n > profile[best]
			or n == profile[best] and name < best) then
			best = name
		end
	end
	return best
end

-- A branch outcome that is the only way to a block that ends in a branch: losing it affects only
-- that block.
local function lonely_edge(truth)
	local leads = {}
	for _, list in pairs(truth.flow.into) do
		for _, e in ipairs(list) do
			leads[e.from or 0] = true
		end
	end
	return most_frequent(truth.edges, function(name)
		local to = math.tointeger(tonumber(name:match "(%S+)$"))
		local into = truth.flow.into[to]
		return into and #into == 1 and not leads[to] and truth.flow.at[to]
			and not truth.flow.outside[to]
	end)
end

local function lonely_block(truth)
	return most_frequent(truth.blocks, function(name)
		local b = truth.flow.at[math.tointeger(tonumber(name))]
		return not b.called
	end)
end

-- Removes a part of the count of an edge, block, call, path or context.
local damage = {}

function damage.counters(form, name)
	form[name] = form[name] * (1 - LOST)
end

function damage.edges(form, name)
	for _, e in ipairs(form) do
		if truths.key(e.from, e.to) == name then
			e.count = e.count * (1 - LOST)
		end
	end
end

function damage.cop(form, name, truth)
	local pc, to = name:match "^(%S+) (%S+)$"
	pc, to = math.tointeger(tonumber(pc)), math.tointeger(tonumber(to))
	for _, e in ipairs(form.branches) do
		if e[1] == pc then
			local side = truth.branches[pc].target == to and 3 or 2
			e[side] = e[side] * (1 - LOST)
		end
	end
end

function damage.tuples(form, name)
	for _, t in ipairs(form) do
		if truths.key(t[1], t[2]) == name then
			t[4] = t[4] * (1 - LOST)
		end
	end
end

local function check_damage(name, truth, what, way, question, damaged, at, wanted)
	local form = way.reader.exact(truth)
	damaged(form, at, truth)
	local got = answer(way, truth, form, question).overlap
	-- Blocks without an edge have a share of the counted sum, which is smaller.
	check.ok(math.abs(got - wanted) < (question == "blocks" and 3e-4 or 1e-6) and wanted > 0.1,
		("%s: %s of %s, without a third of %s: %.6f %%; expected %.6f %%, which"):format(
		name, question, what, at, got, wanted))
end

local function way_of(profiler, question)
	for _, way in ipairs(profilers.ways) do
		for _, answers in ipairs(way.answers) do
			if way.profiler == profiler and answers == question then
				return way
			end
		end
	end
end

local function is_known_error(name, truth)
	local edge, block = lonely_edge(truth), lonely_block(truth)
	check.ok(edge and block, name .. ": an edge whose loss is one block's, which")
	local to = truths.key(math.tointeger(tonumber(edge:match "(%S+)$")))
	for _, row in ipairs{ { "zilles", damage.cop }, { "sastry", damage.tuples } } do
		for question, at in pairs{ edges = edge, blocks = to } do
			check_damage(name, truth, row[1], way_of(row[1], question), question,
				row[2], edge, error_of_loss(truth[question], at))
		end
	end
	check_damage(name, truth, "ammons", way_of("ammons", "blocks"), "blocks", damage.counters,
		block, error_of_loss(truth.blocks, block))
	check_damage(name, truth, "ammons", way_of("ammons", "edges"), "edges", damage.edges, edge,
		error_of_loss(truth.edges, edge))
	local call = most_frequent(truth.calls)
	check_damage(name, truth, "ammons", way_of("ammons", "calls"), "calls", function(form)
		for _, arc in ipairs(form) do
			if truths.call(arc.site, arc.callee) == call then
				arc.count = arc.count * (1 - LOST)
			end
		end
	end, call, error_of_loss(truth.calls, call))
	local path = most_frequent(truth.paths)
	check_damage(name, truth, "ammons", way_of("ammons", "paths"), "paths", function(form)
		for _, p in ipairs(form) do
			if truth.path_name(p.procedure, p.blocks) == path then
				p.count = p.count * (1 - LOST)
			end
		end
	end, path, error_of_loss(truth.paths, path))
	-- One context is missing altogether, with its whole share.
	local context, all = most_frequent(truth.contexts), 0
	for _, n in pairs(truth.contexts) do
		all = all + n
	end
	local without = {}
	for stack, n in pairs(truth.contexts) do
		without[#without + 1] = stack ~= context and ("%s %d\n"):format(stack, n) or nil
	end
	local way = way_of("ammons", "contexts")
	local wanted = 100 * truth.contexts[context] / all
	local got = truths.errors(truth, "contexts",
		way.reader.answer(truth, table.concat(without)).contexts).overlap
	check.ok(math.abs(got - wanted) < 1e-6,
		("%s: contexts without %s: %.6f %%; expected %.6f %%, which"):format(name, context, got,
		wanted))
	-- A load whose most frequent value is recorded wrongly a third of the times; a load whose
	-- latency is doubled.
	local load = most_frequent((function()
		local n = {}
		for pc, top in pairs(truth.top) do
			n[pc] = top.n
		end
		return n
	end)())
	local weight, cycles, pc_cycles, slow = 0, 0, {}, nil
	for pc, top in pairs(truth.top) do
		weight = weight + top.count
	end
	for pc, l in pairs(truth.latencies) do
		pc_cycles[pc], cycles = l.count * l.mean, cycles + l.count * l.mean
	end
	slow = most_frequent(pc_cycles)
	for _, profiler in ipairs{ "zilles", "burrows", "sastry" } do
		local values = way_of(profiler, "values")
		local profiles = values.reader.answer(truth, values.reader.exact(truth))
		for _, v in ipairs(profiles.values.loads[load].values) do
			v.estimate = v.value == truth.top[load].value and v.estimate * (1 - LOST)
				or v.estimate
		end
		local found = truths.errors(truth, "values", profiles.values).top
		local expected = 100 * LOST * truth.top[load].n / weight
		check.ok(math.abs(found - expected) < 1e-6,
			("%s: values of %s: %.6f %%; expected %.6f %%, which"):format(name, profiler,
			found, expected))
	end
	for _, profiler in ipairs{ "burrows", "profileme" } do
		local latencies = way_of(profiler, "latencies")
		local profiles = latencies.reader.answer(truth, latencies.reader.exact(truth))
		profiles.latencies[slow].mean = 2 * profiles.latencies[slow].mean
		local s = pc_cycles[slow] / cycles
		local found = truths.errors(truth, "latencies", profiles.latencies).overlap
		local expected = 100 * (2 * s / (1 + s) - s)
		check.ok(math.abs(found - expected) < 1e-6,
			("%s: latencies of %s: %.6f %%; expected %.6f %%, which"):format(name, profiler,
			found, expected))
	end
end

-- ---- programs ----
local PROGRAMS <const> = {
	{ "sort", { "demos/programs/list.txt" }, 150000 },
	{ "longjmp", {} },
	{ "lisp", { "demos/programs/input/queens.lisp" }, 200000 },
}

local programs = {}
if arg[1] then
	programs[1] = { program = arg[1], args = table.move(arg, 2, #arg, 1, {}),
		max_insts = 500000 }
else
	for i, p in ipairs(PROGRAMS) do
		programs[i] = { program = "build/demos/" .. p[1], args = p[2], max_insts = p[3] }
	end
	programs[#programs + 1] = { program = "build/tests/bakeoff/ways" }
end
local rows = {}
for _, p in ipairs(programs) do
	local o, plain = bakeoff.plain(p)
	plain.truth.all_blocks = 0
	for _, n in pairs(plain.truth.blocks) do
		plain.truth.all_blocks = plain.truth.all_blocks + n
	end
	local worst = is_perfect(o.name, plain.truth)
	is_known_error(o.name, plain.truth)
	local cells = { o.name }
	for _, q in ipairs(truths.questions) do
		cells[#cells + 1] = ("%s %.6f"):format(q.name, worst[q.name])
	end
	rows[#rows + 1] = table.concat(cells, "  ")
end
if arg[1] then
	print(table.concat(rows, "\n"))
end
check.done()
