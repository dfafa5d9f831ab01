-- Calling contexts, by the co-processor, of a program with threads, handlers and jumps out of them:
-- each stream of instructions has its own stack, so each procedure has one caller.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local counts = require "cyclops.counts"

local CALLER <const> = { leaf_a = "middle_a", middle_a = "thread_a", leaf_b = "middle_b",
	middle_b = "thread_b", leaf_handler = "handler", leaf_jumper = "jumper",
	leaf_signalled = "signalled", leaf_jumped = "jumped", signalled = "main", jumped = "main",
	thread_a = "start_thread", thread_b = "start_thread" }
local LEAVES <const> = { "leaf_a", "leaf_b", "leaf_handler", "leaf_jumper", "leaf_signalled",
	"leaf_jumped" }
-- The root above them; 0: the beginning of the profile.
local ROOT <const> = { leaf_a = "thread", leaf_b = "thread", leaf_handler = "handler",
	leaf_jumper = "jumper", leaf_signalled = 0, leaf_jumped = 0 }

-- data: room for 16 slots, which are therefore added up often; more: parameters that may lose
-- records.
local function run(firmware, slice, data, more)
	local set = { ["cop.enable"] = true, ["os.slice"] = slice, ["cop.bus"] = 8,
		["cop.transport"] = 256, ["cop.buffer"] = 1024, ["cop.data"] = data }
	for key, value in pairs(more or {}) do
		set[key] = value
	end
	local m = cyclops.machine{ program = "build/tests/cop/stacks", history = false,
		firmware = firmware, set = set }
	m:run()
	check.eq(m.status, "exited")
	if not more then
		check.eq(m.stats["cop.dropped"] + m.stats["cop.lost"], 0, "records lost")
	end
	local p = counts.profile(m)
	check.ok(p.counts.interrupts > 100, p.counts.interrupts .. " interrupts: it")
	return p, function(addr)
		local f = m:sym(addr)
		return f and f.name or addr
	end, m
end

for _, slice in ipairs{ 1500, 20000 } do
	local p, name, m = run("build/demos/firmware/cop_contexts.elf", slice, 320)
	local close <close>, seen, nodes = m, {}, 0
	local function walk(node, caller, root)
		local this = name(node.procedure)
		nodes = nodes + 1
		if CALLER[this] then
			check.eq(caller, CALLER[this], "the caller of " .. this)
		end
		if ROOT[this] then
			local is = ROOT[this] ~= "thread" and root == ROOT[this]
				or ROOT[this] == "thread" and root ~= 0 and root ~= "handler"
				and root ~= "jumper"
			check.ok(is, ("%s below %s"):format(this, root))
			seen[this] = (seen[this] or 0) + node.mispredictions
		end
		for _, child in ipairs(node.children) do
			-- a stream's root has no call
			walk(child, this, child.call == 0 and name(child.procedure) or root)
		end
	end
	walk(counts.tree(p), nil, 0)
	check.eq(nodes, #p.node + (p.node[1] and 0 or 1), "all nodes hang in the tree")
	for procedure in pairs(ROOT) do
		check.ok((seen[procedure] or 0) > 20, ("%d mispredictions in %s, which"):format(
			seen[procedure] or 0, procedure))
	end
end

-- Most records are lost, but none of a switch: procedures stay below their own thread's root.
for _, slice in ipairs{ 1500, 20000 } do
	local p, name, m = run("build/demos/firmware/cop_contexts.elf", slice, 320,
		{ ["cop.divider"] = 4, ["cop.bus"] = 1, ["cop.transport"] = 16,
			["cop.buffer"] = 32 })
	local close <close>, seen = m, 0
	check.ok(p.counts.lost > p.counts.records // 4,
		("%d of %d records lost: it"):format(p.counts.lost, p.counts.records))
	local function walk(node, root)
		local this = name(node.procedure)
		if this == "leaf_a" or this == "leaf_b" or this == "thread_a" then
			check.ok(root ~= 0 and root ~= "handler" and root ~= "jumper",
				("%s below %s"):format(this, root))
			seen = seen + 1
		elseif this == "leaf_signalled" or this == "leaf_jumped" then
			check.ok(root == 0 or root == "handler" or root == "jumper",
				("%s below %s"):format(this, root))
		end
		for _, child in ipairs(node.children) do
			walk(child, child.call == 0 and name(child.procedure) or root)
		end
	end
	walk(counts.tree(p), 0)
	check.ok(seen > 0, "threads are seen")
end

-- The same by the last call alone.
for _, slice in ipairs{ 1500, 20000 } do
	local p, name, m = run("build/demos/firmware/cop_calls.elf", slice, 240)
	local close <close>, seen = m, {}
	for _, e in ipairs(p.context) do
		local this = name(e.to)
		if CALLER[this] and e.from ~= 0 then
			check.eq(name(e.from), CALLER[this], "the caller of " .. this)
			seen[this] = (seen[this] or 0) + e.mispredictions
		end
	end
	for _, this in ipairs(LEAVES) do
		check.ok((seen[this] or 0) > 20, ("%d mispredictions in %s, which"):format(
			seen[this] or 0, this))
	end
end
check.done()
