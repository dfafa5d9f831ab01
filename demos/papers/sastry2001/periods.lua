-- Why P errs where R does not (3.1: "an input stream with periodic behavior may cause large
-- errors"): how periodic the programs' loads are, and what becomes of P's error if the same loads
-- come in a random order, or if P has another period. Over the first 4 million loads.
--
-- Expect: P errs in programs where many loads have the pc of the one 256 before, and not if
-- these are shuffled.
--
--     cyclops lua demos/papers/sastry2001/periods.lua [--small] [--programs A,B] [--out FOLDER]
local runs, report = require "runs", require "report"
local e = runs.open(arg)
local MOST <const>, SEED <const>, LOOKS <const> = 4000000, 2001, 20000

local function error_of(text, stream, ideal)
	local messages = cyclops.compressor(text, { seed = SEED }):feed(stream)
	return (cyclops.profile():fold(messages):error(ideal) or 0) * 100
end

-- The share of loads, over the whole stream, that have the pc, and the value, too, of the one
-- 256 before.
local function repeats(stream)
	local every, pcs, both, looks = math.max(1, (#stream - 256) // LOOKS), 0, 0, 0
	for i = 257, #stream, every do
		local pc, value = stream:get(i)
		local was, had = stream:get(i - 256)
		looks, pcs, both = looks + 1, pcs + (pc == was and 1 or 0),
			both + (pc == was and value == had and 1 or 0)
	end
	return 100 * pcs / looks, 100 * both / looks
end

report.title("P and periods: error, in %%, after %s loads",
	report.number(math.min(MOST, e:events_of())))
local rows, cured, resonant = {}, {}, {}
for i, name in ipairs(e.names) do
	local stream = e:stream(name, MOST)
	local ideal = cyclops.profile():feed(stream)
	local pcs, both = repeats(stream)
	local row = { name, pcs, both, error_of("R(256)", stream, ideal),
		error_of("P(256)", stream, ideal), error_of("P(257)", stream, ideal),
		error_of("Rc(256)", stream, ideal), error_of("H(P(256), 2048)", stream, ideal) }
	row[9] = error_of("P(256)", stream:shuffle(SEED), ideal)
	rows[i] = row
	if row[5] > 2 * row[4] then
		resonant[#resonant + 1] = name
		cured[#cured + 1] = row[9] < math.max(2 * row[4], 0.5) and name or nil
	end
end
report.table({ { "program" }, { "pc as 256 before, % of loads", 1 }, { "and value", 1 },
	{ "R256", 2 }, { "P256", 2 }, { "P257", 2 }, { "Rc256", 2 },
	{ "H[P256]2048", 2 }, { "P256, loads shuffled", 2 } }, rows)
print()
print(("- P256 errs twice as much as R256 or more in %d of %d programs: %s"):format(#resonant,
	#rows, #resonant > 0 and table.concat(resonant, ", ") or "none"))
report.shape(#cured == #resonant,
	"in random order it errs less than that, or less than 0.5 %%, in %d of these %d", #cured,
	#resonant)
