-- Replay traps: replayed loads and their causes, as a profiler finds them, beside the true ones.
--
-- Expect: the module vreplay names the partner of nearly every trap; alone it also suspects many
-- pairs that never trap; most of these disappear if only loads count that ProfileMe has seen
-- replayed. The last table shows the rest.
-- See it: cyclops --config burrows2000 build/demos/scenarios/replay_traps, then: catch replay,
-- continue, why, view pipe
local lab = require "lab"
local TYPES = { "order", "size", "synonym" }
lab.title "Replay traps, and what a value sampler makes of them"

lab.say [[Burrows and his co-authors, section 3.2: an Alpha 21264 fetches a load again, with all
	later instructions, if it conflicts with another access in flight. ProfileMe names such
	loads. The module vreplay interprets 128 instructions at a time and names for each load the
	accesses near it with which it may conflict. The machine's event `replay` has the truth.]]

local sampled = {
	["values.modules"] = "vreplay", ["values.method"] = "exact", ["vsample.length"] = 128,
		["vsample.every"] = 4,
	["vsample.queue"] = 4096, ["profileme.enable"] = true, ["profileme.reader"] = "daemon",
}

-- The run of a program: what trapped, what vreplay suspects, and for which loads ProfileMe has seen
-- a trap of that type. All by { pc, partner, type } in one text.
local function study(program, interval, options)
	local set = { ["vsample.interval_min"] = interval, ["vsample.interval_max"] =
		interval + interval // 4,
		["profileme.interval_min"] = interval // 40, ["profileme.interval_max"] =
			interval // 20 }
	for _, t in ipairs{ sampled, options and options.set or {} } do
		for name, value in pairs(t) do
			set[name] = value
		end
	end
	local m = lab.machine(program, { config = "burrows2000", set = set, args = options
		and options.args })
	local r = { m = m, truth = {}, suspected = {}, seen = {} }
	m:on("replay", function(e)
		local key = ("%x %x %s"):format(e.pc, e.partner_pc, e.type)
		r.truth[key] = (r.truth[key] or 0) + 1
	end)
	m:run{ insts = options and options.insts or 2000000 }
	if m.status ~= "running" and m.exit_status ~= 0 then
		error(("%s: no good run: it %s, exit status %s"):format(program, m.status,
			m.exit_status), 0)
	end
	for _, row in ipairs(m:report("values vreplay all").rows) do
		for kind, partner in row.values:gmatch "%% (%a+) 0x(%x+)%)" do
			r.suspected[("%x %s %s"):format(row.pc, partner, kind)] = true
		end
	end
	for pc, c in m.profileme:all() do
		for _, kind in ipairs(TYPES) do
			r.seen[("%x %s"):format(pc, kind)] = c.events["replay_" .. kind] or 0
		end
	end
	return r
end

-- Counts of one type: suspected pairs, and the true ones among them; traps of all true pairs, and
-- of the suspected ones.
local function judge(r, kind, filtered)
	local j = { pairs = 0, right = 0, traps = 0, found = 0 }
	for key in pairs(r.suspected) do
		local pc, _, how = key:match "(%x+) (%x+) (%a+)"
		if how == kind and (not filtered or (r.seen[pc .. " " .. how] or 0) > 0) then
			j.pairs = j.pairs + 1
			if r.truth[key] then
				j.right = j.right + 1
				j.found = j.found + r.truth[key]
			end
		end
	end
	for key, n in pairs(r.truth) do
		j.traps = j.traps + (key:match "%a+$" == kind and n or 0)
	end
	return j
end

local function percent(part, whole)
	return whole > 0 and ("%.1f %%"):format(100 * part / whole) or "-"
end

local here = "build/demos/scenarios/replay_traps"
local input = "demos/programs/input/"
local programs = {
	{ "replay_traps", here, 300 },
	{ "no wait table", here, 300, { set = { ["lsq.predictor"] = "none" } } },
	{ "compress", "build/demos/compress", 1000, { args = { input .. "gpl-3.txt" },
		insts = 300000 } },
	{ "lisp", "build/demos/lisp", 1000, { args = { input .. "queens.lisp" }, insts = 300000 } },
	{ "linked", "build/demos/linked", 1000 },
	{ "matmul", "build/demos/matmul", 4000, { insts = 400000 } },
	{ "selfmod", "build/demos/selfmod", 100 },
}
local rows, got = {}, {}
for i, p in ipairs(programs) do
	local r = study(p[2], p[3], p[4])
	got[p[1]] = r
	for _, kind in ipairs(TYPES) do
		local all, seen = judge(r, kind), judge(r, kind, true)
		r[kind], r[kind .. " seen"] = all, seen
		if all.traps > 0 or all.pairs > 0 then
			rows[#rows + 1] = { p[1], kind, all.traps, all.pairs,
				percent(all.right, all.pairs), percent(all.found, all.traps),
				seen.pairs, percent(seen.right, seen.pairs),
				percent(seen.found, seen.traps) }
		end
	end
end
lab.say [[Precision: of the pairs that were named, those that trapped. Recall: of all traps, those whose pair was named. The columns
	from `seen` on are about pairs whose load ProfileMe has seen replayed for that reason.]]
lab.table({ "program", "type", "traps", "pairs", "precision", "recall", "seen", "precision",
	"recall" }, rows)

lab.say [[Where it errs. Rare traps are in no sample, such as those of the start-up in linked and matmul; a trap counts each time its load
	is fetched again, so lisp's 54 are rare, too. Most suspected pairs do not conflict, because the address is known in time, or the
	line is in L1D; interpretation cannot see that, and ProfileMe drops these pairs. The paper bounds distances by the window, except between
	two loads. Here loads stay in the window until they have their data; stores retire earlier.]]

for _, name in ipairs{ "replay_traps", "no wait table" } do
	local r = got[name]
	for _, kind in ipairs(TYPES) do
		lab.holds(name .. ": loads are replayed, " .. kind, r[kind].traps > 0)
		lab.expect("each of these traps' pairs is named", r[kind].found, r[kind].traps)
		lab.holds("and its load seen by ProfileMe", r[kind .. " seen"].pairs > 0)
		lab.expect("which leaves no others", r[kind .. " seen"].right,
			r[kind .. " seen"].pairs)
	end
end
local m, suspects = got.replay_traps.m, {}
for key in pairs(got.replay_traps.suspected) do
	suspects[tonumber(key:match "^%x+", 16)] = true
end
lab.holds("a load after a store of its bytes that is ready as soon is not suspected",
	not suspects[m.forward + 4])
lab.expect("and it was never replayed", got.replay_traps.seen[("%x order"):format(m.forward + 4)]
	or 0, 0)
lab.holds("a load whose address another brings is not: they are never in flight together",
	not suspects[m.chain + 8])
local size = got.compress.size
lab.holds("compress: 99 % of its size traps are of pairs that are named", size.traps > 1000
	and size.found > 0.99 * size.traps)
lab.expect("and only such pairs", got.compress.size.right, got.compress.size.pairs)

lab.done()
