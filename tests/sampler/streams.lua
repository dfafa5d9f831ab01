-- Streams for the tests of compressors: functions that give the next tuple's pc, value, tag.
local ref = require "reference"

local streams = {}

-- `pcs` pcs with `values` values each, all equally likely.
function streams.uniform(seed, pcs, values)
	local r = ref.random(seed)
	return function()
		return 0x10000 + 4 * r:below(pcs), r:below(values), 0
	end
end

-- A few tuples make up most of it: the k-th is half as likely as the one before; two streams in
-- one.
function streams.skewed(seed)
	local r = ref.random(seed)
	return function()
		local k = 0
		while r:below(2) == 0 and k < 40 do
			k = k + 1
		end
		return 0x10400 + 4 * (k // 3), k * 0x0101010101010101, k % 2
	end
end

-- Any words at all, every bit used.
function streams.wide(seed)
	local r = ref.random(seed)
	return function()
		return r:next() >> 8, r:next(), r:below(256)
	end
end

-- n + 1 tuples in turn, one more than a table of `n` entries holds: the worst case of replacing the
-- least recently used one.
function streams.round(n)
	local i = -1
	return function()
		i = (i + 1) % (n + 1)
		return 0x20000 + 4 * i, i, 0
	end
end

-- Runs of some tuples that suddenly change to runs of others.
function streams.phases(seed)
	local r = ref.random(seed)
	local left, pc, value = 0, 0, 0
	return function()
		if left == 0 then
			left, pc, value = 1 + r:below(60), 0x30000 + 4 * r:below(9), r:below(3)
		end
		left = left - 1
		return pc, value, 0
	end
end

-- Tuples of a program's instructions, of the kinds that sampler.select names; repeated after its
-- beginning.
function streams.recorded(program, args, select)
	local m = cyclops.machine{ program = program, args = args,
		config = { sampler = { enable = true, select = select } } }
	local st = cyclops.stream()
	m.sampler:record(st, { tuples = 20000, functional = true })
	m:close()
	local from = #st // 4
	return function()
		local i = from
		return function()
			local t = st[i]
			i = i < #st and i + 1 or from
			return t.pc, t.value, t.tag
		end
	end
end

-- Tuples of one set, with few tags: every transition of figure 6, often. place: returns a tuple's
-- set and tag.
function streams.collide(seed, place)
	local r = ref.random(seed)
	local found, wanted = {}, place(0x10400, 0)
	for value = 0, 1000000 do
		if place(0x10400, value) == wanted then
			found[#found + 1] = value
			if #found == 12 then
				break
			end
		end
	end
	return function()
		local k = r:below(4) == 0 and r:below(#found) or r:below(2)
		return 0x10400, found[1 + k % #found], 0
	end
end

return streams
