-- Find a place where all runs of a program can stop, whatever is inserted into it, and stop them
-- there.
--
-- At a call of a procedure that is called often and evenly, at an execution of such a block, or at
-- the program's end. cyclops.bakeoff has these functions, too: bakeoff.find_stop(),
-- bakeoff.stop_there().

local stops = {}

--- stops.open(o, ABOUT, NAME) -> MACHINE
-- The program in a new machine; ABOUT has the differences from other runs.
function stops.open(o, about, name)
	local set = {}
	for k, v in pairs(about.set or {}) do
		set[k] = v
	end
	local m = { program = o.program, args = o.args, input = o.input or "", root = o.root,
		sysroot = o.sysroot, dirs = o.dirs, env = o.env, config = o.config, history = false,
		name = ("%s %s"):format(o.name, name), set = set }
	for k, v in pairs(about) do
		m[k] = k == "set" and set or v
	end
	return cyclops.machine(m)
end

--- stops.over(MACHINE) -> BOOLEAN
-- Whether the program has ended.
function stops.over(m)
	return m.status ~= "running"
end

local STOPS <const> = 12 -- places at which executions are counted to find one
-- of them; least average distance in instructions, if there is a choice
local FEWEST <const>, SHORTEST <const> = 8, 40

-- Calls of each procedure that is entered only by calls and has a name of its own; and executions
-- of each block, by address.
local function entries(m)
	local calls, counts, names, blocks = {}, {}, {}, {}
	for _, row in ipairs(m:report "oracle calls all".rows) do
		calls[row.to] = (calls[row.to] or 0) + row.count
	end
	for _, row in ipairs(m:report "oracle blocks all".rows) do
		blocks[row.address] = row.count
	end
	for _, row in ipairs(m:report "oracle all".rows) do
		if calls[row.address] == row.count then
			local f = m:sym(row.address)
			if f and f.addr == row.address then
				counts[f.name] = row.count
			end
		end
	end
	for f in m:functions() do
		names[f.name] = (names[f.name] or 0) + 1
	end
	for name, n in pairs(names) do
		counts[name] = n == 1 and counts[name] or nil
	end
	return counts, blocks
end

-- The most evenly executed entry, by counts at STOPS places, except refused ones; nil if none is
-- frequent enough.
local function most_even(seen, insts, refused)
	local best, name
	for this, n in pairs(seen[STOPS]) do
		-- Skip entries that are not executed towards the end.
		if n >= FEWEST and n > (seen[STOPS // 2][this] or 0) and not refused[this] then
			local uneven,
				furthest = (n * SHORTEST > insts and 1
				or 0) + (n == seen[STOPS - 1][this] and 1 or 0), 0
			for i = 1, STOPS do
				furthest = math.max(furthest,
					math.abs((seen[i][this] or 0) / n - i / STOPS))
			end
			-- The more frequent of two equally even branches is closer to the limit.
			uneven = uneven + furthest + 1 / n
			if not best or uneven < best or uneven == best and this < name then
				best, name = uneven, this
			end
		end
	end
	return name
end

local FAR <const>, CANDIDATES <const> = 0.05, 8

-- Instructions executed up to that place; at most `most`.
local function way_to(m, stop, most)
	local ended = stops.stop_there(m, stop)
	repeat
		m:run{ until_insts = most }
	until ended() or m.insts >= most
	return m.insts
end

-- Whether the program after an empty rewrite by the editor reaches this place after about as many
-- instructions. It has one more segment, so the C library's heap begins elsewhere, which affects
-- how often memalign frees its rest. A program that cannot be rewritten is not checked.
local function is_same_place(o, stop)
	local ok, moved = pcall(stops.open, o, { instrument = "nothing" }, "laid out again")
	if not ok then
		return true
	end
	local laid_out <close> = moved
	local m <close> = stops.open(o, {}, "to its limit")
	local insts = way_to(m, stop, math.maxinteger)
	return math.abs(
		way_to(laid_out, stop, math.floor(insts * (1 + 2 * FAR))) / insts - 1) <= FAR
end

-- The most even entry that is the same place in the rewritten program; and the most even one.
local function choose(o, seen, stop_of)
	local refused, first = {}, nil
	for _ = 1, CANDIDATES do
		local this = most_even(seen, o.max_insts, refused)
		local stop = this and stop_of(this)
		first = first or stop
		if not stop or is_same_place(o, stop) then
			return stop, first
		end
		refused[this] = true
	end
	return nil, first
end

--- stops.find_stop{ program =, name =, max_insts =, args =, input =, root =, env =, config = } -> STOP
-- A place where runs of the program can stop, whatever is inserted into it: the last call within
-- max_insts instructions of the procedure that is called most evenly, and equally often after
-- rewriting; failing that, the same for a block. STOP is { name =, calls =, at =, block = }; nil if
-- the program ends before.
function stops.find_stop(o)
	if not o.max_insts then
		return nil
	end
	local m <close> = stops.open(o, { set = { ["oracle.enable"] = true,
		["oracle.blocks"] = true } }, "the way to its limit")
	local calls, blocks = {}, {}
	for i = 1, STOPS do
		if o.max_insts * i // STOPS > m.insts then
			m:run{ until_insts = o.max_insts * i // STOPS }
		end
		if stops.over(m) then
			return nil
		end
		calls[i], blocks[i] = entries(m)
	end
	local stop, first = choose(o, calls, function(name)
		return { name = name, calls = calls[STOPS][name], at = m:sym(name).addr } end)
	if not stop then
		local block
		stop, block = choose(o, blocks, function(at)
			local f = m:sym(at)
			return { name = f and ("%s+0x%x"):format(f.name, at - f.addr)
				or ("0x%x"):format(at), block = at, at = at,
				calls = blocks[STOPS][at] }
		end)
		stop = stop or first or block
	end
	if not stop then
		error(("%s: nothing is executed often enough in its first %d instructions for " ..
			"all runs to stop there; use more instructions, or all of them")
			:format(o.name, o.max_insts), 0)
	end
	return stop
end

local ENTRY <const> = 64 -- bytes examined of a procedure of unknown size

-- Profile instructions may be dropped and never commit: an entry is detected by the instruction
-- that committed first on the first entry, to which the machine moves now.
--- stops.stop_there(MACHINE, STOP) -> FUNCTION
-- Makes motions end at that call or execution; the function returns whether it, or the program's
-- end, has been reached. The machine may move to the procedure's first call.
function stops.stop_there(m, stop)
	if not stop then
		return function() return stops.over(m) end
	end
	-- Its first instruction in the original program: the first one executed may be another, if
	-- a call skips it.
	local left, pc = stop.calls, stop.at and m:moved(stop.at)
	if not stop.at then
		local at = m:sym(stop.name)
		pc, left =
			m:run{ until_event =
			{ "commit",
			pc = { at.addr, at.addr + (at.size > 0 and at.size or ENTRY) } } }.pc,
			left - 1
	end
	m:on("commit", { pc = pc }, function()
		left = left - 1 -- below 0 if two commit in one cycle
		return left <= 0 and "stop" or nil
	end)
	return function() return stops.over(m) or left <= 0 end
end

return stops
