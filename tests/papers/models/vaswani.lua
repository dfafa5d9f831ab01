-- Data for vaswani.py: a program whose blocks are all profiled, as events of its run: cycle, kind
-- and, of a block, its name. Kinds: `set` (an instruction that sets the flag or resets it), `push`,
-- `pop`, `block`. Then the accuracy of Cyclops's runs that profile during a part of the time.
--
--     cyclops lua vaswani.lua PROGRAM FOLDER
package.path = "demos/papers/vaswani2003/?.lua;" .. package.path
local name, folder = arg[1], arg[2]
local experiment, guest, xprof = require "experiment", require "guest", require "cyclops.xprof"
local instrument = require "cyclops.instrument"
local e = experiment.open{ "--small", "--programs", name, "--out", folder .. "/runs" }
local program = e.programs[1]
local hot = e:plain(program).hot

local f <close> = assert(io.open(folder .. "/events", "w"))
local m <close> = guest.machine(e, program, { program = "build/demos/papers/" .. name
	.. "-blocks.elf", config = "vaswani2003", set = { ["bdt.sets"] = 0 }, name = name })
xprof.new(m):on(hot)
local kind = {}
for _, method in ipairs(instrument.methods(m)) do
	for i, block in ipairs(method.blocks) do
		kind[block.addr] = ("block %s:%d"):format(method.name, i - 1)
	end
end
-- Instructions that set the flag act at decode, on wrong paths, too: those that no squash takes
-- away come before the next instruction that commits.
local waiting = {}
m:on("control", function(ev)
	if ev.text:match "^setpf" then
		waiting[#waiting + 1] = ev.seq
	end
end)
m:on("squash", function(ev)
	while waiting[1] and waiting[#waiting] > ev.seq do
		waiting[#waiting] = nil
	end
end)
m:on("commit", function(ev)
	while waiting[1] and waiting[1] < ev.seq do
		table.remove(waiting, 1)
		f:write(("%d set\n"):format(ev.cycle))
	end
	local k = kind[ev.pc]
	if k == nil then
		k = ev.text:match "^pushpf" and "push" or ev.text:match "^poppf" and "pop" or false
		kind[ev.pc] = k
	end
	if k then
		f:write(("%d %s\n"):format(ev.cycle, k))
	end
end)
m:finish()

local out <close> = assert(io.open(folder .. "/accuracies", "w"))
for _, percent in ipairs(e.percents) do
	local record = e:run(program, "blocks", percent, false)
	out:write(("%d %d %.9g\n"):format(percent, math.floor(e.period * e.scale),
		percent > 0 and e:accuracy(program, record, "blocks", false) or 0))
	if percent == 100 then
		local all <close> = assert(io.open(folder .. "/profile", "w"))
		for block, n in pairs(record.profile) do
			all:write(("%s %d\n"):format(block, n))
		end
	end
end
