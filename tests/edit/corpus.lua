-- The table of tests/edit/corpus.sh: FOLDER/jobs has lines of a group, a program, a file for standard
-- input and arguments, separated by tabs.
local INSTS <const> = 3000000
local KINDS <const> = { "bb", "edge", "path", "callgraph", "cct", "cct+path" }
local folder = arg[1]

local function exists(path)
	local f <close> = io.open(path, "rb")
	return f ~= nil
end

local groups, order = {}, {}
local function sum(group, kind)
	if not groups[group] then
		groups[group] = { programs = {}, n = 0 }
		order[#order + 1] = group
	end
	local g = groups[group]
	g[kind] = g[kind] or { functions = 0, left = 0, insts = 0, alone = 0, reasons = {} }
	return g, g[kind]
end

local function measure(group, kind, program, input, args)
	local m <close> = cyclops.machine{ program = program, args = args, input = input,
		instrument = kind, history = false, set = { ["oracle.enable"] = true } }
	m:run{ insts = INSTS, functional = true }
	local g, t = sum(group, kind)
	if not g.programs[program] then
		g.programs[program], g.n = true, g.n + 1
	end
	for _ in m:functions() do
		t.functions = t.functions + 1
	end
	t.insts = t.insts + m.stats["oracle.insts"]
	local seen = {}
	for _, row in ipairs(m:report "untouched".rows) do
		if row.what == "left alone" and not seen[row.was] then
			seen[row.was] = true
			t.left, t.alone = t.left + 1, t.alone + (row.executed or 0)
			local r = t.reasons[row.why] or { functions = 0, executed = 0, names = {} }
			t.reasons[row.why], r.functions = r, r.functions + 1
			r.executed = r.executed + (row.executed or 0)
			r.names[row["function"]] = (r.names[row["function"]] or 0) + (row.executed or 0)
		end
	end
end

for line in io.lines(folder .. "/jobs") do
	local cells = {}
	for cell in line:gmatch "([^\t]*)\t" do
		cells[#cells + 1] = cell
	end
	local program = exists(folder .. "/" .. cells[2]) and folder .. "/" .. cells[2] or cells[2]
	local f <close> = io.open(cells[3], "rb")
	local input = f and f:read "a" or ""
	for _, kind in ipairs(KINDS) do
		io.stderr:write(cells[1], ": ", cells[2], " ", kind, "\n")
		local ok, why = pcall(measure, cells[1], kind, program, input,
			table.move(cells, 4, #cells, 1, {}))
		if not ok then
			io.stderr:write("  ", tostring(why), "\n")
		end
	end
end

print "| programs | kind | functions left alone | executed left alone | reasons: functions, share of executed, the most executed one |"
print "| --- | --- | ---: | ---: | --- |"
for _, name in ipairs(order) do
	for _, kind in ipairs(KINDS) do
		local g, t = groups[name], groups[name][kind]
		if t then
			local reasons = {}
			for why, r in pairs(t.reasons) do
				local most
				for f, n in pairs(r.names) do
					most = (not most or n > r.names[most] or n == r.names[most] and f < most)
						and f or most
				end
				reasons[#reasons + 1] = ("%s: %d, %.3f %%, `%s`"):format(why,
					r.functions, 100 * r.executed / math.max(t.insts, 1), most)
			end
			table.sort(reasons)
			print(("| %s (%d) | %s | %d of %d | %.3f %% | %s |"):format(name, g.n, kind,
				t.left, t.functions, 100 * t.alone / math.max(t.insts, 1),
				table.concat(reasons, "; ")))
		end
	end
end
