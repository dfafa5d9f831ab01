-- The runs that all figures of section 5 share. A program runs once on the machine of 5.2 and its loads are recorded with the cycles that
-- they took; all compressors, and the ideal profile, see this one stream. Results are kept as files of Lua, under a digest of all that they
-- depend on; figures make what they miss.
local options = require "options"
local compressors, kept, programs = require "compressors", require "kept", require "programs"

local runs = {}

-- Another number when runs are made in another way: what was kept before does not count.
local RULES <const> = 1
-- Places at which errors are taken: every 100,000 events at first, so that the event at which an error falls below a limit is known.
local STEP <const>, FINE <const>, COARSE <const> = 100000, 4000000, 500000
local SMALL_EVENTS <const>, SMALL_STEP <const> = 400000, 50000

--- runs.open(WORDS) -> e
-- Runs as these command line words say: e.names are the programs.
function runs.open(words)
	local e = options.read(words)
	e.names = e.only or programs.names(e.small)
	local known = table.concat(programs.names(), ", ")
	for _, name in ipairs(e.names) do
		if not (", " .. known .. ","):find(", " .. name .. ",", 1, true) then
			options.wrong("no program '%s'; right: %s", name, known)
		end
	end
	e.known = {}
	return setmetatable(e, { __index = runs })
end

local function program_of(e, name)
	return programs.get(name, e.out .. "/input")
end

--- e:events_of(NAME) -> N
-- How many events of this program are looked at.
function runs:events_of(name)
	return math.min(self.events or 1 << 40, self.small and SMALL_EVENTS or 1 << 40, program_of(self, name).events)
end

-- ---- one stream, many compressors ----
local function open_machine(program, set)
	set = set or {}
	set["sampler.enable"] = true
	return cyclops.machine{ program = program.path, args = program.args, input = program.input, config = "sastry2001", history = false,
		set = set, name = program.name }
end

local function skip_initialization(m, program)
	local stop = m:run{ until_pc = program.from }
	if stop.reason == "exit" or m.status ~= "running" then
		error(("%s ended before %s: %s"):format(program.name, program.from, m.status), 0)
	end
end

-- A compressor with the profile that software makes of its messages.
local function follower(text, seed)
	return { compressor = cyclops.compressor(text, { seed = seed }), profile = cyclops.profile(), sent = 0, error = {}, messages = {} }
end

local function follow(f, stream, messages)
	f.compressor:feed(stream, nil, nil, messages:clear())
	f.profile:fold(messages)
	f.sent = f.sent + #messages
end

