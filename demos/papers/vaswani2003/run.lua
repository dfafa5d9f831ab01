-- Makes the runs that the tables and figures need, of all programs or of some, and keeps their
-- results. `make papers` has several of these at work at once; a table makes by itself the runs
-- that are missing.
--
--     cyclops lua demos/papers/vaswani2003/run.lua [--programs A,B] [--scale X] [--small] [--out FOLDER]
local e = require "experiment".open(arg)
local LONGER <const> = 25 -- the windows that scales.lua compares

for _, program in ipairs(e.programs) do
	e:plain(program)
	e:run(program, "control", 0, true)
	e:run(program, "loops", 0, true)
	for _, percent in ipairs(e.percents) do
		e:run(program, "calls", percent, true)
		e:run(program, "blocks", percent, false)
		e:run(program, "blocks", percent, true)
	end
	for _, strategy in ipairs(e.strategies) do
		for _, percent in ipairs{ 0, 25, 100 } do
			e:run(program, "calls", percent, true, nil, false, strategy)
		end
	end
	e:run(program, "calls", 25, true, e.scale * LONGER)
	e:run(program, "blocks", 25, true, e.scale * LONGER)
	e:run(program, "blocks", 25, true, e.scale, true)
end
