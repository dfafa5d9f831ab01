-- Programs whose loads, edges and calls are profiled: the demo programs, with input for at least 16
-- million loads. Generates missing input, always the same.
--
-- from: the end of the program's initialization.
local inputs = require "inputs"

local INPUT <const> = inputs.folder
local read = inputs.read

local made = {
	-- The eight queens of the paper's `li`.
	["queens-8.lisp"] = function()
		return read(INPUT .. "queens.lisp"):gsub("%(print[^\n]*\n", "") ..
			"(print 'queens 8 (queens 8))\n"
	end,
	["zones-twice.json"] = function()
		local text = read(INPUT .. "timezones.json")
		return ('{"one": %s, "two": %s}\n'):format(text, text)
	end,
	["positions.txt"] = function()
		return "search 5 - r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w " ..
			"KQkq - 0 1\n" .. read(INPUT .. "positions.txt") ..
			"perft 4 197281 rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"
	end,
	["phrases.txt"] = function()
		return "profile the stream\nstratified sample\nvalue of a load\n" ..
			read(INPUT .. "phrases.txt")
	end,
	-- Another Mersenne prime, with its first and last digits.
	["exponents.txt"] = function()
		return read(INPUT .. "mersenne.txt") .. "756839 174135906820 328544677887\n"
	end,
	["backwards.txt"] = function()
		return read(INPUT .. "words.txt"):reverse()
	end,
	["patterns.txt"] = function()
		return read(INPUT .. "patterns.txt") ..
			"s.*t.*r.*e.*a.*m\n(un|re|over)?(do|load|sample)(s|d|ed|ing)?$\n"
	end,
}

local rows = {
	{ "compress", INPUT .. "gpl-3.txt " .. INPUT .. "timezones.json " .. INPUT .. "words.txt",
		from = "find" },
	{ "chess", "@positions.txt", from = "generate" },
	{ "lisp", "@queens-8.lisp " .. INPUT .. "deriv.lisp", from = "eval_form" },
	{ "json", "@zones-twice.json one.version two.rules.*.*.month one.links.*",
		from = "parse_string" },
	{ "regex", "@patterns.txt " .. INPUT .. "words.txt", from = "run" },
	{ "anagram", INPUT .. "words.txt", stdin = "@phrases.txt", from = "search" },
	{ "sort", "-n 20000 " .. INPUT .. "words.txt", from = "heap_sort" },
	{ "cg", INPUT .. "ladder.mtx 1034 298", from = "multiply" },
	{ "nbody", INPUT .. "planets.txt 90", from = "kick" },
	{ "fft", "@exponents.txt", from = "main" },
	{ "hash", INPUT .. "words.txt " .. INPUT .. "timezones.json " .. INPUT .. "gpl-3.txt " ..
		INPUT .. "ladder.mtx @backwards.txt", from = "hash_block" },
}

return { all = inputs.list(rows, made), small = inputs.list({ rows[1], rows[2], rows[3] }, made) }