-- Error in percent (false: the ideal profile selects nothing yet), and messages so far.
local function note(f, ideal, limits)
	local e = f.profile:error(ideal, limits)
	f.error[#f.error + 1] = e and e * 100 or false
	f.messages[#f.messages + 1] = f.sent
end

-- Streams of so many events until there are `events` of them, or the program ends. What more was selected in the cycle of the last one begins
-- the next stream.
local function pieces(m, events, fine)
	local stream, more, done, wanted = cyclops.stream(COARSE), {}, 0, 0
	local before = m.stats["sampler.selected"]
	m:on("tuple", function(e)
		if #stream < wanted then
			stream:add(e.pc, e.value, e.tag)
		else
			more[#more + 1] = { e.pc, e.value, e.tag }
		end
		return #stream >= wanted and "stop" or nil
	end)
	return function()
		wanted = math.min((done < FINE or fine < STEP) and fine or COARSE, events - done)
		stream:clear()
		if wanted <= 0 then
			return nil
		end
		for i, t in ipairs(more) do
			stream:add(t[1], t[2], t[3])
			more[i] = nil
		end
		m:finish()
		done = done + #stream
		assert(m.stats["sampler.selected"] - before == done + #more, "tuples are missing")
		return #stream > 0 and stream or nil, done
	end
end

-- All of them, by name; the tagged ones until they have seen enough.
local function followers(names, seed)
	local list = {}
	for i, name in ipairs(names) do
		list[i] = follower(compressors.text[name], seed + i)
		list[i].name = name
	end
	return list
end

local function watch(e, program, record, names, tagged, tags, set)
	local m <close> = open_machine(program, set)
	skip_initialization(m, program)
	local began, insts = m.cycle, m.insts
	local ideal, messages = cyclops.profile(), cyclops.messages()
	local list, some = followers(names, 2001), followers(tagged, 7001)
	for stream, done in pieces(m, record.wanted, e.small and SMALL_STEP or STEP) do
		ideal:feed(stream)
		record.events[#record.events + 1], record.cycles[#record.cycles + 1] = done, m.cycle - began
		for _, f in ipairs(list) do
			follow(f, stream, messages)
			note(f, ideal)
			for tag in pairs(tags) do
				f[tag] = (f.profile:error(ideal, { tag = tag }) or 0) * 100
			end
		end
		if done <= compressors.TAGGED_EVENTS then
			for _, f in ipairs(some) do
				follow(f, stream, messages)
				note(f, ideal)
			end
		end
	end
	local _, details = list[1].profile:error(ideal)
	record.skipped, record.insts, record.tuples = insts, m.insts - insts, #ideal
	record.selected, record.weight, record.pcs = details.tuples, details.weight, details.pcs
	for _, f in ipairs(table.move(some, 1, #some, #list + 1, list)) do
		record.by[f.name] = { text = f.compressor.text, bits = f.compressor.bits, error = f.error, messages = f.messages, tags = {} }
		for tag, what in pairs(tags) do
			record.by[f.name].tags[what] = f[tag]
		end
	end
end

-- ---- records ----
local function record_of(e, name, kind, make)
	local program = program_of(e, name)
	local path = ("%s/records/%s%s-%s.lua"):format(e.out, e.small and "small-" or "", name, kind)
	local wanted = e:events_of(name)
	local parts = { table.concat(program.args, "\n"), program.input, program.from, kind, wanted, RULES }
	for n, text in pairs(compressors.text) do
		parts[#parts + 1] = n .. text
	end
	table.sort(parts, function(a, b) return tostring(a) < tostring(b) end)
	for _, file in ipairs{ program.path, table.unpack(program.files) } do
		parts[#parts + 1] = kept.digest_file(file) or options.wrong("%s is not there: make demos", file)
	end
	local key, build = ("%016x"):format(kept.digest(table.concat(parts, "|"))), kept.digest_file "/proc/self/exe"
	local record = e.known[path] or kept.read(path, key, not e.any_build and build)
	if not record then
		io.stderr:write(name, " ", kind, "\n")
		record = { key = key, build = build, wanted = wanted, events = {}, cycles = {}, by = {} }
		make(program, record)
		kept.write(path, record)
	end
	e.known[path] = record
	return record
end

--- e:loads(NAME) -> RECORD
-- The values of a program's loads. `events` and `cycles` at each place; `by[COMPRESSOR]`: `text`, `bits`, `error` (percent) and `messages`
-- at each place; `insts`, `skipped` (instructions before), `tuples` (different ones), `pcs`, `selected` and `weight` of 5.3.1.
function runs:loads(name)
	return record_of(self, name, "loads", function(program, record)
		watch(self, program, record, compressors.stream(), compressors.tagged, {}, { ["sampler.select"] = "value of load" })
	end)
end

--- e:edges(NAME) -> RECORD
-- The same of edges and calls, both at once in one compressor; `by[...].tags`: `edges`, `calls`, the errors of each.
function runs:edges(name)
	return record_of(self, name, "edges", function(program, record)
		record.wanted = math.min(record.wanted, 4000000)
		watch(self, program, record, { "H[P256]2048", "R256" }, {}, { [0] = "edges", [1] = "calls" }, { ["sampler.select"] = "edge, call tag 1" })
	end)
end

--- runs.overhead(RECORD, COMPRESSOR, PLACE) -> PERCENT
-- By the model of 5.3.2: 30 cycles a message.
function runs.overhead(record, name, place)
	return 100 * 30 * record.by[name].messages[place] / record.cycles[place]
end

--- runs.settles(RECORD, COMPRESSOR, LIMIT) -> FIRST, LAST
-- Events after which the error is at most LIMIT percent for the first time, and for good; nil if never.
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
