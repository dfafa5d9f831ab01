-- The cost of inserted code, beside samples (section 4): Calder, Feller and
-- Eustace's value profiling by instrumentation takes 3.8 to 33 times as long as the program.
--
-- Expect: counting alone, of blocks and of paths, the least work of such a profiler, costs more
-- than samples of values do. The editor has no value profiling: the cost of a call at each load is
-- not measured.
--
--     cyclops lua demos/papers/burrows2000/instrumented.lua [--small] [--programs A,B] [--out FOLDER]
local runs, guest, report, plot, kept = require "runs", require "guest", require "report",
	require "plot", require "kept"
-- The same programs, run to their ends on small input, and linked so that the editor can move their
-- code.
local complete = dofile(debug.getinfo(1, "S").source:match "@(.-)[^/]*$" ..
	"../ammons1997/programs.lua").all
local e = runs.open(arg)
local KINDS <const> = { "bb", "path" }

local function cycles(program, kind)
	local parts = { table.concat(program.args, "\n"), program.input, kind }
	return kept.record(e, program.name .. "-whole-" .. kind, parts,
		{ program.path, "demos/configs/burrows2000.lua",
		"demos/papers/burrows2000/instrumented.lua", table.unpack(program.files) },
		function()
		local m <close> = guest.machine(e, program,
			{ program = program.path, config = "burrows2000",
			instrument = kind ~= "plain" and kind or nil,
			name = program.name .. " " .. kind })
		m:run()
		guest.whole(m)
		return { cycles = m.stats["sim.cycles"], insts = m.stats["sim.insts"] }
	end).cycles
end

local rows, names = {}, {}
local counting = { { name = "blocks" }, { name = "paths" } }
for i, name in ipairs(e:integer()) do
	if e.small and i > 1 then
		break
	end
	local program = complete:get(name, e)
	if program then
		local plain = cycles(program, "plain")
		names[#names + 1] = name
		local row = { name }
		for k, kind in ipairs(KINDS) do
			row[1 + k] = cycles(program, kind) / plain
			counting[k][#names] = row[1 + k]
		end
		row[4] = 1 + e:slowdown(name, "vprof") / 100
		rows[#rows + 1] = row
	end
end
report.title "Times as long as the program: counting by code that is put in, and values by samples"
rows[#rows + 1] = { "**average**", table.unpack(report.means(rows)) }
report.table({ { "program" }, { "blocks counted", 2 }, { "paths counted", 2 },
	{ "values sampled", 2 } }, rows)
plot.csv(e, "instrumented", "program", names, counting)
local last = rows[#rows]
print()
report.shape(last[2] > last[4] and last[3] > last[4], "counting alone costs more than sampled values, %.2f (blocks) and %.2f times (paths), %.2f with values (paper: 3.8 to 33 times, 1.1 with values)",
	last[2], last[3], last[4])
