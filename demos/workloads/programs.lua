-- The workloads: rows of workloads.txt for real programs that make/debian.sh builds, and their
-- input, which is made, always the same.
local here = debug.getinfo(1, "S").source:match "@(.-)[^/]*$"
package.path = here .. "../papers/?.lua;" .. package.path
local inputs = require "inputs"

local BUILT <const> = "build/debian/"
local read, INPUT <const> = inputs.read, inputs.folder

-- Numbers that look random, from 0 to n - 1.
local state = 1
local function random(n)
	state = (state * 6364136223846793005 + 1442695040888963407)
	return (state >> 33) % n
end

local made = {}

-- Programs for the interpreters.
for _, name in ipairs{ "work.lua", "work.awk", "work.sql", "work.uci" } do
	made[name] = function()
		return read("demos/workloads/" .. name)
	end
end

-- Settings file of sqlite3.
function made.nothing()
	return "-- nothing is set\n"
end

-- Texts of several kinds, a piece of each in turn: what compresses well and badly, near and far.
local function mixed(length)
	local texts, pieces, at, size = {}, {}, 1, 0
	for i, name in ipairs{ "gpl-3.txt", "words.txt", "lgpl-2.1.txt", "timezones.json",
		"gpl-2.txt", "ladder.mtx" } do
		texts[i] = read(INPUT .. name)
	end
	while size < length do
		for _, text in ipairs(texts) do
			local from = at % #text + 1
			pieces[#pieces + 1] = text:sub(from, from + 6000)
			size = size + #pieces[#pieces]
		end
		at = at + 5501
	end
	return table.concat(pieces):sub(1, length)
end

for name, length in pairs{ ["short.txt"] = 200000, ["middle.txt"] = 300000,
	["long.txt"] = 2400000 } do
	made[name] = function()
		return mixed(length)
	end
end

-- A picture of 1024 by 768: smooth light, edges, fine stripes, and noise as of a camera.
made["picture.ppm"] = function()
	local WIDTH <const>, HEIGHT <const>, rows = 1024, 768, {}
	state = 1
	for y = 0, HEIGHT - 1 do
		local row = {}
		for x = 0, WIDTH - 1 do
			local light = 40 + (x * 90) // WIDTH + (y * 60) // HEIGHT
			local dx, dy = x % 128 - 64, y % 96 - 48
			local disc = dx * dx + dy * dy < 1600
			local stripes = (x + 2 * y) // 3 % 5 == 0 and y > HEIGHT // 2
			local r, g, b = light, light + (disc and 70 or 0),
				light + (stripes and 50 or 20)
			local noise = random(9)
			row[x + 1] = string.char(math.min(r + noise, 255), math.min(g + noise, 255),
				math.min(b + random(9), 255))
		end
		rows[y + 1] = table.concat(row)
	end
	return ("P6\n%d %d\n255\n"):format(WIDTH, HEIGHT) .. table.concat(rows)
end

-- The picture as cjpeg writes it.
made["picture.jpg"] = function()
	local name = BUILT .. "cjpeg"
	local m <close> = cyclops.machine{ program = name, args = { "-quality", "90" },
		input = made["picture.ppm"](), history = false, ff = 1 << 40 }
	if m.status ~= "exited" or m.exit_status ~= 0 then
		error("cjpeg has made no picture: it is " .. m.status .. m:output(2), 0)
	end
	return m:output()
end

-- tcc's own source, all of it in one file, as make/debian.sh has left it.
made["tcc.i"] = function()
	return read(BUILT .. "tcc.i")
end

-- A plan at the least cost: works make goods out of limited materials, and ship them to towns with
-- given demands.
made["plan.lp"] = function()
	local WORKS <const>, GOODS <const>, TOWNS <const>, lines = 8, 6, 14, {}
	state = 1
	local function say(...)
		lines[#lines + 1] = string.format(...)
	end
	local function sum(n, term)
		local terms = {}
		for i = 1, n do
			terms[i] = term(i)
		end
		return table.concat(terms, " + ")
	end
	local costs = {}
	for w = 1, WORKS do
		for g = 1, GOODS do
			costs[#costs + 1] = sum(TOWNS, function(t)
				return ("%d s%d_%d_%d"):format(3 + random(40), w, g, t) end)
			costs[#costs + 1] = ("%d p%d_%d"):format(20 + random(60), w, g)
		end
	end
	say("min: %s;", table.concat(costs, " + "))
	for w = 1, WORKS do
		for material = 1, 4 do
			say("%s <= %d;",
				sum(GOODS, function(g) return ("%d p%d_%d"):format(1 + random(9), w,
				g) end), 1500 + random(900) + material)
		end
		for g = 1, GOODS do
			say("%s - p%d_%d <= 0;",
				sum(TOWNS, function(t) return ("s%d_%d_%d"):format(w, g, t) end), w,
				g)
		end
	end
	for t = 1, TOWNS do
		for g = 1, GOODS do
			say("%s >= %d;",
				sum(WORKS, function(w) return ("s%d_%d_%d"):format(w, g, t) end),
				10 + random(30))
		end
	end
	return table.concat(lines, "\n") .. "\n"
end

local rows, row = {}, nil
for line in io.lines "demos/workloads/workloads.txt" do
	local key, text = line:match "^\t(%S+)%s+(.*)$"
	if key then
		row[key] = row[key] and row[key] .. " " .. text or text
	elseif line:find "^%w" then
		row = { line, path = BUILT .. line }
		rows[#rows + 1] = row
	end
end

local function is_there(name)
	local f = io.open(BUILT .. name)
	return f and f:close()
end

local there, missing = {}, {}
for _, w in ipairs(rows) do
	w[2], w.stdin = w.arguments or "", w.input
	w.arguments, w.input = nil, nil
	table.insert(is_there(w[1]) and (not w.needs or is_there(w.needs)) and there or missing, w)
end

--- all: the programs that are built, in the form of inputs.list(), with their rows of the table;
-- missing: rows of the others
return { all = inputs.list(there, made), missing = missing }
