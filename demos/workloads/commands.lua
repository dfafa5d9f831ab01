-- Makes the workloads' input below build/workloads/files, where they are run, and writes how: a
-- line for each in build/workloads/commands, NAME, PROGRAM, the file that it reads and its
-- arguments. Missing ones are listed on stderr, with reasons.
--
--     cyclops lua demos/workloads/commands.lua [--programs A,B] [--out FOLDER]
local programs = require "programs"
local inputs, options = require "inputs", require "options"
local o = options.read(arg, "build/workloads")

local lines = {}
for i, program in ipairs(programs.all:all(o, o.programs, o.wrong)) do
	local _, stdin = inputs.make(o, program.name .. ".stdin", program.input)
	lines[i] = table.concat({ program.name, program.path, (stdin:sub(#o.root + 2)),
		table.unpack(program.args) }, " ")
end
local f <close> = assert(io.open(o.out .. "/commands", "w"))
f:write(table.concat(lines, "\n"), "\n")
for _, row in ipairs(programs.missing) do
	local why <close> = io.open(row.path .. ".skipped")
	io.stderr:write(row[1], ": not there: ", why and why:read "l" or row.needs
		and "it needs " .. row.needs or "make workloads builds it", "\n")
end
print(("%d workloads are built, %d are not; %s/commands runs them, in %s"):format(#lines,
	#programs.missing, o.out, o.root))
