-- Programs with their arguments and input. Input that is not in the tree is made, always the same.
local inputs = {}

--- Where the demo programs' input lies.
inputs.folder = "demos/programs/input/"

local list = {}

--- inputs.read(PATH) -> TEXT
function inputs.read(path)
	local f <close> = assert(io.open(path, "rb"))
	return f:read "a"
end

--- inputs.list(ROWS, MADE) -> list
-- A row is { NAME, ARGUMENTS, stdin = FILE, ... }: arguments are in one text, and a word in it behind @ is a file that MADE[WORD]() gives
-- the text of. What else a row says, its programs say, too.
function inputs.list(rows, made)
	return setmetatable({ rows = rows, made = made }, { __index = list })
end

-- Written only if it says something else: others may be reading it.
local function write(path, text)
	local f = io.open(path, "rb")
	local same = f and f:read "a" == text
	if f then
		f:close()
	end
	if not same then
		f = assert(io.open(path .. ".new", "wb"))
		f:write(text)
		f:close()
		assert(os.rename(path .. ".new", path))
	end
end

local function place(self, word, folder)
	local name = word:match "^@(.*)"
	if name then
		word = folder .. "/" .. name
		write(word, self.made[name]())
	end
	return word
end

--- list:names() -> { NAME, ... }
function list:names()
	local names = {}
	for i, row in ipairs(self.rows) do
		names[i] = row[1]
	end
	return names
end

--- list:get(NAME, FOLDER) -> { name =, args = {...}, input = TEXT, files = {...}, ... }
-- With what is made in this folder, which is there. `files` are those that it reads. nil if there is no such program.
function list:get(name, folder)
	for _, row in ipairs(self.rows) do
		if row[1] == name then
			local program = { name = name, args = {}, input = row.stdin and inputs.read(place(self, row.stdin, folder)) or "", files = {} }
			for word in row[2]:gmatch "%S+" do
				local path = place(self, word, folder)
				program.args[#program.args + 1] = path
				program.files[#program.files + 1] = path:find("/", 1, true) and path or nil
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

--- list:all(FOLDER [, NAMES, WRONG]) -> { PROGRAM, ... }
-- All of them, or those of these names; WRONG is called about a name that none has.
function list:all(folder, names, wrong)
	local programs = {}
	for i, name in ipairs(names or self:names()) do
		programs[i] = self:get(name, folder) or wrong("no program '%s'; right: %s", name, table.concat(self:names(), ", "))
	end
	return programs
end

return inputs
