-- Grades lab 10: figures of the demo, and a microprogram that counts outcomes of twelve branches.
local lab = require "cyclops.lab"
local h = lab.hand_in(...)

local function begun(program)
	return lab.finish(cyclops.machine{ program = lab.file(program), cop = lab.file "task.mic",
		set = { ["cop.enable"] = true }, history = false }, 100000).cop
end
h:answer(2, "tagged", begun("demo.s").tagged, "`stats cop` at the end.", 1)
h:answer(2, "clocks", math.floor(begun("demos/labs/01-pipeline/demo.s").clocks_per_sample + 0.5),
	"`cop step`, once the branch has its slot.")

-- How often each branch is taken, by address: eleven of the twenty branches of graded.s, and the
-- branch that ends a round.
local SHARES <const> = { 0, 1 / 8, 1 / 4, 1 / 2, 1 / 2, 3 / 4, 3 / 4, 7 / 8, 7 / 8, 1, 1 }
local rounds, sites, shares = h:number(48, 63), h:shuffled(20), h:shuffled(#SHARES)
local masks, taken = {}, {}
for i, share in ipairs(shares) do
	local order = h:shuffled(rounds)
	masks[i], taken[i] = 0, math.floor(SHARES[share] * rounds)
	for k = 1, taken[i] do
		masks[i] = masks[i] | 1 << order[k] - 1
	end
end
local function graded()
	local m = cyclops.machine{ program = lab.file "graded.s", cop = h.file,
		set = { ["cop.enable"] = true }, history = false }
	local order, want = {}, { [m:addr "turn"] = rounds - 1 }
	for i, mask in ipairs(masks) do
		local site = m:addr "sites" + 24 * (sites[i] - 1)
		order[2 * i - 1], order[2 * i] = site, mask
		want[site + 8] = taken[i]
	end
	order[#order + 1], order[#order + 2] = m:addr "turn" - 4, 0
	return lab.finish(lab.fill(lab.fill(m, "rounds", { rounds }), "order", order), 100000), want
end
local m, want, slots, right
h:expect(4, "all twelve branches have a slot", function()
	m, want = graded()
	if m.cop.faults > 0 then
		return false, "the program was wrong: " .. m.cop:why()
	end
	local known, all = 0, m.cop:slots()
	slots = {}
	for _, slot in ipairs(all) do
		local a, b = slot.taken or 0, slot.not_taken or 0
		if slot.pc and want[slot.pc] and not slots[slot.pc] and
			(a + b == rounds or a == rounds or b == rounds) then
			slots[slot.pc] = slot
			known = known + 1
		end
	end
	return math.max(0, known - 3 * (#all - known)) / 12,
		("%d of them have one that counts them, of %d in use"):format(known, #all)
end, "`free` finds an unused entry.")
h:expect(7, "taken and not taken", function()
	if not slots then
		return nil, "there are no slots to compare"
	end
	local count = 0
	for pc, slot in pairs(slots) do
		count = count + (slot.taken == want[pc] and slot.not_taken == rounds - want[pc] and
			1 or 0)
	end
	right = count == 12
	return right and 1 or math.max(0, count - 4) / 10, count .. " of 12 branches are right"
end, "The event TAKEN: test events, TAKEN.")
h:expect(5, "clocks for a branch", function()
	if not right then
		return nil, "not all counts are right"
	end
	local clocks = m.cop.clocks / (12 * rounds)
	return lab.share(clocks, 10, 5.8), ("it takes %.1f"):format(clocks)
end, "What can stand side by side? Which way is the likely one? A wrong prediction costs two " ..
	"clocks.")
h:done()
