-- The experiments of section 3.3: how far samplers are from how often a tuple occurs, in streams of
-- random order.
local montecarlo = {}

-- The tuple p's share of the stream, and p.
local PART <const> = 0.3
local PC <const>, VALUE <const> = 0x10400, 7

-- Pseudo-random values, equal in each run.
local function scattered(i)
	local z = (i * 0x9e3779b97f4a7c15) & -1
	z = (z ~ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ~ (z >> 27)) * 0x94d049bb133111eb
	return (z ~ (z >> 31)) & 0xffffffff
end

-- A stream of p and other tuples of a load. kinds: number of different other tuples; nil: all
-- differ.
local function stream_of(length, kinds)
	local p = length * 3 // 10
	local stream, others = cyclops.stream(length), length - p
	kinds = math.min(kinds or others, others)
	stream:add(PC, VALUE, 0, p)
	for i = 1, kinds do
		stream:add(PC, scattered(i), 0, others // kinds + (i <= others % kinds and 1 or 0))
	end
	return stream, p
end

-- The set of values in p's stratum.
local function neighbours(compressor, stream)
	local with_p, index = {}, compressor:index(PC, VALUE)
	for _, value in stream:tuples() do
		with_p[value] = compressor:index(PC, value) == index
	end
	return with_p
end

-- Estimates the occurrences of p from its share of its stratum's messages: the sum of the stratum's
-- message counts (its length) times p's share of these messages.
local function share(messages, with_p)
	local length, hits, all = 0, 0, 0
	for _, value, _, count in messages:tuples() do
		if with_p[value] then
			length, all = length + count, all + 1
			hits = hits + (value == VALUE and 1 or 0)
		end
	end
	return all > 0 and length * hits / all or 0
end

local function error_of(t, estimate)
	return estimate > 0 and math.abs(100 * (t - estimate) / estimate) or 100
end

--- montecarlo.point{ length =, experiments =, samplers = { { text =, share = BOOLEAN }, ... }, seed = [, kinds =] } -> { { mean =, se = }, ... }
-- The mean of the paper's ERR for each sampler, and its standard error. All samplers see the same
-- streams. The estimate is the sum of the counts of p's messages, as printed; with `share`, that
-- from p's share of its stratum's messages.
function montecarlo.point(o)
	local stream, t = stream_of(o.length, o.kinds)
	local messages, profile, results, ready = cyclops.messages(), cyclops.profile(), {}, {}
	for i, sampler in ipairs(o.samplers) do
		local c = ready[sampler.text]
		if not c then
			c = { compressor = cyclops.compressor(sampler.text) }
			ready[sampler.text], ready[#ready + 1] = c, c
		end
		if sampler.share then
			c.with_p = neighbours(c.compressor, stream)
		end
		results[i] = { sum = 0, squares = 0 }
	end
	for x = 1, o.experiments do
		local seed = o.seed * 1000003 + o.length * 7919 + x
		stream:shuffle(seed)
		for i, c in ipairs(ready) do
			c.compressor:reset(seed * 31 + i)
			c.compressor:feed(stream, nil, nil, messages:clear())
			c.sum = profile:clear():fold(messages):count(PC, VALUE)
			c.share = c.with_p and share(messages, c.with_p)
		end
		for i, sampler in ipairs(o.samplers) do
			local c, r = ready[sampler.text], results[i]
			local e = error_of(t, sampler.share and c.share or c.sum)
			r.sum, r.squares = r.sum + e, r.squares + e * e
		end
	end
	for i, r in ipairs(results) do
		local mean = r.sum / o.experiments
		local variance = (r.squares - r.sum * mean) / (o.experiments - 1)
		results[i] = { mean = mean, se = math.sqrt(math.max(variance, 0) / o.experiments) }
	end
	return results
end

--- montecarlo.length_at(LIMIT, LENGTHS, ERRORS) -> LENGTH or nil
-- Where the error falls to the limit. It goes with one over the root of the length, a / sqrt(N) + b
-- / N (b is what samplers hold back at the end), which is fitted to all points by least squares.
function montecarlo.length_at(limit, lengths, errors)
	local n, sx, sy, sxx, sxy = 0, 0, 0, 0, 0
	for i, length in ipairs(lengths) do
		local x, y = 1 / math.sqrt(length), errors[i] * math.sqrt(length)
		n, sx, sy, sxx, sxy = n + 1, sx + x, sy + y, sxx + x * x, sxy + x * y
	end
	local b = (n * sxy - sx * sy) / (n * sxx - sx * sx)
	local a = (sy - b * sx) / n
	local root = a * a + 4 * limit * b
	if root < 0 or a + math.sqrt(root) <= 0 then
		return nil
	end
	return ((a + math.sqrt(root)) / (2 * limit)) ^ 2
end

--- montecarlo.predicted(TEXT, LIMIT, SHARE) -> LENGTH or nil
-- Where theory sees the error fall to the limit: the variance of the estimate grows with the length
-- N, and the mean of |ERR| is sqrt(2 / pi) standard deviations. With r the rate and q p's part of
-- its stratum, the variance is p N (r - 1) if each tuple is selected on its own (binomial); p N (r
-- - 1) (1 - q) if every r-th is, in random order (hypergeometric); 2 p N (r - 1) (1 - q) if
-- intervals are random and each message counts its own.
function montecarlo.predicted(text, limit, share)
	local rate, strata = tonumber(text:match "%((%d+)%)"), tonumber(text:match ", (%d+)%)$")
		or 1
	local other = (1 - PART) / strata
	local impure = other / (other + PART)
	local factor = text:find "P%(" and impure or text:find "C%(R%("
		and (share and impure or 2 * impure) or
		not text:find "[Cc]" and 1
	if not factor then
		return nil
	end
	return (100 / limit) ^ 2 * 2 / math.pi * (rate - 1) * factor / PART
end

return montecarlo
