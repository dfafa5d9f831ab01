-- Scripts' reading of the handlers' counts, against the oracle: samples never exceed the truth.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local counts = require "cyclops.counts"

local LISP <const> = { "build/demos/lisp", "demos/programs/input/queens.lisp" }
local JSON <const> = { "build/demos/json", "demos/programs/input/timezones.json", "version" }

local function open(firmware, set, program)
	program = program or LISP
	local all = { ["cop.enable"] = true, ["oracle.enable"] = true, ["oracle.blocks"] = true,
		["cop.buffer"] = 1024 }
	for name, value in pairs(set or {}) do
		all[name] = value
	end
	return cyclops.machine{ program = program[1], args = { table.unpack(program, 2) },
		firmware = firmware, set = all,
		history = false }
end

local function ordered(list, what)
	local last = math.maxinteger
	for _, e in ipairs(list) do
		check.ok(last >= e.all, what .. ": the most frequent first")
		last = e.all
	end
	check.ok(#list > 0, what .. " are there")
end

local function edges(m)
	local out = {}
	for pc, to, n in m:exact "edges" do
		out[pc] = out[pc] or {}
		out[pc][to] = n
	end
	return out
end

-- How often a branch was not taken, and taken.
local function outcomes(m, to)
	return function(pc)
		local passed, taken, next = 0, 0, pc + (m.mem:u16(pc) & 3 == 3 and 4 or 2)
		for target, n in pairs(to[pc]) do
			if target == next then passed = passed + n else taken = taken + n end
		end
		return passed, taken
	end
end

-- Branches, targets and pairs; checks the counts of each branch that was not dropped.
local function try_edges(firmware, set, insts)
	local m = open(firmware, set)
	m:run{ insts = insts }
	m:run{ until_event = "mret" } -- not in the middle of a handler
	local p, truth, sum = counts.profile(m), edges(m), 0
	local of = outcomes(m, truth)
	ordered(p.branch, "branches")
	ordered(p.target, "targets")
	ordered(p.pair, "pairs")
	for _, e in ipairs(p.branch) do
		local all = 0
		for _, n in pairs(truth[e.from]) do
			all = all + n
		end
		check.eq(e.all, e.taken + e.not_taken)
		check.ok(e.all <= all, ("branch 0x%x: %d of %d"):format(e.from, e.all, all))
		sum = sum + e.all
	end
	for _, e in ipairs(p.target) do
		check.ok(e.count <= truth[e.from][e.to], "targets are where it went")
		sum = sum + e.count
	end
	for _, e in ipairs(p.pair) do
		check.eq(e.all, e.none + e.second + e.first + e.both)
		local then_passed, then_taken = of(e.to)
		if e.from ~= 0 then -- the beginning has none
			local passed, taken = of(e.from)
			check.ok(e.none + e.second <= passed and e.first + e.both <= taken,
				"outcomes of a pair's first")
		end
		check.ok(e.none + e.first <= then_passed and e.second + e.both <= then_taken,
			"outcomes of a pair's second")
		sum = sum + e.all
	end
	check.eq(sum + p.counts.dropped, p.counts.samples)
	check.eq(p.counts.entries, #p.branch + #p.target + #p.pair)
	return p, m, truth
end

-- With one instruction fetched a cycle, nothing is dropped; only counts that are not folded yet are
-- missing.
do
	local p, m, truth = try_edges("build/demos/firmware/cop_edges.elf",
		{ ["pipe.fetch_width"] = 1, ["cop.bus"] = 8, ["cop.transport"] = 256 }, 240000)
	check.eq(m.stats["cop.dropped"] + m.stats["cop.lost"], 0)
	check.ok(p.counts.interrupts >= 3 and p.counts.dropped == 0, p.counts.interrupts ..
		" interrupts")
	local same = 0
	for _, e in ipairs(p.branch) do
		local all = 0
		for _, n in pairs(truth[e.from]) do
			all = all + n
		end
		same = same + (all == e.all and 1 or 0)
	end
	check.ok(same > #p.branch / 4, same .. " of " .. #p.branch ..
		" branches are known to the last one, which")
end

-- A table too small for most branches; a branch that is masked once it is known.
do
	local small = try_edges("build/tests/cop/counts/small.elf", {}, 60000)
	check.eq(small.counts.entries, 16)
	check.ok(small.counts.dropped > 0, "some found no room: it")
	for _, firmware in ipairs{ "build/tests/cop/counts/enough.elf",
		"build/demos/firmware/cop_edges.elf" } do
		local m, first, more = open(firmware, { ["cop.cam"] = 40 }, JSON), {}, 0
		m:run{ insts = 600000 }
		for _, e in ipairs(counts.profile(m).branch) do
			first[e.from] = e.all >= 100 and e.all or nil
		end
		m:run{ insts = 300000 }
		for _, e in ipairs(counts.profile(m).branch) do
			more = math.max(more, first[e.from] and e.all - first[e.from] or 0)
		end
		check.eq(more > 100, not firmware:find "enough", firmware ..
			": what is known comes again, " .. more .. " times,")
	end
end

for name, lists in pairs{ calls = { "context" }, memdep = { "dependence" },
	conflicts = { "set", "access" } } do
	local m = open("build/demos/firmware/cop_" .. name .. ".elf",
		{ ["cop.cam"] = 80, ["cop.data"] = name == "calls" and 224 or 256,
		["l1d.size"] = "4K", ["l1d.ways"] = 1 })
	m:run{ insts = 300000 }
	m:run{ until_event = "mret" }
	local p, sum = counts.profile(m), 0
	for _, list in ipairs(lists) do
		ordered(p[list], list)
		for _, e in ipairs(p[list]) do
			sum = sum + e.all
		end
	end
	check.eq(sum, p.counts.samples)
	check.ok(p.counts.interrupts > 0, name .. ": interrupts")
end

check.fails(function() counts.profile(open(nil)) end, "keeps no profile of counts")
check.fails(function() counts.profile(open "build/demos/firmware/cop_value.elf") end,
	"keeps no profile of counts")
check.fails(function() require "cyclops.values".profile(
	open "build/demos/firmware/cop_edges.elf") end, "cyclops.counts reads it")
check.done()
