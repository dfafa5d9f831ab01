-- As lines.gdb.py: cyclops's places of `break FILE:LINE` for each line.
-- Arguments: PROGRAM SOURCE FOLDER
local program, source, folder = ...
local m = cyclops.machine{program = program}
local out = assert(io.open(folder .. "/lines-ours", "w"))
local file, number = source:match "[^/]*$", 0
for _ in io.lines(source) do
	number = number + 1
	local places, seen = {}, {}
	if pcall(m.cmd, m, "break " .. file .. ":" .. number) then
		for line in m:cmd("info breakpoints"):gmatch "[^\n]+" do
			local name, at = line:match "enabled +at (.+) %([^ ]*:(%d+)%), commit"
			name = name:gsub("%+0x(%x+)$", function(x)
				return "+" .. string.format("%d", tonumber(x, 16))
			end)
			places[#places + 1] = name .. " " .. at
		end
		m:cmd "delete"
	end
	table.sort(places)
	out:write(table.concat(places, " | "), "\n")
end
out:close()
