-- Makes the runs for the pages, of all programs or some, and stores their results. `make papers`
-- runs several such processes in parallel; a page makes missing runs itself.
--
--     cyclops lua demos/papers/zilles2001/run.lua [--small] [--programs A,B] [--insts N] [--out FOLDER]
local e = require "runs".open(arg)

for _, name in ipairs(e.names) do
	e:all(name)
end
