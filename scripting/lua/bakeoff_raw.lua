-- Write the profiles of bake-off profilers at each look, as tab-separated lines.
--
-- `cyclops bakeoff --raw FOLDER` writes these files. Raw profiles are those that a profiler has at
-- each look, before any comparison with the exact profile.

local truths = require "cyclops.bakeoff_truth"

local raw = {}

local function raw_lines(out, look, question, profile)
	local function put(...)
		out[#out + 1] = table.concat({ look, question, ... }, "\t") .. "\n"
	end
	if question == "values" then
		for pc, load in pairs(profile.loads) do
			for _, v in ipairs(load.values) do
				put(pc, v.value, ("%.17g"):format(v.estimate))
			end
		end
	elseif question == "latencies" then
		for pc, l in pairs(profile) do
			put(pc, ("%.17g"):format(l.count), ("%.17g"):format(l.mean))
		end
	else
		for name, n in pairs(profile) do
			put(name, ("%.17g"):format(n))
		end
	end
end

--- raw.run(RECORD) -> TEXT
-- Lines LOOK, QUESTION, then for values PC, VALUE, SHARE; for latencies PC, COUNT, MEAN; else NAME,
-- COUNT; separated by tabs.
function raw.run(record)
	local out = {}
	for i, look in ipairs(record.looks) do
		for _, question in ipairs(record.answers) do
			raw_lines(out, i, question, look.profiles[question])
		end
	end
	return table.concat(out)
end

--- raw.truth(RESULT) -> TEXT
-- The same for the exact profile; for values PC, VALUE, COUNT.
function raw.truth(result)
	local out, t = {}, result.plain.truth
	for _, q in ipairs(truths.questions) do
		if q.name == "values" then
			for pc, load in pairs(t.values) do
				for value, n in pairs(load.values) do
					out[#out + 1] = ("0\tvalues\t%d\t%d\t%d\n"):format(pc,
						value, n)
				end
			end
		elseif t[q.name] then
			raw_lines(out, 0, q.name, t[q.name])
		end
	end
	return table.concat(out)
end

return raw
