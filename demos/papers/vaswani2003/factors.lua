-- Properties of the program that decide how much of the cost of block profiling stays when it is
-- off: block size, by loops unrolled and more inlined, and how long it runs, which decides the gain
-- of prediction. Without unrolled builds (make workloads-unrolled) the first table is left out.
--
-- Expect: larger blocks have fewer profile instructions and cost less, on and off;
-- descriptors are learnt once, so that prediction saves more in longer runs.
--
--     cyclops lua demos/papers/vaswani2003/factors.lua [--programs A,B] [--insts N] [--small] [--out FOLDER] [--any-build]
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local real, report, regions = require "real", require "report", require "regions"
local LONGER <const>, LONG <const> = 8, { "gzip", "bzip2", "mawk", "djpeg" }
local SMALL <const> = { "gzip", "mawk" }
local BLOCKS <const>, TABLE <const> = regions.blocks, regions.machines[1]
local e = real.open(arg, "vaswani2003", 1000000, SMALL)

-- ---- unrolled ----
local rows = {}
for _, name in ipairs(e.names) do
	local path, unrolled = "build/debian/unrolled/" .. name, name .. "-unrolled"
	local f = io.open(path)
	if f then
		f:close()
		e.by_name[unrolled] = setmetatable({ path = path }, { __index = e.by_name[name] })
		local row = { name }
		for k, which in ipairs{ name, unrolled } do
			local plain, with = regions.run(e, which, "nothing", 0, TABLE, 0).stats,
				regions.run(e, which, BLOCKS, 0, TABLE, 0).stats
			local off, on = regions.overhead(e, which, BLOCKS, 0, TABLE, 0),
				regions.overhead(e, which, BLOCKS, 100, TABLE, 0)
			row[1 + k], row[3 + k], row[5 + k],
				row[7 + k] = 100 * with["xprof.dropped"] / plain["sim.insts"], off,
				on, 100 * off / on
		end
		rows[#rows + 1] = row
	end
end
if rows[1] then
	report.title(
		"Block size: the same programs with `-O3 -funroll-all-loops`, without prediction")
	report.table({ { "program" }, { "dropped, of 100: -O2", 1 }, { "unrolled", 1 },
		{ "off: -O2", 2 }, { "unrolled", 2 }, { "on: -O2", 2 }, { "unrolled", 2 },
		{ "stays, %: -O2", 0 }, { "unrolled", 0 } },
			table.move({ { "**average**", table.unpack(report.means(rows)) } }, 1, 1,
			#rows + 1, table.move(rows, 1, #rows, 1, {})))
	print()
	local function stays(column)
		return 100 * report.mean(rows, column) / report.mean(rows, column + 2)
	end
	report.shape(report.mean(rows, 3) < report.mean(rows, 2),
		"unrolled there are fewer profile instructions: %.1f and not %.1f of 100",
		report.mean(rows, 3), report.mean(rows, 2))
	report.shape(report.mean(rows, 5) < report.mean(rows, 4),
		"blocks that are off cost less: %.1f and not %.1f %%", report.mean(rows, 5),
		report.mean(rows, 4))
	report.shape(stays(5) < stays(4),
		"and a smaller part of what they cost when on: %.0f and not %.0f %%", stays(5),
		stays(4))
	print()
end

-- ---- longer ----
if not e.small then
	local words, there = table.move(arg, 1, #arg, 1, {}), {}
	for _, name in ipairs(LONG) do
		there[#there + 1] = e.by_name[name] and name or nil
	end
	words = table.move({ "--insts", tostring(math.tointeger(LONGER * e.insts)), "--out",
		e.out .. "/long" }, 1, 4, #words + 1, words)
	local long, list = real.open(words, "vaswani2003", e.insts, SMALL), {}
	for i, name in ipairs(there) do
		list[i] = { name }
		for k, of in ipairs{ e, long } do
			local function cost(percent, sets)
				return regions.overhead(of, name, BLOCKS, percent, TABLE, sets)
			end
			list[i][1 + k], list[i][3 + k] = 100 * (1 - cost(0, 64) / cost(0, 0)),
				100 * (1 - cost(regions.quarter, 64) / cost(100, 0))
		end
	end
	if list[1] then
		local first, longer = ("%.14g M"):format(e.insts / 1e6),
			("%.14g M"):format(long.insts / 1e6)
		report.title("What prediction saves of the cost when off, and dispatch with it at 25 %%, by how long programs run")
		report.table({ { "program" }, { "off, %: " .. first, 1 }, { longer, 1 },
			{ "25 %, %: " .. first, 1 }, { longer, 1 } },
			table.move({ { "**average**", table.unpack(report.means(list)) } }, 1, 1,
			#list + 1, table.move(list, 1, #list, 1, {})))
		print()
		report.shape(report.mean(list, 3) > report.mean(list, 2),
			"prediction saves more in longer runs: %.1f and not %.1f %%",
			report.mean(list, 3), report.mean(list, 2))
		report.shape(report.mean(list, 5) > report.mean(list, 4),
			"and so at 25 %%: %.1f and not %.1f %% (paper 52.4)", report.mean(list, 5),
			report.mean(list, 4))
	end
end
