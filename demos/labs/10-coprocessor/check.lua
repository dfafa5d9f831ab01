-- Grades lab 10: figures of the demo, and a microprogram that counts outcomes of twelve branches.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)
local DIR, ROUNDS = "demos/labs/10-coprocessor/", 90

local function run(program, cop, rounds)
	local m = cyclops.machine{ program = program, cop = cop, set = { ["cop.enable"] = true },
		history = false }
	return lab.finish(rounds and lab.fill(m, "rounds", { rounds }) or m, 100000)
end
h:answer(2, "tagged", run(DIR .. "demo.s", DIR .. "task.mic").cop.tagged, "`stats cop` at the end.",
	1)
local alone = run("demos/labs/01-pipeline/demo.s", DIR .. "task.mic").cop
h:answer(2, "clocks", math.floor(alone.clocks_per_sample + 0.5),
	"`cop step`, once the branch has its slot.")

-- What each branch does in round r: taken?
local rules = {
	function(r) return r & 1 == 0 end, function(r) return r & 3 == 0 end, function(r)
		return r & 7 ~= 0 end,
	function(r) return r < 20 end, function(r) return r & 15 == 0 end, function(r)
		return r & 5 == 0 end,
	function(r) return r & 9 ~= 0 end, function() return true end, function() return false end,
	function(r) return r & 6 == 0 end, function(r) return r & 10 ~= 0 end, function(r)
	return r < ROUNDS - 1 end,
}
local m, slots
h:expect(4, "all twelve branches have a slot", function()
	m = run(DIR .. "demo.s", h.file, ROUNDS)
	if m.cop.faults > 0 then
		return false, "the program was wrong: " .. m.cop:why()
	end
	slots = m.cop:slots()
	table.sort(slots, function(a, b) return (a.pc or 0) < (b.pc or 0) end)
	return math.max(0, 12 - math.abs(12 - #slots) * 3) / 12, "there are " .. #slots ..
		" slots in use"
end, "`free` finds an entry that nobody has.")
h:expect(7, "taken and not taken", function()
	if not slots or #slots ~= 12 then
		return false, "there are not twelve slots to compare"
	end
	-- Records that came last may not have been worked on when the program ends.
	local late, right = m.cop.records - m.cop.samples + m.cop.dropped + m.cop.lost, 0
	for i, rule in ipairs(rules) do
		local taken, not_taken = 0, 0
		for r = 0, ROUNDS - 1 do
			taken, not_taken = taken + (rule(r) and 1 or 0),
				not_taken + (rule(r) and 0 or 1)
		end
		local s = slots[i]
		local function near(got, want)
			return math.type(got) and got <= want and got >= want - late // 8 - 1
		end
		right = right + (near(s.taken, taken) and near(s.not_taken, not_taken) and 1 or 0)
	end
	return right == 12 and 1 or right / 24, right .. " of 12 branches are right"
end, "The event TAKEN: test events, TAKEN.")
h:expect(5, "clocks for a record", function()
	if not slots or #slots ~= 12 then
		return false, "there are not twelve slots"
	end
	local clocks = m.cop.clocks_per_sample
	return lab.share(clocks, 9, 4.5), ("it takes %.1f"):format(clocks)
end, "What can stand side by side? Which way is the likely one? A wrong prediction costs two " ..
	"clocks.")
h:done()
