-- Runs the sessions of FOLDER/commands in cyclops, and writes its output for each command to
-- FOLDER/ours, a line each.
-- Arguments: PROGRAM FOLDER
local program, folder = ...
local out = assert(io.open(folder .. "/ours", "w"))
local function quoted(s)
	return (s:gsub("\\", "\\\\"):gsub("\n", "\\n"))
end
local m
for line in io.lines(folder .. "/commands") do
	if line == "SESSION" then
		m = cyclops.machine{program = program}
		m:cmd "set $i = 0"
		m:cmd "set $j = 0"
		out:write("SESSION\n")
	elseif line == "SP" then
		out:write("SP ", string.format("%d", m.sp), "\n")
	else
		-- A step of this machine is a cycle.
		line = line:gsub("^step%f[^%w]", "step into")
		line = line:gsub("^reverse%-step%f[^%w]", "reverse-step into")
		local ok, text, answer = pcall(m.cmd, m, line)
		local stop = ok and answer.stop
		out:write(ok and "OK " or "ERROR ", quoted(text), "\n")
		if stop then
			out:write("STOP ", stop.reason or "?", " ",
				string.format("%d", stop.pc or 0), " ", tostring(m.exit_status),
				"\n")
		end
		if ok and m.status == "running" and (stop or line:match "^up" or line:match "^down"
			or line:match "^frame") then
			local _, at = pcall(m.cmd, m, "frame")
			out:write("AT ", quoted(tostring(at)), "\n")
		end
		if ok and m.status ~= "running" then
			out:write("OVER ", tostring(m.exit_status), "\n")
		end
	end
end
out:close()
