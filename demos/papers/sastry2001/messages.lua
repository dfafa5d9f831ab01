-- Messages that A16 can merge (5.6: "the output message stream is dominated by a few prominent
-- tuples"): the messages that a compressor sends for the first 4 million loads. A16 still has a
-- message's tuple if fewer than sixteen other tuples arrived since its last message.
--
-- Expect: such a message is saved, so if their share is p, A16 reduces the messages by a factor of
-- 1 / (1 - p).
--
--     cyclops lua demos/papers/sastry2001/messages.lua [--small] [--programs A,B] [--out FOLDER]
local runs, compressors, report = require "runs", require "compressors", require "report"
local e = runs.open(arg)
local MOST <const>, SEED <const>, K <const> = 4000000, 2001, 16
local FIRST <const> = { "R256", "H[P256]2048", "T 2-bit" }

-- Messages by tuple as numbers, in their order.
local function numbers(messages)
	local known, list, count = {}, {}, {}
	for pc, value in messages:tuples() do
		local key = pc .. " " .. value
		known[key] = known[key] or #count + 1
		local n = known[key]
		list[#list + 1], count[n] = n, (count[n] or 0) + 1
	end
	return list, count
end

-- The share of the messages that are of the most frequent tuples, and the share with its tuple
-- among the last K different ones.
local function look(list, count)
	local top, recent, near = 0, {}, 0
	for _, n in ipairs(list) do
		for at, r in ipairs(recent) do
			if r == n then
				near = near + 1
				table.remove(recent, at)
				break
			end
		end
		table.insert(recent, 1, n)
		recent[K + 1] = nil
	end
	table.sort(count, function(a, b) return a > b end)
	for i = 1, math.min(K, #count) do
		top = top + count[i]
	end
	return top / #list, near / #list
end

report.title("What A16 can merge, of the messages of %s loads",
	report.number(math.min(MOST, e:events_of())))
local columns, rows, fewer, as_told, cases = { { "program" } }, {}, 0, 0, 0
for _, name in ipairs(FIRST) do
	for _, column in ipairs{ { name .. ": tuples", 0 }, { "16 most frequent, %", 0 },
		{ "among the last 16, %", 0 }, { "1 / (1 - p)", 2 }, { "A16 by", 2 } } do
		columns[#columns + 1] = column
	end
end
for i, name in ipairs(e.names) do
	local stream = e:stream(name, MOST)
	local row, near = { name }, {}
	for c, first in ipairs(FIRST) do
		local messages = cyclops.compressor(compressors.text[first], { seed = SEED }):feed(
			stream)
		local merged = cyclops.compressor(compressors.text[first .. " A16"],
			{ seed = SEED }):feed(stream)
		local list, count = numbers(messages)
		local tuples, top = #count
		top, near[c] = look(list, count)
		local told, by = 1 / (1 - near[c]), #messages / #merged
		table.move({ tuples, 100 * top, 100 * near[c], told, by }, 1, 5, #row + 1, row)
		cases, as_told = cases + 1, as_told + (math.abs(by / told - 1) < 0.05 and 1 or 0)
	end
	rows[i], fewer = row, fewer + (near[2] < near[1] and 1 or 0)
end
report.table(columns, rows)
print()
report.shape(as_told == cases, "A16 merges by 1 / (1 - p), but for 5 %% of that, in %d of %d cases",
	as_told, cases)
report.shape(fewer == #rows,
	"after H[P256]2048 fewer messages find their tuple than after R256, in %d of %d programs",
	fewer, #rows)
