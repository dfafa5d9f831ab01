-- cyclops lua storm.lua CONFIG SEED MOVES PROGRAM ARGS...: random motion, forwards and back, by
-- cycles, instructions, places and events, over checkpoints and snapshots, finds at each cycle the
-- state that a machine which goes forwards only has there.
local config, seed, moves, program = arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[4]
local args = { table.unpack(arg, 5) }
math.randomseed(seed)
local function machine()
	return cyclops.machine{ program = program, args = args, config = config }
end

-- The forward run: its length, then the states at random cycles and around some of these.
local forward <close> = machine()
forward:finish()
local last = forward.cycle
local ends = forward:hash()
local cycles, want = {}, {}
for _ = 1, 150 do
	cycles[#cycles + 1] = math.random(1, last - 1)
end
for _ = 1, 6 do
	local at = math.random(1, last - 60)
	for c = at, at + 50 do
		cycles[#cycles + 1] = c
	end
end
table.sort(cycles)
local slow <close> = machine()
for _, c in ipairs(cycles) do
	if slow.cycle < c then
		slow:go(c)
	end
	want[c] = slow:hash()
end

local m <close> = machine()
local compared, wrong = 0, 0
local function look(how)
	local expected = want[m.cycle] or (m.cycle == last and ends)
	if not expected then
		return
	end
	compared = compared + 1
	if m:hash() ~= expected then
		wrong = wrong + 1
		print(("%s ends at cycle %d in another state"):format(how, m.cycle))
	end
end
local first = 0 -- where history begins
local function any_cycle()
	local c
	if cycles[#cycles] < first then -- none is left
		m:restart()
		first = 0
	end
	repeat
		c = cycles[math.random(#cycles)]
	until c >= first
	return c
end

local file = ("storm-%s-%d.point"):format(config, seed)
local saved, kept
local ways = {
	function() m:go(any_cycle()) return "go" end,
	function()
		local to = any_cycle()
		if to < m.cycle then
			m:back(m.cycle - to)
		else
			m:step(to - m.cycle)
		end
		return "step or back"
	end,
	function()
		-- going there and back changes nothing
		local before, at = m:hash(), m.cycle
		m:step(math.random(1, 3000))
		look("step")
		m:go(at)
		compared = compared + 1
		if m:hash() ~= before then
			wrong = wrong + 1
			print("cycle " .. at .. " is another after a step and back")
		end
		return "return"
	end,
	function() m:backi(math.random(1, 2000)) return "backi" end,
	function() m:stepi(math.random(1, 2000)) return "stepi" end,
	function() m:run_back{ until_event = "syscall" } return "run_back to a call" end,
	function() m:run_back{ until_pc = "storm_on_signal" } return "run_back to a handler" end,
	function()
		m:run{ until_pc = "storm_on_signal", cycles = 50000 }
		return "run to a handler"
	end,
	function()
		if not saved or math.random(3) == 1 then
			m:save(file)
			saved = m.cycle
		else
			m:load(file)
			first = m.cycle
			if m.cycle ~= saved then
				wrong = wrong + 1
				print(("a checkpoint of %d goes on at %d"):format(saved, m.cycle))
			end
		end
		return "checkpoint"
	end,
	function()
		kept = m:snapshot()
		m:step(math.random(1, 5000))
		m:restore(kept)
		return "snapshot"
	end,
	function() m:finish() return "finish" end,
	function()
		m:restart()
		first = 0
		return "restart"
	end,
}
for _ = 1, moves do
	if m.cycle == last then
		look(ways[1]()) -- it has ended
	end
	look(ways[math.random(#ways)]())
	if math.random(2) == 1 then
		look(ways[1]())
	end
end
m:go(last)
look("the last motion")
os.remove(file)
print(("%d cycles, %d states compared, %d differ"):format(last, compared, wrong))
assert(compared >= moves / 2)
