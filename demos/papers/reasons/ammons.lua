-- Experiments of Ammons and others, rows as reasons.lua has them.
local tried = require "reasons.tried"
local run, mean, mean_of = tried.run, tried.mean, tried.mean_of
local times, cost, ROOM <const> = tried.times, tried.cost, tried.ROOM

local A <const> = "ammons1997"
-- Loops with long bodies, as in the paper's other half, CFP95.
local LOOPS <const> = { "nbody", "fft", "cg" }
local LOOSE <const> = { ["pipe.in_order"] = false, ["pipe.rob_size"] = 128,
	["pipe.issue_queue"] = 0, ["lsq.size"] = 64 }
local WAYS <const> = { ["l1d.ways"] = 8 }

-- A statistic as profiles by path or context measure it, times the program's own.
local function measured(name, instrument, stat)
	local pair <const> = { "sim.cycles", "sim.insts" }
	local r = run(name, { config = A, instrument = instrument,
		metrics = table.concat(pair, ",") }, function(m)
		local sums, paths = { 0, 0 }, instrument == "path+hw"
		local columns = paths and { "metric0", "metric1" } or { "own", "own1" }
		for _, row in ipairs((paths and m:report "hot-procedures all"
			or m:view "cct program all").rows) do
			for i, column in ipairs(columns) do
				sums[i] = sums[i] + (tonumber(row[column]) or 0)
			end
		end
		return { sums = sums }
	end, "sums")
	return r.sums[stat == pair[1] and 1 or 2]
		/ run(name, { config = A, instrument = "nothing", set = {} }).stats[stat]
end

