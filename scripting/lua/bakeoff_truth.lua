-- The questions to profilers, the exact answers, and the error of a profile.
--
-- Used by cyclops.bakeoff, which runs profilers. A profile of blocks, edges, calls, paths or
-- contexts is a table of counts by text; one of values is input of cyclops.values.judge(); one of
-- latencies is { [PC] = { count =, mean = } }.

local xprof, values = require "cyclops.xprof", require "cyclops.values"

local truths = {}

-- truths.questions: { { name =, what =, metrics = { NAME, ... } }, ... }
-- In the order of tables. The first metric is the common one, the error of tables; all are in
-- percent, 0 is right.
truths.questions = {
	{ name = "blocks", what = "how often each basic block was entered",
		metrics = { "overlap" } },
	{ name = "edges", what = "how often each conditional branch was taken and not taken",
		metrics = { "overlap", "invariance" } },
	{ name = "calls", what = "how often each call went to each procedure",
		metrics = { "overlap" } },
	{ name = "paths", what = "how often each path through a procedure was taken",
		metrics = { "overlap" } },
	{ name = "contexts", what = "how often procedures were called in each calling context",
		metrics = { "overlap" } },
	{ name = "values", what = "how often each load brings its most frequent value",
		metrics = { "top", "rms", "invariance" } },
	{ name = "latencies", what = "where loads take their time, and how long each takes",
		metrics = { "overlap", "mean" } },
}

local function key(a, b)
	return b and ("0x%x 0x%x"):format(a, b) or ("0x%x"):format(a)
end
truths.key = key

--- truths.call(SITE, CALLEE) -> TEXT
-- The key of a call in profiles: the address of the call in the original program, and the
-- procedure's name.
function truths.call(site, callee)
	return ("0x%x %s"):format(site, callee)
end

-- ---- the flow graph, as software reads it in the code ----
-- Executed blocks by address; how control leaves each, and what reaches each without a branch's
-- decision.
local function flow_of(m)
	local flow = { list = {}, at = {}, into = {} }
	for i, row in ipairs(m:report("oracle blocks all").rows) do
		local b = { from = row.address, to = row["end"], length = row.length,
			count = row.count }
		flow.list[i], flow.at[b.from] = b, b
	end
	table.sort(flow.list, function(a, b) return a.from < b.from end)
	return flow
end

--- truths.block_of(FLOW, PC) -> BLOCK or nil
-- The block that an instruction is in.
function truths.block_of(flow, pc)
	local low, high = 1, #flow.list
	while low <= high do
		local middle = (low + high) // 2
		local b = flow.list[middle]
		if pc < b.from then
			high = middle - 1
		elseif pc >= b.to then
			low = middle + 1
		else
			return b
		end
	end
end

local DECIDED <const> = { taken = true, ["not taken"] = true }

-- Exact rows: where each control instruction led, how often each place was returned to, and how
-- often each instruction was executed.
local function rows_of(m, flow)
	local rows = { edges = m:report("oracle edges all").rows, insts = {}, back = {} }
	local atomic = {} -- by block: the places of its load-reserved and store-conditionals
	for _, row in ipairs(m:report("oracle all").rows) do
		rows.insts[row.address] = row.count
		local op = row.instruction:match "^(%a%a)%.[wd]"
		local b = (op == "lr" or op == "sc") and truths.block_of(flow, row.address)
		if b and row.address >= (atomic[b] and atomic[b].at or 0) then
			atomic[b] = { at = row.address, opens = op == "lr" }
		end
	end
	-- The editor takes an atomic sequence for one block; `inside`: not its first part.
	local before, opens
	for _, b in ipairs(flow.list) do
		b.inside = before ~= nil and opens and before.to == b.from and before or nil
		opens = atomic[b] and atomic[b].opens or atomic[b] == nil and b.inside ~= nil
		before = b
	end
	for _, row in ipairs(rows.edges) do
		if row.kind == "return" then
			rows.back[row.to] = (rows.back[row.to] or 0) + row.count
		end
	end
	for _, b in ipairs(flow.list) do
		local last = b.to - 2
		while not rows.insts[last] do
			last = last - 2
		end
		b.left = rows.insts[last] -- how often its last instruction was executed
	end
	return rows
