-- Find the loops of a function in assembly text, whose blocks cyclops.asm_flow has found.
--
-- A loop is a natural one: its head dominates it. A cycle that can be entered in the middle is
-- none. Loops with the same head are one.

local loops = {}

-- The reachable blocks in reverse postorder. Sets `order` of each.
local function in_order(f)
	local list, seen, stack = {}, { [f.blocks[1]] = true }, { { f.blocks[1], 0 } }
	while #stack > 0 do
		local top = stack[#stack]
		top[2] = top[2] + 1
		local to = top[1].next[top[2]]
		if to and not seen[to] then
			seen[to] = true
			stack[#stack + 1] = { to, 0 }
		elseif not to then
			list[#list + 1] = top[1]
			stack[#stack] = nil
		end
	end
	local order, number = {}, {}
	for i = #list, 1, -1 do
		order[#order + 1] = list[i]
		number[list[i]] = #order
	end
	return order, number
end

local function before_each(order)
	local before = {}
	for _, b in ipairs(order) do
		before[b] = before[b] or {}
		for _, to in ipairs(b.next) do
			before[to] = before[to] or {}
			table.insert(before[to], b)
		end
	end
	return before
end

-- The immediate dominator of each block (Cooper, Harvey and Kennedy, "A simple, fast dominance
-- algorithm").
local function dominators(order, number, before)
	local above = { [order[1]] = order[1] }
	local function meet(a, b)
		while a ~= b do
			while number[a] > number[b] do a = above[a] end
			while number[b] > number[a] do b = above[b] end
		end
		return a
	end
	local changed = true
	while changed do
		changed = false
		for i = 2, #order do
			local b, best = order[i], nil
			for _, p in ipairs(before[b]) do
				if above[p] then
					best = best and meet(p, best) or p
				end
			end
			if above[b] ~= best then
				above[b], changed = best, true
			end
		end
	end
	return above
end

local function dominates(a, b, above, number)
	while number[b] > number[a] do
		b = above[b]
	end
	return a == b
end

-- Collects the blocks from which the loop's end is reached without its head.
local function collect(body, last, before)
	local list = { last }
	while #list > 0 do
		local b = table.remove(list)
		if not body[b] then
			body[b] = true
			table.move(before[b], 1, #before[b], #list + 1, list)
		end
	end
end

--- loops.find(FUNCTION) -> { { head =, turns =, insts =, calls =, outer =, inner = }, ... }
-- The loops of a function that flow.analyse() has processed, ordered by head: `head` is a block;
-- `turns` are the blocks with back edges; `body` has all blocks as keys; `insts` is the number of
-- instructions in them; `calls` is true if it calls anything, `outer` if it contains another loop,
-- and `inner` if it is in one.
function loops.find(f)
	local found = {}
	if #f.blocks == 0 then
		return found
	end
	local order, number = in_order(f)
	local before = before_each(order)
	local above = dominators(order, number, before)
	for _, head in ipairs(order) do
		local body, turns = nil, {}
		for _, last in ipairs(before[head]) do
			if dominates(head, last, above, number) then
				turns[#turns + 1] = last
				body = body or { [head] = true }
				collect(body, last, before)
			end
		end
		if body then
			found[#found + 1] = { head = head, turns = turns, body = body, insts = 0,
				calls = false, outer = false, inner = false }
		end
	end
	table.sort(found, function(a, b) return a.head.index < b.head.index end)
	for _, loop in ipairs(found) do
		for b in pairs(loop.body) do
			loop.insts = loop.insts + b.insts
			for _, item in ipairs(b.items) do
				loop.calls = loop.calls or item.flow == "call"
			end
		end
		for _, other in ipairs(found) do
			if other ~= loop and loop.body[other.head] then
				loop.outer, other.inner = true, true
			end
		end
	end
	return found
end

return loops
