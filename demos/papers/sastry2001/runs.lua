-- The runs shared by all figures of section 5. A program runs once on the machine of 5.2, and its
-- loads are recorded with their cycles; all compressors, and the ideal profile, see this stream.
-- Results are stored as Lua files, named by a digest of all their dependencies; figures make
-- missing results.

-- Modules shared by papers are in demos/papers.
package.path = debug.getinfo(1, "S").source:match "@(.-)[^/]*$" .. "../?.lua;" .. package.path
local programs = require "profiled"
local compressors, guest, kept, options = require "compressors", require "guest", require "kept",
	require "options"

local runs = {}

-- Version of the runs: change it when the way of making runs changes, which discards stored
-- results.
local RULES <const> = 4
-- Places at which errors are taken: every 100,000 events at first, so that the event at which an
-- error falls below a limit is known.
local STEP <const>, FINE <const>, COARSE <const> = 100000, 4000000, 500000
local MOST_A_CYCLE <const> = 64 -- more than a cycle can select
local EVENTS <const>, EDGES <const>, SMALL_EVENTS <const>, SMALL_STEP <const> = 16000000, 4000000,
	400000, 50000

-- ---- options ----
local OPTIONS <const> = {
	{ "--experiments", "N", "of figure 4, for each length (2500; with --small 800)", 2, 1000000,
		"whole" },
	{ "--events", "N", "of each program at most (16000000; with --small 400000)", 1000,
		100000000, "whole" },
}

--- runs.options(WORDS) -> o
function runs.options(words)
	return options.read(words, "build/papers/sastry2001", OPTIONS)
end

--- runs.open(WORDS) -> e
-- Runs by these command line words: e.names are the programs, e.only if the words choose some.
function runs.open(words)
	local e = runs.options(words)
	e.only, e.names, e.by_name = e.programs, {}, {}
	for i, program in ipairs((e.small and not e.only and programs.small or programs.all):all(e,
		e.only, e.wrong)) do
		e.names[i], e.by_name[program.name] = program.name, program
	end
	return setmetatable(e, { __index = runs })
end

--- e:program(NAME) -> PROGRAM
function runs:program(name)
	self.by_name[name] = self.by_name[name] or programs.all:get(name, self)
	return self.by_name[name]
end

--- e:events_of() -> N
-- How many events of a program are looked at.
function runs:events_of()
	return self.events or self.small and SMALL_EVENTS or options.times(self, EVENTS, 200000)
end

-- ---- one stream, many compressors ----
-- what: the runs' subject, for messages.
local function open_machine(e, program, what, set)
	set = set or {}
	set["sampler.enable"] = true
	return guest.machine(e, program, { program = "build/demos/" .. program.name,
		config = "sastry2001", set = set, name = program.name .. " " .. what })
end

local function skip_initialization(m, program)
	m:run{ until_pc = program.from }
	guest.passed(m, program.from)
end

-- A compressor with the profile that software makes of its messages.
local function follower(text, seed)
	return { compressor = cyclops.compressor(text, { seed = seed }),
		profile = cyclops.profile(), sent = 0, error = {}, messages = {} }
end

local function follow(f, stream, n, messages)
	f.compressor:feed(stream, n, 1, messages:clear())
	f.profile:fold(messages)
	f.sent = f.sent + #messages
end

