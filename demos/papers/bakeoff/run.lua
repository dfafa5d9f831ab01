-- Makes the runs of all programs or some, and stores their results. `make papers` runs several such
-- processes in parallel.
--
--     cyclops lua demos/papers/bakeoff/run.lua [--programs A,B] [--insts N] [--small] [--out FOLDER]
local e = require "runs".open(arg)

for _, name in ipairs(e.names) do
	e:record(name)
end
