-- Lua's program in tests/edit/real.sh, which uses all parts of the language. The order of pairs()
-- depends on addresses, so it is not printed.
local sum = 0
local function mix(n) sum = (sum * 31 + n) % 1000000007 end

-- Errors come back by longjmp.
for i = 1, 300 do
	local ok, what = pcall(function() if i % 3 == 0 then error({ i }) elseif i % 7 == 0 then
		return nil + i end return i end)
	mix(ok and what or type(what) == "table" and what[1] or #tostring(what))
end

local generate = coroutine.wrap(function() for i = 1, 500 do coroutine.yield(i * i) end end)
for _ = 1, 500 do mix(generate()) end

local words = {}
for word in io.lines() do words[#words + 1] = word:lower() end
table.sort(words, function(a, b) return a:reverse() < b:reverse() end)
for i, word in ipairs(words) do
	mix(#word:gsub("[aeiou]+", "<%0>") + (word:find("(%a)%1") or 0) + word:byte(-1) * (i % 7))
end

local point = setmetatable({}, { __index = function(_, k) return #k end, __call = function(_, a, b)
	return a // b, a % b end })
for i = 1, 400 do
	local q, r = point(i * 17, i % 11 + 1)
	mix(q + r + point["key" .. i])
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
mix(queens(6, 1, {}, {}, {}))
mix(assert(load("local a, b = 0, 1 for _ = 1, 60 do a, b = b, a + b end return a"))() % 1000003)
local packed = string.pack("<i4dz", 77, 0.125, "text")
mix(#packed + string.unpack("<i4", packed))
collectgarbage()
print(sum, ("%.14g %5.2f %q %x"):format(math.pi * 2, 1 / 3, "a\nb", 255), utf8.len("äöü"))
error("the end", 0)
