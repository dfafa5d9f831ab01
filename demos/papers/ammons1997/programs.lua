-- The programs: the demo programs, and gzip, bzip2 and lua from Debian's sources where they could
-- be built (make debian-programs), each with input for some millions of instructions, and run to
-- its end.
local inputs = require "inputs"

local INPUT <const> = inputs.folder
local read = inputs.read

local function lines(text, count)
	local at = 0
	for _ = 1, count do
		at = text:find("\n", at + 1, true)
	end
	return text:sub(1, at)
end

-- A network of so many nodes: a ladder, as cg takes it.
local function ladder(n)
	local rows = { "%%MatrixMarket matrix coordinate real symmetric" }
	rows[2] = ("%d %d %d"):format(n, n, 3 * n - 8)
	for i = 1, n do -- its lower triangle, column by column
		rows[#rows + 1] = ("%d %d 6.2"):format(i, i)
		for _, far in ipairs{ 1, 7 } do
			if i + far <= n then
				rows[#rows + 1] = ("%d %d -1"):format(i + far, i)
			end
		end
	end
	return table.concat(rows, "\n") .. "\n"
end

local made = {
	["words-6000.txt"] = function() return lines(read(INPUT .. "words.txt"), 6000) end,
	["words-600.txt"] = function() return lines(read(INPUT .. "words.txt"), 600) end,
	["words-1200.txt"] = function() return lines(read(INPUT .. "words.txt"), 1200) end,
	["words-150.txt"] = function() return lines(read(INPUT .. "words.txt"), 150) end,
	["gpl-12000.txt"] = function() return read(INPUT .. "gpl-2.txt"):sub(1, 12000) end,
	["gpl-6000.txt"] = function() return read(INPUT .. "gpl-2.txt"):sub(1, 6000) end,
	["gpl-3000.txt"] = function() return read(INPUT .. "gpl-2.txt"):sub(1, 3000) end,
	["exponents-1.txt"] = function()
		return read(INPUT .. "mersenne.txt"):match "^(.-\n521[^\n]*\n)" end,
	["queens-6.lisp"] = function()
		return read(INPUT .. "queens.lisp"):gsub("%(print 'queens 7[^\n]*\n", "") end,
	["positions-few.txt"] = function()
		return "perft 2 400 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n" ..
			"perft 2 2039 r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1\n" ..
			"search 2 - r1bq2rk/pp3pbp/2p1p1pQ/7P/3P4/2PB1N2/PP3PPR/2KR4 w - - 0 1\n"
	end,
	["ladder-300.mtx"] = function() return ladder(300) end,
	["exponents-2.txt"] = function()
		return read(INPUT .. "mersenne.txt"):match "^(.-\n44497[^\n]*\n)" end,
	["words.json"] = function()
		local rows = {}
		for word in lines(read(INPUT .. "words.txt"), 300):gmatch "[^\n]+" do
			rows[#rows + 1] =
				('{"word": "%s", "length": %d, "first": [%d, %.2f]}'):format(word,
				#word, word:byte(), #rows / 7)
		end
		return '{"words": [\n' .. table.concat(rows, ",\n") .. "]}\n"
	end,
	["work.lua"] = function()
		return [[
local words, sum = {}, 0
for word in io.lines() do words[#words + 1] = word:lower() end
table.sort(words, function(a, b) return a:reverse() < b:reverse() end)
for i, word in ipairs(words) do
	sum = (sum * 31 + #word:gsub("[aeiou]+", "<%0>") + (word:find("(%a)%1") or 0) + word:byte(-1) * (i % 7)) % 1000000007
end
local function queens(n, row, columns, up, down)
	if row > n then return 1 end
	local found = 0
	for c = 1, n do
		if not (columns[c] or up[row + c] or down[row - c]) then
			columns[c], up[row + c], down[row - c] = true, true, true
			found = found + queens(n, row + 1, columns, up, down)
			columns[c], up[row + c], down[row - c] = nil, nil, nil
		end
	end
	return found
end
local generate = coroutine.wrap(function() for i = 1, 200 do coroutine.yield(i * i) end end)
for _ = 1, 200 do sum = sum + generate() end
local root = 1.0
for i = 1, 3000 do root = root + (i / root - root) / 2 end
print(sum, queens(4, 1, {}, {}, {}), ("%.6f"):format(root))
]]
	end,
}

local DEMO <const>, DEBIAN <const> = "build/demos/papers/ammons1997/", "build/debian/"
local rows = {
	{ "anagram", "@words-6000.txt", stdin = INPUT .. "phrases.txt" },
	{ "chess", "@positions-few.txt" },
	{ "compress", "@gpl-6000.txt" },
	{ "hash", "@words-1200.txt @gpl-6000.txt" },
	{ "json", "@words.json words.17.length words.*.word" },
	{ "lisp", "@queens-6.lisp" },
	{ "regex", INPUT .. "patterns.txt @gpl-12000.txt" },
	{ "sort", "-n 600 @words-600.txt" },
	{ "cg", "@ladder-300.mtx 34 298", floating = true },
	{ "fft", "@exponents-2.txt", floating = true },
	{ "nbody", INPUT .. "planets.txt 2", floating = true },
	{ "gzip", "-9cn", stdin = "@gpl-12000.txt", debian = true },
	{ "bzip2", "-9c", stdin = "@gpl-6000.txt", debian = true },
	{ "lua", "@work.lua", stdin = "@words-150.txt", debian = true },
}

local function is_there(path)
	local f = io.open(path, "rb")
	return f and f:close()
end

-- Debian's where they are.
local there = {}
for _, row in ipairs(rows) do
	row.path = (row.debian and DEBIAN or DEMO) .. row[1]
	if not row.debian or is_there(row.path) then
		there[#there + 1] = row
	end
end

local small = {
	{ "regex", INPUT .. "patterns.txt @gpl-3000.txt", path = DEMO .. "regex" },
	{ "fft", "@exponents-1.txt", floating = true, path = DEMO .. "fft" },
}

return { all = inputs.list(there, made), small = inputs.list(small, made) }
