-- For lab 8: sample(PERIOD, JITTER, COUNT) stops the session's machine COUNT times, PERIOD cycles
-- apart, each time up to JITTER cycles later by chance, and prints in which functions it stopped.
local FUNCTIONS <const> = { "parse", "sort", "print" }

local function shares(counts, total)
	local words = {}
	for _, name in ipairs(FUNCTIONS) do
		words[#words + 1] = ("%s %.1f %%"):format(name, 100 * (counts[name] or 0) / total)
	end
	return table.concat(words, ", ")
end

function sample(period, jitter, count)
	local counts, random, taken = {}, 1, 0
	for _ = 1, count do
		random = random * 6364136223846793005 + 1442695040888963407
		local stop = m:step(period + (random >> 33) % (jitter + 1))
		if stop.reason == "exit" then
			break
		end
		local symbol = m:sym(m.pc)
		local name = symbol and symbol.name or "?"
		counts[name], taken = (counts[name] or 0) + 1, taken + 1
	end
	print(("%d samples: %s"):format(taken, shares(counts, taken)))
end
