-- Figures 7 to 11 over real programs: errors of compressors on values of loads from each program's
-- beginning, a hundred million events where the paper has 16; edges and calls at once; tags of 1, 2
-- and 4 bits. Streams are recorded without timing: nothing depends on cycles. A program that ends
-- before is started again with the same input, and compressors and profiles go on.
--
--     cyclops lua demos/papers/sastry2001/workloads.lua [--programs A,B] [--events N] [--small] [--out FOLDER] [--any-build]
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local real, report = require "real", require "report"
local guest, compressors, options = require "guest", require "compressors", require "options"
local EVENTS <const>, SMALL <const>, PIECE <const> = 100000000, 400000, 500000
local e = real.open(arg, "sastry2001", 1000000, { "gzip", "mawk" },
	{ { "--events", "N", "of each program (100000000; with --small 400000)", 1000, 1000000000,
	"whole" } })
e.events = e.events or e.small and SMALL or options.times(e, EVENTS, 1000)

local T1 <const>, T2 <const>, T4 <const> = "T ways=2 tag=1 evict=32 replace=8", "T 2-bit",
	"T ways=2 tag=4 evict=32 replace=8"
local R <const>, H <const>, H512 <const> = "R256", "H[P256]2048", "H[P512]2048"
-- With about as many messages as tags of 2 bits send: counters of 7 bits and not 8, strata that
-- count to 80.
local T1_128 <const>, H80 <const> = "T 1-bit, to 128", "H[P80]2048"
local TEXT <const> = setmetatable({ [T1_128] = "T(2048, ways=2, tag=1, hit=7, evict=32, replace=8)",
	[H80] = "H(P(80), 2048)" }, { __index = compressors.text })
local NAMES <const> = { R, "P256", H, H512, T2, "H[P256]512", "H[P256]1024", "H[P256]4096",
	R .. " A16", H .. " A16", T2 .. " A16", T1, T4, T1_128, H80 }

