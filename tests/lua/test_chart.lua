-- cyclops.chart: numbers of a script as a picture.
local check = require "check"

local function chart(t)
	t.title = t.title or "A < B & C"
	t.x, t.y = "x \"axis\"", "y"
	t.places = t.places or { "first", "second" }
	t.series = t.series or { { name = "one", 1, 2 }, { name = "two", 4, false },
		{ name = "three", 0, 3.5 } }
	return cyclops.chart(t)
end

local function count(text, pattern)
	return select(2, text:gsub(pattern, ""))
end

local bars = chart{}
check.ok(bars:find "^<svg " and bars:find "</svg>\n$")
check.says(bars, "A &lt; B &amp; C")
check.says(bars, "x &quot;axis&quot;")
check.eq(count(bars, ' bar"'), 5 + 3, "bars, and three in the legend,")
check.eq(count(bars, "no result"), 1)
check.says(bars, "<title>one, second: 2</title>")
check.says(bars, "<title>three, second: 3.5</title>")
check.eq(chart{}, bars, "the same again")
local lines = chart{ kind = "lines", series = { { name = "one", 1 } } }
check.eq(count(lines, ' line"'), 1)
check.eq(count(lines, "no result"), 1, "a place that no number was given for:")
check.ok(lines ~= bars)
check.eq(count(chart{ series = { { name = "one", 0 / 0, 1 } } }, "no result"), 1, "NaN")

local function fails(t, text)
	check.fails(function() chart(t) end, text)
end
fails({ titel = "x" }, "'titel'")
fails({ title = 3 }, "title is a text, not a number")
fails({ kind = "pie" }, "kind = 'pie'; expected \"bars\" or \"lines\"")
fails({ places = {} }, "places has 0 things")
fails({ series = {} }, "series has 0 things")
fails({ places = { "a", 2 } }, "each of places is a text, not a number")
fails({ series = { 3 } }, "series 1 is a number")
fails({ series = { { 1, 2 } } }, "series 1 has no name")
fails({ series = { { name = "x", 1, 2, 3 } } }, "series 1 has 3 numbers for 2 places")
fails({ series = { { name = "x", 1, -2 } } }, "numbers from 0 on")
fails({ series = { { name = "x", 1 / 0 } } }, "numbers from 0 on")
fails({ series = { { name = "x", "1" } } }, "series 1 has a string at place 1")
local many = {}
for i = 1, 1001 do
	many[i] = "p"
end
fails({ places = many }, "places has 1001 things; expected a list of 1 to 1000")
check.fails(function() cyclops.chart(3) end, "table expected", false)

check.done()
