-- Values that differ only in their upper halves: a profile of the lowest 32 bits counts them as
-- one, as for the paper's `crafty`. For each demo's first five million instructions: loads whose
-- most frequent value gains at least a tenth of their executions if only the lowest 32 bits count,
-- and their share of all executed loads.
--
--     cyclops lua demos/papers/zilles2001/lowbits.lua

-- Modules shared by papers are in demos/papers.
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local report = require "report"

local function most(counts)
	local n = 0
	for _, count in pairs(counts) do
		n = math.max(n, count)
	end
	return n
end

-- Exact values of a machine: { PC = { count =, whole =, low = } }.
local function loads_of(m)
	local loads = {}
	for pc, value, n in m:exact "values" do
		local load = loads[pc] or { count = 0, whole = {}, low = {} }
		local low = value & 0xffffffff
		loads[pc] = load
		load.count = load.count + n
		load.whole[value] = (load.whole[value] or 0) + n
		load.low[low] = (load.low[low] or 0) + n
	end
	return loads
end

local rows = {}
for line in io.lines "demos/programs/list.txt" do
	local name, args, input = line:match "^([^#|]+)|([^|]*)|([^|]*)|"
	if name and args ~= "" then
		local words = {}
		for word in args:gmatch "%S+" do
			words[#words + 1] = word
		end
		local m <close> = cyclops.machine{ program = "build/demos/" .. name, args = words,
			stdin = input ~= "-" and input or nil, ff = 5000000, history = false,
			set = { ["oracle.enable"] = true, ["oracle.values"] = "loads" } }
		local all, other, part, executed = 0, 0, 0, 0
		for _, load in pairs(loads_of(m)) do
			local differs = most(load.low) - most(load.whole) >= load.count / 10
			all, executed = all + 1, executed + load.count
			other, part = other + (differs and 1 or 0),
				part + (differs and load.count or 0)
		end
		rows[#rows + 1] = { name, all, other, 100 * part / executed }
	end
end
report.title "Loads whose values differ in their upper halves"
report.table({ { "program" }, { "loads" }, { "differ" }, { "of executed loads, %", 2 } }, rows)
