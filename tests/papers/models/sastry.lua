-- Data for sastry.py: the first loads' values of a program, a tuple a line, and what compressors
-- report of this stream after each STEP tuples: messages, and the error of the messages' profile.
--
--     cyclops lua sastry.lua PROGRAM TUPLES STEP FOLDER [ARGS...]
local program, tuples, step, folder = arg[1], tonumber(arg[2]), tonumber(arg[3]), arg[4]
local SEEDS <const> = 4
local COMPRESSORS <const> = { "P(256)", "P(256),A(16)", "A(16)", "R(256)", "R(256),A(16)",
	"H(P(512),2048)", "H(P(256),512)", "H(P(256),1024)", "H(P(256),2048)", "H(P(256),4096)",
	"H(P(256),2048),A(16)" }

local m <close> = cyclops.machine{ program = program, args = table.move(arg, 5, #arg, 1, {}),
	history = false,
	set = { ["sampler.enable"] = true, ["sampler.select"] = "value of load" } }
local stream = cyclops.stream()
m.sampler:record(stream, { tuples = tuples, functional = true })

local f <close> = assert(io.open(folder .. "/stream", "w"))
for pc, value in stream:tuples() do
	f:write(("%d %d\n"):format(pc, value))
end

local out <close> = assert(io.open(folder .. "/curves", "w"))
for _, text in ipairs(COMPRESSORS) do
	for seed = 1, text:match "^R" and SEEDS or 1 do
		local c = cyclops.compressor(text, { seed = seed })
		local estimate, truth, messages = cyclops.profile(), cyclops.profile(), 0
		for from = 1, #stream - step + 1, step do
			local sent = c:feed(stream, step, from)
			messages = messages + #sent
			estimate:fold(sent)
			truth:feed(stream, step, from)
			out:write(("%s %d %d %d %.12g\n"):format(text, seed, from + step - 1,
				messages, estimate:error(truth) or -1))
		end
	end
end
