-- The end of a loop: a predictor that has seen the branch taken nine times predicts taken again.
--
-- Expect: a bimodal predictor is wrong once per outer iteration, at the exit. The next instructions
-- are fetched from the top of the loop, dispatched and even sent to memory: the wrong path reads an
-- element past the array. All of it is squashed when the branch resolves, and each exit costs
-- bpred.penalty more if the penalty is that much longer.
-- See it: cyclops -o bpred.kind=bimodal build/demos/scenarios/mispredict, then: catch squash,
-- continue 9, view pipe, why
local lab = require "lab"
lab.title "A mispredicted loop exit, and its wrong path"

local function machine(set)
	set["bpred.kind"] = set["bpred.kind"] or "bimodal"
	return lab.machine("mispredict", { set = set })
end

local m = machine{}
local read, behind, squashed = {}, 0, 0
m:run{ until_pc = "outer" }
for _ = 1, 20 do -- the predictor learns
	lab.reach(m, "outer")
end
local array = m.words
m:on("mem", { class = "load" }, function(e)
	if e.addr >= array + 80 then
		behind = behind + 1
	end
	read[#read + 1] = e.addr - array
end)
m:on("squash", function(e) squashed = squashed + e.count end)
local mispredicts, from = m.bpred.mispredicts, m.cycle
for _ = 1, 50 do
	lab.reach(m, "outer")
end
local wrong = m.bpred.mispredicts - mispredicts

lab.say [[The loop has ten rounds, and its branch is taken in nine. Here the last round resolves;
	`x` marks instructions fetched after the wrong prediction, and `?` those known to be on the
	wrong path.]]
m:run{ until_event = "squash" }
m:step(1)
lab.pipe(m, 18)
lab.say(
	("In 50 iterations the branch was mispredicted %d times; %d instructions had been dispatched in " ..
	"vain. The array has 10 elements; the "
	.. "machine read %d times past its end, at +80 and beyond, because the wrong path is " ..
		"executed too."):format(wrong, squashed,
	behind))
lab.expect("one misprediction an iteration", wrong, 50)
lab.holds("each iteration's wrong path reads past the array", behind >= 50, behind .. " times")
lab.expect("it read ones there, but the sum of the ten zeros is", m.a2, 0)

lab.say "The cost of an exit grows with the penalty, and with nothing else here:"
local rows, cycles = {}, {}
for i, penalty in ipairs{ 0, 3, 10, 20 } do
	m = machine{ ["bpred.penalty"] = penalty }
	cycles[i] = lab.lap(m, "outer", 50, 50)
	rows[i] = { penalty, cycles[i] }
end
lab.table({ "bpred.penalty", "cycles an iteration" }, rows)
for i, more in ipairs{ 0, 3, 10, 20 } do
	lab.expect("one misprediction an iteration: cycles beyond those without a penalty",
		cycles[i] - cycles[1], more)
end

lab.say [[A predictor with history can learn that the tenth round is the last: gshare with twelve
	bits of history sees nine times `taken` in a row.]]
rows = {}
local wrongs = {}
for _, kind in ipairs{ "nottaken", "taken", "bimodal", "gshare" } do
	m = machine{ ["bpred.kind"] = kind, ["bpred.history"] = 12, ["bpred.l2_size"] = 4096 }
	m:finish()
	rows[#rows + 1] = { kind, m.bpred.mispredicts }
	wrongs[kind] = m.bpred.mispredicts
end
lab.bars(rows, "wrong")
lab.expect("`taken` is wrong at each exit of both loops", wrongs.taken, 201)
lab.expect("`nottaken` at each other branch", wrongs.nottaken, 200 * 9 + 199)
lab.holds("history predicts the exit: fewer than a quarter of the mispredictions",
	wrongs.gshare * 4 < wrongs.bimodal)

lab.done()
