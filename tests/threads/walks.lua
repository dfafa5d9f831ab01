-- cyclops lua walks.lua COUNT FROM TO PROGRAM ARGS...: so many cycles between FROM and TO, in any
-- order, forwards and back, have the state that a machine which goes forwards only has there.
local count, from, to, program = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3]), arg[4]
local args = { table.unpack(arg, 5) }
math.randomseed(7)
local order, cycles = {}, {}
for i = 1, count do
	order[i] = math.random(from, to)
	cycles[i] = order[i]
end
table.sort(cycles)
local want, switches, wrong = {}, {}, 0
local forward <close> = cyclops.machine{ program = program, args = args }
for _, c in ipairs(cycles) do
	forward:go(c)
	want[c] = forward:hash()
	switches[forward.stats["os.switches"]] = true
end
local m <close> = cyclops.machine{ program = program, args = args }
m:go(to + 1)
for _, c in ipairs(order) do
	m:go(c)
	if m:hash() ~= want[c] then
		print("cycle " .. c .. " is another")
		wrong = wrong + 1
	end
end
local n = 0
for _ in pairs(switches) do
	n = n + 1
end
assert(n > 10 or args[1] == "files", "too few switches between: " .. n)
print(wrong == 0 and "all as they were" or wrong .. " differ")
