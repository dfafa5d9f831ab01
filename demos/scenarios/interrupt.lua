-- The cost of an interrupt: firmware that counts the ticks of a clock beside a program.
--
-- Expect: the program computes the same; it pays in cycles. Each tick squashes uncommitted
-- instructions, fetches the handler, and comes back; the CPI stack has it in a row of its own, and
-- that row is the increase of the program's time.
-- See it: cyclops --firmware build/demos/firmware/tick.elf build/demos/branchy, then: catch
-- interrupt, continue, step 40, view pipe
local lab = require "lab"
lab.title "The cost of an interrupt"

local function run(set, firmware)
	local m = lab.machine("build/demos/branchy",
		{ set = set, firmware = firmware and "build/demos/firmware/tick.elf" })
	m:finish()
	return m
end

local m = lab.machine("build/demos/branchy", { firmware = "build/demos/firmware/tick.elf" })
m:run{ cycles = 20000 }
m:run{ until_event = "interrupt" }
m:step(14)
lab.say [[A tick. Uncommitted instructions are squashed (x), and bpred.penalty cycles later the
	first instructions of the handler are fetched: it saves the program's registers.]]
lab.pipe(m, 16)
local entered = m.cycle - 14
m:run{ until_event = "mret" }
lab.say(
	("It counts, sets the clock again and restores the registers. It leaves with mret, %d " ..
	"cycles after it was entered; the program's "
	.. "next instruction is fetched a cycle later."):format(m.cycle - entered))

lab.say "The whole program, without firmware and with a tick each 1000 cycles:"
local rows = {}
for i, penalty in ipairs{ 3, 20 } do
	local alone, ticked = run{ ["bpred.penalty"] = penalty },
		run({ ["bpred.penalty"] = penalty }, true)
	local ticks = ticked.firmware.interrupts
	local more = ticked.cycle - alone.cycle
	local row = ticked.cpi.firmware / ticked.pipe.commit_width
	rows[i] = { penalty, alone.cycle, ticked.cycle, ticks, more / ticks, row / ticks,
		ticked.firmware.insts / ticks }
	lab.holds("the program's answer is the same, penalty " .. penalty,
		alone:output() == ticked:output() and #alone:output() > 0)
	lab.expect("and so are its instructions", ticked.sim.insts, alone.sim.insts)
	lab.holds("the row `firmware` of the CPI stack has all of it", row >= more)
	lab.holds("and little more: while the handler runs, some misses of the program are served",
		more > 0.8 * row)
end
lab.table({ "bpred.penalty", "alone", "ticking", "ticks", "longer by, a tick", "CPI stack, a tick",
	"instructions" }, rows)
lab.near("17 cycles more of penalty make each tick cost as many more", rows[2][6] - rows[1][6], 17, 15)

lab.done()
