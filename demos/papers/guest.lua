-- Runs programs of experiments in machines, and checks each run: a run with a wrong result ends the
-- experiment.
local guest = {}

--- guest.machine(o, PROGRAM, ABOUT) -> MACHINE
-- A machine for a program with `args` and `input` (inputs.lua). ABOUT: other fields of
-- cyclops.machine; its `name` names the run in messages. The program sees o.root as its /: file
-- names do not depend on the folder of results.
function guest.machine(o, program, about)
	about.args, about.input, about.root, about.history = program.args, program.input, o.root,
		false
	about.name = about.name or program.name
	return cyclops.machine(about)
end

-- The program's end, as a text.
local function fate(m)
	if m.status == "exited" then
		return ("it exited with status %d"):format(m.exit_status)
	elseif m.fault then
		return ("it faulted, %s at pc 0x%x"):format(m.fault.name, m.fault.pc)
	end
	return "it is " .. m.status
end

local function fail(m, wanted, came)
	local said = (m:output(2) .. m:output()):sub(-300)
	error(("%s: no good run: %s expected, %s after %d instructions%s"):format(m.name, wanted,
		came, m.insts, said ~= "" and "; its output:\n" .. said or ""), 0)
end

--- guest.whole(MACHINE)
-- The program should have ended, with status 0.
function guest.whole(m)
	if m.status ~= "exited" or m.exit_status ~= 0 then
		fail(m, "the program's end with status 0", fate(m))
	end
end

--- guest.reached(MACHINE, WANTED, GOT [, UNIT])
-- The run should be so long, of instructions if no unit is given. A program that ended has status
-- 0.
function guest.reached(m, wanted, got, unit)
	if got < wanted or m.status ~= "running"
		and not (m.status == "exited" and m.exit_status == 0) then
		fail(m, ("%d %s"):format(wanted, unit or "instructions"),
			("there were %d, %s"):format(got, fate(m)))
	end
end

-- - guest.passed(MACHINE, PLACE) Checks that the program has reached this place, and is there.
function guest.passed(m, place)
	if m.status ~= "running" then
		fail(m, place .. " on its way", fate(m))
	end
end

return guest
