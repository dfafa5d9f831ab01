-- Microprograms for the profiling co-processor.
--
-- A text is assembled as by `cyclops microcode`, and loaded as by firmware, but in no time; m.cop's
-- fields are the machine's registers, arrays and records:
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
-- For an invalid text the error has a line for each mistake, with line, column and what was
-- expected.

local cop = {}

-- Errors are located in the text, not here.
local function assemble(text, constants, name)
	local ok, program = pcall(cyclops.microprogram, text, constants, name)
	if not ok then
		error(program:gsub("^cyclops/cop%.lua:%d+: ", ""), 3)
	end
	return program
end

--- cop.assemble(TEXT[, { NAME = NUMBER, ... }[, FILE]]) -> MICROPROGRAM
-- Assembles as `cyclops microcode` does (`cyclops help microcode`), with other values for its .equ.
-- FILE names the text in messages.
function cop.assemble(text, constants, name)
	local program = assemble(text, constants, name)
	return program
end

--- cop.open(FILE[, { NAME = NUMBER, ... }]) -> MICROPROGRAM
-- The same for a file.
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
