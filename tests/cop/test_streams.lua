-- Edges, calling contexts, dependences and cache conflicts on a machine, from the events of its
-- pipeline to the table in firmware's memory: what each microprogram is to find is counted here
-- from the stream of instructions that commit, in words of what is looked for, without slots,
-- arrays or registers. Events remove records without room from the stream; the table must have
-- exactly the data of the others.
package.path = "tests/cop/?.lua;tests/lua/?.lua;" .. package.path
local check = require "check"
local counts = require "cyclops.counts"

local FIRMWARE <const>, CLASSES <const> = 0x4000000000, 0x18
local LISP <const> = { "build/demos/lisp", "demos/programs/input/queens.lisp" }
local JSON <const> = { "build/demos/json", "demos/programs/input/timezones.json", "version" }
local ROOMY <const> = { ["cop.buffer"] = 1024, ["cop.transport"] = 256, ["cop.bus"] = 8,
	["pipe.fetch_width"] = 1,
	["cop.cam"] = 80, ["cop.data"] = 256, ["l1d.size"] = "4K", ["l1d.ways"] = 1 }
local NARROW <const> = { ["cop.buffer"] = 8, ["cop.transport"] = 8, ["cop.divider"] = 4,
	["cop.cam"] = 80, ["cop.data"] = 256, ["l1d.size"] = "4K", ["l1d.ways"] = 1 }

-- Frames of whole chains take 256 words.
local function with_data(set, words)
	local copy = {}
	for key, value in pairs(set) do
		copy[key] = value
	end
	copy["cop.data"] = words
	return copy
end

local function add(t, kind, from, to, what, n)
	local key = ("%s 0x%x 0x%x %s"):format(kind, from, to, what)
	t[key] = (t[key] or 0) + (n or 1)
end

-- ---- models: each gets a record, and prints nothing ----
local models = {}

function models.edges()
	local m, last, outcome = { found = {} }, 0, "not_taken"
	function m.record(r)
		if r.kind == "branch" then
			local now = r.taken and "taken" or "not_taken"
			add(m.found, "branch", r.pc, 0, now)
			add(m.found, "pair", last, r.pc,
				({ not_takennot_taken = "none", not_takentaken = "second",
				takennot_taken = "first", takentaken = "both" })[outcome .. now])
			last, outcome = r.pc, now
		elseif r.base then
			add(m.found, "target", r.pc, r.next, "count")
		end
	end
	return m
end

-- Calls that have not returned: { call, procedure, return address }. At most 63 are kept, the
-- others are counted. A return leaves the highest frame that it fits, if there is one. naive: each
-- return leaves the last frame, as if no record were ever lost.
local function stack(naive)
	local s = { frames = { [0] = { 0, 0, 0 } }, depth = 0, beyond = 0 }
	-- Follows a call or return; a return's record belongs to the procedure that it leaves.
	function s.follow(r)
		if r.link and s.depth == 63 then
			s.beyond = s.beyond + 1
		elseif r.link then
			s.depth = s.depth + 1
			s.frames[s.depth] = { r.pc, r.next, r.pc + r.len }
		elseif r.returns and s.beyond > 0 then
			s.beyond = s.beyond - 1
		elseif r.returns then
			for d = s.depth, 1, -1 do
				if naive or s.frames[d][3] == r.next then
					s.depth = d - 1
					return s.frames[d]
				end
			end
		end
	end
	return s
end

function models.calls()
	local m, s, naive = { found = {}, right = 0, naive = 0, all = 0 }, stack(), stack(true)
	function m.record(r)
		local before, naive_before = s.frames[s.depth], naive.frames[naive.depth]
		local of, naive_of = s.follow(r) or before, naive.follow(r) or naive_before
		if r.mispredicted then
			add(m.found, "context", of[1], of[2], "mispredictions")
			m.all = m.all + 1
			m.right = m.right + (of[1] == r.truth[1] and of[2] == r.truth[2] and 1 or 0)
			m.naive = m.naive + (naive_of[1] == r.truth[1] and naive_of[2] == r.truth[2]
				and 1 or 0)
		end
	end
	return m
end

