-- The oracle of paths: the blocks that each call of a procedure went through, in the order in which
-- they committed.
--
-- Used by cyclops.bakeoff. A path begins at a procedure's entry or at the block that an edge back
-- leads to, and ends where the procedure is left, by a return or a tail call, or at an edge back.
-- Edges back are those of the flow that the run has shown (cyclops.bakeoff_truth); of loops with
-- one entrance they are the same in any order. The executable editor's numbers are not used here.
-- Its blocks are compared by where control can come from elsewhere: places that no executed branch
-- or jump leads to are left out.

local stops, truths = require "cyclops.bakeoff_stop", require "cyclops.bakeoff_truth"

local paths = {}

-- Procedures begin where functions do, parts that lie elsewhere excepted; and blocks where branches
-- and jumps lead.
local function places(m, truth)
	local entry, leader, kind = {}, {}, {}
	for f in m:functions() do
		entry[f.addr] = not f.name:find(".cold", 1, true) or nil
		leader[f.addr] = entry[f.addr]
	end
	for _, row in ipairs(truth.rows.edges) do
		kind[row.address] = row.kind
		if row.kind == "call" then
			entry[row.to], leader[row.to] = true, true
		elseif row.kind ~= "return" then
			leader[row.to] = true
		end
	end
	for _, b in ipairs(truth.flow.list) do -- an atomic sequence is one block
		leader[b.from] = not b.inside and leader[b.from] or nil
	end
	return entry, leader, kind
end

-- Where control goes on within a procedure, by block.
local function successors(truth, entry)
	local out = {}
	local function leads(b, to)
		out[b.from] = out[b.from] or {}
		table.insert(out[b.from], to)
	end
	local jumps = {}
	for _, row in ipairs(truth.rows.edges) do
		local b = truths.block_of(truth.flow, row.address)
		jumps[b.from] = true
		if row.kind ~= "call" and row.kind ~= "return" then
			leads(b, row.to)
		end
	end
	for _, b in ipairs(truth.flow.list) do
		local next_one = truth.flow.at[b.to]
		if next_one and (b.called and b.returns > 0 or not jumps[b.from])
			and not entry[b.to] then
			leads(b, b.to)
		end
	end
	for _, list in pairs(out) do
		table.sort(list)
	end
	return out
end

-- The edges back of a procedure: { [FROM] = { [TO] = true } }, by a walk in depth from its entry.
local function edges_back(out, entry, first)
	local back, state, work = {}, { [first] = "open" }, { { first, 0 } }
	while #work > 0 do
		local top = work[#work]
		local at, i = top[1], top[2] + 1
		local to = (out[at] or {})[i]
		top[2] = i
		if not to then
			state[at] = "done"
			work[#work] = nil
		elseif entry[to] and to ~= first then
			-- a tail call
		elseif state[to] == "open" then
			back[at] = back[at] or {}
			back[at][to] = true
		elseif not state[to] then
			state[to] = "open"
			work[#work + 1] = { to, 0 }
		end
	end
	return back
end

-- ---- following the program ----
-- An unfinished path is a node of a tree of blocks; a path that ends is counted in its node.
local function step(node, to)
	local next_one = node[to]
	if not next_one then
		next_one = { over = 0, back = 0 }
		node[to] = next_one
	end
	return next_one
end

local function follower(m, truth)
	local entry, leader, kind = places(m, truth)
	local out, roots, backs = successors(truth, entry), {}, {}
	local frames, top = {}, nil
	local function begin(procedure, round, at)
		roots[procedure] = roots[procedure] or { { over = 0, back = 0 },
			{ over = 0, back = 0 } }
		top.procedure, top.node = procedure, step(roots[procedure][round and 2 or 1], at)
	end
	local function enter(to, returns_to)
		top = { back = returns_to }
		frames[#frames + 1] = top
		begin(to, false, to)
	end
	local function leave(to)
		top.node.over = top.node.over + 1
		for i = #frames, 2, -1 do
			if frames[i].back == to then
				for k = #frames, i, -1 do
					frames[k] = nil
				end
				top = frames[#frames]
				return true
			end
		end
	end
	local function go_on(from, to, direct)
		local b = truths.block_of(truth.flow, from)
		if entry[to] and not (to == top.procedure and direct) then
			top.node.over = top.node.over + 1
			return begin(to, false, to)
		end
		local back = backs[top.procedure]
		if not back then
			back = edges_back(out, entry, top.procedure)
			backs[top.procedure] = back
		end
		if back[b.from] and back[b.from][to] then
			top.node.back = top.node.back + 1
			begin(top.procedure, true, to)
		elseif leader[to] then
			top.node = step(top.node, to)
		end
	end
	local before
	return function(pc)
		local what = before and kind[before]
		if not before then
			enter(pc, nil)
		elseif what == "call" then
			enter(pc, truths.block_of(truth.flow, before).to)
		elseif what == "return" then
			if not leave(pc) then
				begin(pc, false, pc)
			elseif leader[pc] then
				top.node = step(top.node, pc)
			end
		elseif what then
			go_on(before, pc, what ~= "indirect")
		elseif leader[pc] then
			go_on(before, pc, true)
		end
		before = pc
	end, roots, leader
end

-- ---- what was taken ----
local function list_of(roots)
	local list = {}
	local function walk(node, procedure, text)
		for _, how in ipairs{ "over", "back" } do
			if node[how] > 0 then
				list[#list + 1] = { procedure = procedure, count = node[how],
					blocks = text .. (how == "back" and " back" or "") }
			end
		end
		for to, next_one in pairs(node) do
			if math.type(to) == "integer" then
				walk(next_one, procedure,
					("%s +0x%x"):format(text, to - procedure))
			end
		end
	end
	for procedure, root in pairs(roots) do
		walk(root[1], procedure, "")
		walk(root[2], procedure, "round")
	end
	return list
end

--- paths.add(o, TRUTH)
-- Runs the program once more, to the same stop, and adds to TRUTH: path_list, of { procedure =
-- ADDRESS, blocks = TEXT as in `report hot-paths`, count = }; path_name(ADDRESS, TEXT), the name of
-- such a path; and paths, the profile by names.
function paths.add(o, truth)
	local m <close> = stops.open(o, {}, "its paths")
	local see, roots, leader = follower(m, truth)
	m:on("commit", function(e) see(e.pc) end)
	local ended = stops.stop_there(m, o.stop)
	repeat
		m:run()
	until ended()
	function truth.path_name(procedure, blocks)
		local first = true
		local kept = blocks:gsub(" ?%+(0x%x+)", function(offset)
			local keeps = first or leader[procedure + math.tointeger(tonumber(offset))]
			first = false
			return not keeps and "" or nil
		end)
		return ("0x%x %s"):format(procedure, (kept:gsub("^ ", "")))
	end
	truth.path_list, truth.paths = list_of(roots), {}
	for _, path in ipairs(truth.path_list) do
		local name = truth.path_name(path.procedure, path.blocks)
		truth.paths[name] = (truth.paths[name] or 0) + path.count
	end
end

return paths
