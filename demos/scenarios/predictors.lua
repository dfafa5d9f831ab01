-- Branch predictors side by side: built-in ones, and two that are written in Lua.
--
-- Expect: of five branches in a loop two are random and can't be predicted; one depends on these
-- two, and only a predictor with other branches' outcomes can predict it. The gshare of
-- demos/plugins/gshare.lua, a page of Lua, is exactly the built-in one. A single perceptron can't
-- learn an exclusive or.
-- See it: cyclops --plugin demos/plugins/gshare.lua build/demos/scenarios/pattern, then: tbreak
-- decided, continue, view bpred
local lab = require "lab"
local PLUGINS = arg[0]:match "^(.-)[^/]*$" .. "../plugins/"
lab.title "Branch predictors, built in and of our own"

lab.say [[A loop of 3000 iterations with six branches: one never taken; one four times taken and
	once not; two that are random; one that depends on whether the random ones agree; the loop's
	own.]]

-- Counters for each branch, as a plug-in of a few lines. With two bits it takes two mispredictions
-- to change the prediction.
local two_bits = [[
return {
	state = { counters = { 2048, bits = 2, init = { 1, 2 } } },
	predict = function(s, pc) return s.counters[pc >> 1 & 2047] >= 2 end,
	update = function(s, pc, taken) s.counters:add(pc >> 1 & 2047, taken and 1 or -1) end,
}]]
local one_bit = two_bits:gsub("bits = 2, init = { 1, 2 }", "bits = 1"):gsub(">= 2", ">= 1")

-- Runs the program and counts wrong predictions: all, and by branch.
local function run(kind, predictor)
	local m = lab.machine("pattern",
		{ predictor = predictor, set = { ["bpred.update"] = "commit",
		["bpred.kind"] = kind } })
	local at, branches = {}, 0
	m:on("commit", { class = "branch" }, function() branches = branches + 1 end)
	m:on("resolve", { class = "branch", where = "mispredicted" }, function(e) at[e.pc] =
		(at[e.pc] or 0) + 1 end)
	m:finish()
	return { wrong = m.bpred.mispredicts, decided = at[m.decided],
		random = at[m.random1] + at[m.random2],
		cycles = m.cycle, branches = branches }
end

local rows, bars, got = {}, {}, {}
for i, case in ipairs{
	{ "nottaken", "nottaken" }, { "taken", "taken" },
	{ "one bit, Lua", nil, one_bit }, { "two bits, Lua", nil, two_bits },
		{ "bimodal", "bimodal" },
	{ "gshare, Lua", nil, PLUGINS .. "gshare.lua" }, { "gshare", "gshare" },
	{ "perceptron, Lua", nil, PLUGINS .. "perceptron.lua" },
} do
	local r = run(case[2], case[3])
	got[case[1]] = r
	rows[i] = { case[1], r.wrong, r.random, r.decided, r.cycles }
	bars[i] = { case[1], r.wrong }
end
lab.table({ "predictor", "wrong", "at the random two", "at the decided one", "cycles" }, rows)
lab.bars(bars, "wrong")

lab.expect("each branch is wrong for `taken` or for `nottaken`",
	got.taken.wrong + got.nottaken.wrong, got.taken.branches)
for _, pair in ipairs{ { "two bits, Lua", "bimodal" }, { "gshare, Lua", "gshare" } } do
	local lua, own = got[pair[1]], got[pair[2]]
	lab.expect(pair[1] .. ", is wrong as often as the built-in " .. pair[2], lua.wrong,
		own.wrong)
	lab.expect("and takes the same cycles", lua.cycles, own.cycles)
end
lab.holds("one bit changes too soon: two are better",
	got["one bit, Lua"].wrong > got.bimodal.wrong)
for _, row in ipairs(rows) do
	lab.near("random branches stay random for " .. row[1], row[3], 3000, 7)
end
lab.near("counters for each branch alone can't predict the dependent one", got.bimodal.decided,
	1500, 10)
lab.holds("history predicts it", got.gshare.decided < 300, got.gshare.decided .. " wrong")
lab.near("a perceptron can't: it would have to learn an exclusive or",
	got["perceptron, Lua"].decided, 1500, 15)

lab.done()
