-- Makes the runs that the figures need, of all programs or of some, and keeps their results. `make
-- papers` has several of these at work at once; a figure makes by itself the runs that are
-- missing.
--
--     cyclops lua demos/papers/sastry2001/run.lua [--small] [--programs A,B] [--events N] [--out FOLDER]
local e = require "runs".open(arg)

for _, name in ipairs(e.names) do
	e:loads(name)
	e:edges(name)
end
