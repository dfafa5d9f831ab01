-- Makes the runs that the pages need, of all programs or of some, and keeps their results. `make
-- papers` has several of these at work at once; a page makes by itself the runs that are
-- missing.
--
--     cyclops lua demos/papers/zilles2001/run.lua [--small] [--programs A,B] [--insts N] [--out FOLDER]
local e = require "runs".open(arg)

for _, name in ipairs(e.names) do
	e:all(name)
end
