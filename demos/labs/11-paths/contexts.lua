-- For lab 11: of each context of `intern`, its caller, its calls, and the instructions of a call.
local at = {} -- the context of each depth
for _, row in ipairs(m:report("oracle contexts").rows) do
	local name = row.context:match("%S+")
	at[row.depth] = name
	if name == "intern" and row.calls > 0 then
		print(("from %s: %d calls, %.0f instructions each"):format(at[row.depth - 1],
			row.calls, row.inclusive / row.calls))
	end
end
