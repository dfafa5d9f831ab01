-- Experiments of Vaswani and others, rows as reasons.lua has them.
local tried = require "reasons.tried"
local mean, with_set, times, cost = tried.mean, tried.with_set, tried.times, tried.cost
local ROOM <const> = tried.ROOM

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

return {
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
}
