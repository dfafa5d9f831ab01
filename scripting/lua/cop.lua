-- Microprograms for the profiling co-processor.
--
-- A text is assembled as `cyclops microcode` does it, and loaded as firmware would, in no time; the
-- machine's registers, arrays and records are read as m.cop's fields:
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
-- What is wrong with a text is an error with a line for each mistake, which names line and column
-- and says what would be right.

local cop = {}

-- Errors stand where the text does, not here.
local function assemble(text, constants, name)
	local ok, program = pcall(cyclops.microprogram, text, constants, name)
	if not ok then
		error(program:gsub("^cyclops/cop%.lua:%d+: ", ""), 3)
	end
	return program
end

--- cop.assemble(TEXT[, { NAME = NUMBER, ... }[, FILE]]) -> MICROPROGRAM
-- As `cyclops microcode` does (`cyclops help microcode`), with other values for its .equ. FILE is
-- what messages call the text.
function cop.assemble(text, constants, name)
	local program = assemble(text, constants, name)
	return program
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
	local program = assemble(text, constants, path)
	return program
end

return cop
