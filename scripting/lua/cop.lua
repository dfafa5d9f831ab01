-- Microprograms for the profiling co-processor.
--
-- A text is assembled as `cyclops microcode` does it, and loaded as firmware would, in no time; the machine's registers, arrays and
-- records are read as m.cop's fields:
--
--     local cop = require "cyclops.cop"
--     local p = cop.assemble [[
--         .program loads "counts loads"
--         .fields load: pc
--         .on load: count
--         .name loads = v0
--         count: sadd.32 loads, loads, 1 | done
--     ]]
--     m.cop:load(p)
--
-- What is wrong with a text is an error that names line and column, and says what would be right.

local cop = {}

--- cop.assemble(TEXT[, { NAME = NUMBER, ... }]) -> MICROPROGRAM
-- As `cyclops microcode` does (`cyclops help microcode`), with other values for its .equ.
function cop.assemble(text, constants)
	return cyclops.microprogram(text, constants)
end

--- cop.open(FILE[, { NAME = NUMBER, ... }]) -> MICROPROGRAM
-- The same of a file.
function cop.open(path, constants)
	local file, why = io.open(path, "r")
	if not file then
		error(why, 2)
	end
	local text = file:read("a")
	file:close()
	return cyclops.microprogram(text, constants, path)
end

return cop
