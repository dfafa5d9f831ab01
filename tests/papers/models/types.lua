-- Type profiles (Sastry and others, 2.1: <pc, method table>) of types.cc, whose counts it prints:
-- exact counts of the tuples, and shares by H[P16]64.
package.path = "tests/lua/?.lua;" .. package.path
local check = require "check"
local m <close> = cyclops.machine{ program = arg[1], history = false,
	set = { ["sampler.enable"] = true, ["sampler.select"] = "type",
		["sampler.compressor"] = "H(P(16),64)" } }
local site = m:sym "area_of"
m:finish()
local want, got, estimates, all = {}, {}, {}, 0
for vtable, calls in m:output():gmatch "(%d+) (%d+)\n" do
	want[math.tointeger(vtable)] = math.tointeger(calls)
end
local where
for pc, vtable, _, selected, told in m.sampler:tuples() do
	if pc >= site.addr and pc < site.addr + site.size then
		check.ok(not where or where == pc, "calls of one place; another")
		where, got[vtable], estimates[vtable], all = pc, selected, told, all + selected
	end
end
check.eq(all, 5000, "calls")
for vtable, calls in pairs(want) do
	check.eq(got[vtable], calls, "calls with this method table")
	check.ok(math.abs(estimates[vtable] - calls) <= 16, ("the compressor's %d of %d"):format(
		estimates[vtable], calls))
end
check.done()
