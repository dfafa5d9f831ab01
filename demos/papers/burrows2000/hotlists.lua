-- Accuracy of hotlists of N values for each instruction (sections 2.2 and 4): Gibbons and Matias'
-- concise samples, which the paper describes, their counting samples, Calder, Feller and Eustace's
-- table, and exact counts of all samples; each against the values that the program really computed.
--
-- Expect: with the paper's 16 values the error of the most frequent value's share is little more
-- than the sampling error. Concise samples are unbiased, but toss coins, which costs accuracy;
-- counting samples toss fewer. Unless values come in a bad order, a table of the same size is
-- better.
--
--     cyclops lua demos/papers/burrows2000/hotlists.lua [--small] [--programs A,B] [--out FOLDER]
local runs, guest, report, plot, kept, options = require "runs", require "guest", require "report",
	require "plot", require "kept", require "options"
local e = runs.open(arg)

-- least samples of an instruction to be listed
local LEAST <const> = (e.small or e.factor < 0.5) and 20 or 50
local INSTS <const> = e.small and 150000 or options.times(e, 1500000, 150000)
local SIZES <const> = e.small and { 2, 16 } or { 2, 4, 8, 16, 32 }
-- A frequent handler without cost: only the use of the samples is studied.
local SET <const> = { ["vsample.interval_min"] = 40, ["vsample.interval_max"] = 80,
	["vsample.every"] = 1, ["vsample.length"] = 8, ["vsample.interrupt_cycles"] = 1,
	["vsample.start_cycles"] = 0, ["vsample.inst_cycles"] = 1, ["vsample.tuple_cycles"] = 0,
		["vsample.service"] = 1, ["vsample.code_lines"] = 0,
	["vsample.data_lines"] = 0, ["vsample.inst_lines"] = 0, ["oracle.enable"] = true,
		["oracle.values"] = "all", ["oracle.memory"] = 1 << 30 }

-- For each instruction in the profile: its samples, and the share of each value in its list.
local function lists_of(m)
	local lists = {}
	for _, row in ipairs(m:report("values all").rows) do
		local list = { seen = row.vtot }
		for share, value in row.values:gmatch "%(([%d.]+)%% ([^)]+)%)" do
			list[math.tointeger(tonumber(value))] = tonumber(share) / 100
		end
		lists[math.tointeger(tonumber(row.pc))] = list
	end
	return lists
end

-- The most frequent value of each instruction, and its share, as the oracle counts them.
local function truth_of(m)
	local all, top = {}, {}
	for pc, value, count in m:exact "values" do
		all[pc] = (all[pc] or 0) + count
		if not top[pc] or count > top[pc].count then
			top[pc] = { value = value, count = count }
		end
	end
	for pc, t in pairs(top) do
		t.share = t.count / all[pc]
	end
	return top
end

-- Mean of the differences in the top value's share, in percent points, over instructions by their
-- samples: absolute, and with its sign.
local function run(program, method, entries)
	local set = { ["values.method"] = method, ["values.entries"] = entries }
	for key, value in pairs(SET) do
		set[key] = value
	end
	local m <close> = e:machine(program, set,
		{ name = ("%s hotlists %s %d"):format(program.name, method, entries),
		values = "results", ff = 0, warmup = false })
	m:run{ until_insts = INSTS }
	guest.reached(m, INSTS, m.insts)
	local truth, lists = truth_of(m), lists_of(m)
	local wrong, bias, weight, semi, found = 0, 0, 0, 0, 0
	for pc, list in pairs(lists) do
		local t = truth[pc]
		if t and list.seen >= LEAST then
			local d = (list[t.value] or 0) - t.share
			wrong, bias, weight = wrong + list.seen * math.abs(d), bias + list.seen * d,
				weight + list.seen
			if t.share >= 0.5 then
				semi, found = semi + 1, found + ((list[t.value] or 0) >= 0.5 - 0.1
					and 1 or 0)
			end
		end
	end
	return { wrong = 100 * wrong / weight, bias = 100 * bias / weight, instructions = semi,
		found = 100 * found / math.max(semi, 1) }
end

local function record(name, method, entries)
	local program = e.by_name[name]
	local parts = { table.concat(program.args, "\n"), program.input, method, entries, INSTS,
		LEAST }
	return kept.record(e, ("%s-hotlists-%s-%d"):format(name, method, entries), parts,
		{ "build/demos/" .. name, "demos/configs/burrows2000.lua",
		"demos/papers/burrows2000/hotlists.lua", table.unpack(program.files) },
		function() return run(program, method, entries) end)
end

local names = {}
for i, name in ipairs(e.small and { e.names[1] } or e.programs or { "compress", "lisp", "json" }) do
	names[i] = e.by_name[name] and name
end
local function mean(method, entries, key)
	local list = {}
	for i, name in ipairs(names) do
		list[i] = record(name, method, entries)[key]
	end
	return report.average(list)
end

report.title("Error of the top value's share, in percent points, by values in a hotlist (%s)",
	table.concat(names, ", "))
local exact = mean("exact", 16, "wrong")
local METHODS <const> = { { "samples", "concise samples" }, { "counting", "counting samples" },
	{ "top", "Calder's table" } }
local columns, rows, series = { { "values" } }, {}, {}
for k, method in ipairs(METHODS) do
	series[k] = { name = method[2] }
	for _, column in ipairs{ { method[2], 2 }, { "bias", 2 },
		{ "semi-invariants found, %", 1 } } do
		columns[#columns + 1] = column
	end
	for i, n in ipairs(SIZES) do
		series[k][i], rows[i] = mean(method[1], n, "wrong"), rows[i] or { tostring(n) }
		for _, number in ipairs{ series[k][i], mean(method[1], n, "bias"),
			mean(method[1], n, "found") } do
			table.insert(rows[i], number)
		end
	end
end
columns[#columns + 1], series[#series + 1] = { "all values: sampling alone", 2 },
	{ name = "all values, exact" }
for i in ipairs(SIZES) do
	series[#series][i], rows[i][#columns] = exact, exact
end
report.table(columns, rows)
print()
plot.csv(e, "hotlists", "values", SIZES, series)
plot.lines(e, "hotlists", { title = "Error of the top value's share", x = "values in a hotlist",
	y = "percent points", places = SIZES, series = series })
print()
local last = rows[#rows]
local paper
for i, n in ipairs(SIZES) do
	paper = n == 16 and rows[i] or paper
end
report.shape(paper[2] - exact < 2, "with 16 values hotlists of concise samples add little to what sampling errs by: %.2f and %.2f points", paper[2], exact)
report.shape(math.abs(paper[3]) < 1, "they are unbiased: %.2f points", paper[3])
report.shape(paper[2] < paper[8],
	"they are better than Calder's table of as many: %.2f and %.2f points", paper[2], paper[8])
report.shape(paper[5] < paper[2], "counting samples know better: %.2f points", paper[5])
report.shape(rows[1][2] > last[2], "more values are better: %.2f points with %s, %.2f with %s",
	rows[1][2], rows[1][1], last[2], last[1])
report.shape(paper[4] > 95, "semi-invariant instructions are found with 16: %.1f %% of those whose top value has half of all", paper[4])