-- Records each follower's error in percent (false: the ideal profile selects nothing yet), and its
-- messages so far.
local function note(list, ideal)
	local profiles = {}
	for i, f in ipairs(list) do
		profiles[i] = f.profile
	end
	for i, e in ipairs(ideal:errors(profiles)) do
		local f = list[i]
		f.error[#f.error + 1] = e and e * 100
		f.messages[#f.messages + 1] = f.sent
	end
end

-- Iterates over streams of the program's tuples, until `events` tuples or the program's end:
-- returns the stream, the number of its tuples that count, and their sum so far. Further tuples of
-- the last cycle begin the next stream.
local function pieces(m, events, fine)
	local stream, done, n = cyclops.stream(COARSE + MOST_A_CYCLE), 0, 0
	local before = m.stats["sampler.selected"]
	return function()
		local left = #stream > n and stream:slice(n + 1)
		stream:clear()
		if left then
			stream:append(left)
		end
		n = math.min((done < FINE or fine < STEP) and fine or COARSE, events - done)
		if n > #stream and m.status == "running" then
			m.sampler:record(stream, { tuples = n - #stream })
		end
		n = math.min(n, #stream)
		done = done + n
		assert(m.stats["sampler.selected"] - before == done + #stream - n,
			"tuples are missing")
		return n > 0 and stream or nil, n, done
	end
end

-- Followers of the compressors of these names. A compressor with A16 added draws the same random
-- numbers as without, so that they differ by A16 only.
local function followers(names, seed)
	local list, place = {}, {}
	for i, name in ipairs(names) do
		place[name] = i
	end
	for i, name in ipairs(names) do
		list[i] = follower(compressors.text[name],
			seed + (place[name:match "^(.*) A16$"] or i))
		list[i].name = name
	end
	return list
end

local function watch(e, program, what, record, names, tagged, tags, set)
	local m <close> = open_machine(e, program, what, set)
	skip_initialization(m, program)
	local began, insts = m.cycle, m.insts
	local ideal, messages = cyclops.profile(), cyclops.messages()
	local list, some = followers(names, 2001), followers(tagged, 7001)
	local everyone = table.move(some, 1, #some, #list + 1, table.move(list, 1, #list, 1, {}))
	for stream, n, done in pieces(m, record.wanted, e.small and SMALL_STEP or STEP) do
		ideal:feed(stream, n)
		record.events[#record.events + 1], record.cycles[#record.cycles + 1] = done,
			m.cycle - began
		if done > compressors.TAGGED_EVENTS then
			some = {}
		end
		local all = table.move(some, 1, #some, #list + 1, table.move(list, 1, #list, 1, {}))
		for _, f in ipairs(all) do
			follow(f, stream, n, messages)
		end
		note(all, ideal)
	end
	guest.reached(m, record.wanted, record.events[#record.events] or 0, what)
	for tag in pairs(tags) do
		for _, f in ipairs(list) do
			f[tag] = (f.profile:error(ideal, { tag = tag }) or 0) * 100
		end
	end
	local _, details = list[1].profile:error(ideal)
	record.skipped, record.insts, record.tuples = insts, m.insts - insts, #ideal
	record.selected, record.weight, record.pcs = details.tuples, details.weight, details.pcs
	for _, f in ipairs(everyone) do
		record.by[f.name] = { text = f.compressor.text, bits = f.compressor.bits,
			error = f.error, messages = f.messages, tags = {} }
		for tag, what in pairs(tags) do
			record.by[f.name].tags[what] = f[tag]
		end
	end
end

-- ---- records ----
local function record_of(e, name, kind, wanted, make)
	local program = e:program(name)
	local parts = { table.concat(program.args, "\n"), program.input, program.from, kind, wanted,
		RULES }
	for n, text in pairs(compressors.text) do
		parts[#parts + 1] = n .. text
	end
	table.sort(parts, function(a, b) return tostring(a) < tostring(b) end)
	return kept.record(e, name .. "-" .. kind, parts,
		{ "build/demos/" .. name, table.unpack(program.files) }, function()
		local record = { wanted = wanted, events = {}, cycles = {}, by = {} }
		make(program, record)
		return record
	end)
end

--- e:loads(NAME) -> RECORD
-- The values of a program's loads. `events` and `cycles` at each place; `by[COMPRESSOR]`: `text`,
-- `bits`, `error` (percent) and `messages` at each place; `insts`, `skipped` (instructions before),
-- `tuples` (different ones), `pcs`, `selected` and `weight` of 5.3.1.
function runs:loads(name)
	return record_of(self, name, "loads", self:events_of(), function(program, record)
		watch(self, program, "loads", record, compressors.stream(), compressors.tagged, {},
			{ ["sampler.select"] = "value of load" })
	end)
end

--- e:edges(NAME) -> RECORD
-- The same of edges and calls, both at once in one compressor; `by[...].tags`: `edges`, `calls`,
-- the errors of each.
function runs:edges(name)
	return record_of(self, name, "edges",
		math.min(self:events_of(), options.times(self, EDGES, 200000)),
		function(program, record)
		watch(self, program, "edges", record, { "H[P256]2048", "R256" }, {},
			{ [0] = "edges", [1] = "calls" },
			{ ["sampler.select"] = "edge, call tag 1" })
	end)
end

--- e:stream(NAME, MOST) -> STREAM, EVENTS
-- The first loads of what e:loads() looks at, at most so many, recorded without timing: nothing
-- depends on cycles but overheads.
function runs:stream(name, most)
	local program, from = self:program(name), self:loads(name).skipped
	local events = math.min(most, self:events_of())
	local m <close> = open_machine(self, program, "loads",
		{ ["sampler.select"] = "value of load", ["sampler.exact"] = false })
	if from > 0 then
		m.sampler:series{ every = 1 << 40, insts = from, functional = true }
	end
	local stream = cyclops.stream(events)
	m.sampler:record(stream, { tuples = events, functional = true })
	guest.reached(m, events, #stream, "loads")
	return stream, #stream
end

--- runs.overhead(RECORD, COMPRESSOR, PLACE) -> PERCENT
-- By the model of 5.3.2: 30 cycles a message.
function runs.overhead(record, name, place)
	return 100 * 30 * record.by[name].messages[place] / record.cycles[place]
end

--- runs.settles(RECORD, COMPRESSOR, LIMIT) -> FIRST, LAST
-- Events after which the error is at most LIMIT percent for the first time, and for good; nil if
-- never.
function runs.settles(record, name, limit)
	local first, last
	for i, e in ipairs(record.by[name].error) do
		if e and e <= limit then
			first, last = first or record.events[i], last or record.events[i]
		else
			last = nil
		end
	end
	return first, last
end

--- runs.place(RECORD, EVENTS) -> PLACE
-- The last one at or before so many events.
function runs.place(record, events)
	local place = 1
	for i, n in ipairs(record.events) do
		place = n <= events and i or place
	end
	return place
end

return runs
