-- The three ways in which fetch may predict that a profile call is dropped (III.B.2): by the branch
-- predictor, trained with a dropped call as not taken (ignored-update); by decode's flag (flag); by
-- a separate bit that setpf and resetpf set when they are fetched (prediction-bit). The paper uses
-- the last "with a high prediction accuracy for both"; the others are in its technical report [12].
--
-- Expect: with profiling always off or on, all three are correct. With switching, the first learns
-- anew each time, and the second sees the flag of another method, since fetch is ahead of decode.
--
--     cyclops lua demos/papers/vaswani2003/strategies.lua [--small] [--programs A,B] [--scale X] [--out FOLDER]
local e = require "experiment".open(arg)
local report = require "report"

-- A profile call follows two other profile instructions.
local PER_CALL <const> = 3

local columns = { { "program" } }
for _, percent in ipairs{ 0, 25, 100 } do
	for _, strategy in ipairs(e.strategies) do
		columns[#columns + 1] = { ("%s, %d %%"):format(strategy, percent), 2 }
	end
end
local wrong, cost = {}, {}
for i, program in ipairs(e.programs) do
	wrong[i], cost[i] = { program.name }, { program.name }
	for _, percent in ipairs{ 0, 25, 100 } do
		for _, strategy in ipairs(e.strategies) do
			local run = e:run(program, "calls", percent, true, nil, false, strategy)
			local calls = math.max(run.stats["xprof.fetched"] / PER_CALL, 1)
			cost[i][#cost[i] + 1] = e:overhead(program, run)
			wrong[i][#wrong[i] + 1] = run.stats["xprof.misfetches"] / calls * 100
		end
	end
end

local function print_table(title, list)
	report.title(title)
	local with = table.move(list, 1, #list, 1, {})
	with[#with + 1] = { "**average**", table.unpack(report.means(list)) }
	report.table(columns, with)
	print()
end
print_table("Three strategies for profile calls: profile mis-fetches for each 100 calls fetched",
	wrong)
print_table("The same: overhead of call-graph profiling, %%", cost)

local w, c = report.means(wrong), report.means(cost)
report.shape(w[6] <= w[4] and w[6] <= w[5], "at 25 %% the prediction bit has the fewest mis-fetches (%.2f, flag %.2f, ignored-update %.2f)", w[6], w[5], w[4])
report.shape(w[1] < 1 and w[2] < 1 and w[3] < 1,
	"off, hardly any call is followed: %.2f, %.2f and %.2f of 100", w[1], w[2], w[3])
report.shape(c[6] <= c[4] and c[6] <= c[5],
	"at 25 %% the prediction bit costs least (%.2f %%, flag %.2f %%, ignored-update %.2f %%)",
	c[6], c[5], c[4])
