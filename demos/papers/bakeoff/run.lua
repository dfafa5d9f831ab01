-- Makes the runs of all programs or of some, and keeps what they found. `make papers` has several
-- of these at work at once.
--
--     cyclops lua demos/papers/bakeoff/run.lua [--programs A,B] [--insts N] [--small] [--out FOLDER]
local e = require "runs".open(arg)

for _, name in ipairs(e.names) do
	e:record(name)
end
