-- Real programs (demos/workloads) for the papers' experiments. Each runs from its beginning to a
-- fixed place some million instructions later; the place is the same in all runs, instrumented or
-- not.
local here = debug.getinfo(1, "S").source:match "@(.-)[^/]*$"
package.path = here .. "?.lua;" .. package.path
local bakeoff, guest, kept, options = require "cyclops.bakeoff", require "guest", require "kept",
	require "options"

local real = {}

-- Version of the runs: change it when the way of making runs changes, which discards stored
-- results.
local RULES <const> = 1

--- real.open(WORDS, PAPER, INSTS, SMALL [, OWN]) -> e
-- The runs that the command line words ask for: INSTS instructions each (--insts); with --small
-- fewer, and only of the programs SMALL. OWN: further rows for options.read(). e.names: programs
-- that are built; e.missing: others.
function real.open(words, paper, insts, small, own)
	own = own or {}
	own[#own + 1] = { "--insts", "N",
		("of each program at most (%d; with --small 300000)"):format(insts), 50000,
		1000000000, "whole" }
	local e = options.read(words, "build/papers/" .. paper, own)
	local workloads = dofile(here .. "../workloads/programs.lua")
	e.insts = e.insts or e.small and 300000 or options.times(e, insts, 50000)
	e.names, e.by_name, e.missing, e.began = {}, {}, {}, os.time()
	for i, row in ipairs(workloads.missing) do
		e.missing[i] = row[1]
	end
	for _, program in ipairs(workloads.all:all(e, e.programs or e.small and small, e.wrong)) do
		e.names[#e.names + 1], e.by_name[program.name] = program.name, program
	end
	if #e.names == 0 then
		e.wrong("no workload is built: make workloads")
	end
	return setmetatable(e, { __index = real })
end

--- e:record(NAME, WHAT, PARTS, MAKE [, FILES]) -> RECORD
-- The stored result of MAKE(program) for a run of this program. PARTS: dependencies besides the
-- program and its region.
function real:record(name, what, parts, make, files)
	local program = self.by_name[name]
	parts = table.move(parts, 1, #parts, 5, { table.concat(program.args, "\n"), program.input,
		self.insts, RULES })
	files = table.move(files or {}, 1, #(files or {}), 2, { program.path })
	return kept.record(self, ("%s-real-%s"):format(name, what), parts,
		table.move(program.files, 1, #program.files, #files + 1, files),
		function() return make(program) end)
end

--- e:stop(NAME) -> STOP
-- The place where its runs stop (bakeoff.find_stop()).
function real:stop(name)
	return self:record(name, "region", {}, function(program)
		return bakeoff.find_stop{ program = program.path, name = name, args = program.args,
			input = program.input, root = self.root, max_insts = self.insts }
			or { name = false }
	end)
end

--- e:machine(NAME, ABOUT) -> MACHINE, GO
-- The program in a machine; ABOUT as cyclops.machine takes it. GO() takes it to the region's end.
function real:machine(name, about)
	local program, stop = self.by_name[name], self:stop(name)
	about.program, about.name = about.program or program.path, about.name or name
	local m = guest.machine(self, program, about)
	return m, function()
		local ended = bakeoff.stop_there(m, stop.name and stop or nil)
		repeat
			m:run()
		until ended()
		if not stop.name then
			guest.whole(m)
		elseif m.status ~= "running" then
			guest.passed(m, stop.name)
		end
	end
end

--- e:about([DEMOS])
-- Prints which programs these are, and of how many instructions each has been run; at a page's
-- beginning. DEMOS: the way from there to demos (../..).
function real:about(demos)
	print(("Real programs ([`demos/workloads`](%s/workloads/README.md)), of each the first " ..
		"%.14g million"):format(demos or "../..", self.insts / 1e6))
	print("instructions, to the same place in all runs of a program.")
	if self.missing[1] then
		print(("Not built where this was made: %s."):format(
			table.concat(self.missing, ", ")))
	end
	print()
end

return real