-- The part of all edges' executions that counters still see if a spanning tree of each function's
-- flow graph has none, the heaviest one: the other edges' counts follow from these. A function's
-- exit leads to its entry.
local function chords(name)
	local set = { ["oracle.enable"] = true, ["oracle.blocks"] = true }
	return run(name, { config = A, set = set }, function(m)
		local functions, times = {}, {}
		for pc, _, n in m:exact "instructions" do
			times[pc] = n
		end
		local function of(pc)
			local f = m:sym(pc)
			if not f then
				return nil
			end
			local g = functions[f.addr] or { entry = f.addr, edges = {}, leaders = {} }
			functions[f.addr], g.leaders[f.addr] = g, true
			return g
		end
		for pc, to, n in m:exact "edges" do
			local f, g = of(pc), of(to)
			-- those to an entry are calls
			if f and f == g and to ~= f.entry then
				f.edges[#f.edges + 1] = { pc, to, n }
				f.leaders[to] = true
			end
		end
		local counted, all = 0, 0
		for _, f in pairs(functions) do
			local order = {}
			for leader in pairs(f.leaders) do
				order[#order + 1] = leader
			end
			table.sort(order)
			local function block(pc)
				local low, high = 1, #order
				while low < high do
					local middle = (low + high + 1) // 2
					if order[middle] <= pc then
						low = middle
					else
						high = middle - 1
					end
				end
				return order[low]
			end
			local come, go, edges = {}, {}, {}
			local function add(from, to, n)
				edges[#edges + 1] = { from, to, n }
				go[from], come[to] = (go[from] or 0) + n, (come[to] or 0) + n
			end
			for _, edge in ipairs(f.edges) do
				all = all + edge[3]
				add(block(edge[1]), edge[2], edge[3])
			end
			for i = 2, #order do
				local n = (times[order[i]] or 0) - (come[order[i]] or 0)
				if n > 0 then
					add(order[i - 1], order[i], n)
				end
			end
			for _, leader in ipairs(order) do
				local n = (times[leader] or 0) - (go[leader] or 0)
				if n > 0 then
					add(leader, 0, n)
				end
			end
			add(0, f.entry, times[f.entry] or 0)
			table.sort(edges, function(a, b) return a[3] > b[3] end)
			local above = {}
			local function root(node)
				while above[node] do
					node = above[node]
				end
				return node
			end
			for _, edge in ipairs(edges) do
				local a, b = root(edge[1]), root(edge[2])
				if a ~= b then
					above[a] = b
				else
					counted = counted + edge[3]
				end
			end
		end
		return { share = counted / all }
	end, "chords").share
end

return {
	{ "ammons-1", "cycles with paths, times the program's", "times", 1.32,
		"waits in order: the same machine out of order, with 128 entries", function()
			return mean(times, A, "path", "sim.cycles"), mean(times, A, "path",
				"sim.cycles", LOOSE)
		end },
	{ "ammons-1", "the same", "times", 1.32,
		"all waits: instructions in place of cycles", function()
			return mean(times, A, "path", "sim.cycles"), mean(times, A, "path",
				"sim.insts")
		end },
	{ "ammons-2", "cycles with flow and hardware counters, times the program's", "times", 1.8,
		"code that reads and writes counters: paths alone", function()
			return mean(times, A, "path+hw", "sim.cycles"), mean(times, A, "path",
				"sim.cycles")
		end },
	{ "ammons-3", "cycles with context and hardware counters, times the program's", "times",
		1.6,
		"code that reads and writes counters: contexts alone", function()
			return mean(times, A, "cct+hw", "sim.cycles"), mean(times, A, "cct",
				"sim.cycles")
		end },
	{ "ammons-4", "cycles with context and flow, times the program's", "times", 1.7,
		"misses of L1 and L2: caches that always hit", function()
			local hit = { ["l1d.perfect"] = true, ["l1i.perfect"] = true }
			return mean(times, A, "cct+path", "sim.cycles"),
				mean(times, A, "cct+path", "sim.cycles", hit)
		end },
	{ "ammons-6", "cost of paths, times that of edges", "times", 2,
		"counters on all edges: in proportion to those that follow from no others",
		function()
			local edges, paths = cost("edge", A), cost("path", A)
			return paths / edges, paths / (edges * mean(chords))
		end },
	{ "ammons-7", "cycles that flow sensitive profiles measure, times the program's", "times",
		1.19, "short paths: three programs with long loops", function()
			return mean(measured, "path+hw", "sim.cycles"),
				mean_of(LOOPS, measured, "path+hw", "sim.cycles")
		end },
	{ "ammons-7", "the same with contexts", "times", 1.10, "the same", function()
		return mean(measured, "cct+hw", "sim.cycles"),
			mean_of(LOOPS, measured, "cct+hw", "sim.cycles")
	end },
	{ "ammons-8", "instructions that flow sensitive profiles measure, times the program's",
		"times", 1.14, "short paths: three programs with long loops", function()
			return mean(measured, "path+hw", "sim.insts"),
				mean_of(LOOPS, measured, "path+hw", "sim.insts")
		end },
	{ "ammons-8", "the same with contexts", "times", 1.06, "the same", function()
		return mean(measured, "cct+hw", "sim.insts"),
			mean_of(LOOPS, measured, "cct+hw", "sim.insts")
	end },
	{ "ammons-9", "read misses of L1D with flow, times the program's", "times", 1,
		"conflicts: eight ways", function()
			return mean(times, A, "path+hw", "l1d.read_misses"),
				mean(times, A, "path+hw", "l1d.read_misses", WAYS)
		end },
	{ "ammons-10", "write misses of L1D with flow, times the program's", "times", 1.04,
		"conflicts: eight ways", function()
			return mean(times, A, "path+hw", "l1d.write_misses"),
				mean(times, A, "path+hw", "l1d.write_misses", WAYS)
		end },
	{ "ammons-11", "misses of L1I with flow, times the program's", "times", 0.93,
		"code that is three times as large: four times the cache for it", function()
			return mean(times, A, "path+hw", "l1i.misses"),
				mean(times, A, "path+hw", "l1i.misses", { ["l1i.size"] = 65536 },
				{ ["l1i.size"] = 16384 })
		end },
	{ "ammons-12", "cycles lost to mispredictions with flow, times the program's", "times",
		0.86, "small tables of the predictor: 64 times the counters, 16 times the rest",
		function()
			return mean(times, A, "path+hw", "cpi.bad_speculation"),
				mean(times, A, "path+hw", "cpi.bad_speculation", ROOM)
		end },
	{ "ammons-12", "the same with contexts", "times", 0.9, "the same", function()
		return mean(times, A, "cct+hw", "cpi.bad_speculation"),
			mean(times, A, "cct+hw", "cpi.bad_speculation", ROOM)
	end },
	{ "ammons-12", "the same with flow", "times", 0.86,
		"longer waits: wrong predictions in place of cycles", function()
			return mean(times, A, "path+hw", "cpi.bad_speculation"),
				mean(times, A, "path+hw", "bpred.mispredicts")
		end },
	{ "ammons-15", "read misses with flow, less those with contexts, times the program's",
		"times",
		0, "conflicts: eight ways", function()
			local function apart(set)
				return math.abs(mean(times, A, "path+hw", "l1d.read_misses", set)
					- mean(times, A, "cct+hw", "l1d.read_misses", set))
			end
			return apart(), apart(WAYS)
		end },
}
