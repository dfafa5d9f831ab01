-- Grades branch predictors that students have handed in:
--   cyclops lua --lua-safe demos/coursework/grade.lua demos/coursework/handed-in/*.lua
--
-- Each runs with the same programs as the rest. 10 points for each program: 0 for being wrong as
-- often as the best of `taken` and `nottaken`, 10 for being as good as the built-in gshare. A
-- predictor that fails gets none for that program, and a reason.
local PROGRAMS = { "branchy", "fib", "longjmp" }
local INSTS = 200000 -- of each
local POINTS = 10

local function wrong(program, kind, file)
	local m <close> = cyclops.machine{ program = "build/demos/" .. program, predictor = file,
		history = false,
		set = { ["bpred.kind"] = kind, ["bpred.update"] = "commit", ["lua.hook_budget"] =
			20000 } }
	m:run{ insts = INSTS }
	if m.failure then
		error(m.failure, 0)
	end
	return m.bpred.mispredicts
end

local reference = {}
for _, program in ipairs(PROGRAMS) do
	local worst = math.min(wrong(program, "taken"), wrong(program, "nottaken"))
	reference[program] = { worst = worst, best = wrong(program, "gshare") }
end

if #arg == 0 then
	error("which predictors? " .. arg[0] .. " FILE.lua ...", 0)
end
print(("%-24s %s  points"):format("handed in",
	("%12s"):rep(#PROGRAMS):format(table.unpack(PROGRAMS))))
for _, file in ipairs(arg) do
	local cells, points, reason = {}, 0, nil
	for i, program in ipairs(PROGRAMS) do
		local ok, n = pcall(wrong, program, nil, file)
		local r = reference[program]
		if ok then
			local share = (r.worst - n) / math.max(1, r.worst - r.best)
			points = points + math.floor(POINTS * math.max(0, math.min(1, share)) + 0.5)
			cells[i] = n .. " wrong"
		else
			cells[i] = "fails"
			reason = reason or tostring(n)
		end
	end
	print(("%-24s %s  %2d of %d"):format(file:match("[^/]+$"),
		("%12s"):rep(#PROGRAMS):format(table.unpack(cells)), points,
		POINTS * #PROGRAMS))
	if reason then
		print("    " .. reason)
	end
end
