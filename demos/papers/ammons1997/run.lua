-- Makes the runs for the tables, of all programs or some, and stores their results. `make papers`
-- runs several such processes in parallel; a page makes missing runs itself.
--
--     cyclops lua demos/papers/ammons1997/run.lua [--small] [--programs A,B] [--out FOLDER]
local e = require "runs".open(arg)

for _, name in ipairs(e.names) do
	e:all(name)
end
