-- Tests the reasons in claims.md for results that differ from the papers': runs with the named
-- cause and without. If the reason is correct, the difference disappears with the cause.
--
-- Prints a row for each experiment: the figure with the cause, without it, the paper's figure, and
-- how much of the difference disappears. Programs are four demos, some 0.6 million instructions of
-- each, so figures differ from those of the papers' pages.
--
--     cyclops lua demos/papers/reasons.lua [vaswani-11 ...] [--out FOLDER] [--any-build]
local here = debug.getinfo(1, "S").source:match "@(.-)[^/]*$"
package.path = here .. "ammons1997/?.lua;" .. here .. "zilles2001/?.lua;" .. here .. "?.lua;"
	.. package.path
local runs, ranks, values = require "runs", require "ranks", require "cyclops.values"

local words, chosen = { "--factor", "0.1" }, {}
local i = 1
while i <= #arg do
	if arg[i]:match "^%a+%-%d+$" then
		chosen[arg[i]] = true
	else
		words[#words + 1] = arg[i]
	end
	i = i + 1
end
local e = runs.open(words)
e.names = e.programs and e.names or { "lisp", "json", "sort", "chess" }
-- Loops with long bodies, as in the paper's other half, CFP95.
local LOOPS <const> = { "nbody", "fft", "cg" }

-- ---- runs ----
local function key_of(about)
	local parts = {}
	for key, value in pairs(about.set or {}) do
		parts[#parts + 1] = key .. "=" .. tostring(value)
	end
	for _, key in ipairs{ "config", "instrument", "metrics", "values", "firmware" } do
		parts[#parts + 1] = key .. "=" .. tostring(about[key])
	end
	table.sort(parts)
	return parts
end

-- Statistics at the end of the region, and what LOOK(m) adds.
local function run(name, about, look, what)
	local parts = key_of(about)
	parts[#parts + 1] = what
	local file = table.concat(parts, ","):gsub("[^%w=,.]", "-"):gsub("build-demos-", "")
	return e.region:record(name, "reason-" .. file, parts, function()
		local copy = {}
		for key, value in pairs(about) do
			copy[key] = value
		end
		local m <close>, go = e.region:machine(name, copy)
		go()
		local record = look and look(m) or {}
		record.stats = {}
		for _, stat in ipairs{ "sim.cycles", "sim.insts", "l1d.read_misses",
			"l1d.write_misses",
			"l1i.misses", "firmware.cycles", "cop.records", "cop.dropped", "cop.lost",
			"bpred.mispredicts", "cpi.bad_speculation", "sampler.selected" } do
			-- a device that is not there has no statistics
			local ok, n = pcall(function() return m.stats[stat] end)
			record.stats[stat] = ok and n or 0
		end
		return record
	end, about.firmware and { about.firmware } or nil)
end

local function mean(f, ...)
	local sum, n = 0, 0
	for _, name in ipairs(e.names) do
		local v = f(name, ...)
		if v then
			sum, n = sum + v, n + 1
		end
	end
	return sum / n
end

local function with_set(set, more)
	local all = {}
	for _, t in ipairs{ set or {}, more or {} } do
		for key, value in pairs(t) do
			all[key] = value
		end
	end
	return all
end

-- Ratio of the statistic with instrumentation to that without; nil if the latter is below 1,000.
local function times(name, config, instrument, stat, set, plain_set)
	local with = run(name, { config = config, instrument = instrument, set = set,
		metrics = instrument:match "hw"
			and "sim.insts,l1d.read_misses" or nil }).stats[stat]
	local plain = run(name, { config = config, instrument = "nothing",
		set = plain_set or set }).stats[stat]
	return plain >= (stat == "sim.cycles" and 1 or 1000) and with / plain or nil
end

local A <const> = "ammons1997"

local function cost(instrument, config, set)
	return 100 * (mean(times, config, instrument, "sim.cycles", set) - 1)
end

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

-- The mean over other programs.
local function mean_of(names, f, ...)
	local four = e.names
	e.names = names
	local result = mean(f, ...)
	e.names = four
	return result
end

-- ---- Vaswani and others ----
local V <const> = "vaswani2003"
local WIDE <const> = { ["pipe.fetch_width"] = 8, ["pipe.decode_width"] = 8,
	["pipe.fetch_queue"] = 64, ["pipe.issue_width"] = 8, ["pipe.commit_width"] = 8,
	["pipe.rob_size"] = 128 }
-- Lines long enough for a block and its successor; with PAST fetch also continues past a leader in
-- the same cycle.
local LONG <const>, PAST <const> = { ["l1i.line"] = 256, ["l2.line"] = 256 },
	{ ["pipe.fetch_past_taken"] = true, ["l1i.line"] = 256, ["l2.line"] = 256 }
local NO_TABLE <const> = { ["bdt.sets"] = 0 }
-- Percent of the cost that a quarter of the time saves, if it falls in proportion.
local function saved(on, off)
	return 75 * (on - off) / on
end
local function blocks_saved(set, predicted)
	local plain = with_set(set, NO_TABLE)
	return saved(cost("bb=0,units=loops,on", V, plain),
		cost("bb=0,units=loops", V, predicted and set or plain))
end

-- ---- Zilles and Sohi ----
local Z <const>, MADE <const> = "zilles2001", "build/demos/papers/zilles2001/"
local VALUE <const> = "build/demos/firmware/cop_value.elf"
local WIDE_BUS <const> = { ["cop.bus"] = 8, ["cop.transport"] = 256, ["cop.buffer"] = 1024 }

local function profiled(name, firmware, set)
	local truth
	return run(name, { config = Z, firmware = firmware, set = with_set({ ["cop.enable"] = true,
		["oracle.enable"] = true, ["oracle.values"] = "loads" }, set) }, function(m)
		local p = values.profile(m, { rest = true })
		return { error = 100 * values.error(p, values.truth(m)), samples = p.counts.samples,
			turns = p.counts.interrupts + (p.counts.clocks or 0) }
	end, "profile")
end

local function lost(name, firmware, set)
	local s = profiled(name, firmware, set).stats
	return 100 * (s["cop.dropped"] + s["cop.lost"]) / math.max(s["cop.records"], 1)
end

local function overhead(name, firmware, set)
	return 100 * (profiled(name, firmware, set).stats["sim.cycles"]
		/ run(name, { config = Z, set = {} }).stats["sim.cycles"] - 1)
end

-- The same programs, nine times as long.
local long_runs
local function long()
	long_runs = long_runs or runs.open{ "--factor", "0.9", "--programs",
		table.concat(e.names, ",") }
	return long_runs
end

-- Interrupts of the last quarter of the run's instructions, times those of the first.
local function late_interrupts(name, firmware, set)
	local about = { config = Z, firmware = firmware, set = with_set({ ["cop.enable"] = true },
		set) }
	local parts = key_of(about)
	local file = table.concat(parts, ","):gsub("[^%w=,.]", "-"):gsub("build-demos-", "")
	local r = long().region:record(name, "reason-when-" .. file, parts, function()
		local m <close>, go = long().region:machine(name, about)
		local at, first = {}, m.insts
		m:on("cop_interrupt", function() at[#at + 1] = m.insts end)
		go()
		local n, quarter = { 0, 0, 0, 0 }, (m.insts - first) / 4
		for _, insts in ipairs(at) do
			local i = 1 + math.floor((insts - first) / quarter)
			i = math.max(1, math.min(4, i))
			n[i] = n[i] + 1
		end
		return { first = n[1], last = n[4] }
	end, { firmware })
	return r.last / math.max(r.first, 1), r.last
end
-- Interrupts of the last quarter alone.
local function last_interrupts(...)
	local _, last = late_interrupts(...)
	return last
end
local FOUR <const> = { ["cop.cam"] = 1024, ["cop.data"] = 4096 }

local function a_sample(name, firmware, set)
	local r = profiled(name, firmware, set)
	return r.stats["firmware.cycles"] / math.max(r.samples, 1)
end

-- The error of simple sampling that costs as much as the co-processor: between two of three rates
-- on logarithmic scales, or by the law of samples, error ~ cost ^ -1/2, beyond them.
local function error_at_cost(name, cost)
	local points = {}
	for i, n in ipairs{ 61, 251, 1021 } do
		local firmware = MADE .. ("sample-%d.elf"):format(n)
		points[i] = { math.max(overhead(name, firmware), 1e-3),
			profiled(name, firmware).error }
	end
	for i = 1, 2 do
		local a, b = points[i], points[i + 1]
		if cost <= a[1] and cost >= b[1] and a[1] > b[1] then
			local part = math.log(cost / a[1]) / math.log(b[1] / a[1])
			return a[2] * (b[2] / a[2]) ^ part
		end
	end
	local nearest = cost > points[1][1] and points[1] or points[3]
	return nearest[2] * (nearest[1] / cost) ^ 0.5
end

-- Over all demos, 3 million instructions of each.
local demos
local function correlation(firmware)
	demos = demos or runs.open{ "--factor", "0.1" }
	local loads, costs = {}, {}
	for _, name in ipairs(demos.names) do
		if demos.by_name[name].path:match "ammons1997" then
			local file = ("reason-3M-%s"):format(firmware:match "[^/]*$")
			local r = demos.region:record(name, file, { firmware }, function(program)
				local m <close> = cyclops.machine{ program = program.path,
					args = program.args,
					input = program.input, root = demos.root, history = false,
						config = Z,
					firmware = firmware, set = { ["cop.enable"] = true,
						["oracle.enable"] = true,
							["oracle.values"] = "loads" } }
				m:run{ insts = 3000000 }
				local counted, all, sum, n = {}, 0, 0, 0
				for _, load in pairs(values.truth(m)) do
					counted[#counted + 1], all = load.count, all + load.count
				end
				table.sort(counted, function(a, b) return a > b end)
				while sum < 0.99 * all do
					n = n + 1
					sum = sum + counted[n]
				end
				return { loads = n, cost = m.firmware.cycles / m.cycle }
			end, { firmware })
			loads[#loads + 1], costs[#costs + 1] = r.loads, r.cost
		end
	end
	return ranks.correlation(loads, costs)
end

-- ---- Ammons and others ----
local LOOSE <const> = { ["pipe.in_order"] = false, ["pipe.rob_size"] = 128,
	["pipe.issue_queue"] = 0, ["lsq.size"] = 64 }
local WAYS <const> = { ["l1d.ways"] = 8 }
local ROOM <const> = { ["bpred.bimodal_size"] = 131072, ["btb.sets"] = 16384,
	["ras.size"] = 64 }

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

-- ---- Burrows and others ----
local B <const> = "burrows2000"
local ONE <const> = { ["pipe.fetch_width"] = 1, ["pipe.decode_width"] = 1,
	["pipe.issue_width"] = 1, ["pipe.commit_width"] = 1 }
local OFTEN <const> = { ["vsample.interval_min"] = 60000, ["vsample.interval_max"] = 65000 }
local function sampling(name, set, modules)
	local with = run(name, { config = B, values = modules,
		set = with_set(OFTEN, set) }).stats["sim.cycles"]
	return 100 * (with / run(name, { config = B, set = set or {} }).stats["sim.cycles"] - 1)
end

-- Hotlists of 16 values of the same samples, for each instruction with 50 of them or more; error of
-- its most frequent value's share in percent points. Shares are the means over so many seeds of
-- coins.
local HANDLER <const> = { ["vsample.interval_min"] = 40, ["vsample.interval_max"] = 80,
	["vsample.every"] = 1, ["vsample.length"] = 8, ["vsample.interrupt_cycles"] = 1,
	["vsample.start_cycles"] = 0, ["vsample.inst_cycles"] = 1, ["vsample.tuple_cycles"] = 0,
	["vsample.service"] = 1, ["vsample.code_lines"] = 0, ["vsample.data_lines"] = 0,
	["vsample.inst_lines"] = 0, ["oracle.enable"] = true, ["oracle.values"] = "all",
	["oracle.memory"] = 1 << 30 }
local function hotlist_error(name, method, seeds, clear)
	local file = ("reason-hotlists-%s-%d-%d"):format(method, seeds, clear or 2000)
	return e.region:record(name, file, { "16 values" }, function()
		local top, share, seen = {}, {}, {}
		for seed = 1, seeds do
			local set = with_set(HANDLER, { ["values.method"] = method,
				["values.seed"] = seed, ["values.clear"] = clear })
			local m <close>, go = e.region:machine(name, { config = B,
				values = "results", set = set })
			go()
			local all = {}
			for pc, value, count in m:exact "values" do
				all[pc] = (all[pc] or 0) + count
				if seed == 1 and (not top[pc] or count > top[pc].count) then
					top[pc] = { value = value, count = count }
				end
			end
			for list in m.values:each "results" do
				local pc = list.pc
				seen[pc] = list.vtot
				share[pc] = share[pc] or -top[pc].count / all[pc]
				for _, v in ipairs(list) do
					if v.value == top[pc].value then
						share[pc] = share[pc] + v.share / seeds
					end
				end
			end
		end
		local sum, n = 0, 0
		for pc, difference in pairs(share) do
			if seen[pc] >= 50 then
				sum, n = sum + seen[pc] * math.abs(difference), n + seen[pc]
			end
		end
		return { error = 100 * sum / n }
	end).error
end
-- The largest of Calder's table's errors with these places of clearing, less the smallest.
local function clearing_spread(...)
	local errors = {}
	for i, clear in ipairs{ ... } do
		errors[i] = mean(hotlist_error, "top", 1, clear)
	end
	return math.max(table.unpack(errors)) - math.min(table.unpack(errors))
end

-- ---- Sastry and others ----
local FIRST <const> = 400000
-- The loads' values of a program, in order.
local streams = {}
local function stream_of(name, shuffled, select)
	local plain = name
	name = name .. (shuffled and " shuffled" or "") .. (select or "")
	if not streams[name] then
		local program = e.by_name[plain]
		local m <close> = cyclops.machine{ program = program.path, args = program.args,
			input = program.input, root = e.root, history = false,
			set = { ["sampler.enable"] = true,
				["sampler.select"] = select or "value of load" } }
		streams[name] = cyclops.stream()
		m.sampler:record(streams[name], { tuples = FIRST, functional = true })
		if shuffled then
			streams[name]:shuffle(1)
		end
	end
	return streams[name]
end
local function sampled_error(name, stages, shuffled)
	local s = require "cyclops.sampler"
	local stream = shuffled and stream_of(name, true) or stream_of(name)
	local c = s.sampler(stages(s))
	local estimate = cyclops.profile():fold(c:feed(stream)):fold(c:drain())
	return 100 * estimate:error(cyclops.profile():feed(stream))
end

-- Events until the error stays below `limit` percent: those of R(256), times those of strata after
-- P(256).
local function settles_at(stream, stages, limit)
	local s = require "cyclops.sampler"
	local c, estimate, truth = s.sampler(stages(s)), cyclops.profile(), cyclops.profile()
	local piece, done, first = cyclops.stream(4096 + 64), 0, nil
	local function look()
		truth:feed(piece)
		estimate:fold(c:feed(piece))
		piece:clear()
		local low = 100 * (estimate:error(truth) or 1) < limit
		first = low and (first or done) or nil
	end
	for pc, value in stream:tuples() do
		piece:add(pc, value)
		done = done + 1
		if done % 4096 == 0 then
			look()
		end
	end
	return first or done
end
local function how_much_later(name, limit, select)
	local stream = stream_of(name, false, select)
	return settles_at(stream, function(s) return { s.R(256) } end, limit)
		/ settles_at(stream, function(s) return { s.H(s.P(256), 2048) } end, limit)
end

-- Error at the end with masks of settled loads (sastry2001/filters.lua), times that without; a load
-- is masked after `least` executions, 256 for each sample.
local function masked_error(name, least)
	local s = require "cyclops.sampler"
	local stream, LOOK <const> = stream_of(name), 50000
	local sides, piece = {}, { cyclops.stream(LOOK + 64), cyclops.stream(LOOK + 64) }
	for i = 1, 2 do
		sides[i] = { c = s.sampler{ s.H(s.P(256), 2048) }, profile = cyclops.profile() }
	end
	local truth, masked, shares, done = cyclops.profile(), {}, {}, 0
	local function look()
		for i, side in ipairs(sides) do
			side.profile:fold(side.c:feed(piece[i]))
		end
		truth:feed(piece[1])
		piece[1]:clear()
		piece[2]:clear()
		local most, of = {}, {}
		for pc, _, _, n in sides[2].profile:tuples() do
			of[pc], most[pc] = (of[pc] or 0) + n, math.max(most[pc] or 0, n)
		end
		for pc, n in pairs(of) do
			local share = most[pc] / n
			if n >= least and shares[pc] and (share < 0.1
				or math.abs(share - shares[pc]) < 0.02) then
				masked[pc] = true
			end
			shares[pc] = n >= least and share or nil
		end
	end
	for pc, value in stream:tuples() do
		piece[1]:add(pc, value)
		if not masked[pc] then
			piece[2]:add(pc, value)
		end
		done = done + 1
		if done % LOOK == 0 then
			look()
		end
	end
	return sides[2].profile:error(truth) / sides[1].profile:error(truth)
end

--   the claim, what the figure is, its unit, the paper's, the cause that is removed, the
--   figure with
--   the cause, and without it
local EXPERIMENTS <const> = {
	{ "vaswani-1", "what flags cost that count nothing", "%", 0.19,
		"waits for what is loaded: L1D in one cycle", function()
			local fast = { ["l1d.latency"] = 1 }
			return cost("nothing=0,units=methods", V),
				cost("nothing=0,units=methods", V, fast)
		end },
	{ "vaswani-1", "the same", "%", 0.19, "a front as wide as the rest: all twice as wide",
		function()
			return cost("nothing=0,units=methods", V),
				cost("nothing=0,units=methods", V, WIDE)
		end },
	{ "vaswani-2", "mispredictions with flags, times the program's", "times", "< 1",
		"small tables of the predictor: 64 times the counters, 16 times the rest", function()
			return mean(times, V, "nothing=0,units=methods", "bpred.mispredicts"),
				mean(times, V, "nothing=0,units=methods", "bpred.mispredicts", ROOM)
		end },
	{ "vaswani-2", "the same", "times", "< 1", "branches in flight: in order", function()
		return mean(times, V, "nothing=0,units=methods", "bpred.mispredicts"),
			mean(times, V, "nothing=0,units=methods", "bpred.mispredicts",
				{ ["pipe.in_order"] = true })
	end },
	-- 6.47 and 35.69 are the page's (tables IV and V): counts of 10 to 18 instructions a call.
	{ "vaswani-3", "what call-graph profiling costs", "%", 41.81,
		"short calls: arcs are looked up, as by gprof's mcount",
		function() return 6.47, cost("callgraph", V) end },
	{ "vaswani-5", "of the cost of calls, saved at a quarter of the time", "%", 72.7,
		"short calls: arcs are looked up, as by gprof's mcount", function()
			return 54, saved(cost("callgraph=1,on", V), cost("callgraph=1", V))
		end },
	{ "vaswani-11", "of the cost of blocks, saved at a quarter of the time, without prediction",
		"%", 38.3, "a front as wide as the rest: all twice as wide",
		function() return blocks_saved{}, blocks_saved(WIDE) end },
	{ "vaswani-12", "blocks, times the cost of calls", "times", 26.42 / 41.81,
		"short calls: arcs are looked up, as by gprof's mcount",
		function() return 35.69 / 6.47, cost("bb", V) / cost("callgraph", V) end },
	{ "vaswani-12", "the same", "times", 26.42 / 41.81,
		"and a front as narrow as that: all twice as wide", function()
			return 35.69 / 6.47, cost("bb", V, WIDE) / cost("callgraph", V, WIDE)
		end },
	{ "vaswani-14", "of the cost of blocks, left when off", "%", 49,
		"a front as wide as the rest: all twice as wide", function()
			local function left(set)
				set = with_set(set, NO_TABLE)
				return 100 * cost("bb=0,units=loops", V, set)
					/ cost("bb=0,units=loops,on", V, set)
			end
			return left{}, left(WIDE)
		end },
	{ "vaswani-21", "of the cost of blocks, saved at a quarter of the time, with prediction",
		"%",
		52.4,
			"the end of a fetch at a leader: it goes on past skips, in lines of 256 bytes",
		function() return blocks_saved(LONG, true), blocks_saved(PAST, true) end },
	{ "vaswani-21", "the same", "%", 52.4, "a front as wide as the rest: all twice as wide",
		function() return blocks_saved({}, true), blocks_saved(WIDE, true) end },
	{ "vaswani-27", "of what a table of 1,024 sets saves, saved", "%", 100,
		"blocks at work that find no room: 256 sets in place of 64", function()
			local none = cost("bb=0,units=loops", V, NO_TABLE)
			local all = none - cost("bb=0,units=loops", V, { ["bdt.sets"] = 1024 })
			return 100 * (none - cost("bb=0,units=loops", V)) / all,
				100 * (none - cost("bb=0,units=loops", V,
					{ ["bdt.sets"] = 256 })) / all
		end },
	{ "zilles-11", "cycles of the handler for a sample, 1 in 61", "cycles", 30,
		"misses: caches that always hit", function()
			local firmware = MADE .. "sample-61.elf"
			return mean(a_sample, firmware), mean(a_sample, firmware,
				{ ["l1d.perfect"] = true, ["l1i.perfect"] = true })
		end },
	{ "zilles-16", "cost in percent of the cycles", "%", 0,
		"masked loads that are sampled again: never", function()
			return mean(overhead, VALUE), mean(overhead, MADE .. "resample-0.elf")
		end },
	{ "zilles-16", "interrupts of the last quarter", "", 0,
		"masked loads that are sampled again, and loads that find no slot: never, and four "
		.. "times the arrays", function()
			return mean(last_interrupts, VALUE),
				mean(last_interrupts, MADE .. "resample-0.elf", FOUR)
		end },
	{ "zilles-9",
		"rank correlation of the cost with the loads that do 99 % of the work, 11 demos",
		"times", 1, "turns that the clock ends: none", function()
			return correlation(VALUE), correlation(MADE .. "no-clock.elf") end },
	{ "zilles-28", "records of the co-processor that find no room", "%", 0,
		"a narrow bus and a small buffer: 8 words a cycle, 256 words before it and 1,024 after",
		function() return mean(lost, VALUE), mean(lost, VALUE, WIDE_BUS) end },
	{ "zilles-28", "the same of simple sampling, 1 in 61", "%", 0,
		"the choice after the bus: before it", function()
			return mean(lost, MADE .. "after-61.elf"), mean(lost, MADE
				.. "sample-61.elf")
		end },
	{ "zilles-26", "cost at half the clock, times that at full", "times", 1,
		"records that find no room: the wide bus, at both clocks", function()
			local half = { ["cop.divider"] = 2 }
			return mean(overhead, VALUE, half) / mean(overhead, VALUE),
				mean(overhead, VALUE, with_set(half, WIDE_BUS)) / mean(overhead,
					VALUE, WIDE_BUS)
		end },
	{ "zilles-25", "error at half the clock, times that at full", "times", 1,
		"records that find no room: the wide bus, at both clocks", function()
			local half = { ["cop.divider"] = 2 }
			local function error_of(name, set) return profiled(name, VALUE,
				set).error end
			return mean(error_of, half) / mean(error_of),
				mean(error_of, with_set(half, WIDE_BUS)) / mean(error_of, WIDE_BUS)
		end },
	{ "zilles-25", "the same", "times", 1, "turns that the clock ends: none", function()
			local half, firmware = { ["cop.divider"] = 2 }, MADE .. "no-clock.elf"
			local function error_of(name, of, set)
				return profiled(name, of, set).error
			end
			return mean(error_of, VALUE, half) / mean(error_of, VALUE),
				mean(error_of, firmware, half) / mean(error_of, firmware)
		end },
	{ "zilles-15", "interrupts of the last quarter, times those of the first", "times", "< 1",
		"loads that find no slot: arrays of four times the size", function()
			return mean(late_interrupts, VALUE), mean(late_interrupts, VALUE, FOUR)
		end },
	{ "zilles-15", "the same", "times", "< 1", "masked loads that are sampled again: never",
		function()
			return mean(late_interrupts, VALUE), mean(late_interrupts, MADE
				.. "resample-0.elf")
		end },
	{ "zilles-3", "error, times that of simple sampling, 1 in 251, which loses nothing",
		"times", 1,
		"records of the co-processor that find no room: the wide bus", function()
			local function ratio(name, set)
				return profiled(name, VALUE, set).error
					/ profiled(name, MADE .. "sample-251.elf", set).error
			end
			return mean(ratio), mean(ratio, WIDE_BUS)
		end },
	{ "zilles-3", "error, times that of simple sampling, 1 in 61, which loses nothing",
		"times", "< 1", "the cost of 1 in 61: as much of it as the co-processor costs",
		function()
			local function ratio(name, at_cost)
				local own = profiled(name, VALUE).error
				return own / (at_cost and error_at_cost(name, overhead(name, VALUE))
					or profiled(name, MADE .. "sample-61.elf").error)
			end
			return mean(ratio), mean(ratio, true)
		end },
	{ "zilles-6", "gain in error of the two programs with most loads, times that of others",
		"times", "> 1", "the cost of 1 in 61: as much of it as the co-processor costs",
		function()
			local function gain(name, at_cost)
				return (at_cost and error_at_cost(name, overhead(name, VALUE))
					or profiled(name, MADE .. "sample-61.elf").error)
					/ profiled(name, VALUE).error
			end
			local many, few = { "lisp", "json" }, { "sort", "chess" }
			return mean_of(many, gain) / mean_of(few, gain),
				mean_of(many, gain, true) / mean_of(few, gain, true)
		end },
	-- 4.97 and 4.05 are the page's: of eleven demos.
	{ "zilles-21", "cost with half the arrays, times that with double", "times", "< 1",
		"runs of 16 million instructions: of 0.6 million", function()
			local half, double = { ["cop.cam"] = 128, ["cop.data"] = 512 },
				{ ["cop.cam"] = 512, ["cop.data"] = 2048 }
			return 4.97 / 4.05,
				mean(overhead, VALUE, half) / mean(overhead, VALUE, double)
		end },
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
	{ "burrows-1", "cost of interrupts alone", "%", 3.9,
		"more than one instruction a cycle: all one wide", function()
			local none = { ["vsample.every"] = 0 }
			return mean(sampling, none, "results"), mean(sampling, with_set(none,
				ONE), "results")
		end },
	{ "burrows-2", "cost of value profiling", "%", 10.7,
		"more than one instruction a cycle: all one wide", function()
			return mean(sampling, {}, "results"), mean(sampling, ONE, "results")
		end },
	{ "burrows-17", "error of concise samples' hotlists, times that of Calder's table", "times",
		"< 1", "coins: the mean of eight lists of the same samples", function()
			return mean(hotlist_error, "samples", 1) / mean(hotlist_error, "top", 1),
				mean(hotlist_error, "samples", 8) / mean(hotlist_error, "top", 1)
		end },
	{ "burrows-18", "spread of the errors of Calder's table, by when it is cleared", "points",
		"> 1", "clearings that never come: at 20, 100 and 500 values, not 500, 2,000, 8,000",
		function()
			return clearing_spread(500, 2000, 8000), clearing_spread(20, 100, 500)
		end },
	{ "sastry-8", "events until R(256) stays below 5 %, times those of strata", "times", 23,
		"few tuples: addresses of loads in place of loads' values", function()
			return how_much_later("lisp", 5),
				how_much_later("lisp", 5, "address of load")
		end },
	{ "sastry-29", "error with masks at the end, times that without", "times", "< 1",
		"few samples before a load is masked: 64 in place of 16",
		function() return mean(masked_error, 4096), mean(masked_error, 16384) end },
	{ "sastry-6", "error of R(256), times that of P(256)", "times", 1,
		"the order of the loads: shuffled", function()
			local function ratio(name, shuffled)
				return sampled_error(name, function(s) return { s.R(256) } end,
					shuffled)
					/ sampled_error(name, function(s) return { s.P(256) } end,
						shuffled)
			end
			return mean(ratio), mean(ratio, true)
		end },
	{ "sastry-10", "cost of 30 cycles for 256 loads of `lisp`", "%", 3.5,
		"four instructions a cycle: all two wide", function()
			local function model(width)
				local set = {}
				for name in pairs(ONE) do
					set[name] = width
				end
				local s = run("lisp", { set = with_set({ ["sampler.enable"] = true,
					["sampler.select"] = "value of load" }, set) }).stats
				return 100 * 30 / 256 * s["sampler.selected"] / s["sim.cycles"]
			end
			return model(nil), model(2)
		end },
	{ "sastry-20", "error with modulo, times that with the hash function", "times", "> 1",
		"more counters than frequent tuples: 64 in place of 2,048", function()
			local function ratio(name, counters)
				local function error_of(hash)
					return sampled_error(name, function(s)
						return { s.H(s.P(256), counters, hash) } end)
				end
				return error_of "modulo" / error_of "random"
			end
			return mean(ratio, 2048), mean(ratio, 64)
		end },
	{ "sastry-22", "messages of strata, times those after A(16), the least of the programs",
		"times", 1.15,
		"few places: A(64) in place of A(16)", function()
			local function ratio(name, places)
				local s = require "cyclops.sampler"
				local stream = stream_of(name)
				local function messages(stages)
					local c = s.sampler(stages)
					return #c:feed(stream) + #c:drain()
				end
				return messages{ s.H(s.P(256), 2048) }
					/ messages{ s.H(s.P(256), 2048), s.A(places) }
			end
			local function least(places)
				local n = math.huge
				for _, name in ipairs(e.names) do
					n = math.min(n, ratio(name, places))
				end
				return n
			end
			return least(16), least(64)
		end },
}

-- The part of the difference to the paper that disappears; for a paper's words, "< 1" or "> 1",
-- whether our figure is on that side.
local function goes(with, without, paper)
	if type(paper) == "string" then
		return (without < 1) == (paper == "< 1") and "yes" or "no"
	end
	return ("%.0f %%"):format(100 * (1 - math.abs(without - paper) / math.abs(with - paper)))
end

local function text(v, unit)
	local after = unit == "%" and " %" or (unit == "times" or unit == "") and "" or " " .. unit
	return type(v) == "string" and v or v and ("%.2f%s"):format(v, after) or "-"
end

print "# Reasons tried"
print ""
print "Printed by `build/cyclops lua demos/papers/reasons.lua`; [claims.md](claims.md) refers to this."
print "Of four demos, some 0.6 million instructions each. *Goes*: how much of the difference to the"
print "paper is gone without the cause; negative: it is larger; of a paper with words alone,"
print "whether the figure is on its side then."
print ""
print "| claim | figure | without | as it is | without it | the paper | goes |"
print "| --- | --- | --- | ---: | ---: | ---: | ---: |"
for _, x in ipairs(EXPERIMENTS) do
	local claim, figure, unit, paper, cause, measure = table.unpack(x, 1, 6)
	if not next(chosen) or chosen[claim] then
		local ok, with, without = xpcall(measure, debug.traceback)
		if not ok then
			io.stderr:write(claim, ": ", tostring(with), "\n")
		else
			print(("| %s | %s | %s | %s | %s | %s | %s |"):format(claim, figure, cause,
				text(with, unit), text(without, unit), text(paper, unit),
				goes(with, without, paper)))
			io.stdout:flush()
		end
	end
end