-- Runs compressors on one stream, to its end.
local function watch(name, what, select, names)
	local wanted, parts = e.events, { select, e.events }
	for i, c in ipairs(names) do
		parts[2 + i] = TEXT[c]
	end
	return e:record(name, what, parts, function(program)
		local function start()
			return guest.machine(e, program,
				{ program = program.path, config = "sastry2001", name = name ..
				" " .. what,
				set = { ["sampler.enable"] = true, ["sampler.select"] = select,
					["sampler.exact"] = false } })
		end
		local m = start()
		local stream, messages, ideal, list = cyclops.stream(PIECE + 64),
			cyclops.messages(), cyclops.profile(), {}
		for i, c in ipairs(names) do
			list[i] = { compressor = cyclops.compressor(TEXT[c], { seed = 2000 + i }),
				profile = cyclops.profile(), sent = 0, sum = 0, n = 0 }
		end
		local record, profiles = { by = {}, events = 0, runs = 1 }, {}
		while record.events < wanted do
			stream:clear()
			m.sampler:record(stream, { tuples = math.min(PIECE, wanted - record.events),
				functional = true })
			if m.status ~= "running" then
				guest.whole(m)
				guest.reached(m, 1, record.events + #stream, what)
				m:close()
				m, record.runs = start(), record.runs + 1
			end
			ideal:feed(stream)
			record.events = record.events + #stream
			for i, f in ipairs(list) do
				f.compressor:feed(stream, #stream, 1, messages:clear())
				f.profile:fold(messages)
				f.sent, profiles[i] = f.sent + #messages, f.profile
			end
			-- Computing errors is as expensive as running: after each piece at first,
			-- then once per tenth more events.
			if record.events >= (record.looked or 0) * 1.1
				or record.events >= wanted then
				record.looked = record.events
				for i, error in ipairs(ideal:errors(profiles)) do
					local f = list[i]
					if error then
						f.sum, f.n, f.error = f.sum + 100 * error, f.n + 1,
							100 * error
					end
				end
			end
		end
		m:close()
		record.tuples = #ideal
		for i, c in ipairs(names) do
			local f = list[i]
			record.by[c] = { error = f.error or 0, mean = f.n > 0 and f.sum / f.n or 0,
				messages = f.sent, bits = f.compressor.bits }
		end
		return record
	end)
end

local function table_of(title, columns, names, value, digits)
	report.title("%s", title)
	local rows = {}
	for i, name in ipairs(names) do
		rows[i] = { name, table.unpack(value(name)) }
	end
	local head = { { "program" } }
	for c, column in ipairs(columns) do
		head[1 + c] = { column, digits[c] or digits[#digits] }
	end
	report.table(head, table.move({ { "**average**", table.unpack(report.means(rows)) } }, 1, 1,
		#rows + 1, table.move(rows, 1, #rows, 1, {})))
	print()
	return rows
end

local function count(rows, test)
	local n = 0
	for _, row in ipairs(rows) do
		n = n + (test(row) and 1 or 0)
	end
	return n
end

print "# Real programs"
print()
print "Made by `make papers`; [README.md](README.md) explains it. Loads of real programs"
print(("([`demos/workloads`](../../workloads/README.md)) from their beginning, %s of each, " ..
	"in `runs`"):format(report.number(e.events)))
print "runs with the same input: a program that ends before is started again."
print()

local VALUES <const> = "value of load"
local function loads(name)
	return watch(name, "loads", VALUES, NAMES)
end
local all = #e.names

local rows = table_of("Figure 8: error on average over the run, %",
	{ "loads", "runs", "different tuples", R, "P256", H, H512, "T, 2 bits" }, e.names,
	function(name)
	local r = loads(name)
	return { r.events, r.runs, r.tuples, r.by[R].mean, r.by.P256.mean, r.by[H].mean,
		r.by[H512].mean, r.by[T2].mean }
end, { 0, 0, 0, 2 })
local n = count(rows, function(row) return row[7] < row[5] end)
report.shape(n == all, "%s errs less than %s in %d of %d", H, R, n, all)
n = count(rows, function(row) return math.abs(row[6] - row[5]) < math.max(0.5, row[5] * 0.25) end)
report.shape(n == all, "R and P are alike in %d of %d", n, all)
n = count(rows, function(row) return row[9] <= row[7] * 1.02 end)
report.shape(n == all, "T errs no more than %s in %d of %d", H, n, all)
n = count(rows, function(row) return row[8] < row[5] * 1.15 end)
report.shape(n == all,
	"%s, at half the messages, errs no more than %s (but for a seventh) in %d of %d", H512, R,
	n, all)
print()

rows = table_of("Figures 7 and 8: error at the end, %, and messages for each of R256's",
	{ R, H, H512, "T, 2 bits", "messages: " .. H, H512, "T, 2 bits" }, e.names, function(name)
	local by = loads(name).by
	local function messages(c) return by[c].messages / by[R].messages end
	return { by[R].error, by[H].error, by[H512].error, by[T2].error, messages(H),
		messages(H512), messages(T2) }
end, { 2 })
n = count(rows, function(row) return row[8] >= 2 end)
report.shape(n == all, "T sends twice R256's messages or more in %d of %d; %.2f times on average",
	n, all, report.mean(rows, 8))
print()

rows = table_of("Figure 9: tables of strata, error at the end, %",
	{ "512", "1024", "2048", "4096" }, e.names, function(name)
	local by = loads(name).by
	return { by["H[P256]512"].error, by["H[P256]1024"].error, by[H].error,
		by["H[P256]4096"].error }
end, { 2 })
n = count(rows, function(row) return row[5] < row[2] end)
report.shape(n == all, "larger tables are better in the end in %d of %d", n, all)
print()

rows = table_of("Figure 10: compression of messages by A16", { R, H, "T, 2 bits" },
	e.names, function(name)
	local by, row = loads(name).by, {}
	for c, first in ipairs{ R, H, T2 } do
		row[c] = by[first].messages / by[first .. " A16"].messages
	end
	return row
end, { 2 })
n = count(rows, function(row) return math.min(row[2], row[3], row[4]) > 1 end)
report.shape(n == all, "it makes all of them fewer in %d of %d (paper: by 1.15 to 2.5)", n, all)
print()

rows = table_of("Figure 11: edges and calls at once, in one H[P256]2048",
	{ "events", "different tuples", "error, %", "error of R256, %" }, e.names, function(name)
	local r = watch(name, "edges", "edge, call tag 1", { R, H })
	return { r.events, r.tuples, r.by[H].error, r.by[R].error }
end, { 0, 0, 2 })
n = count(rows, function(row) return row[4] < 3 end)
report.shape(n == all, "the error is below 3 %% in %d of %d", n, all)
print()

rows = table_of("Tags: error over the run, %, messages for each of R256's, and their product",
	{ "1 bit", "2 bits", "4 bits", "messages: 1", "2", "4", "product: 1", "2", "4" }, e.names,
	function(name)
	local by, row = loads(name).by, {}
	for c, tagged in ipairs{ T1, T2, T4 } do
		row[c], row[3 + c] = by[tagged].mean, by[tagged].messages / by[R].messages
		row[6 + c] = row[c] * row[3 + c]
	end
	return row
end, { 2 })
n = count(rows, function(row) return row[9] <= row[8] and row[9] <= row[10] end)
report.shape(n > all / 2, "2 bits have the least product of the three in %d of %d", n, all)
n = count(rows, function(row) return row[5] < row[6] end)
print(("- 1 bit sends fewer messages than 2 in %d of %d: in two ways each of its two tags has " ..
	"an entry, so that nothing is evicted for a miss"):format(n, all))
print()

rows = table_of("Why one bit: error over the run, %, where it sends about as many messages as two bits, and messages for each of R256's",
	{ "2 bits, to 256", "1 bit, to 128", H80, "messages: 2 bits", "1 bit, to 128", H80 },
	e.names, function(name)
	local by, row = loads(name).by, {}
	for c, compressor in ipairs{ T2, T1_128, H80 } do
		row[c], row[3 + c] = by[compressor].mean, by[compressor].messages / by[R].messages
	end
	return row
end, { 2 })
n = count(rows, function(row) return row[3] <= row[2] end)
report.shape(n > all / 2, "with counters of a bit less, and fewer messages than two bits send, one bit errs no more than two in %d of %d: %.2f and %.2f %%", n, all,
	report.mean(rows, 3), report.mean(rows, 2))
n = count(rows, function(row) return row[4] <= row[2] end)
report.shape(n > all / 2, "and so do strata, without any tag, in %d of %d: %.2f %%", n, all,
	report.mean(rows, 4))
