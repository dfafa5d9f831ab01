-- Table 1: the co-processor's structures, their sizes, ports and transistors.
--
-- Expect: about half a million transistors, most of them in arrays; microcode and data array
-- have the
-- most. The paper's digits are lost but for the sum: sizes are those of the parameters, and a
-- bit is
-- counted as textbooks do: a cell of 6 transistors with one port, 2 more for each other port,
-- a cell
-- of an associative array 10, a bit of a latch or multiplexer of the field extractor 12.
--
--     cyclops lua demos/papers/zilles2001/areas.lua [PARAMETER=VALUE ...]
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local report = require "report"

-- Options of other pages are ignored here.
local set = { ["cop.enable"] = true }
for _, word in ipairs(arg) do
	local name, value = word:match "^([%w_.]+)=(%d+)$"
	if name then
		set[name] = math.tointeger(value)
	end
end
local m <close> = cyclops.machine{ program = "build/demos/hello", config = "zilles2001", set = set }
local function parameter(name)
	return m.config["cop." .. name]
end

local CELL <const>, PORT <const>, ASSOCIATIVE <const>, LOGIC <const> = 6, 2, 10, 12
local TABLES <const>, CLASSES <const>, WORD <const>, MICRO <const> = 2, 32, 64, 128

--   name, entries, bits of each, ports, transistors of a bit with one port
local STRUCTURES <const> = {
	{ "pc filter bit masks", TABLES * parameter "filter" // WORD, WORD, 1, CELL },
	{ "sample buffer", parameter "buffer", WORD, 2, CELL },
	{ "microcode array", parameter "microcode", MICRO, 1, CELL },
	{ "associative array", parameter "cam", 32 + 1, 1, ASSOCIATIVE },
	{ "data array", parameter "data", 32, 1, CELL },
	-- two sources and a result of the main ALU, the data array's result
	{ "value registers", 16, 64, 4, CELL },
	{ "constant registers", 16, 64, 2, CELL },
	{ "index registers", 8, 16, 4, CELL },
	{ "base address registers", 8, 16, 1, CELL },
	{ "jump target registers", 8, 16, 1, CELL },
	-- starts and fields by class, the record's header and seven fields, two operands
	-- chosen from them
	{ "decoder and field extractor", 1, CLASSES * 24 + 8 * WORD + 2 * 8 * WORD, 1, LOGIC },
}

report.title "Table 1: sizes, ports and transistors of the co-processor's structures"
local rows, all, arrays = {}, 0, 0
for i, s in ipairs(STRUCTURES) do
	local name, entries, bits, ports, cell = table.unpack(s)
	local n = entries * bits * (cell + PORT * (ports - 1))
	rows[i], all = { name, entries, bits, ports, n }, all + n
	arrays = arrays + (i <= 5 and n or 0)
end
rows[#rows + 1] = { "**sum**", "-", "-", "-", all }
report.table({ { "structure" }, { "entries", 0 }, { "bits", 0 }, { "ports", 0 },
	{ "transistors", 0 } }, rows)
print()
report.shape(math.abs(all / 500000 - 1) <= 0.2,
	"half a million transistors within a fifth: %d thousand", all // 1000)
report.shape(arrays > 0.75 * all, "memory arrays have most of them: %.0f %%", 100 * arrays / all)
