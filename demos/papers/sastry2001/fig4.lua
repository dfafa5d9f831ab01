-- Figure 4: six samplers estimate how often one tuple occurs in a stream of random order, of which
-- it is 30 %; one tuple in ten is sampled. Then: how the answer depends on what the paper leaves
-- open, the number of strata and what the other 70 % are.
--
-- Expect: three classes, {R, H[R]}, {P, CR}, {H[P], H[CR]}, and R has to sample 2.6 times
-- as long as H[P] for an error of 4 %.
--
--     cyclops lua demos/papers/sastry2001/fig4.lua [--small] [--experiments N] [--out FOLDER]
local o = require "runs".options(arg)
local montecarlo, options, plot, report = require "montecarlo", require "options", require "plot",
	require "report"

local STRATA <const>, LIMIT <const>, SEED <const> = 4, 4, 2001
local EXPERIMENTS <const> = o.experiments or o.small and 800 or options.times(o, 2500, 800)

local H = function(sampler) return ("H(%s, %d)"):format(sampler, STRATA) end
local samplers = {
	{ name = "R", text = "R(10)" },
	{ name = "H[R]", text = H "R(10)" },
	{ name = "P", text = "P(10)" },
	{ name = "CR", text = "C(R(10))", share = true },
	{ name = "H[P]", text = H "P(10)" },
	{ name = "H[CR]", text = H "C(R(10))", share = true },
	{ name = "CR, sum of counts", text = "C(R(10))" },
	{ name = "H[CR], sum of counts", text = H "C(R(10))" },
}
local function index_of(name)
	for i, s in ipairs(samplers) do
		if s.name == name then
			return i
		end
	end
end

