-- The cost of replay traps in the demos on the preset `burrows2000` (Burrows 3.2: some programs
-- replay over half of their time), of their first five million instructions: dispatch slots of
-- squashed instructions and of the refill, and cycles saved without traps of size and synonyms.
--
--     cyclops lua demos/papers/burrows2000/replays.lua

-- Modules shared by papers are in demos/papers.
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local report = require "report"

local function run(program, args, input, set)
	local m <close> = cyclops.machine{ program = program, args = args, stdin = input,
		config = "burrows2000", history = false, set = set }
	m:run{ until_insts = 5000000 }
	local slots = m.stats["slots.replayed"] + m.stats["slots.replay_refill"]
	return m.cycle, 100 * slots / (m.cycle * m:eval "pipe.decode_width"),
		m.stats["lsq.size_replays"] + m.stats["lsq.synonym_replays"]
end

local rows = {}
for line in io.lines "demos/programs/list.txt" do
	local name, args, input = line:match "^([^#|]+)|([^|]*)|([^|]*)|"
	if name and args ~= "" then
		local words = {}
		for word in args:gmatch "%S+" do
			words[#words + 1] = word
		end
		local file = input ~= "-" and input or nil
		local cycles, share, traps = run("build/demos/" .. name, words, file)
		local without = run("build/demos/" .. name, words, file,
			{ ["lsq.replay_size"] = false, ["lsq.replay_synonym"] = 0 })
		rows[#rows + 1] = { name, cycles, traps, share, 100 * (cycles - without) / cycles }
	end
end
report.title "Replay traps: their time"
report.table({ { "program" }, { "cycles" }, { "traps" }, { "their slots, %", 2 },
	{ "cycles saved without, %", 2 } }, rows)
