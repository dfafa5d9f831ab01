-- Read counts that the co-processor's firmware keeps: edges, calling contexts, dependences, cache
-- conflicts.
--
-- The handlers of demos/firmware/cop_edges.c, cop_calls.c, cop_contexts.c, cop_memdep.c and
-- cop_conflicts.c keep one table of counts, each of one or two places:
--
--     local counts = require "cyclops.counts"
--     local p = counts.profile(m)
--     for _, e in ipairs(p.dependence) do print(e.from, e.to, e.count) end    -- store,
--     load, how often: the most frequent first
--
-- Counts since the co-processor's last interrupt are not in the table yet.

local counts = {}

local MAGIC <const>, COUNTS <const> = 0x706f632e637963, 3
local BLOCK <const> = 4 * 32 -- bytes read at once: decoding is charged by the length of all

-- Kinds of entries, in the order of demos/firmware/cop_profile.h, and the names of their counts.
local KINDS <const> = {
	{ "branch", { "not_taken", "taken" } },
	{ "target", { "count" } },
	{ "pair", { "none", "second", "first", "both" } },
	{ "context", { "mispredictions" } },
	{ "dependence", { "count" } },
	{ "set", { "conflicts" } },
	{ "access", { "accesses", "misses" } },
	{ "node", { "mispredictions", "procedure", "call" } },
}
local WORDS <const> = { "kind", "entries", "capacity", "entry_bytes", "table", "interrupts",
	"samples", "dropped" }

local function header(m)
	local ok, at = pcall(function() return m.cop_profile end)
	if not ok or math.type(at) ~= "integer" or m.mem:u64(at) ~= MAGIC
		or m.mem:u64(at + 8) ~= COUNTS then
		error("the firmware keeps no profile of counts: it has no `cop_profile` of that " ..
			"kind (demos/firmware/cop_counts.h)", 3)
	end
	local h = {}
	for i, name in ipairs(WORDS) do
		h[name] = m.mem:u64(at + 8 * i)
	end
	return h
end

local function read(p, bytes, at)
	local kind, _, from, to, a, b, c, d = string.unpack("<I4I4I4I4I4I4I4I4", bytes, at)
	if kind == 0 then
		return
	end
	local name, names, n = KINDS[kind][1], KINDS[kind][2], { a, b, c, d }
	local e = { from = from, to = to, all = a + b + c + d }
	for i, what in ipairs(names) do
		e[what] = n[i]
	end
	e.all = name == "node" and a or e.all
	table.insert(p[name], e)
end

local function by_count(a, b)
	if a.all ~= b.all then
		return a.all > b.all
	elseif a.from ~= b.from then
		return a.from < b.from
	end
	return a.to < b.to
end

--- counts.profile(MACHINE) -> PROFILE
-- The handler's profile so far: lists, most frequent first, of entries { from =, to =, all = sum of
-- its counts, ... }: p.branch (from: its pc; not_taken, taken), p.target (of an indirect jump;
-- count), p.pair (of two branches sampled in sequence; none, second, first, both: which were
-- taken), p.context (from: the call, to: the procedure; mispredictions), p.dependence (from: a
-- store, to: a load; count), p.set (from: bits of addresses; conflicts), p.access (from: the set,
-- to: a load; accesses, misses), p.node (from: a calling context's key, to: its parent's;
-- mispredictions, procedure, call: counts.tree(p) puts them together). p.counts has the
-- handler's own counts
-- (demos/firmware/cop_profile.h), and lost, of records, those that never came to be counted: so
-- large a part of what is counted may be another place's.
function counts.profile(m)
	local h = header(m)
	local p = { counts = h }
	h.records = m.stats["cop.records"]
	h.lost = m.stats["cop.dropped"] + m.stats["cop.lost"]
	for _, kind in ipairs(KINDS) do
		p[kind[1]] = {}
	end
	-- There is no table before the handler has begun.
	for first = 0, h.table ~= 0 and h.capacity * h.entry_bytes - 1 or -1, BLOCK do
		local bytes = m.mem:bytes(h.table + first,
			math.min(BLOCK, h.capacity * h.entry_bytes - first))
		for at = 1, #bytes, h.entry_bytes do
			read(p, bytes, at)
		end
	end
	for _, kind in ipairs(KINDS) do
		table.sort(p[kind[1]], by_count)
	end
	return p
end

--- counts.tree(PROFILE) -> NODE
-- The calling contexts of cop_contexts.elf as a tree: { procedure =, call =, mispredictions = in it
-- alone, all = in it and what it calls, children = { NODE, ... } }, children with most first. The
-- root is where the profile began, procedure and call 0; roots of other threads and of handlers of
-- signals are its children, with call 0.
function counts.tree(p)
	local by_key = {}
	local root = { procedure = 0, call = 0, mispredictions = 0, children = {} }
	for _, e in ipairs(p.node) do
		by_key[e.from] = { procedure = e.procedure, call = e.call,
			mispredictions = e.mispredictions, children = {} }
	end
	root = by_key[0] or root
	for _, e in ipairs(p.node) do
		if e.from ~= 0 then
			local parent = by_key[e.to] or root
			table.insert(parent.children, by_key[e.from])
		end
	end
	local function add_up(node)
		node.all = node.mispredictions
		for _, child in ipairs(node.children) do
			node.all = node.all + add_up(child)
		end
		table.sort(node.children, function(a, b)
			if a.all ~= b.all then
				return a.all > b.all
			end
			return a.call < b.call or a.call == b.call and a.procedure < b.procedure
		end)
		return node.all
	end
	add_up(root)
	return root
end

return counts
