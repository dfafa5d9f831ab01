-- Experiments of Sastry and others, rows as reasons.lua has them.
local tried = require "reasons.tried"
local run, mean, with_set, e = tried.run, tried.mean, tried.with_set, tried.e
local ONE <const> = tried.ONE

local FIRST <const> = 400000
-- The loads' values of a program, in order.
local streams = {}
local function stream_of(name, shuffled, select)
	local plain = name
	name = name .. (shuffled and " shuffled" or "") .. (select or "")
	if not streams[name] then
		local program = e.by_name[plain]
		local m <close> = cyclops.machine{ program = program.path, args = program.args,
			input = program.input, root = e.root, history = false,
			set = { ["sampler.enable"] = true,
				["sampler.select"] = select or "value of load" } }
		streams[name] = cyclops.stream()
		m.sampler:record(streams[name], { tuples = FIRST, functional = true })
		if shuffled then
			streams[name]:shuffle(1)
		end
	end
	return streams[name]
end
local function sampled_error(name, stages, shuffled)
	local s = require "cyclops.sampler"
	local stream = shuffled and stream_of(name, true) or stream_of(name)
	local c = s.sampler(stages(s))
	local estimate = cyclops.profile():fold(c:feed(stream)):fold(c:drain())
	return 100 * estimate:error(cyclops.profile():feed(stream))
end

-- Events until the error stays below `limit` percent: those of R(256), times those of strata after
-- P(256).
local function settles_at(stream, stages, limit)
	local s = require "cyclops.sampler"
	local c, estimate, truth = s.sampler(stages(s)), cyclops.profile(), cyclops.profile()
	local piece, done, first = cyclops.stream(4096 + 64), 0, nil
	local function look()
		truth:feed(piece)
		estimate:fold(c:feed(piece))
		piece:clear()
		local low = 100 * (estimate:error(truth) or 1) < limit
		first = low and (first or done) or nil
	end
	for pc, value in stream:tuples() do
		piece:add(pc, value)
		done = done + 1
		if done % 4096 == 0 then
			look()
		end
	end
	return first or done
end
local function how_much_later(name, limit, select)
	local stream = stream_of(name, false, select)
	return settles_at(stream, function(s) return { s.R(256) } end, limit)
		/ settles_at(stream, function(s) return { s.H(s.P(256), 2048) } end, limit)
end

-- Error at the end with masks of settled loads (sastry2001/filters.lua), times that without; a load
-- is masked after `least` executions, 256 for each sample.
local function masked_error(name, least)
	local s = require "cyclops.sampler"
	local stream, LOOK <const> = stream_of(name), 50000
	local sides, piece = {}, { cyclops.stream(LOOK + 64), cyclops.stream(LOOK + 64) }
	for i = 1, 2 do
		sides[i] = { c = s.sampler{ s.H(s.P(256), 2048) }, profile = cyclops.profile() }
	end
	local truth, masked, shares, done = cyclops.profile(), {}, {}, 0
	local function look()
		for i, side in ipairs(sides) do
			side.profile:fold(side.c:feed(piece[i]))
		end
		truth:feed(piece[1])
		piece[1]:clear()
		piece[2]:clear()
		local most, of = {}, {}
		for pc, _, _, n in sides[2].profile:tuples() do
			of[pc], most[pc] = (of[pc] or 0) + n, math.max(most[pc] or 0, n)
		end
		for pc, n in pairs(of) do
			local share = most[pc] / n
			if n >= least and shares[pc] and (share < 0.1
				or math.abs(share - shares[pc]) < 0.02) then
				masked[pc] = true
			end
			shares[pc] = n >= least and share or nil
		end
	end
	for pc, value in stream:tuples() do
		piece[1]:add(pc, value)
		if not masked[pc] then
			piece[2]:add(pc, value)
		end
		done = done + 1
		if done % LOOK == 0 then
			look()
		end
	end
	return sides[2].profile:error(truth) / sides[1].profile:error(truth)
end

return {
	{ "sastry-8", "events until R(256) stays below 5 %, times those of strata", "times", 23,
		"few tuples: addresses of loads in place of loads' values", function()
			return how_much_later("lisp", 5),
				how_much_later("lisp", 5, "address of load")
		end },
	{ "sastry-29", "error with masks at the end, times that without", "times", "< 1",
		"few samples before a load is masked: 64 in place of 16",
		function() return mean(masked_error, 4096), mean(masked_error, 16384) end },
	{ "sastry-6", "error of R(256), times that of P(256)", "times", 1,
		"the order of the loads: shuffled", function()
			local function ratio(name, shuffled)
				return sampled_error(name, function(s) return { s.R(256) } end,
					shuffled)
					/ sampled_error(name, function(s) return { s.P(256) } end,
						shuffled)
			end
			return mean(ratio), mean(ratio, true)
		end },
	{ "sastry-10", "cost of 30 cycles for 256 loads of `lisp`", "%", 3.5,
		"four instructions a cycle: all two wide", function()
			local function model(width)
				local set = {}
				for name in pairs(ONE) do
					set[name] = width
				end
				local s = run("lisp", { set = with_set({ ["sampler.enable"] = true,
					["sampler.select"] = "value of load" }, set) }).stats
				return 100 * 30 / 256 * s["sampler.selected"] / s["sim.cycles"]
			end
			return model(nil), model(2)
		end },
	{ "sastry-20", "error with modulo, times that with the hash function", "times", "> 1",
		"more counters than frequent tuples: 64 in place of 2,048", function()
			local function ratio(name, counters)
				local function error_of(hash)
					return sampled_error(name, function(s)
						return { s.H(s.P(256), counters, hash) } end)
				end
				return error_of "modulo" / error_of "random"
			end
			return mean(ratio, 2048), mean(ratio, 64)
		end },
	{ "sastry-22", "messages of strata, times those after A(16), the least of the programs",
		"times", 1.15,
		"few places: A(64) in place of A(16)", function()
			local function ratio(name, places)
				local s = require "cyclops.sampler"
				local stream = stream_of(name)
				local function messages(stages)
					local c = s.sampler(stages)
					return #c:feed(stream) + #c:drain()
				end
				return messages{ s.H(s.P(256), 2048) }
					/ messages{ s.H(s.P(256), 2048), s.A(places) }
			end
			local function least(places)
				local n = math.huge
				for _, name in ipairs(e.names) do
					n = math.min(n, ratio(name, places))
				end
				return n
			end
			return least(16), least(64)
		end },
}
