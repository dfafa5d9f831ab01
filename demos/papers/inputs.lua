-- Programs with their arguments and input. Input that is not in the tree is made, always the same.
local inputs = {}

-- - The folder of the demo programs' input.
inputs.folder = "demos/programs/input/"

local list = {}

--- inputs.read(PATH) -> TEXT
function inputs.read(path)
	local f <close> = io.open(path, "rb") or error(path .. " is not there, which programs read",
		0)
	return f:read "a"
end

local pid = inputs.read "/proc/self/stat":match "%d+"

-- Writes the file only if its text changes: other processes may be reading it, or writing the same
-- text.
local function write(path, text)
	local f = io.open(path, "rb")
	local same = f and f:read "a" == text
	if f then
		f:close()
	end
	if not same then
		local new = path .. "." .. pid
		f = assert(io.open(new, "wb"))
		f:write(text)
		f:close()
		assert(os.rename(new, path))
	end
end

--- inputs.file(o, NAME) -> FILE
-- Path on the host of the file that programs call NAME. It is below o.root, which programs see as
-- /: so NAME does not depend on the folder of results.
function inputs.file(o, name)
	return (o.root and o.root .. "/" or "") .. name
end

--- inputs.make(o, NAME, TEXT) -> NAME, FILE
-- A file of this text, called o.input/NAME.
function inputs.make(o, name, text)
	name = o.input .. "/" .. name
	write(inputs.file(o, name), text)
	return name, inputs.file(o, name)
end

--- inputs.take(o, NAME) -> NAME, FILE
-- A file of the tree.
function inputs.take(o, name)
	if o.root then
		write(inputs.file(o, name), inputs.read(name))
	end
	return name, inputs.file(o, name)
end

--- inputs.list(ROWS, MADE) -> list
-- A list of programs. A row is { NAME, ARGUMENTS, stdin = FILE, ... }; ARGUMENTS is one text, in
-- which @WORD is a file with the text MADE[WORD](). Other fields of a row are copied to the
-- program.
function inputs.list(rows, made)
	return setmetatable({ rows = rows, made = made }, { __index = list })
end

--- list:names() -> { NAME, ... }
function list:names()
	local names = {}
	for i, row in ipairs(self.rows) do
		names[i] = row[1]
	end
	return names
end

-- A word of a command line, as the program sees it, and the file that it is, if any.
local function place(self, word, o)
	local name = word:match "^@(.*)"
	if name then
		return inputs.make(o, name, (self.made[name]()))
	elseif word:find("/", 1, true) then
		return inputs.take(o, word)
	end
	return word
end

local function stdin_of(self, word)
	local name = word and word:match "^@(.*)"
	return name and (self.made[name]()) or word and inputs.read(word) or ""
end

--- list:get(NAME, o) -> { name =, args = {...}, input = TEXT, files = {...}, ... }
-- Finds a program and writes its input files (inputs.file); `files`: their paths on the host. nil
-- if there is no such program.
function list:get(name, o)
	for _, row in ipairs(self.rows) do
		if row[1] == name then
			local program = { name = name, args = {}, input = stdin_of(self, row.stdin),
				files = {} }
			for word in row[2]:gmatch "%S+" do
				program.args[#program.args + 1], program.files[#program.files + 1] =
					place(self, word, o)
			end
			for key, value in pairs(row) do
				if type(key) == "string" and key ~= "stdin" then
					program[key] = value
				end
			end
			return program
		end
	end
end

--- list:all(o [, NAMES, WRONG]) -> { PROGRAM, ... }
-- All programs, or those in NAMES; calls WRONG with an unknown name.
function list:all(o, names, wrong)
	local programs = {}
	for i, name in ipairs(names or self:names()) do
		programs[i] = self:get(name, o) or wrong("no program '%s'; expected %s", name,
			table.concat(self:names(), ", "))
	end
	return programs
end

return inputs