end

-- Where blocks are entered from: { edges or calls = KEY, share = }, of what is counted under this
-- key the part that goes there, or { from = BLOCK, share = }, the part of that block's executions.
-- The parts are the oracle's: no profiler counts how a jump through a register, or a name that
-- several procedures share, divides. A call that returns continues after it.
local function add_edges(flow, rows)
	local counts = { edges = {}, calls = {}, branches = {}, names = {} }
	local ends, called = {}, {} -- blocks that end with a jump of some kind; keys by callee
	local function comes(to, what, n, whole)
		flow.into[to] = flow.into[to] or {}
		if n > 0 then
			what.share = n / whole
			table.insert(flow.into[to], what)
		end
	end
	for _, row in ipairs(rows.edges) do
		local pc, to = row.address, row.to
		local b = truths.block_of(flow, pc)
		if b then
			ends[b.from] = true
		end
		if DECIDED[row.kind] then
			if b then
				b.branch = pc
			end
			local branch = counts.branches[pc] or {}
			counts.branches[pc] = branch
			branch[row.kind == "taken" and "target" or "fall"] = to
			counts.edges[key(pc, to)] = (counts.edges[key(pc, to)] or 0) + row.count
			comes(to, { edges = key(pc, to) }, 1, 1)
		elseif row.kind == "call" then
			local name = truths.call(pc, row.to_place)
			counts.calls[name] = (counts.calls[name] or 0) + row.count
			counts.names[to] = row.to_place
			called[#called + 1] = { to = to, name = name, count = row.count }
			if b and flow.at[b.to] and not b.called then
				b.called = true -- only once for indirect calls with several targets
				b.returns = (rows.back[b.to] or 0) / b.count
				comes(b.to, { from = b.from }, rows.back[b.to] or 0, b.count)
			end
		elseif row.kind ~= "return" and b then
			comes(to, { from = b.from }, row.count, b.count)
		end
	end
	for _, call in ipairs(called) do
		comes(call.to, { calls = call.name }, call.count, counts.calls[call.name])
	end
	for _, b in ipairs(flow.list) do
		if not ends[b.from] and flow.at[b.to] then
			comes(b.to, { from = b.from }, b.left, b.count)
		end
	end
	return counts
end

-- ---- blocks from what leads to them ----
-- Blocks in an order in which each comes after those it is entered from, but for cycles, which are
-- one list (Tarjan's strongly connected components).
local function components(flow)
	local number, low, stack, on, out, next_number = {}, {}, {}, {}, {}, 0
	for _, root in ipairs(flow.list) do
		local work = not number[root.from] and { { root.from, 0 } } or {}
		while #work > 0 do
			local top = work[#work]
			local at, i = top[1], top[2]
			if i == 0 then
				next_number = next_number + 1
				number[at], low[at] = next_number, next_number
				stack[#stack + 1], on[at] = at, true
			end
			local into = flow.into[at] or {}
			i = i + 1
			top[2] = i
			local other = into[i] and into[i].from
			if other and not number[other] then
				work[#work + 1] = { other, 0 }
			elseif other and on[other] then
				low[at] = math.min(low[at], number[other])
			elseif i > #into then
				if low[at] == number[at] then
					local part = {}
					repeat
						local b = table.remove(stack)
						on[b] = nil
						part[#part + 1] = b
					until b == at
					out[#out + 1] = part
				end
				work[#work] = nil
				local under = work[#work]
				if under then
					low[under[1]] = math.min(low[under[1]], low[at])
				end
			end
		end
	end
	return out
end

-- Solves x = inflow + M x for the blocks of a cycle, M the shares that they get from one another.
local function solve(flow, part, inflow)
	local place, rows = {}, {}
	for i, at in ipairs(part) do
		place[at] = i
	end
	for i, at in ipairs(part) do
		local row = { [i] = 1 }
		for _, e in ipairs(flow.into[at]) do
			local k = e.from and place[e.from]
			if k then
				row[k] = (row[k] or 0) - e.share
			end
		end
		row.sum, rows[i] = inflow[at], row
	end
	for i, row in ipairs(rows) do -- Gauss and Jordan; leaks make the diagonal the largest
		for k, other in ipairs(rows) do
			local factor = k ~= i and other[i] and row[i] ~= 0 and other[i] / row[i]
			if factor and factor ~= 0 then
				for column, v in pairs(row) do
					other[column] = (other[column] or 0) - factor * v
				end
				other[i] = nil
			end
		end
	end
	for i, at in ipairs(part) do
		inflow[at] = rows[i][i] ~= 0 and rows[i].sum / rows[i][i] or 0
	end
end

-- Counts of all edges and calls.
local function whole_of(edges, calls)
	local n = 0
	for _, side in ipairs{ edges, calls } do
		for _, count in pairs(side) do
			n = n + count
		end
	end
	return n
end

local function blocks_by_address(flow, edges, calls)
	local known, counts, whole = { edges = edges, calls = calls }, {}, whole_of(edges, calls)
	for _, part in ipairs(flow.order) do
		local inside = {}
		for _, at in ipairs(part) do
			inside[at], counts[at] = #part > 1, 0
		end
		local cycle = #part > 1
		for _, at in ipairs(part) do
			local n = (flow.outside[at] or 0) * whole
			for _, e in ipairs(flow.into[at] or {}) do
				cycle = cycle or e.from == at
				if not e.from then
					n = n + e.share * ((e.edges and known.edges[e.edges]
						or e.calls and known.calls[e.calls]) or 0)
				elseif e.from ~= at and not inside[e.from] then
					n = n + e.share * counts[e.from]
				end
			end
			counts[at] = n
		end
		if cycle then
			solve(flow, part, counts)
		end
	end
	return counts
end

-- Prepares truths.blocks(): the order, and for each block the executions that no edge leads to
-- (the program's first, handlers'), as a share of all edges and calls.
local function prepare_blocks(flow, edges, calls)
	flow.order, flow.outside = components(flow), {}
	local whole = whole_of(edges, calls)
	local known = { edges = edges, calls = calls }
	for _, b in ipairs(flow.list) do
		local n = b.count
		for _, e in ipairs(flow.into[b.from] or {}) do
			n = n - e.share * (e.from and flow.at[e.from].count
				or known[e.edges and "edges" or "calls"][e.edges or e.calls])
		end
		flow.outside[b.from] = math.abs(n) > 1e-6 and whole > 0 and n / whole or nil
	end
end

--- truths.blocks(FLOW, EDGES, CALLS) -> PROFILE
-- Counts of blocks from those of branches and calls: a block's count is what was counted for it,
-- plus the oracle's shares of the counts of blocks that lead to it without a branch's decision.
function truths.blocks(flow, edges, calls)
	local profile = {}
	for from, n in pairs(blocks_by_address(flow, edges, calls)) do
		profile[key(from)] = n > 0 and n or nil
	end
	return profile
end

--- truths.blocks_of_counters(FLOW, PROFILE) -> PROFILE
-- The profile of counters in programs: in the executable editor a call ends no block, so the block
-- after it gets the same count, or the share of it that returned; and parts of an atomic sequence
-- get the oracle's shares of its entries.
function truths.blocks_of_counters(flow, counted)
	local profile, before = {}, nil
	for _, b in ipairs(flow.list) do
		local n = counted[key(b.from)]
		if not n and before and before.called and before.to == b.from then
			n = profile[key(before.from)] and profile[key(before.from)] * before.returns
		elseif not n and b.inside then
			n = profile[key(before.from)] and profile[key(before.from)] * b.count
				/ before.count
		end
		profile[key(b.from)], before = n, b
	end
	return profile
end

--- truths.add_inner_edges(TRUTH, EDGES)
-- Adds to the edges that the editor counts those within atomic sequences: as much comes to a part
-- as leaves it.
function truths.add_inner_edges(t, edges)
	for i = #t.flow.list, 1, -1 do
		local b = t.flow.list[i]
		local out = b.inside and t.branches[b.branch]
		local into = b.inside and b.inside.branch and key(b.inside.branch, b.from)
		if out and t.edges[into] and not edges[into] then
			edges[into] = (edges[key(b.branch, out.fall or 0)] or 0)
				+ (edges[key(b.branch, out.target or 0)] or 0)
		end
	end
end

--- truths.blocks_of_samples(FLOW, SAMPLES) -> PROFILE
-- The profile of { [PC] = COUNT }, samples of instructions: a block of twice as many instructions
-- has twice the samples.
function truths.blocks_of_samples(flow, samples)
	local profile = {}
	for pc, n in pairs(samples) do
		local b = truths.block_of(flow, pc)
		if b then
			profile[key(b.from)] = (profile[key(b.from)] or 0) + n / b.length
		end
	end
	return profile
end

-- ---- exact answers ----
--- truths.contexts(TEXT) -> PROFILE
-- The contexts of a folded tree, the oracle's or the one built by the program: call chains by name.
function truths.contexts(text)
	local profile = {}
	for stack, n in text:gmatch "([^\n]+) (%d+)\n" do
		profile[stack] = (profile[stack] or 0) + tonumber(n)
	end
	return profile
end

-- truths.set: parameters of the machine with the oracle.
truths.set = { ["oracle.enable"] = true, ["oracle.blocks"] = true, ["oracle.contexts"] = true,
	["oracle.values"] = "loads", ["oracle.loads"] = true,
	["oracle.memory"] = 1 << 30 }

--- truths.of(MACHINE) -> TRUTH
-- The oracle's counts so far, from a machine with truths.set: TRUTH.blocks and so on, and
-- TRUTH.flow, the blocks. The caller adds paths.
function truths.of(m)
	local flow = flow_of(m)
	local rows = rows_of(m, flow)
	local counts = add_edges(flow, rows)
	prepare_blocks(flow, counts.edges, counts.calls)
	local t = { flow = flow, rows = rows, blocks = {}, edges = counts.edges,
		calls = counts.calls, branches = counts.branches,
		folded = m:export "folded by calls", values = values.truth(m), latencies = {} }
	t.contexts = truths.contexts(t.folded)
	function t.name(to)
		return counts.names[to] or ("0x%x"):format(to)
	end
	for _, b in ipairs(flow.list) do
		t.blocks[key(b.from)] = b.count
	end
	for _, row in ipairs(m:report("oracle loads all").rows) do
		local n = row.count - row.untimed
		if n > 0 then
			t.latencies[row.address] = { count = n, mean = row.cycles / n }
		end
	end
	if m.stats["oracle.lost"] and m.stats["oracle.lost"] > 0 then
		error("the oracle has lost counts: oracle.memory is too small for this program; " ..
			"use fewer instructions", 0)
	end
	truths.index(t)
	return t
end

--- truths.index(TRUTH)
-- Prepares the errors of values: the index of cyclops.values.judge(), the most frequent value of
-- each load, and the profile by 5.3.1 of Sastry and others.
function truths.index(t)
	t.top, t.ideal, t.ideal_edges = {}, cyclops.profile(), cyclops.profile()
	for pc, load in pairs(t.values) do
		for value, n in pairs(load.values) do
			local top = t.top[pc]
			if not top or n > top.n or n == top.n and value < top.value then
				t.top[pc] = { value = value, n = n, share = n / load.count,
					count = load.count }
			end
			t.ideal:add(pc, value, 0, n)
		end
	end
	for text, n in pairs(t.edges) do
		local pc, to = text:match "^(%S+) (%S+)$"
		t.ideal_edges:add(math.tointeger(pc), math.tointeger(to), 0, n)
	end
	t.judged = values.index(t.values)
end

-- ---- errors ----
-- The distance of Vaswani and others: half of the sum of differences in share.
local function overlap(truth, profile)
	return 50 * xprof.distance(truth, profile)
end

local metrics = {}

metrics.overlap = function(t, question, profile)
	if question ~= "latencies" then
		return overlap(t[question], profile)
	end
	local sides = { {}, {} }
	for i, side in ipairs{ t.latencies, profile } do
		for pc, l in pairs(side) do
			sides[i][key(pc)] = l.count * l.mean
		end
	end
	return overlap(sides[1], sides[2])
end

-- The relative error of a load's mean latency, averaged over all executions; 100 % for an unknown
-- load.
metrics.mean = function(t, _, profile)
	local wrong, weight, pcs = 0, 0, {}
	for pc in pairs(t.latencies) do
		pcs[#pcs + 1] = pc
	end
	table.sort(pcs)
	for _, pc in ipairs(pcs) do
		local l, p = t.latencies[pc], profile[pc]
		wrong = wrong + l.count * math.min(1,
			p and math.abs(p.mean / math.max(l.mean, 1) - 1) or 1)
		weight = weight + l.count
	end
	return weight > 0 and 100 * wrong / weight or 0
end

-- The error in the share of each load's most frequent value (Burrows and others judge hotlists so),
-- averaged over all executions.
metrics.top = function(t, _, profile)
	local wrong, weight, pcs = 0, 0, {}
	for pc in pairs(t.top) do
		pcs[#pcs + 1] = pc
	end
	table.sort(pcs)
	for _, pc in ipairs(pcs) do
		local top, share = t.top[pc], 0
		for _, v in ipairs(profile.loads[pc] and profile.loads[pc].values or {}) do
			share = v.value == top.value and v.estimate or share
		end
		wrong, weight = wrong + top.count * math.abs(share - top.share), weight + top.count
	end
	return weight > 0 and 100 * wrong / weight or 0
end

metrics.rms = function(t, _, profile)
	return 100 * values.judge(t.judged, profile)
end

-- The error of Sastry and others, 5.3.1, for values or branch targets; false if it selects no
-- instruction of this program.
metrics.invariance = function(t, question, profile)
	local p, error = cyclops.profile(), nil
	if question == "values" then
		for pc, load in pairs(profile.loads) do
			for _, v in ipairs(load.values) do
				local n = math.floor(v.estimate * (1 << 20) + 0.5)
				if n > 0 then
					p:add(pc, v.value, 0, n)
				end
			end
			-- Samples without a known value belong to none that counts.
			local rest = (1 << 20) - math.min(1 << 20, p:count(pc) or 0)
			if rest > 0 then
				p:add(pc, -1, 0, rest)
			end
		end
		error = p:error(t.ideal)
	else
		for text, n in pairs(profile) do
			local pc, to = text:match "^(%S+) (%S+)$"
			local whole = math.floor(n + 0.5)
			if whole > 0 then
				p:add(math.tointeger(pc), math.tointeger(to), 0, whole)
			end
		end
		error = p:error(t.ideal_edges)
	end
	return error and 100 * error or false
end

--- truths.question(NAME) -> QUESTION
-- The question of that name; nil if there is none.
function truths.question(name)
	for _, q in ipairs(truths.questions) do
		if q.name == name then
			return q
		end
	end
end

--- truths.error(TRUTH, QUESTION, PROFILE) -> PERCENT
-- The error by the common metric.
function truths.error(t, question, profile)
	return metrics[truths.question(question).metrics[1]](t, question, profile)
end

--- truths.errors(TRUTH, QUESTION, PROFILE) -> { METRIC = PERCENT or false, ... }
-- The error by each of the question's metrics; false if one does not apply.
function truths.errors(t, question, profile)
	local errors = {}
	for _, name in ipairs(truths.question(question).metrics) do
		errors[name] = metrics[name](t, question, profile)
	end
	return errors
end

return truths
