-- m.profileme: counts by pc agree with each other, with the oracle's and with the report; words;
-- errors.
local check = require "check"
local GUEST <const> = "tests/golden/guest.elf"

local m = cyclops.machine{ program = GUEST, set = { ["profileme.enable"] = true,
	["profileme.interval_max"] = 8, ["oracle.enable"] = true } }
check.eq(m.profileme.records, 0)
check.eq(m.profileme:now().phase, "counts")
check.ok(m.profileme:now().left <= m.profileme:now().interval, "what is left of an interval")
m:run{ cycles = 300 }
local followed = 0
for _ = 1, 400 do
	m:run{ cycles = 1 }
	local now = m.profileme:now()
	if now.phase == "follows" then
		followed = followed + 1
		check.ok(now.pc and now.seq, "the followed instruction")
	end
end
check.ok(followed > 10, "an instruction is followed now and then")
m:run()

local executions <const> = {}
for pc, _, count in m:exact("instructions") do
	executions[pc] = count
end
local records, retired, share = 0, 0, 0
for pc, c in m.profileme:all() do
	records = records + c.records
	retired = retired + c.retired
	share = share + c.share
	check.eq(m.profileme:at(pc).records, c.records)
	check.ok(c.retired == 0 or executions[pc], "what retired was executed")
	local fates = 0
	for _, n in pairs(c.fates) do
		fates = fates + n
	end
	check.eq(fates, c.records)
	check.eq(c.fates.retired or 0, c.retired)
	check.eq(c.delay == nil, c.retired == 0)
	if c.retired > 0 then
		check.ok(c.latency.fetch and c.latency.execute >= 1 and c.latency.retire >= 1,
			"stages")
	end
end
check.eq(records, m.profileme.records)
check.eq(retired, m.profileme.retired)
check.ok(math.abs(share - 1) < 1e-9, "shares sum to 1")
check.eq(m.profileme:at(0x100), nil)
check.eq(m.profileme.interval_max, 8)

check.fails(function() m.profileme:at("nowhere") end, "nowhere")
local without = cyclops.machine{ program = GUEST }
check.fails(function() without.profileme:all() end,
	"has no ProfileMe: it needs profileme.enable=true")
check.done()
