-- Common definitions of tables 4 and 5: hot paths, or procedures, are those with a hundredth of all
-- misses at least; a dense one has more misses an instruction than the program, a sparse one fewer;
-- all others are cold.
local shares = {}

--- shares.of(LIST, INSTS, MISSES [, THRESHOLD]) -> { all =, dense =, sparse =, cold =, insts =, misses = }
-- INSTS and MISSES are their columns in a row. Each kind: n, insts and misses in percent of all,
-- and its `rows`.
function shares.of(list, insts, misses, threshold)
	local out = { n = #list, insts = 0, misses = 0 }
	for _, row in ipairs(list) do
		out.insts, out.misses = out.insts + row[insts], out.misses + row[misses]
	end
	for _, kind in ipairs{ "dense", "sparse", "cold" } do
		out[kind] = { n = 0, insts = 0, misses = 0, rows = {} }
	end
	for _, row in ipairs(list) do
		local hot = row[misses] >= (threshold or 0.01) * out.misses and row[misses] > 0
		local kind =
			out[not hot and "cold" or row[misses] * out.insts > out.misses * row[insts]
			and "dense" or "sparse"]
		kind.n, kind.rows[#kind.rows + 1] = kind.n + 1, row
		kind.insts = kind.insts + 100 * row[insts] / math.max(out.insts, 1)
		kind.misses = kind.misses + 100 * row[misses] / math.max(out.misses, 1)
	end
	return out
end

-- Our rows as NAME.csv.
local function save(e, file, columns, rows)
	local series = {}
	for c = 2, #columns do
		series[c - 1] = { name = columns[c].csv or columns[c][1] }
		for r, row in ipairs(rows) do
			series[c - 1][r] = tonumber(row[c]) or false
		end
	end
	require "plot".csv(e, file, "program", e.names, series)
end

--- shares.table(e, FILE, COLUMNS, ROW, PAPERS)
-- Prints rows ROW(NAME) of all programs, averages over integer, floating-point and all programs,
-- and the paper's rows. FILE.csv has our rows; a column's name there is its `csv` if it differs
-- from the title. Returns our rows, and our rows by kind of program.
function shares.table(e, file, columns, row, papers)
	local report = require "report"
	local rows, kinds = {}, { integer = {}, floating = {}, average = {} }
	for i, name in ipairs(e.names) do
		rows[i] = { name, table.unpack(row(name)) }
		for _, kind in ipairs{ "average", e:is_floating(name) and "floating"
			or "integer" } do
			kinds[kind][#kinds[kind] + 1] = rows[i]
		end
	end
	local out = table.move(rows, 1, #rows, 1, {})
	for _, kind in ipairs{ { "integer", "integer programs" }, { "floating", "floating point" },
		{ "average", "average" } } do
		if kinds[kind[1]][1] then
			out[#out + 1] = { "**" .. kind[2] .. "**",
				table.unpack(shares.means(kinds[kind[1]], #columns)) }
		end
		-- The paper has no averages in table 3.
		local theirs = papers[kind[1]] or not papers.average and kind[1] == "average"
			and shares.means(papers, #columns)
		if theirs then
			out[#out + 1] = { "**the paper's**", table.unpack(shares.blank(theirs)) }
		end
	end
	for _, other in ipairs(papers) do
		out[#out + 1] = shares.blank(other)
	end
	report.table(columns, out)
	save(e, file, columns, rows)
	print()
	return rows, kinds
end

--- shares.means(ROWS, COLUMNS) -> ROW
-- Means of all columns but the first, without missing values.
function shares.means(rows, columns)
	local means = {}
	for c = 2, columns do
		local sum, n = 0, 0
		for _, row in ipairs(rows) do
			if type(row[c]) == "number" then
				sum, n = sum + row[c], n + 1
			end
		end
		means[c - 1] = n > 0 and sum / n or "-"
	end
	return means
end

-- - shares.blank(ROW) -> ROW With - for false values.
function shares.blank(row)
	local out = {}
	for i, v in ipairs(row) do
		out[i] = v == false and "-" or v
	end
	return out
end

return shares
