-- Holds `what-if` against real runs: ten regions in the middle of each program are run again by
-- what-if, and the whole program on machines with the remedies that save most there. Prints by
-- program and remedy the savings, and how far they are from the real ones.
--
-- The real run has the remedy from the first instruction on, and so other contents of caches and
-- predictors at the region's beginning; what-if takes it away at the region's beginning only.
--
--     cyclops lua demos/workloads/what_if.lua [--programs A,B] [--out FOLDER]
local programs = require "programs"
local guest, options = require "guest", require "options"

local o = options.read(arg, "build/workloads")
-- Instructions before the first region, and from one to the next; regions; instructions of each;
-- remedies that are held against real runs, of those that save most.
local FIRST <const>, DISTANCE <const>, REGIONS <const>, INSTS <const>, BEST <const> =
	3000000, 3000000, 10, 200000, 3

local function machine(program, set, history)
	return cyclops.machine{ program = program.path, args = program.args, input = program.input,
		root = o.root, set = set, history = history, name = program.name }
end

-- Runs a region; returns the cycle at its beginning, and its cycles.
local function region(m, i)
	local from = FIRST + DISTANCE * (i - 1)
	m:run{ until_insts = from }
	local cycle = m.cycle
	m:run{ until_insts = from + INSTS }
	guest.reached(m, from + INSTS, m.insts)
	return cycle, m.cycle - cycle
end

-- Cycles of each region on another machine.
local function measure(program, set)
	local m <close>, cycles = machine(program, set, false), {}
	for i = 1, REGIONS do
		_, cycles[i] = region(m, i)
	end
	return cycles
end

local function settings_of(text)
	local set = {}
	for name, value in text:gmatch "(%S+)=(%S+)" do
		if value == "true" or value == "false" then
			set[name] = value == "true"
		else
			set[name] = tonumber(value) or value
		end
	end
	return set
end

-- Results of one remedy for one program.
local function new_row(program, settings)
	return { real = measure(program, settings_of(settings)), regions = 0, first = 0, saved = 0,
		really = 0, apart = 0, worst = 0 }
end

local function add(row, place, saved, really)
	local apart = math.abs(saved - really)
	row.regions, row.first = row.regions + 1, row.first + (place == 1 and 1 or 0)
	row.saved, row.really = row.saved + saved, row.really + really
	row.apart, row.worst = row.apart + apart, math.max(row.worst, apart)
	return apart
end

print "| program | without | regions | as the first | saved | really | apart | at most |"
print "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |"
local count, base_apart, firsts, all = 0, 0, {}, {}
for _, program in ipairs(programs.all:all(o, o.programs, o.wrong)) do
	local rows, names = {}, {}
	local m <close> = machine(program)
	for i = 1, REGIONS do
		local from, cycles = region(m, i)
		local answer = m:whatif(from, m.cycle)
		local apart = math.abs(answer.cycles + answer.idle - cycles) / cycles
		count = count + 1
		base_apart = math.max(base_apart, apart)
		local k = 0
		for _, row in ipairs(answer) do
			if k < BEST and row.settings ~= "" then
				k = k + 1
				local cause = row.cause
				if not rows[cause] then
					rows[cause] = new_row(program, row.settings)
					names[#names + 1] = cause
				end
				local apart = add(rows[cause], k, 100 * row.saved / cycles,
					100 * (1 - rows[cause].real[i] / cycles))
				all[#all + 1] = apart
				firsts[#firsts + 1] = k == 1 and apart or nil
			end
		end
	end
	table.sort(names, function(a, b)
		return rows[a].first * 100 + rows[a].regions > rows[b].first * 100 + rows[b].regions
	end)
	for _, name in ipairs(names) do
		local r = rows[name]
		local n = r.regions
		print(("| %s | %s | %d | %d | %.1f %% | %.1f %% | %.2f | %.2f |"):format(program.name,
			name, n, r.first, r.saved / n, r.really / n, r.apart / n, r.worst))
	end
end

local function summary(what, apart)
	table.sort(apart)
	local sum = 0
	for _, x in ipairs(apart) do
		sum = sum + x
	end
	print(("%s: %.2f points apart on average, %.2f at most"):format(what, sum / #apart,
		apart[#apart]))
end
print(("\n%d regions of %d instructions, whose own run is %.2f %% off at most."):format(count,
	INSTS, 100 * base_apart))
summary("The first remedy", firsts)
summary("The first three", all)
