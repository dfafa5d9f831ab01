-- Run the command `cyclops bakeoff`.
--
-- It reads the command's options, runs the profilers by cyclops.bakeoff, and writes the results as
-- formatted by cyclops.bakeoff_page: text, JSON, CSV, pictures and raw profiles. Scripts should
-- call cyclops.bakeoff themselves.

local bakeoff, page, raw = require "cyclops.bakeoff", require "cyclops.bakeoff_page",
	require "cyclops.bakeoff_raw"

local bakeoff_command = {}

local function write(path, text)
	if path == "-" then
		return print((text:gsub("\n$", "")))
	end
	local f, why = io.open(path, "wb")
	if not f then
		error(why, 0)
	end
	local ok, failed = f:write(text)
	if ok then
		ok, failed = f:flush()
	end
	f:close()
	if not ok then
		error(("%s: %s"):format(path, failed), 0)
	end
end

local function words(text)
	local list = {}
	for word in (text or ""):gmatch "[^,]+" do
		list[#list + 1] = word
	end
	return list[1] and list or nil
end

local function write_raw(result, folder)
	write(folder .. "/truth.tsv", raw.truth(result))
	write(folder .. "/result.json", page.json(result))
	for i, way in ipairs(result.ways) do
		for k, record in ipairs(way.records) do
			write(("%s/%d-%d.tsv"):format(folder, i, k), raw.run(record))
		end
	end
end

--- bakeoff_command.run(OPTIONS)
-- Runs `cyclops bakeoff`: the options of bakeoff.run(), with profilers, questions and budgets as
-- comma-separated texts; json, csv: files; plots, raw: folders.
function bakeoff_command.run(o)
	local budgets = {}
	for i, word in ipairs(words(o.budgets) or {}) do
		budgets[i] = tonumber((word:gsub("%%$", "")))
		if not budgets[i] or budgets[i] <= 0 or budgets[i] > 1000 then
			error(("--budget %s: '%s' is no overhead in percent; expected 1,3,10"):format(
				o.budgets, word), 0)
		end
	end
	local input
	if o.stdin then
		local f <close> = io.open(o.stdin, "rb")
			or error(("--stdin %s: it can't be read"):format(o.stdin), 0)
		input = f:read "a"
	end
	local result = bakeoff.run{ program = o.program, args = o.args, input = input,
		max_insts = o.max_insts, looks = o.looks, budgets = budgets,
		profilers = words(o.profilers), questions = words(o.questions),
			firmware = o.firmware, env = o.env, sysroot = o.sysroot, dirs = o.dirs,
		raw = o.raw ~= nil,
			together = o.together,
		say = not o.quiet and cyclops.note or nil }
	if o.json ~= "-" and o.csv ~= "-" then
		print((page.text(result):gsub("\n$", "")))
	end
	if o.json then
		write(o.json, page.json(result))
	end
	if o.csv then
		write(o.csv, page.csv(result))
	end
	for _, picture in ipairs(o.plots and page.pictures(result) or {}) do
		write(o.plots .. "/" .. picture[1], picture[2])
	end
	if o.raw then
		write_raw(result, o.raw)
	end
end

return bakeoff_command
