-- `view bakeoff` against cyclops.bakeoff_truth, which computes the same from reports: shares, their
-- errors, and the bars.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local truths = require "cyclops.bakeoff_truth"

local SORT <const> = { program = "build/demos/sort", args = { "demos/programs/list.txt" } }
local ALL <const> = { ["oracle.enable"] = true, ["oracle.blocks"] = true, ["oracle.contexts"] =
	true, ["oracle.values"] = "loads", ["oracle.loads"] = true }

local function open(about, set)
	local a = { set = {} }
	for _, from in ipairs{ SORT, about } do
		for k, v in pairs(from) do
			a[k] = v
		end
	end
	for _, from in ipairs{ ALL, set } do
		for k, v in pairs(from) do
			a.set[k] = v
		end
	end
	return cyclops.machine(a)
end

local function near(got, wanted, what)
	check.ok(math.abs(got - wanted) <= 0.051, ("%s: %.3f is %.3f, which"):format(what, got,
		wanted))
end

-- The number and the bar of a cell.
local function cell(v)
	if type(v) == "number" then
		return v
	end
	local share, bar = tostring(v):match "^([%d.]+) ±([%d.]+)$"
	return tonumber(share or v), tonumber(bar)
end

-- insts: a profiler's instructions of each block, by key.
local function compare(m, column, insts)
	local view, t = m:view "bakeoff all", truths.of(m)
	local sum, all, off, seen = 0, m.stats["sim.insts"], 0, 0
	for _, n in pairs(insts) do
		sum = sum + n
	end
	check.eq(#view.rows, #t.flow.list, "blocks")
	for _, row in ipairs(view.rows) do
		local address = math.tointeger(row.address)
		local b = t.flow.at[address]
		check.eq(math.tointeger(row.length), b.length, "length")
		local share = 100 * (insts[truths.key(address)] or 0) / sum
		local said = row[column]
		-- The view leaves out executions that no edge leads to.
		if share > 0.05 or share > 0 and cell(said) then
			near((cell(said)), share, ("%s of 0x%x"):format(column, address))
			seen = seen + 1
		end
		off = off + math.abs(share - cell(row.truth))
		for _, other in ipairs{ "counters", "cop", "sampler", "values", "profileme" } do
			check.ok(other == column or row[other] == nil or row[other] == "",
				other .. " is not on, and this")
		end
	end
	check.ok(seen > 5, seen .. " blocks are known, which")
	local summary = tonumber(view.summary:match(column .. " ([%d.]+)%%"))
	check.ok(math.abs(summary - off / 2) < 0.06 * #view.rows / 2,
		("off by %.2f, once more %.2f: it"):format(summary, off / 2))
	check.ok(all > 0)
end

local function times_length(t, counts)
	local insts = {}
	for _, b in ipairs(t.flow.list) do
		insts[truths.key(b.from)] = (counts[truths.key(b.from)] or 0) * b.length
	end
	return insts
end

-- The sampler: its messages of branches and calls.
do
	local m <close> =
		open({},
		{ ["sampler.enable"] = true, ["sampler.select"] = "edge of branch, call tag 1",
		["sampler.compressor"] = "R(16)" })
	local last
	for _, insts in ipairs{ 30000, 120000 } do
		m:run{ until_insts = insts }
		local t, edges, calls = truths.of(m), {}, {}
		for pc, to, tag, _, told in m.sampler:tuples() do
			local name = tag == 1 and truths.call(pc, t.name(to)) or truths.key(pc, to)
			local side = tag == 1 and calls or edges
			side[name] = told > 0 and told or nil
		end
		compare(m, "sampler", times_length(t, truths.blocks(t.flow, edges, calls)))
		local _, bar = cell(m:view "bakeoff 1".rows[1].sampler)
		check.ok(bar and (not last or bar < last),
			("%s behind %s: bars that shrink"):format(bar, last))
		last = bar
	end
	local text = m:view "bakeoff".rows
	check.eq(#text, 10, "rows, by default,")
	-- Going back shows the same as before.
	local cycle, before = m.cycle, m:view "bakeoff".rows[1].sampler
	m:run{ insts = 5000 }
	m:go(cycle)
	check.eq(m:view "bakeoff".rows[1].sampler, before)
end

-- The co-processor: its table and its slots.
do
	local m <close> = open({ firmware = "build/demos/firmware/cop_flow.elf" },
		{ ["cop.enable"] = true, ["cop.cam"] = 64, ["cop.data"] = 192 })
	m:run{ until_insts = 400000 }
	local t, edges, calls = truths.of(m), {}, {}
	local function branch(pc, taken, n)
		local b = t.branches[pc]
		local to = b and (taken and b.target or not taken and b.fall)
		if to and n > 0 then
			edges[truths.key(pc, to)] = (edges[truths.key(pc, to)] or 0) + n
		end
	end
	for _, e in ipairs(require "cyclops.counts".profile(m).branch) do
		branch(e.from, true, e.taken)
		branch(e.from, false, e.not_taken)
	end
	local function call(from, to, n)
		local name = truths.call(from, t.name(to))
		calls[name] = (calls[name] or 0) + n
	end
	for _, e in ipairs(require "cyclops.counts".profile(m).target) do
		call(e.from, e.to, e.count)
	end
	m.cop:names "demos/microcode/flow.mic"
	for _, slot in ipairs(m.cop:slots()) do
		if slot.target ~= 0 then
			call(slot.place, slot.target, slot.not_taken + (slot.taken << 16))
		else
			branch(slot.place, true, slot.taken)
			branch(slot.place, false, slot.not_taken)
		end
	end
	check.ok(m.cop.interrupts > 0, "the handler has received something: it")
	compare(m, "cop", times_length(t, truths.blocks(t.flow, edges, calls)))
end

-- Its program counts each branch and call exactly if no record is lost, and about an eighth with
-- one in eight.
for one_in, most in pairs{ [1] = 0, [8] = 0.1 } do
	local m <close> = open({ firmware = "build/demos/firmware/cop_flow.elf",
		config = "classic5" }, { ["cop.enable"] = true, ["cop.bus"] = 8,
		["cop.transport"] = 256, ["cop.buffer"] = 1024 })
	m:run{ until_event = "record" }
	m.cop:write(0x108, one_in - 1)
	local before = truths.of(m)
	m:run{ insts = 15000 }
	local after = truths.of(m)
	check.eq(m.stats["cop.lost"] + m.stats["cop.dropped"], 0, "lost")
	m.cop:names "demos/microcode/flow.mic"
	local counts, all, wanted = {}, 0, 0
	local function add(name, n)
		counts[name] = (counts[name] or 0) + n
	end
	local function branch(pc, taken, n)
		local b = after.branches[pc]
		add(truths.key(pc, taken and b.target or b.fall or 0), n)
	end
	local p = require "cyclops.counts".profile(m)
	for _, e in ipairs(p.branch) do
		branch(e.from, true, e.taken)
		branch(e.from, false, e.not_taken)
	end
	for _, e in ipairs(p.target) do
		add(truths.call(e.from, after.name(e.to)), e.count)
	end
	for _, slot in ipairs(m.cop:slots()) do
		if slot.target ~= 0 then
			add(truths.call(slot.place, after.name(slot.target)),
				slot.not_taken + (slot.taken << 16))
		else
			branch(slot.place, true, slot.taken)
			branch(slot.place, false, slot.not_taken)
		end
	end
	for _, kind in ipairs{ "edges", "calls" } do
		for name, n in pairs(after[kind]) do
			local since = n - (before[kind][name] or 0)
			wanted, all = wanted + since, all + (counts[name] or 0)
			if one_in == 1 and since > 100 then
				-- Messages on their way when it begins and ends.
				check.ok(math.abs(counts[name] - since) <= 12,
					("%s: %d of %d"):format(name, counts[name], since))
			end
		end
	end
	check.ok(math.abs(all * one_in / wanted - 1) <= most + 0.01,
		("one in %d: %d of %d"):format(one_in, all, wanted))
end

-- Samples of instructions.
do
	local m <close> = open({ values = "results" }, { ["vsample.interval_min"] = 300,
		["vsample.interval_max"] = 400 })
	m:run{ until_insts = 60000 }
	local t, insts = truths.of(m), {}
	for list in m.values:each "results" do
		local b = truths.block_of(t.flow, list.pc)
		if b then
			insts[truths.key(b.from)] = (insts[truths.key(b.from)] or 0) + list.vtot
		end
	end
	compare(m, "values", insts)
end
do
	local m <close> = open({}, { ["profileme.enable"] = true, ["profileme.interval_min"] = 50,
		["profileme.interval_max"] = 60 })
	m:run{ until_insts = 60000 }
	local t, insts = truths.of(m), {}
	for pc, c in m.profileme:all() do
		local b = truths.block_of(t.flow, pc)
		if b then
			insts[truths.key(b.from)] = (insts[truths.key(b.from)] or 0) + c.retired
		end
	end
	compare(m, "profileme", insts)
end

-- The program's own counters; always-on counters have no bar.
for kind, has_bar in pairs{ bb = false, ["bb=0,on"] = true } do
	local m <close> = open({ instrument = kind }, {})
	m:run{ until_insts = 60000 }
	local row = m:view "bakeoff".rows[1]
	local share, bar = cell(row.counters)
	check.ok(share > 1 and (bar ~= nil) == has_bar, kind .. ": " .. tostring(row.counters))
end

-- The module of latencies: as many as in its bins, and those of the primary cache take a hit's
-- time.
do
	local m <close> = open({ values = "latency,cycles" }, { ["vsample.interval_min"] = 300,
		["vsample.interval_max"] = 400, ["vsample.skip_min"] = 0,
		["values.method"] = "exact" })
	m:run{ until_insts = 60000 }
	local lists = 0
	for list in m.values:each "cycles" do
		local bins = m.values:top(list.pc, "latency")
		check.eq(list.vtot, bins.vtot, "latencies")
		if #bins == 1 and bins[1].text == "D" then
			for _, v in ipairs(list) do
				check.ok(v.value <= 4, v.value .. " cycles in the primary cache")
			end
		end
		lists = lists + 1
	end
	check.ok(lists > 10, lists .. " loads, which")
end

check.says(cyclops.machine(SORT):view "bakeoff".empty or "", "oracle")
check.done()
