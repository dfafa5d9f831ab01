-- The programs of the experiments: the demo programs, with input for some five million instructions
-- each; with `small`, three of them, below a million. Generates missing input from that of the
-- demos, always the same.

-- Modules shared by papers are in demos/papers.
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local inputs = require "inputs"

local INPUT <const> = inputs.folder
local read = inputs.read

-- ---- input that is made ----
local function every_line(n, text)
	local list, i = {}, 0
	for line in text:gmatch "[^\n]+" do
		i = i + 1
		list[#list + 1] = i % n == 0 and line or nil
	end
	return table.concat(list, "\n") .. "\n"
end

local function first_lines(n, text)
	local list = {}
	for line in text:gmatch "[^\n]+" do
		list[#list + 1] = #list < n and line or nil
	end
	return table.concat(list, "\n") .. "\n"
end

-- A document about words: an object of arrays of objects.
local function document(words, n)
	local list, i = {}, 0
	for word in words:gmatch "%a+" do
		i = i + 1
		if i % n == 0 then
			list[#list + 1] =
				('  {"word": "%s", "length": %d, "ends": ["%s", "%s"], "place": ' ..
				'{"line": %d, "share": %.4f, "even": %s}}')
				:format(word, #word, word:sub(1, 1), word:sub(-1), i, i / 70000,
					tostring(i % 2 == 0))
		end
	end
	return '{"about": "every so-manieth word", "words": [\n' .. table.concat(list, ",\n") ..
		"\n]}\n"
end

-- The network of a square grid with `n` nodes a side, each tied to the ground: positive definite.
local function grid(n)
	local list = {}
	for i = 0, n * n - 1 do
		local row, column = i // n, i % n
		list[#list + 1] = ("%d %d %.1f"):format(i + 1, i + 1, 4.2)
		if column < n - 1 then
			list[#list + 1] = ("%d %d -1"):format(i + 2, i + 1)
		end
		if row < n - 1 then
			list[#list + 1] = ("%d %d -1"):format(i + n + 1, i + 1)
		end
	end
	return ("%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n"):format(n * n,
		n * n, #list) ..
		table.concat(list, "\n") .. "\n"
end

-- Makers of the files that programs read, by name.
local made = {
	["half-words.txt"] = function() return every_line(2, read(INPUT .. "words.txt")) end,
	["some-words.txt"] = function() return every_line(20, read(INPUT .. "words.txt")) end,
	["fewer-words.txt"] = function() return every_line(60, read(INPUT .. "words.txt")) end,
	["few-words.txt"] = function() return every_line(300, read(INPUT .. "words.txt")) end,
	["positions.txt"] = function() return first_lines(5, read(INPUT .. "positions.txt")) end,
	["one-position.txt"] = function()
		return "perft 2 400 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n" end,
	["exponents.txt"] = function() return first_lines(3, read(INPUT .. "mersenne.txt")) end,
	["words.json"] = function() return document(read(INPUT .. "words.txt"), 400) end,
	["grid.mtx"] = function() return grid(18) end,
}

-- ---- programs ----
local normal = {
	{ "anagram", "@half-words.txt", stdin = INPUT .. "phrases.txt" },
	{ "chess", "@positions.txt" },
	{ "compress", INPUT .. "gpl-2.txt" },
	{ "json", "@words.json words.*.length words.*.place.even words.7.word" },
	{ "lisp", INPUT .. "meta.lisp" },
	{ "regex", INPUT .. "patterns.txt @some-words.txt" },
	{ "sort", "@fewer-words.txt" },
	{ "cg", "@grid.mtx 1 324" },
	{ "fft", "@exponents.txt" },
	{ "hash", INPUT .. "gpl-3.txt " .. INPUT .. "gpl-2.txt" },
	{ "nbody", INPUT .. "planets.txt 5" },
}
local small = {
	{ "chess", "@one-position.txt" },
	{ "nbody", INPUT .. "planets.txt 1" },
	{ "regex", INPUT .. "patterns.txt @few-words.txt" },
}

return { normal = inputs.list(normal, made), small = inputs.list(small, made) }
