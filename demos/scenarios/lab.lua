-- Common parts of the scenarios: machines, measured iterations, tables and bars, and expectations
-- that count.
--
-- A scenario is run as `cyclops lua demos/scenarios/NAME.lua`, at the top of the tree after `make
-- demos`. Words NAME=VALUE after it change a parameter of every machine it makes: see which of its
-- expectations hold no longer, and why.
local lab = {}
local passed, failed = 0, 0
local forced, machines_forced = {}, 0

for _, word in ipairs(arg) do
	local name, value = word:match("^([%w_.]+)=(.+)$")
	if not name then
		error("'" .. word .. "': expected a parameter, as in l1d.latency=5", 0)
	end
	forced[name] = math.tointeger(value) or value
end

-- A program of this folder (or any PATH with a slash) on a machine: options as of cyclops.machine.
function lab.machine(program, options)
	local t = {}
	for key, value in pairs(options or {}) do
		t[key] = value
	end
	t.program = program:find("/", 1, true) and program or "build/demos/scenarios/" .. program
	t.set = {}
	for name, value in pairs(options and options.set or {}) do
		t.set[name] = value
	end
	for name, value in pairs(forced) do
		t.set[name] = value
	end
	return cyclops.machine(t)
end

-- Cycles from one commit of the instruction at `label` to the next, when the loop has settled: the
-- mean of `count` iterations after `warm` others. A whole number if it is one.
function lab.lap(m, label, warm, count)
	warm, count = warm or 100, count or 20
	for _ = 0, warm do
		lab.reach(m, label)
	end
	local from = m.cycle
	for _ = 1, count do
		lab.reach(m, label)
	end
	local cycles = (m.cycle - from) / count
	return math.tointeger(cycles) or cycles
end

-- Runs until the instruction at `label` has committed; answers the cycle.
function lab.reach(m, label)
	local stop = m:run{ until_pc = label }
	if stop.reason ~= "until" then
		error("the program never gets to '" .. label .. "': " .. stop.reason, 2)
	end
	return stop.cycle
end

-- Cycles from the commit at one label to the commit at another.
function lab.between(m, from, to)
	local start = lab.reach(m, from)
	return lab.reach(m, to) - start
end

-- Text ---------------------------------------------------------------------------------------------------------------------

function lab.title(text)
	print(text)
	print(("="):rep(#text))
	for name, value in pairs(forced) do
		print("(every machine has " .. name .. " = " .. value .. ")")
	end
end

-- A paragraph, in lines of at most 92 columns.
function lab.say(text)
	local line = ""
	print()
	for word in text:gmatch("%S+") do
		if #line + #word >= 92 then
			print(line)
			line = ""
		end
		line = line .. (line == "" and "" or " ") .. word
	end
	print(line)
end

-- Lines of an answer of m:cmd, indented.
function lab.quote(text)
	print()
	for line in text:gmatch("[^\n]+") do
		print("    " .. line)
	end
end

-- The pipeline diagram of the cycles up to now: `rows` instructions.
function lab.pipe(m, rows)
	m:cmd("set width 96")
	lab.quote(m:cmd(("view pipe %d %d"):format(m.cycle - 1, rows or 8)))
end

local function show(value)
	return math.type(value) == "float" and ("%.2f"):format(value) or tostring(value)
end

local function width(text)
	return utf8.len(text) or #text
end

-- A table: a list of headings, a list of rows. Numbers stand at the right.
function lab.table(head, rows)
	local widths, lines = {}, { head }
	for _, row in ipairs(rows) do
		lines[#lines + 1] = row
	end
	for _, row in ipairs(lines) do
		for i, value in ipairs(row) do
			widths[i] = math.max(widths[i] or 0, width(show(value)))
		end
	end
	print()
	for n, row in ipairs(lines) do
		local out = {}
		for i, value in ipairs(row) do
			local text = show(value)
			local pad = (" "):rep(widths[i] - width(text))
			local right = i > 1
				and (type(value) == "number"
				or (n == 1 and rows[1] and type(rows[1][i]) == "number"))
			out[i] = right and pad .. text or text .. pad
		end
		print("    " .. (table.concat(out, "   "):gsub("%s+$", "")))
	end
end

-- Bars: a list of { name, value }, the longest 40 wide.
function lab.bars(rows, unit)
	local most, names = 0, 0
	for _, row in ipairs(rows) do
		most, names = math.max(most, row[2]), math.max(names, width(row[1]))
	end
	print()
	for _, row in ipairs(rows) do
		local bar = most > 0 and ("█"):rep(math.floor(row[2] / most * 40 + 0.5)) or ""
		print(("    %s%s  %8s %s  %s"):format(row[1], (" "):rep(names - width(row[1])),
			show(row[2]), unit or "", bar))
	end
end

-- Expectations -------------------------------------------------------------------------------------------------------------

local begun = false

local function count(ok, text, else_text)
	if not begun then
		print()
	end
	begun = true
	passed, failed = passed + (ok and 1 or 0), failed + (ok and 0 or 1)
	print((ok and "  holds  " or "  FAILS  ") .. text .. (ok and "" or ": " .. else_text))
end

-- Paragraphs and tables between expectations have air around them.
for _, name in ipairs{ "say", "quote", "table", "bars" } do
	local f = lab[name]
	lab[name] = function(...)
		begun = false
		return f(...)
	end
end

-- `got` is exactly `wanted`.
function lab.expect(what, got, wanted)
	local same = got == wanted
	count(same, ("%s: %s"):format(what, show(wanted)), "it is " .. show(got))
end

-- `got` is `wanted`, give or take so many per cent of it.
function lab.near(what, got, wanted, percent)
	local off = math.abs(got - wanted) <= math.abs(wanted) * percent / 100
	count(off, ("%s: %s (within %g %% of %s)"):format(what, show(got), percent, show(wanted)),
		"too far away")
end

-- A statement that holds.
function lab.holds(what, ok, numbers)
	count(ok, what, numbers or "it does not")
end

-- The last line, and the script's status.
function lab.done()
	print()
	print(passed .. " passed, " .. failed .. " failed")
	if failed > 0 then
		os.exit(1)
	end
end

return lab
