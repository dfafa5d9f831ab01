-- Tests the reasons in claims.md for results that differ from the papers': runs with the named
-- cause and without. If the reason is correct, the difference disappears with the cause.
--
-- Prints a row for each experiment: the figure with the cause, without it, the paper's figure, and
-- how much of the difference disappears. Programs are four demos, some 0.6 million instructions of
-- each, so figures differ from those of the papers' pages.
--
--     cyclops lua demos/papers/reasons.lua [vaswani-11 ...] [--out FOLDER] [--any-build]
local here = debug.getinfo(1, "S").source:match "@(.-)[^/]*$"
package.path = here .. "ammons1997/?.lua;" .. here .. "zilles2001/?.lua;" .. here .. "?.lua;"
	.. package.path
local tried = require "reasons.tried"

local words, chosen = { "--factor", "0.1" }, {}
local i = 1
while i <= #arg do
	if arg[i]:match "^%a+%-%d+$" then
		chosen[arg[i]] = true
	else
		words[#words + 1] = arg[i]
	end
	i = i + 1
end
tried.open(words)

-- Rows of these files:
--   the claim, the name of the figure, its unit, the paper's, the cause that is removed, a function
--   of the figure with the cause, and without it
local PAPERS <const> = { "vaswani", "zilles", "ammons", "burrows", "sastry" }

-- The part of the difference to the paper that disappears; for a paper's words, "< N" or "> N",
-- whether our figure is on that side.
local function goes(with, without, paper)
	if type(paper) == "string" then
		local side, bound = paper:match "^([<>]) ([%d.]+)$"
		return (without < tonumber(bound)) == (side == "<") and "yes" or "no"
	end
	return ("%.0f %%"):format(100 * (1 - math.abs(without - paper) / math.abs(with - paper)))
end

local function text(v, unit)
	local after = unit == "%" and " %" or (unit == "times" or unit == "") and "" or " " .. unit
	return type(v) == "string" and v or v and ("%.2f%s"):format(v, after) or "-"
end

print "# Reasons tried"
print ""
print "Printed by `build/cyclops lua demos/papers/reasons.lua`; [claims.md](claims.md) refers to this."
print "Of four demos, some 0.6 million instructions each. *Goes*: how much of the difference to the"
print "paper is gone without the cause; negative: it is larger; of a paper with words alone,"
print "whether the figure is on its side then."
print ""
print "| claim | figure | without | as it is | without it | the paper | goes |"
print "| --- | --- | --- | ---: | ---: | ---: | ---: |"
for _, name in ipairs(PAPERS) do
	for _, x in ipairs(require("reasons." .. name)) do
		local claim, figure, unit, paper, cause, measure = table.unpack(x, 1, 6)
		if not next(chosen) or chosen[claim] then
			local ok, with, without = xpcall(measure, debug.traceback)
			if not ok then
				io.stderr:write(claim, ": ", tostring(with), "\n")
			else
				print(("| %s | %s | %s | %s | %s | %s | %s |"):format(claim, figure, cause,
					text(with, unit), text(without, unit), text(paper, unit),
					goes(with, without, paper)))
				io.stdout:flush()
			end
		end
	end
end
