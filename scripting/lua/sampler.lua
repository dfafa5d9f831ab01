-- Build stream compressors from components, and compute their cost.
--
-- The components of Sastry, Bodik and Smith (sections 3 and 4) as functions, a compressor as a list
-- of them:
--
--     local s = require "cyclops.sampler"
--     local c = s.sampler{ s.H(s.P(256), 2048), s.A(16) }
--     print(c)                           -- its components, their storage in bits, and the sum
--     local messages = c:feed(stream)    -- c is what cyclops.compressor makes
--     m = cyclops.machine{ ..., set = { ["sampler.compressor"] = s.text{ s.H(s.P(256), 2048), s.A(16) } } }
--
-- An invalid combination raises an error that names the expected one.

local cyclops = require "cyclops"

local sampler = {}

local Component = {}
Component.__index = Component
Component.__metatable = false

-- Errors name the line that called this module: `level` counts from the function that checks.
local function fail(level, text, ...)
	error(text:format(...), level + 2)
end

local function count(level, what, value, least, most)
	local n = math.type(value) and math.tointeger(value)
	if not n or n < least or n > most then
		fail(level + 1, "%s is a whole number from %d to %d, not %s", what, least, most,
			tostring(value))
	end
	return n
end

local RATE_MAX <const>, ENTRIES_MAX <const>, ASSOCIATIVE_MAX <const>, BITS_MAX <const> = 1 << 30,
	1 << 20, 4096, 31

-- Checks a component by the compressor's parser.
local function component(level, kind, text)
	local ok, message = pcall(cyclops.compressor, text)
	if not ok then
		fail(level + 1, "%s", (tostring(message):gsub("^[^:]*:%d+: ", "")))
	end
	return setmetatable({ kind = kind, text = text }, Component)
end

function Component:__tostring()
	return self.text
end

local function is_component(x)
	return type(x) == "table" and rawget(x, "kind") and rawget(x, "text")
end

local function plain_sampler(kind, rate)
	return (
		component(2, kind,
		("%s(%d)"):format(kind, count(2, "a sampler's rate", rate, 1, RATE_MAX))))
end

--- s.R(RATE) -> COMPONENT
-- A random sampler: one tuple in RATE, each independently of the others.
function sampler.R(rate)
	return (plain_sampler("R", rate))
end

--- s.Rc(RATE) -> COMPONENT
-- A sampler that selects the next tuple after a countdown from a random number of 1 to 2 RATE - 1.
function sampler.Rc(rate)
	return (plain_sampler("Rc", rate))
end

--- s.P(RATE) -> COMPONENT
-- A periodic sampler: every RATE-th tuple.
function sampler.P(rate)
	return (plain_sampler("P", rate))
end

--- s.C(SAMPLER) -> COMPONENT
-- A sampler, such as P, whose messages carry the number of tuples since the last message.
function sampler.C(x)
	return (component(1, "C", ("C(%s)"):format(tostring(x))))
end

--- s.H(SAMPLER, STRATA[, HASH]) -> COMPONENT
-- Splits the stream by a hash of the tuple; each part has its own sampler. HASH is "random"
-- (default), "fold" or "modulo".
function sampler.H(x, strata, hash)
	local n = count(1, "the number of strata", strata, 1, ENTRIES_MAX)
	local by = hash and ", " .. tostring(hash) or ""
	return (component(1, "H", ("H(%s, %d%s)"):format(tostring(x), n, by)))
end

--- s.T(ENTRIES[, { ways =, tag =, hit =, miss =, evict =, replace =, hash = }]) -> COMPONENT
-- Counters with partial tags. ways is the entries of a set; tag, hit and miss are bits of an
-- entry's tag and counters; evict is the number of hits at which an entry that waits for its tuple
-- is sent, replace the number of misses at which it is replaced (ShouldEvict and ShouldReplace).
function sampler.T(entries, options)
	local text = ("T(%d"):format(count(1, "the number of tagged counters", entries, 1,
		ENTRIES_MAX))
	if options ~= nil and type(options) ~= "table" then
		fail(1, "T takes a table of options, as in T(2048, { ways = 2, tag = 2 }), not %s",
			tostring(options))
	end
	local names = {}
	for name in pairs(options or {}) do
		names[#names + 1] = tostring(name)
	end
	table.sort(names)
	for _, name in ipairs(names) do
		text = text .. (", %s=%s"):format(name, tostring(options[name]))
	end
	return (component(1, "T", text .. ")"))
end

--- s.A(ENTRIES[, BITS]) -> COMPONENT
-- Counters for whole tuples, which lose nothing: the least recently used one is sent when none is
-- free, and any that is full.
function sampler.A(entries, bits)
	local n = count(1, "the number of associative counters", entries, 1, ASSOCIATIVE_MAX)
	if bits ~= nil then
		return (
			component(1, "A",
			("A(%d, %d)"):format(n, count(1, "bits of an associative counter", bits, 1,
			BITS_MAX))))
	end
	return (component(1, "A", ("A(%d)"):format(n)))
end

-- Any other component, named by its letters, with its parameters in order.
setmetatable(sampler, { __index = function(_, letters)
	return function(...)
		local parameters = table.concat({ ... }, ", ")
		return (
			component(1, letters,
			letters .. (parameters ~= "" and "(" .. parameters .. ")" or "")))
	end
end })

local function text_of(level, list)
	if type(list) ~= "table" or is_component(list) then
		fail(level + 1, "a list of components is needed, as in s.sampler{ s.H(s.P(256), 2048), s.A(16) }")
	end
	local texts = {}
	for i, x in ipairs(list) do
		if not is_component(x) then
			fail(level + 1, "component %d is %s; expected one as s.P(256) makes it", i,
				tostring(x))
		end
		texts[i] = x.text
	end
	return table.concat(texts, ", ")
end

--- s.sampler{ COMPONENT, ...[, seed = 1] } -> COMPRESSOR
-- A compressor of these components, in the order in which tuples meet them; see `help lua
-- compressor`.
function sampler.sampler(list)
	local text = text_of(1, list)
	local ok, c = pcall(cyclops.compressor, text, { seed = list.seed })
	if not ok then
		fail(1, "%s", (tostring(c):gsub("^[^:]*:%d+: ", "")))
	end
	return c
end

--- s.text{ COMPONENT, ... } -> TEXT
-- The same as text, checked: for `-o sampler.compressor=`, or `set =` of cyclops.machine.
function sampler.text(list)
	local text = text_of(1, list)
	local ok, c = pcall(cyclops.compressor, text)
	if not ok then
		fail(1, "%s", (tostring(c):gsub("^[^:]*:%d+: ", "")))
	end
	return c.text
end

--- s.cost(COMPRESSOR, OTHER) -> TEXT
-- The text that print shows of a compressor (its components with their storage in bits, and the
-- sum), and its ratio to another one's cost. The paper's 62 % more of a tagged table are
-- s.cost(s.sampler{ s.T(2048, { ways = 1, tag = 1 }) }, s.sampler{ s.H(s.P(256), 2048) }).
function sampler.cost(c, other)
	if type(c) ~= "userdata" or type(other) ~= "userdata" then
		fail(1, "cost compares two compressors, as cyclops.compressor makes them")
	end
	return ("%s\n%.3f times %s"):format(c, c.bits / other.bits, other.text)
end

return sampler
