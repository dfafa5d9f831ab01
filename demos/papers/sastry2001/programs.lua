-- The programs whose loads, edges and calls are profiled: the demo programs, with input for the 16 million loads of the paper, or for 4 million,
-- or 1 million where more says no more (`events`, in millions). What input is not there already is made here, always the same.
--
-- `from` is where profiling begins, behind the initialization, as in 5.2.
local programs = {}

local INPUT <const> = "demos/programs/input/"

local function read(path)
	local f <close> = assert(io.open(path, "rb"))
	return f:read "a"
end

local made = {
	-- The eight queens of the paper's `li`.
	["queens-8.lisp"] = function()
		return read(INPUT .. "queens.lisp"):gsub("%(print[^\n]*\n", "") .. "(print 'queens 8 (queens 8))\n"
	end,
	["zones-twice.json"] = function()
		local text = read(INPUT .. "timezones.json")
		return ('{"one": %s, "two": %s}\n'):format(text, text)
	end,
	["positions.txt"] = function()
		return "search 5 - r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\n" .. read(INPUT .. "positions.txt") ..
			"perft 4 197281 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
	end,
	["phrases.txt"] = function()
		return "profile the stream\nstratified sample\nvalue of a load\n" .. read(INPUT .. "phrases.txt")
	end,
	["patterns.txt"] = function()
		return read(INPUT .. "patterns.txt") .. "s.*t.*r.*e.*a.*m\n(un|re|over)?(do|load|sample)(s|d|ed|ing)?$\n"
	end,
}

-- Arguments are in one text; a word behind @ is a file that is made here. `stdin` is one, too.
local list = {
	{ "compress", INPUT .. "gpl-3.txt " .. INPUT .. "timezones.json " .. INPUT .. "words.txt", from = "find", events = 16 },
	{ "chess", "@positions.txt", from = "generate", events = 16 },
	{ "lisp", "@queens-8.lisp " .. INPUT .. "deriv.lisp", from = "eval_form", events = 16 },
	{ "json", "@zones-twice.json one.version two.rules.*.*.month one.links.*", from = "parse_string", events = 4 },
	{ "regex", "@patterns.txt " .. INPUT .. "words.txt", from = "run", events = 4 },
	{ "anagram", INPUT .. "words.txt", stdin = "@phrases.txt", from = "search", events = 4 },
	{ "sort", "-n 20000 " .. INPUT .. "words.txt", from = "heap_sort", events = 4 },
	{ "cg", INPUT .. "ladder.mtx 1034 298", from = "multiply", events = 1 },
	{ "nbody", INPUT .. "planets.txt 60", from = "kick", events = 1 },
	{ "fft", INPUT .. "mersenne.txt", from = "main", events = 1 },
	{ "hash", INPUT .. "words.txt " .. INPUT .. "gpl-3.txt", from = "hash_block", events = 1 },
}

--- programs.names(SMALL) -> { NAME, ... }
function programs.names(small)
	if small then
		return { "compress", "chess", "lisp" }
	end
	local names = {}
	for i, p in ipairs(list) do
		names[i] = p[1]
	end
	return names
end

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

local function place(word, folder)
	local name = word:match "^@(.*)"
	if name then
		word = folder .. "/" .. name
		write(word, made[name]())
	end
	return word
end

--- programs.get(NAME, FOLDER) -> { name =, path =, args = {...}, input = TEXT, files = {...}, from = SYMBOL, events = N }
-- With its input made in this folder, which is there; nil if there is no such program.
function programs.get(name, folder)
	for _, p in ipairs(list) do
		if p[1] == name then
			local program = { name = name, path = "build/demos/" .. name, args = {}, input = "", files = {}, from = p.from, events = p.events * 1000000 }
			for word in p[2]:gmatch "%S+" do
				local path = place(word, folder)
				program.args[#program.args + 1] = path
				if path:find("/", 1, true) then
					program.files[#program.files + 1] = path
				end
			end
			if p.stdin then
				program.input = read(place(p.stdin, folder))
			end
			return program
		end
	end
end

return programs
