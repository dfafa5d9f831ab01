-- Lua's program in the workload of that name: objects that live for a short time,
-- closures, texts and tables, as interpreters of Lisp have them, on the words of its input. It
-- prints sums.
local sum = 0
local function mix(n) sum = (sum * 31 + n) % 1000000007 end

local words = {}
for word in io.lines() do
	words[#words + 1] = word
end

-- Lists of pairs.
local function cons(head, tail) return { head, tail } end
local function map(f, list) return list and cons(f(list[1]), map(f, list[2])) end
local function fold(f, start, list)
	while list do
		start, list = f(start, list[1]), list[2]
	end
	return start
end
for turn = 1, 40 do
	local list
	for i = 1, 150 do
		list = cons(i * turn, list)
	end
	mix(fold(function(a, b) return (a + b) % 65521 end, turn, map(function(n) return n * n end,
		list)))
end

-- A tree of words, each below the word with which it begins.
local root = {}
for i = 1, #words, 200 do
	local at = root
	for letter in words[i]:gmatch "." do
		at[letter] = at[letter] or {}
		at = at[letter]
	end
	at.word = i
end
local function walk(node, depth)
	local n = node.word and 1 or 0
	for letter = 97, 122 do
		local below = node[string.char(letter)]
		n = n + (below and walk(below, depth + 1) or 0)
	end
	return n + (depth > 6 and 1 or 0)
end
mix(walk(root, 0))

-- Anagrams: texts made, hashed and sorted.
local by_letters = {}
for i = 1, #words, 150 do
	local letters = { words[i]:byte(1, -1) }
	table.sort(letters)
	local key = table.concat(letters, ",")
	by_letters[key] = (by_letters[key] or 0) + 1
end
local found = {}
for key, n in pairs(by_letters) do
	found[#found + 1] = n .. ":" .. key
end
table.sort(found)
mix(#found)
for i = 1, #found, 20 do
	mix(#found[i])
end

-- Queens, with closures and coroutines.
local function queens(n)
	local columns, up, down = {}, {}, {}
	local function place(row)
		if row > n then
			coroutine.yield(columns)
			return
		end
		for c = 1, n do
			if not (columns[c] or up[row + c] or down[row - c]) then
				columns[c], up[row + c], down[row - c] = row, true, true
				place(row + 1)
				columns[c], up[row + c], down[row - c] = nil, nil, nil
			end
		end
	end
	return coroutine.wrap(function() place(1) end)
end
for columns in queens(6) do
	mix(columns[1] * 8 + columns[6])
end
print(sum, #words, #found, ("%.3f"):format(math.sqrt(sum)))
