-- The common form of tables IV to VI and figures 5 to 7: a value for each program, for each size
-- of the window.
local report = require "report"

local windows = {}

--- windows.overheads(e, KIND, TABLE) -> ROWS
-- Overheads in percent: { program, 0 %, 10 %, 25 %, 50 %, 100 % }
function windows.overheads(e, kind, has_table)
	local rows = {}
	for i, program in ipairs(e.programs) do
		rows[i] = { program.name }
		for j, percent in ipairs(e.percents) do
			rows[i][j + 1] = e:overhead(program,
				e:run(program, kind, percent, has_table))
		end
	end
	return rows
end

--- windows.rows(e, KIND, TABLE [, OVERHEAD]) -> ROWS
-- Overheads and accuracies as in tables IV and V; `overhead` is another way to take the first,
-- e:edited_overhead.
function windows.rows(e, kind, has_table, overhead)
	local rows = {}
	for i, program in ipairs(e.programs) do
		local row = { program.name }
		for _, percent in ipairs(e.percents) do
			local record = e:run(program, kind, percent, has_table)
			row[#row + 1] = (overhead or e.overhead)(e, program, record)
			if percent > 0 and percent < 100 then
				row[#row + 1] = e:accuracy(program, record, kind, has_table)
			end
		end
		rows[i] = row
	end
	return rows
end

local COLUMNS <const> = { { "program" }, { "0 %: overhead", 2 }, { "10 %: overhead", 2 },
	{ "accuracy", 2 }, { "25 %: overhead", 2 },
	{ "accuracy", 2 }, { "50 %: overhead", 2 }, { "accuracy", 2 }, { "100 %: overhead", 2 } }

--- windows.print(ROWS [, PAPERS])
-- Such rows, their average, and the paper's.
function windows.print(rows, papers)
	if papers then
		return report.beside(COLUMNS, rows, papers)
	end
	local all = table.move(rows, 1, #rows, 1, {})
	all[#all + 1] = { "**average**", table.unpack(report.means(rows)) }
	report.table(COLUMNS, all)
end

--- windows.table(e, KIND, TABLE, PAPERS) -> ROWS
-- Prints overheads and accuracies as in tables IV and V.
function windows.table(e, kind, has_table, papers)
	local rows = windows.rows(e, kind, has_table)
	windows.print(rows, papers)
	return rows
end

--- windows.accuracy(ROWS, COLUMN, PAPERS)
-- Reports how accurate profiles are at 25 %, on average.
function windows.accuracy(rows, column, papers)
	report.shape(report.mean(rows, column) > 95, "at 25 %% profiles are more than 95 %% accurate on average (%.2f %%; paper %.2f %%)",
		report.mean(rows, column), papers)
end

--- windows.grows(ROWS, COLUMNS, SLACK, WHAT)
-- Reports whether this grows with the window in all programs, but for the slack, and where it
-- doesn't.
function windows.grows(rows, columns, slack, what)
	local n, others = report.grows(rows, columns, slack)
	report.shape(n == #rows, "%s with the window (but for %s), in %d of %d programs%s", what,
		slack .. (slack >= 0.1 and " points" or ""), n, #rows,
		others[1] and ", not in " .. table.concat(others, ", ") or "")
end

--- windows.accesses(e, KIND, TABLE, STATISTIC) -> ROWS
-- A statistic relative to the program without profile instructions: { program, 0 %, 10 %, 25 %, 50
-- %, 100 % }
function windows.accesses(e, kind, has_table, statistic)
	local rows = {}
	for i, program in ipairs(e.programs) do
		local plain = e:plain(program).stats[statistic]
		rows[i] = { program.name }
		for j, percent in ipairs(e.percents) do
			rows[i][j + 1] = e:run(program, kind, percent,
				has_table).stats[statistic] / plain
		end
	end
	return rows
end

--- windows.figure(e, FILE, TITLE, ROWS)
-- Prints and draws the result of windows.accesses(): bars for each program, a bar for each size of
-- the window.
function windows.figure(e, file, title, rows)
	local places, series = {}, {}
	for i, row in ipairs(rows) do
		places[i] = row[1]
	end
	for j, percent in ipairs(e.percents) do
		series[j] = { name = percent .. " %" }
		for i, row in ipairs(rows) do
			series[j][i] = row[j + 1]
		end
	end
	local all = table.move(rows, 1, #rows, 1, {})
	all[#all + 1] = { "**average**", table.unpack(report.means(rows)) }
	report.table({ { title }, { "0 %", 3 }, { "10 %", 3 }, { "25 %", 3 }, { "50 %", 3 },
		{ "100 %", 3 } }, all)
	print()
	report.picture(e.out .. "/" .. file,
		{ title = title .. ", by the part of the time in which profiling is on",
		x = "program", y = "relative to the program without profile instructions",
			places = places, series = series })
	print()
end

return windows
