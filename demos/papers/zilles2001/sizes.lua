-- Half and twice the words of the associative and the data array.
--
-- Expect: the rate at which a profile grows follows the size, error and overhead depend on
-- it much less.
--
--     cyclops lua demos/papers/zilles2001/sizes.lua [--small] [--programs A,B] [--insts N] [--out FOLDER]
local runs, report, variants = require "runs", require "report", require "variants"
local e = runs.open(arg)
local NAMES <const> = { "half", "base", "double" }

report.title "Sizes of the arrays: 128, 256 and 512 slots"
variants.curves(e, "sizes", e:main() .. ": error over time", e:main(), runs.sizes, NAMES)
print()
local out = variants.compare(e, "sizes", runs.sizes, NAMES)

local function less(a, b) return a < b end
local n, of = variants.count(out.interrupts, 1, 3, function(a, b) return a > b end)
report.shape(n == of,
	"smaller arrays interrupt more often: half more than double, in %d of %d programs", n, of)
n, of = variants.count(out.samples, 1, 3, less)
report.shape(n == of, "with fewer samples for each, in %d of %d", n, of)
n, of = variants.count(out.settles, 1, 3, function(a, b) return a > b end)
report.shape(n > of / 2, "the profile is there later: half after double, in %d of the %d programs where both get there", n, of)
local errors, overheads = {}, {}
for v = 1, 3 do
	errors[v], overheads[v] = report.average(out.error[v]), report.average(out.overhead[v])
end
report.shape(errors[1] >= errors[2] and errors[2] >= errors[3] and errors[1] < 2 * errors[3],
	"more resources err less, but not in proportion: %.2f, %.2f and %.2f %% on average",
	table.unpack(errors))
n, of = variants.count(out.error, 1, 2, less)
report.shape(n > 0, "in some programs smaller arrays are better: half than base in %d of %d", n, of)
report.shape(overheads[1] <= overheads[2] and overheads[2] <= overheads[3],
	"smaller arrays cost slightly less: %.2f, %.2f and %.2f %% on average",
	table.unpack(overheads))
