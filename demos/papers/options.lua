-- The command line of an experiment, and the place of its results.
local inputs = require "inputs"

local options = {}

-- Options of all experiments. A row is { OPTION, WHAT ITS VALUE IS, HELP [, LEAST, MOST [,
-- "whole"]] }; without a value it is a switch. The field it sets has the option's name: --any-build
-- sets any_build.
local COMMON <const> = {
	{ "--small", false, "fewer and shorter runs, in seconds" },
	{ "--programs", "A,B", "these alone" },
	{ "--out", "FOLDER", "where results and pictures go (%s)" },
	{ "--factor", "X", "runs are so many times as long (1)", 0.001, 1000 },
	{ "--any-build", false, "results of another build of cyclops are good enough" },
}

local function usage(rows, out)
	local lines = {}
	for i, row in ipairs(rows) do
		lines[i] = ("%-9s%-17s %s"):format(i == 1 and "options:" or "",
			row[1] .. (row[2] and " " .. row[2] or ""), row[3]:gsub("%%s", out))
	end
	return table.concat(lines, "\n")
end

--- options.times(o, N [, LEAST]) -> N
-- N times --factor, at least LEAST.
function options.times(o, n, least)
	return math.max(math.floor(n * o.factor), least or 1)
end

local check = {}

function check.number(o, row, text)
	local n = tonumber(text)
	n = row[6] and n and math.tointeger(n) or not row[6] and n
	if not n or n < row[4] or n > row[5] then
		o.wrong("%s %s: a %snumber from %.14g to %.14g is needed", row[1], text,
			row[6] and "whole " or "", row[4], row[5])
	end
	return n
end

check["--out"] = function(o, _, text)
	if text:find "'" then
		o.wrong("--out %s: a folder without a quote in its name is needed", text)
	end
	return text
end

check["--programs"] = function(_, _, text)
	local names = {}
	for name in text:gmatch "[^,]+" do
		names[#names + 1] = name
	end
	return names
end

--- options.read(WORDS, OUT [, OWN]) -> o
-- Reads a command line. o.out: the folder of results, OUT by default, with subfolders `records` and
-- `files`. o.root: `files`, the programs' /. o.input: the folder of generated input by its name for
-- programs, OUT/input for any o.out (inputs.lua). o.programs (names), o.factor, and a field for
-- each other given option. OWN: the experiment's own options, rows as above. o.wrong(TEXT, ...)
-- prints the text and the usage, and ends the script.
function options.read(words, out, own)
	local rows, by_name = table.move(COMMON, 1, #COMMON, #(own or {}) + 1,
		table.move(own or {}, 1, #(own or {}), 1, {})), {}
	local o, i = { out = out }, 1
	function o.wrong(text, ...)
		io.stderr:write(text:format(...), "\n", usage(rows, out), "\n")
		os.exit(2)
	end
	for _, row in ipairs(rows) do
		by_name[row[1]] = row
	end
	while words[i] do
		local row = by_name[words[i]] or o.wrong("'%s' is not an option", words[i])
		local value = true
		if row[2] then
			i = i + 1
			value = words[i] or o.wrong("%s needs a value", row[1])
			local f = check[row[1]] or row[4] and check.number
			value = f and f(o, row, value) or value
		end
		o[row[1]:sub(3):gsub("-", "_")] = value
		i = i + 1
	end
	o.factor = o.factor or 1
	o.root, o.input = o.out .. "/files", out .. "/input"
	if not os.execute(("mkdir -p '%s/%s' '%s/%s' '%s/records'"):format(o.root, o.input, o.root,
		inputs.folder, o.out)) then
		o.wrong("--out %s: no folder can be made there", o.out)
	end
	return o
end

return options
