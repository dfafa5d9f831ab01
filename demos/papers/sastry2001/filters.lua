-- Section 5.4, at its end: "by using profile convergence checks and instruction filtering
-- techniques proposed in [14], the performance of the stratified sampler can be improved further".
-- Software checks its profile now and then, and masks loads with enough samples if no value has a
-- relevant share, or if the most frequent value's share has not changed since the last check.
-- Masked loads leave the strata to other loads.
--
-- Expect: fewer messages, and errors no larger.
--
--     cyclops lua demos/papers/sastry2001/filters.lua [--programs A,B] [--events N] [--small] [--out FOLDER] [--any-build]
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local real, report, guest, compressors = require "real", require "report", require "guest",
	require "compressors"
local EVENTS <const>, SMALL <const>, LOOK <const> = 2000000, 400000, 100000
-- A load is checked after so many samples; it has settled if its share has changed by less. Every
-- eighth check drops all masks, since programs have phases.
local LEAST <const>, SETTLED <const>, RARE <const>, FORGET <const> = 4096, 0.02, 0.1, 8
local H <const> = "H[P256]2048"
local e = real.open(arg, "sastry2001", 1000000, { "gzip", "mawk" },
	{ { "--events", "N", "of each program (2000000; with --small 400000)", 1000, 100000000,
	"whole" } })
local wanted = e.events or e.small and SMALL or EVENTS

-- Masks settled loads; `shares`: those of the last check.
local function look(profile, shares, masked)
	local most, of = {}, {}
	for pc, value, _, n in profile:tuples() do
		of[pc] = (of[pc] or 0) + n
		most[pc] = math.max(most[pc] or 0, n)
	end
	for pc, n in pairs(of) do
		local share = most[pc] / n
		if n >= LEAST and shares[pc]
			and (share < RARE or math.abs(share - shares[pc]) < SETTLED) then
			masked[pc] = true
		end
		shares[pc] = n >= LEAST and share or nil
	end
end

local function compare(name)
	return e:record(name, "filters", { wanted, LOOK, LEAST, SETTLED, RARE, FORGET,
		compressors.text[H] }, function(program)
		local m <close> = guest.machine(e, program,
			{ program = program.path, config = "sastry2001", name = name .. " filters",
			set = { ["sampler.enable"] = true, ["sampler.select"] = "value of load",
				["sampler.exact"] = false } })
		local stream, kept, ideal, masked, shares = cyclops.stream(LOOK + 64),
			cyclops.stream(LOOK + 64), cyclops.profile(), {}, {}
		local sides, done, looks = {}, 0, 0
		for i = 1, 2 do
			sides[i] = { compressor = cyclops.compressor(compressors.text[H],
				{ seed = 2001 }), profile = cyclops.profile(), messages = 0,
				sum = 0, n = 0 }
		end
		while done < wanted and m.status == "running" do
			stream:clear()
			kept:clear()
			m.sampler:record(stream, { tuples = math.min(LOOK, wanted - done),
				functional = true })
			ideal:feed(stream)
			for pc, value in stream:tuples() do
				if not masked[pc] then
					kept:add(pc, value)
				end
			end
			done, looks = done + #stream, looks + 1
			for i, s in ipairs(sides) do
				local messages = s.compressor:feed(i == 1 and stream or kept)
				s.profile:fold(messages)
				s.messages = s.messages + #messages
				s.error = 100 * (s.profile:error(ideal) or 0)
				s.sum, s.n = s.sum + s.error, s.n + 1
			end
			if looks % FORGET == 0 then
				masked = {}
			end
			look(sides[2].profile, shares, masked)
		end
		local record = { events = done }
		for i, s in ipairs(sides) do
			record[i] = { error = s.error or 0, mean = s.sum / math.max(s.n, 1),
				messages = s.messages }
		end
		return record
	end)
end

report.title("Filters and checks of convergence in front of %s; %s loads", H, report.number(wanted))
local rows, fewer, better = {}, 0, 0
for i, name in ipairs(e.names) do
	local r = compare(name)
	rows[i] = { name, r[1].mean, r[2].mean, r[1].error, r[2].error, r[1].messages,
		r[2].messages }
	fewer = fewer + (r[2].messages < r[1].messages and 1 or 0)
	better = better + (r[2].error <= r[1].error * 1.02 and 1 or 0)
end
report.table({ { "program" }, { "error over the run, %", 2 }, { "with filters", 2 },
	{ "at the end", 2 }, { "with filters", 2 }, { "messages", 0 }, { "with filters", 0 } },
	table.move({ { "**average**", table.unpack(report.means(rows)) } }, 1, 1, #rows + 1,
	table.move(rows, 1, #rows, 1, {})))
print()
report.shape(fewer == #rows,
	"with filters there are fewer messages in %d of %d: %.2f times as many", fewer, #rows,
	report.mean(rows, 7) / report.mean(rows, 6))
report.shape(better == #rows,
	"and errors at the end are no larger in %d of %d: %.2f %%, not %.2f %%", better, #rows,
	report.mean(rows, 5), report.mean(rows, 4))
