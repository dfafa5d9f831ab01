-- Makes the runs for the figures, of all programs or some, and stores their results. `make papers`
-- runs several such processes in parallel; a figure makes missing runs itself.
--
--     cyclops lua demos/papers/sastry2001/run.lua [--small] [--programs A,B] [--events N] [--out FOLDER]
local e = require "runs".open(arg)

for _, name in ipairs(e.names) do
	e:loads(name)
	e:edges(name)
end
