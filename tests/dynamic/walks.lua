-- cyclops lua walks.lua COUNT BEGIN FROM TO PROGRAM: so many cycles, up to BEGIN and between FROM
-- and TO, in any order, forwards and back, have the state, the symbols and the place that a machine
-- which goes forwards only has there.
local count, begin, from, to, program = tonumber(arg[1]), tonumber(arg[2]), tonumber(arg[3]),
	tonumber(arg[4]), arg[5]
math.randomseed(5)
local order, cycles = {}, {}
for i = 1, count do
	order[i] = i % 2 == 0 and math.random(1, begin) or math.random(from, to)
	cycles[i] = order[i]
end
table.sort(cycles)
local function look(m)
	local symbols = 0
	for _ in m:symbols() do
		symbols = symbols + 1
	end
	return ("%s %d %s"):format(m:hash(), symbols, m.where(m.pc)), symbols
end
local want, sets = {}, {}
local forward <close> = cyclops.machine{ program = program }
for _, c in ipairs(cycles) do
	forward:go(c)
	want[c], sets[#sets + 1] = look(forward)
end
local m <close> = cyclops.machine{ program = program }
m:run()
for _, c in ipairs(order) do
	m:go(c)
	local got = look(m)
	if got ~= want[c] then
		print("cycle " .. c .. ": " .. got .. ", not " .. want[c])
	end
end
local different = 0
for i = 2, #sets do
	different = different + (sets[i] ~= sets[i - 1] and 1 or 0)
end
print(different .. " times other libraries are there")
