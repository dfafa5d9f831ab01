-- Compares a profile that demos/tools/xprof_runtime.c wrote with the oracle's counts of a run of
-- the same program, to which only the description of its blocks was added (cyclops instrument
-- --map).
--
--     cyclops lua tests/xprof/truth.lua MAP.elf INSTS.csv CALLS.csv PROFILE
--
-- INSTS.csv and CALLS.csv are `report oracle` and `report oracle calls` of MAP.elf. Prints "N
-- blocks, M calls compared", or what differs, with status 1.
local instrument = require "cyclops.instrument"
local map, insts_path, calls_path, profile_path = table.unpack(arg)

local bad = 0
local function differs(text, ...)
	bad = bad + 1
	if bad <= 10 then
		print(text:format(...))
	end
end

-- Rows of a report: fields by the names in its first line; quoted ones stand at the end, and aren't
-- needed.
local function rows(path)
	local names
	return coroutine.wrap(function()
		for line in io.lines(path) do
			local row, i = {}, 0
			for field in line:gmatch("[^,]+") do
				i = i + 1
				row[names and names[i] or i] = field
			end
			if names then
				coroutine.yield(row)
			else
				names = row
			end
		end
	end)
end

local executed = {}
for row in rows(insts_path) do
	executed[math.tointeger(row.address)] = math.tointeger(row.count)
end

local m = cyclops.machine{ program = map }
local methods, starts = instrument.methods(m), {}
local by_name = {}
for _, f in ipairs(methods) do
	by_name[f.file .. "\t" .. f.name] = f
	starts[f.addr] = f
end

local function method_at(addr)
	for _, f in ipairs(methods) do
		if addr >= f.addr and addr < f.addr + f.size then
			return f
		end
	end
end

-- Functions may share a name, in files of their own or not: calls are compared where a name is
-- unique.
local named = {}
for _, f in ipairs(methods) do
	named[f.name] = (named[f.name] or 0) + 1
end

local blocks, calls = 0, 0
local into, sites = {}, {}
for line in io.lines(profile_path) do
	local kind, rest = line:match("^(%l+)\t(.*)$")
	if kind == "block" then
		local file, name, index, count = rest:match("^(.-)\t(.-)\t(%d+)\t.-\t%d+\t(%d+)$")
		local f = by_name[file .. "\t" .. name]
		local b = f and f.blocks[index + 1]
		blocks = blocks + 1
		if not b then
			differs("%s has no block %s of %s", map, index, name)
		elseif named[name] == 1 and math.tointeger(count) ~= (executed[b.addr] or 0) then
			differs("block %s of %s (line %d): %s, but its first instruction was executed %d times", index, name, b.line, count,
				executed[b.addr] or 0)
		end
	elseif kind == "call" then
		local caller, site, callee, count = rest:match("^(.-)\t(%S+)\t(.-)\t(%d+)$")
		count = math.tointeger(count)
		into[callee] = (into[callee] or 0) + count
		sites[caller .. ">" .. callee] = (sites[caller .. ">" .. callee] or 0) + count
		calls = calls + count
	elseif kind == "lost" then
		differs("%s calls were lost", rest)
	end
end

-- Calls in the program, by pair of functions. A function that is also reached by a tail call
-- counts, by return addresses, as called by the jumping function's caller: its pairs are at least
-- its calls.
local wanted, called = {}, {}
for row in rows(calls_path) do
	local to, from = starts[math.tointeger(row.to)], method_at(math.tointeger(row.address))
	local count = math.tointeger(row.count)
	if to then
		called[to] = (called[to] or 0) + count
	end
	if to and from then
		local key = from.name .. ">" .. to.name
		wanted[key] = wanted[key] or { callee = to, caller = from, count = 0 }
		wanted[key].count = wanted[key].count + count
	end
end
local function is_jumped_to(f)
	return (executed[f.addr] or 0) > (called[f] or 0)
end
local compared = 0
for key, row in pairs(calls > 0 and wanted or {}) do
	if named[row.callee.name] == 1 and named[row.caller.name] == 1 then
		compared = compared + 1
		local got = sites[key] or 0
		if got < row.count or (got ~= row.count and not is_jumped_to(row.callee)) then
			differs("%s calls %s %d times, not %d", row.caller.name, row.callee.name,
				row.count, got)
		end
	end
end
-- However a function is reached, its first block begins; that is its entry unless a loop comes back
-- to it.
for _, f in ipairs(calls > 0 and methods or {}) do
	local n = executed[f.addr] or 0
	if named[f.name] == 1 and f.blocks[1].label == "" and n ~= (into[f.name] or 0) then
		differs("%s is entered %d times, not %d", f.name, n, into[f.name] or 0)
	end
end

print(("%d blocks, %d calls, %d pairs of functions compared"):format(blocks, calls, compared))
if bad > 0 or blocks + calls == 0 then
	print(bad .. " differ")
	os.exit(1)
end
