-- Prints tables and figures as Markdown, and verdicts on the paper's findings.
local report = {}

--- report.number(VALUE [, DIGITS]) -> TEXT
-- 1,234,567; with digits after the point, 12.34. Nothing for nil.
function report.number(v, digits)
	if v == nil then
		return ""
	end
	local text = ("%." .. (digits or 0) .. "f"):format(v)
	local sign, whole, rest = text:match "^(-?)(%d+)(.*)$"
	whole = whole:reverse():gsub("(%d%d%d)", "%1,"):reverse():gsub("^,", "")
	return sign .. whole .. rest
end

--- report.total(PROFILE) -> COUNT
function report.total(profile)
	local n = 0
	for _, count in pairs(profile) do
		n = n + count
	end
	return n
end

--- report.average(LIST) -> NUMBER
function report.average(list)
	local sum = 0
	for _, v in ipairs(list) do
		sum = sum + v
	end
	return sum / #list
end

--- report.mean(ROWS, COLUMN) -> NUMBER
function report.mean(rows, column)
	local sum = 0
	for _, row in ipairs(rows) do
		sum = sum + row[column]
	end
	return sum / #rows
end

--- report.means(ROWS) -> ROW
-- Of all columns but the first.
function report.means(rows)
	local row = {}
	for column = 2, #rows[1] do
		row[column - 1] = report.mean(rows, column)
	end
	return row
end

local function width(text)
	return utf8.len(text) or #text
end

--- report.table(COLUMNS, ROWS)
-- Prints it. Columns are { title, digits after the point }; a text in a row is printed as it is.
function report.table(columns, rows)
	local lines, widths = { {} }, {}
	for c, column in ipairs(columns) do
		lines[1][c] = column[1]
	end
	for r, row in ipairs(rows) do
		lines[r + 1] = {}
		for c, column in ipairs(columns) do
			local v = row[c]
			lines[r + 1][c] = type(v) == "string" and v or report.number(v, column[2])
		end
	end
	for _, line in ipairs(lines) do
		for c, text in ipairs(line) do
			widths[c] = math.max(widths[c] or 3, width(text))
		end
	end
	for l, line in ipairs(lines) do
		local cells = {}
		for c, text in ipairs(line) do
			local room = (" "):rep(widths[c] - width(text))
			cells[c] = c == 1 and text .. room or room .. text
		end
		print("| " .. table.concat(cells, " | ") .. " |")
		if l == 1 then
			local rule = {}
			for c in ipairs(columns) do
				rule[c] = ("-"):rep(widths[c] - (c > 1 and 1 or 0)) ..
					(c > 1 and ":" or "")
			end
			print("| " .. table.concat(rule, " | ") .. " |")
		end
	end
end

--- report.beside(COLUMNS, OURS, PAPERS [, AVERAGES])
-- Our programs and their averages, the paper's averages below these, and the paper's programs.
function report.beside(columns, ours, papers)
	local rows = table.move(ours, 1, #ours, 1, {})
	rows[#rows + 1] = { "**average**", table.unpack(report.means(ours)) }
	rows[#rows + 1] = { "**the paper's**",
		table.unpack(papers.average or report.means(papers)) }
	report.table(columns, table.move(papers, 1, #papers, #rows + 1, rows))
end

--- report.title(TEXT, ...)
function report.title(text, ...)
	print("### " .. text:format(...))
	print()
end

--- report.shape(HOLDS, TEXT, ...)
-- Prints whether the paper's finding holds here.
function report.shape(holds, text, ...)
	print(("- %s: %s"):format(holds and "agrees" or "**differs**", text:format(...)))
end

--- report.grows(ROWS, COLUMNS [, SLACK]) -> COUNT, LIST
-- In how many rows the numbers of these columns grow, but for a slack; and names, the first column,
-- of those where they don't.
function report.grows(rows, columns, slack)
	local n, others = 0, {}
	for _, row in ipairs(rows) do
		local grows = true
		for i = 2, #columns do
			grows = grows and row[columns[i]] >= row[columns[i - 1]] - (slack or 0)
		end
		n = n + (grows and 1 or 0)
		others[#others + 1] = not grows and row[1] or nil
	end
	return n, others
end

--- report.picture(PATH, CHART)
function report.picture(path, chart)
	local f = assert(io.open(path, "w"))
	f:write(cyclops.chart(chart))
	f:close()
	print(("![%s](%s)"):format(chart.title, path))
end

return report
