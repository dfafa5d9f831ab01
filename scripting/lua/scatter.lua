-- Scatter plots in the style of cyclops.chart.
--
-- `cyclops bakeoff` draws error by overhead with it. A series is a list of points, optionally
-- joined by a line; an axis may be logarithmic. SVG without scripts, in the reader's light or dark
-- theme.
local scatter = {}

local LEFT <const>, RIGHT <const>, TOP <const>, BOTTOM <const>, SIDE <const> = 64, 16, 64, 56, 460
local LETTER <const> = 7
local COLOURS <const> = { "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#8c8c8c", "#56b4e9",
	"#e69f00", "#7f5ac8" }
local MARKS <const> = {
	'<circle class="s%d" cx="%.1f" cy="%.1f" r="3.5">%s</circle>',
	'<path class="s%d" d="M%.1f %.1fm-3 -3h6v6h-6z">%s</path>',
	'<path class="s%d" d="M%.1f %.1fm0 -4l4 7h-8z">%s</path>',
	'<path class="s%d" d="M%.1f %.1fm0 -4l4 4l-4 4l-4 -4z">%s</path>',
}

local STYLE <const> = [[
text { font: 12px system-ui, sans-serif; fill: #222 }
.title { font-size: 15px; font-weight: 600 }
.paper { fill: #fff } .grid { stroke: #ddd } .axis { stroke: #555 } 
.guide { stroke: #888; stroke-dasharray: 5 4; fill: none } .far { stroke-dasharray: 1 4 }
@media (prefers-color-scheme: dark) {
text { fill: #ddd } .paper { fill: #16181c } .grid { stroke: #3a3d42 } .axis { stroke: #aaa }
}
path.line { fill: none; stroke-width: 1.5 }
]]

local function escape(text)
	return (text:gsub("[&<>\"]", { ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;",
		['"'] = "&quot;" }))
end

-- Ticks from 0 to past the largest number; or, on a logarithmic axis, powers of ten around all.
local function axis(series, which, log, most)
	local low, high = math.huge, 0
	for _, s in ipairs(series) do
		for _, point in ipairs(s) do
			low, high = math.min(low, point[which]), math.max(high, point[which])
		end
	end
	local ticks = {}
	if log then
		local first = math.floor(math.log(low, 10) + 1e-9)
		local last = math.max(math.ceil(math.log(high, 10) - 1e-9), first + 1)
		for i = first, last do
			ticks[#ticks + 1] = 10.0 ^ i
		end
		return ticks, function(v) return (math.log(v, 10) - first) / (last - first) end
	end
	high = most or high > 0 and high or 1
	local step = 10.0 ^ math.floor(math.log(high / 4, 10))
	for _, factor in ipairs{ 5, 2 } do
		if high / (factor * step) >= 4 then
			step = factor * step
			break
		end
	end
	local n = math.ceil(high / step - 1e-9)
	for i = 0, n do
		ticks[i + 1] = i * step
	end
	return ticks, function(v) return v / (n * step) end
end

--- scatter.svg{ title =, x =, y =, series = {...} [, xlog =, ylog =, most =, band =] } -> TEXT
-- series = { { name =, { X, Y [, WHAT] }, ... [, joined = true] }, ... }: WHAT is the point's
-- tooltip; the points of a joined series are connected. xlog, ylog: the axis is logarithmic, its
-- numbers > 0; else both begin at 0 and end at `most` if given. band: draws the diagonal, and lines
-- at this distance above and below it. The same numbers give the same bytes.
function scatter.svg(chart)
	local xticks, xs = axis(chart.series, 1, chart.xlog, chart.most)
	local yticks, ys = axis(chart.series, 2, chart.ylog, chart.most)
	local legend = LEFT
	for _, s in ipairs(chart.series) do
		legend = legend + 34 + utf8.len(s.name) * LETTER
	end
	local width, height = math.max(LEFT + SIDE + RIGHT, LEFT + #chart.title * 9, legend),
		TOP + SIDE + BOTTOM
	local out = {}
	local function put(text, ...)
		out[#out + 1] = select("#", ...) > 0 and text:format(...) or text
	end
	local function x(v) return LEFT + SIDE * xs(v) end
	local function y(v) return TOP + SIDE * (1 - ys(v)) end
	put('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" ' ..
		'role="img">', width, height, width, height)
	put("<title>%s</title>\n<style>", escape(chart.title))
	put(STYLE)
	for i in ipairs(chart.series) do
		put(".s%d { fill: %s; stroke: %s; fill-opacity: 0.55 }", i - 1,
			COLOURS[(i - 1) % #COLOURS + 1], COLOURS[(i - 1) % #COLOURS + 1])
	end
	put('</style>\n<rect class="paper" width="%d" height="%d"/>\n<text class="title" x="%d" ' ..
		'y="24">%s</text>', width, height, LEFT, escape(chart.title))
	for _, v in ipairs(xticks) do
		put('<path class="%s" d="M%.1f %.1fV%.1f"/>', v == xticks[1] and "axis" or "grid",
			x(v), TOP, TOP + SIDE)
		put('<text x="%.1f" y="%.1f" text-anchor="middle">%.6g</text>', x(v),
			TOP + SIDE + 18, v)
	end
	for _, v in ipairs(yticks) do
		put('<path class="%s" d="M%.1f %.1fH%.1f"/>', v == yticks[1] and "axis" or "grid",
			LEFT, y(v), LEFT + SIDE)
		put('<text x="%.1f" y="%.1f" text-anchor="end">%.6g</text>', LEFT - 6, y(v) + 4, v)
	end
	if chart.band then
		local top = math.min(xticks[#xticks], yticks[#yticks])
		put('<path class="guide" d="M%.1f %.1fL%.1f %.1f"/>', x(0), y(0), x(top), y(top))
		put('<path class="guide far" d="M%.1f %.1fL%.1f %.1f"/>', x(0), y(chart.band),
			x(top - chart.band), y(top))
		put('<path class="guide far" d="M%.1f %.1fL%.1f %.1f"/>', x(chart.band), y(0),
			x(top), y(top - chart.band))
	end
	local at = LEFT
	for i, s in ipairs(chart.series) do
		local mark = MARKS[(i - 1) % #MARKS + 1]
		put(mark, i - 1, at + 6, TOP - 20, "")
		put('<text x="%.1f" y="%d">%s</text>', at + 18, TOP - 16, escape(s.name))
		at = at + 34 + utf8.len(s.name) * LETTER
		local path = {}
		for p, point in ipairs(s) do
			path[p] = ("%s%.1f %.1f"):format(p == 1 and "M" or "L", x(point[1]),
				y(point[2]))
			put(mark, i - 1, x(point[1]), y(point[2]), point[3] and "<title>" ..
				escape(point[3]) .. "</title>" or "")
		end
		if s.joined and #path > 1 then
			put('<path class="s%d line" d="%s"/>', i - 1, table.concat(path))
		end
	end
	put('<text text-anchor="middle" transform="translate(16 %.1f) rotate(-90)">%s</text>',
		TOP + SIDE / 2, escape(chart.y))
	put('<text x="%.1f" y="%d" text-anchor="middle">%s</text>\n</svg>', LEFT + SIDE / 2,
		height - 12, escape(chart.x))
	return table.concat(out, "\n") .. "\n"
end

return scatter