local lengths = o.small and { 2000, 3000, 4000, 5000, 6000, 8000, 12000 } or {}
for length = 1000, o.small and 0 or 20000, 1000 do
	lengths[#lengths + 1] = length
end

-- ---- the figure ----
report.title("Figure 4: mean error, in %%, of the estimated frequency of a tuple; %d experiments a point, %d strata", EXPERIMENTS, STRATA)
local points, series = {}, {}
for i, length in ipairs(lengths) do
	points[i] = montecarlo.point{ length = length, experiments = EXPERIMENTS,
		samplers = samplers, seed = SEED }
end
for s, sampler in ipairs(samplers) do
	series[s] = { name = sampler.name }
	for i in ipairs(lengths) do
		series[s][i] = points[i][s].mean
	end
end
plot.table(o, "fig4", { "length", 0 }, lengths, series, 2)
plot.lines(o, "fig4", { title = "Figure 4: mean error of a tuple's estimated frequency, %",
	x = "length of the stream", y = "error, %", places = lengths,
	series = { table.unpack(series, 1, 6) } })

-- ---- lengths at 4 % ----
print()
report.title("Length at which the error has fallen to %d %%", LIMIT)
local reached, rows = {}, {}
for s, sampler in ipairs(samplers) do
	reached[s] = montecarlo.length_at(LIMIT, lengths, series[s])
	rows[s] = { sampler.name, sampler.text, reached[s], montecarlo.predicted(sampler.text,
		LIMIT, sampler.share), reached[1] / reached[s] }
end
local papers = { R = 12000, ["H[P]"] = 4600 }
for s, sampler in ipairs(samplers) do
	rows[s][6] = papers[sampler.name] and report.number(papers[sampler.name]) or ""
end
report.table({ { "sampler" }, { "as text" }, { "length" }, { "in theory" },
	{ "times shorter than R's", 2 }, { "the paper's length" } }, rows)
print()

-- ---- classes ----
-- Ratio of a's mean error to b's over all lengths, and half the width of its interval: four
-- standard errors, as if a and b were independent. (They see the same streams, so the true interval
-- is narrower.)
local function ratio(a, b)
	local sum_a, sum_b, var_a, var_b = 0, 0, 0, 0
	for i, length in ipairs(lengths) do
		local x, y = points[i][a], points[i][b]
		sum_a, sum_b = sum_a + x.mean * math.sqrt(length),
			sum_b + y.mean * math.sqrt(length)
		var_a, var_b = var_a + x.se ^ 2 * length, var_b + y.se ^ 2 * length
	end
	local r = sum_a / sum_b
	return r, 4 * r * math.sqrt(var_a / sum_a ^ 2 + var_b / sum_b ^ 2)
end
local MARGIN <const> = 0.1
-- `holds` and `fails`: what the interval shows; neither if it is too wide.
local function verdict(holds, fails, text, ...)
	if holds or fails then
		report.shape(holds, text, ...)
	else
		print(("- not decidable with so few experiments: " .. text):format(...))
	end
end
local function same(a, b)
	local r, half = ratio(index_of(a), index_of(b))
	verdict(math.abs(r - 1) + half < MARGIN, math.abs(r - 1) > half,
		"%s and %s are one class: their errors are as %.3f ± %.3f to 1", a, b, r, half)
end
local function worse(a, b)
	local r, half = ratio(index_of(a), index_of(b))
	verdict(r - half > 1, r + half < 1, "%s errs more than %s: %.3f ± %.3f times as much", a, b,
		r, half)
end
same("R", "H[R]")
same("P", "CR")
same("H[P]", "H[CR]")
worse("R", "P")
worse("P", "H[P]")
local factor = reached[index_of "R"] / reached[index_of "H[P]"]
report.shape(factor > 2.3 and factor < 2.9, "R has to sample %.2f times as long as H[P] for an error of %d %% (paper: 12000 / 4600 = 2.61)", factor, LIMIT)
local as_printed, half = ratio(index_of "CR, sum of counts", index_of "P")
verdict(math.abs(as_printed - 1) + half < MARGIN, math.abs(as_printed - 1) > half,
	"CR is of P's class if the estimate is the sum of counts of p's messages, as printed: it errs %.3f ± %.3f times as much", as_printed, half)

-- ---- open points of the paper ----
print()
report.title("What the paper leaves open: length at which H[P] errs by %d %%, and how much longer R's is", LIMIT)
local SHORT <const> = { 1000, 2000, 4000, 8000, 16000 }
local TIMES <const> = EXPERIMENTS // 5
local function length_of(text, kinds, share)
	local errors = {}
	for i, length in ipairs(SHORT) do
		errors[i] = montecarlo.point{ length = length, experiments = TIMES,
			samplers = { { text = text, share = share } }, seed = SEED + 1,
			kinds = kinds }[1].mean
	end
	-- Below the limit from the start: nothing is fitted.
	return math.max(table.unpack(errors)) > LIMIT and montecarlo.length_at(LIMIT, SHORT, errors)
		or nil
end
local function cell(text, kinds)
	local length = length_of(text, kinds)
	return length and ("%s (%.1f)"):format(report.number(length), reached[1] / length)
		or "below 1,000"
end
rows = {}
for _, strata in ipairs(o.small and { 1, 4, 16 } or { 1, 2, 4, 8, 16, 64, 2048 }) do
	local text = ("H(P(10), %d)"):format(strata)
	local theory = montecarlo.predicted(text, LIMIT)
	rows[#rows + 1] = { ("%d"):format(strata), cell(text), cell(text, 100), cell(text, 10),
		("%s (%.1f)"):format(report.number(theory), reached[1] / theory) }
end
report.table({ { "strata" }, { "all others differ" }, { "100 others" }, { "10 others" },
	{ "in theory, evenly spread" } }, rows)
if not o.small then
	print()
	local plain, split = length_of("Rc(10)"), length_of(H "Rc(10)")
	print(("The countdown sampler of other work (3.1, footnote): %s alone, %s in %d " ..
		"strata."):format(report.number(plain), report.number(split), STRATA))
end