-- The whole chain of calls: its key is a hash of its parent's, the call and the procedure.
function models.contexts()
	local m, s = { found = {}, chain = {} }, stack()
	s.frames[0].key = 0
	local function enter(frame)
		while frame.above and not m.chain[frame.key] do
			m.chain[frame.key] = frame
			frame = frame.above
		end
	end
	function m.record(r)
		local before = s.frames[s.depth]
		local depth = s.depth
		local of = s.follow(r) or before
		if s.depth > depth then
			local f = s.frames[s.depth]
			f.above, f.key = before,
				(r.pc ~ r.next << 16 ~ before.key * 257) & 0xffffffff
		end
		if r.mispredicted then
			add(m.found, "node", of.key, of.above and of.above.key or 0,
				"mispredictions")
			enter(of)
		end
	end
	return m
end

function models.memdep()
	local m, writer, order, first = { found = {} }, {}, {}, 1
	function m.record(r)
		local place = (r.addr & 0xffffffff) // 8
		if r.kind == "load" and writer[place] then
			add(m.found, "dependence", writer[place], r.pc, "count")
		elseif r.kind == "store" then
			if not writer[place] then
				order[#order + 1] = place
				-- the oldest place is dropped
				if #order - first == 64 then
					writer[order[first]] = nil
					first = first + 1
				end
			end
			writer[place] = r.pc
		end
	end
	return m
end

function models.conflicts()
	local m, missed, order, first, watched = { found = {} }, {}, {}, 1, {}
	function m.record(r)
		local block, set = (r.addr & 0xffffffff) // 32, r.addr & 1023 * 32
		if r.missed and missed[block] then
			watched[set] = true
			add(m.found, "set", set, 0, "conflicts")
		elseif r.missed then
			order[#order + 1], missed[block] = block, true
			if #order - first == 64 then
				missed[order[first]] = nil
				first = first + 1
			end
		end
		if watched[set] then
			add(m.found, "access", set, r.pc, "accesses")
			if r.missed then
				add(m.found, "access", set, r.pc, "misses")
			end
		end
	end
	function m.interrupted()
		watched = {}
	end
	return m
end

-- ---- the stream ----
local JUMPS <const>, LINKS <const> = { jal = true, jalr = true }, { ra = true, t0 = true }

-- The register that an indirect jump goes by.
local function base_of(op, text)
	if op ~= "jalr" then
		return nil
	end
	return text:match "^ret" and "ra" or text:match "%((%w+)%)" or text:match "(%w+)$"
end

local function record_of(e)
	local i = e.inst
	local base = base_of(i.op, i.text)
	local r = { pc = e.pc, addr = i.addr or 0, next = i.next, taken = i.taken,
		mispredicted = i.mispredicted, len = i.len, base = base,
		missed = (i.level == "l2" or i.level == "memory") and not i.delayed,
		link = JUMPS[i.op] and LINKS[i.rd]
			or false }
	r.returns = base and LINKS[base] and not r.link or false
	return r
end

-- blind: number of instructions after a third of the run during which nothing is tagged.
local function follow(name, program, set, insts, every, blind)
	local all = { ["cop.enable"] = true }
	for key, value in pairs(set) do
		all[key] = value
	end
	local m = cyclops.machine{ program = program[1], args = { table.unpack(program, 2) },
		firmware = ("build/demos/firmware/cop_%s.elf"):format(name),
		set = all, history = false }
	local model, truth, way, buffer, compared, handled, wrong = models[name](), stack(), {}, {},
		0, 0, nil
	local first_way, way_end, first, by_seq, told = 1, 1, 1, {}, {}
	-- all of the program's, for true contexts
	for _, class in ipairs(name == "calls" and { "branch", "jump" } or {}) do
		m:on("commit", { class = class }, function(e)
			if e.pc < FIRMWARE then
				local before, r = truth.frames[truth.depth], record_of(e)
				by_seq[e.seq] = truth.follow(r) or before
			end
		end)
	end
	m:on("sample", function(e)
		if not e.dropped then
			local r = record_of(e)
			r.seq = e.seq
			way[way_end], way_end = r, way_end + 1
		end
	end)
	m:on("record", function(e)
		local r = way[first_way]
		way[first_way], first_way = nil, first_way + 1
		r.kind, r.truth = e.kind, by_seq[r.seq]
		by_seq[r.seq] = nil
		if not e.dropped then
			buffer[#buffer + 1] = r
		end
	end)
	m:on("micro", function(e)
		if e.step ~= "on" then
			model.record(buffer[first])
			buffer[first] = false
			first = first + 1
			if e.step == "interrupt" then
				local copy = {}
				for key, n in pairs(model.found) do
					copy[key] = n
				end
				told[#told + 1] = copy
				if model.interrupted then
					model.interrupted()
				end
			end
		end
	end)
	-- After a handler, the table has all records of the co-processor up to its interrupt.
	local function compare()
		local p, seen = counts.profile(m), {}
		local want = told[p.counts.interrupts] -- the next interrupt may be there already
		for kind, list in pairs(p) do
			for _, e in ipairs(kind ~= "counts" and list or {}) do
				for what, n in pairs(e) do
					if what ~= "from" and what ~= "to" and what ~= "all"
						and what ~= "procedure" and what ~= "call"
						and n > 0 then
						seen[("%s 0x%x 0x%x %s"):format(kind, e.from, e.to,
							what)] = n
					end
				end
			end
		end
		wrong = wrong or not want and ("cycle %d: %d interrupts, and not %d"):format(
			m.cycle, p.counts.interrupts, #told) or nil
		for key, n in pairs(want or {}) do
			if seen[key] ~= n then
				wrong = wrong or ("cycle %d: %s is %s, not %d"):format(m.cycle, key,
					seen[key], n)
			end
			seen[key] = nil
		end
		local key, n = next(seen)
		wrong = wrong or key and ("cycle %d: %s is %d, not in the stream"):format(m.cycle,
			key, n)
		compared = compared + 1
	end
	m:on("mret", function()
		handled = handled + 1
		if handled > 1 and handled % every == 0 then -- the first handler is the start
			compare()
		end
		return wrong and "stop"
	end)
	m:run{ insts = blind and insts // 3 or insts }
	if blind then
		local classes = m.cop:read(CLASSES)
		m.cop:write(CLASSES, 0)
		m:run{ insts = blind }
		m.cop:write(CLASSES, classes)
		model.all, model.right, model.naive = 0, 0, 0
		m:run{ insts = insts - insts // 3 }
	end
	local what = ("%s, %s, buffer of %d"):format(name, program[1], m.cop.buffer or 0)
	check.eq(wrong, nil, what)
	local p = counts.profile(m)
	check.eq(p.counts.dropped, 0, what .. ": the table has room")
	check.ok(compared >= 1 and next(model.found),
		("%s: %d interrupts, compared %d times"):format(what, p.counts.interrupts,
		compared))
	return m, model
end

for _, name in ipairs{ "edges", "calls", "contexts", "memdep", "conflicts" } do
	local whole = name == "contexts"
	local m = follow(name, LISP, whole and with_data(ROOMY, 320) or ROOMY,
		name == "edges" and 200000 or 100000, 1)
	check.ok(name == "memdep" or m.stats["cop.dropped"] + m.stats["cop.lost"] == 0,
		name .. ": no record is lost, which")
	m = follow(name, JSON, whole and with_data(NARROW, 440) or NARROW, 150000, 1)
	check.ok(m.stats["cop.dropped"] + m.stats["cop.lost"] > m.stats["cop.records"] // 2,
		name .. ": half of the records are lost: it")
end

-- 3000 instructions are unknown: after them, returns show which frames are gone.
do
	local m, model = follow("calls", JSON, ROOMY, 300000, 1, 3000)
	check.ok(m.cop.v11 > 0, "frames are given up: it")
	check.ok(model.right > 0.99 * model.all and model.all > 2000,
		("%d of %d mispredictions are in their context, which"):format(model.right,
		model.all))
	check.ok(model.right > model.naive + 100,
		("%d, and not %d, as if each return left the last frame, which"):format(model.right,
		model.naive))
end

-- Contexts are a tree: each is its chain of calls, and all contexts of the chain exist.
do
	local m, model = follow("contexts", LISP, with_data(ROOMY, 320), 150000, 1)
	local p, nodes, deepest = counts.profile(m), 0, 0
	local function walk(node, above, depth)
		nodes, deepest = nodes + 1, math.max(deepest, depth)
		for _, child in ipairs(node.children) do
			local key = (child.call ~ child.procedure << 16 ~ above * 257) & 0xffffffff
			local frame = model.chain[key]
			check.ok(frame and frame[1] == child.call and frame[2] == child.procedure
				and frame.above.key == above, "a node's chain")
			walk(child, key, depth + 1)
		end
	end
	local root = counts.tree(p)
	walk(root, 0, 0)
	check.eq(nodes, #p.node, "all nodes hang in the tree")
	check.eq(root.all, p.counts.samples - p.counts.dropped)
	check.ok(nodes > 60 and deepest > 7, ("%d nodes, %d deep"):format(nodes, deepest))
end
check.done()
