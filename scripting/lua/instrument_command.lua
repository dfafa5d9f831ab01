-- Run the command `cyclops instrument`.
--
-- It reads assembly text, inserts profile instructions by cyclops.instrument, writes the result, or
-- a list of functions, and reports what was impossible. Scripts should call cyclops.instrument
-- themselves.

local instrument = require "cyclops.instrument"

local instrument_command = {}

local function read_text(path)
	local file, why = io.open(path, "rb")
	local text
	if file then
		text, why = file:read"a"
		why = path .. ": " .. tostring(why)
	end
	if not text then
		error(why, 0)
	end
	file:close()
	if text:sub(1, 4) == "\127ELF" then
		error(path .. ": is a program or an object; what is needed is assembly, as gcc -S writes it", 0)
	elseif text:find("\0", 1, true) then
		error(path .. ": is no text", 0)
	end
	return text
end

local function write_text(path, text)
	if path == "-" then
		return print((text:gsub("\n$", "")))
	end
	local file, why = io.open(path, "wb")
	local ok = file
	if file then
		ok, why = file:write(text)
		if ok then
			ok, why = file:flush()
		end
		file:close()
	end
	if not ok then
		error(("%s: %s"):format(path, why:gsub("^" .. path:gsub("%p", "%%%0") .. ": ", "")),
			0)
	end
end

local function list(report)
	for _, f in ipairs(report.functions) do
		print(("%-32s %5d %s%s"):format(f.name, f.blocks, f.blocks == 1 and "block"
			or "blocks",
			f.reason and "  left alone: " .. f.reason or ""))
	end
end

--- instrument_command.run(OPTIONS)
-- Runs instrument.text() from the file `input` to the file `output`, "-" for standard output; with
-- `list` prints a table of the functions instead. Functions left alone are reported on standard
-- error, unless `quiet`.
function instrument_command.run(o)
	local text = read_text(o.input)
	local ok, out, report = pcall(instrument.text, text, o)
	if not ok then
		error(o.input .. ": " .. tostring(out), 0)
	end
	local done = 0
	for _, f in ipairs(report.functions) do
		done = done + (f.reason and 0 or 1)
		if f.reason and f.asked and not o.quiet and not o.list then
			cyclops.note(("cyclops: %s: %s is left alone: %s"):format(o.input,
				f.name, f.reason))
		end
	end
	if o.functions and done == 0 and #report.functions > 0 then
		local names = {}
		for _, f in ipairs(report.functions) do
			names[#names + 1] = #names < 8 and f.name or nil
		end
		error(("%s: no function fits '%s'; there are %s%s"):format(o.input, o.functions,
			table.concat(names, ", "),
			#report.functions > 8 and ", ..." or ""), 0)
	end
	if o.list then
		list(report)
	else
		write_text(o.output, out)
	end
end

return instrument_command
