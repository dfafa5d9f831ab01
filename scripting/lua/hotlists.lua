-- Keep profiles of sampled values in files, read them again, and merge them.
--
-- A profile is a table of hotlists as from m.values:each(), by kind and address, at one time of a
-- run. Files are CSV, a line for each value, which other programs can read as well:
--
--     local hotlists = require "cyclops.hotlists"
--     local p = hotlists.profile(m)
--     hotlists.write(p, "monday.csv")
--     local both = hotlists.merge(hotlists.read "monday.csv", hotlists.read "tuesday.csv")
--     for list in hotlists.each(both, "results") do print(list.pc, list[1].text, list[1].share) end

local hotlists = {}

local HEAD <const> = "kind,pc,vtot,thld,value,count,estimate,text"

local function fail(text, ...)
	error(text:format(...), 3)
end

-- A list's key: its address, and above it the version of the code there, if others were there
-- before.
local function place(list)
	return list.pc | (list.version or 0) << 40
end

local function put(profile, list)
	local of = profile[list.kind] or {}
	profile[list.kind] = of
	of[place(list)] = list
end

local function sorted_keys(t)
	local keys = {}
	for k in pairs(t) do
		keys[#keys + 1] = k
	end
	table.sort(keys)
	return keys
end

--- h.profile(M [, METHOD]) -> PROFILE
-- A machine's samples so far: { KIND = { [PC] = LIST, ... }, ... }. The profile does not change
-- while the machine goes on.
function hotlists.profile(m, method)
	local profile = {}
	for list in m.values:each(nil, method) do
		put(profile, list)
	end
	return profile
end

--- h.each(PROFILE [, KIND]) -> ITERATOR
-- Its lists, by kind and address, for `for list in h.each(p) do`.
function hotlists.each(profile, kind)
	local all, at = {}, 0
	for _, k in ipairs(sorted_keys(profile)) do
		if not kind or k == kind then
			for _, pc in ipairs(sorted_keys(profile[k])) do
				all[#all + 1] = profile[k][pc]
			end
		end
	end
	return function()
		at = at + 1
		return all[at]
	end
end

--- h.csv(PROFILE) -> TEXT
-- The profile as CSV: a line for each value, and one with an empty value for a list without any.
-- 0x2000418@1 is the place of code that replaced other code at this address, 0x2000418.
function hotlists.csv(profile)
	local lines = { HEAD }
	for list in hotlists.each(profile) do
		local head = ("%s,0x%x%s,%d,%.17g"):format(list.kind, list.pc,
			list.version and "@" .. list.version or "", list.vtot, list.thld)
		for _, v in ipairs(list) do
			lines[#lines + 1] = ("%s,0x%x,%d,%.17g,%s"):format(head, v.value, v.count,
				v.estimate, cyclops.csv(v.text))
		end
		if #list == 0 then
			lines[#lines + 1] = head .. ",,,,"
		end
	end
	lines[#lines + 1] = ""
	return table.concat(lines, "\n")
end

--- h.write(PROFILE, FILE)
-- Writes it as CSV; not with --lua-safe.
function hotlists.write(profile, path)
	if not io then
		fail("hotlists.write: with --lua-safe no file is written")
	end
	local f, why = io.open(path, "w")
	if not f then
		fail("%s", why)
	end
	f:write(hotlists.csv(profile))
	f:close()
end

--- h.parse(TEXT [, NAME]) -> PROFILE
-- Reads the output of csv; NAME is for messages.
function hotlists.parse(text, name)
	name = name or "a profile"
	local profile, number = {}, 0
	for line in text:gmatch("([^\n]*)\n") do
		number = number + 1
		if number == 1 and line ~= HEAD then
			fail("%s: no profile of values: its first line would be %s", name, HEAD)
		elseif number > 1 then
			local kind, pc, version, vtot, thld, value, count, estimate, said =
				line:match("^([%w%._-]+),0x(%x+)@?(%d*),(%d+),([%d%.e+-]+),"
				.. "([%dx%a]*),(%d*),([%d%.e+-]*),(.*)$")
			if not kind then
				fail("%s:%d: not a line of a profile: '%s'", name, number, line)
			end
			local new = { kind = kind, pc = tonumber(pc, 16),
				version = math.tointeger(version), vtot = math.tointeger(vtot),
				thld = tonumber(thld), nv = 0 }
			local list = profile[kind] and profile[kind][place(new)]
			if not list then
				list = new
				put(profile, list)
			end
			if value ~= "" then
				estimate = tonumber(estimate)
				said = (said:match('^"(.*)"$') or said):gsub("^'([=+@-])", "%1")
				list.nv = list.nv + 1
				list[list.nv] = { value = math.tointeger(tonumber(value)),
					count = math.tointeger(count), estimate = estimate,
					share = list.vtot > 0 and estimate / list.vtot or 0,
						text = (said:gsub('""', '"')) }
			end
		end
	end
	if number == 0 then
		fail("%s: no profile of values: it is empty", name)
	end
	return profile
end

--- h.read(FILE) -> PROFILE
-- Reads a file written by write.
function hotlists.read(path)
	if not io then
		fail("hotlists.read: with --lua-safe no file is read: hotlists.parse takes a text")
	end
	local f, why = io.open(path)
	if not f then
		fail("%s", why)
	end
	local text = f:read "a"
	f:close()
	return hotlists.parse(text, path)
end

-- Adds b's values to a, which is new.
local function add(a, b)
	local by_value = {}
	for _, v in ipairs(a) do
		by_value[v.value] = v
	end
	for _, v in ipairs(b) do
		local have = by_value[v.value]
		if have then
			have.count, have.estimate = have.count + v.count, have.estimate + v.estimate
		else
			a[#a + 1] = { value = v.value, count = v.count, estimate = v.estimate,
				text = v.text }
		end
	end
	a.vtot = a.vtot + b.vtot
	a.thld = math.min(a.thld, b.thld)
end

--- h.merge(PROFILE, ...) -> PROFILE
-- One profile of several runs: counts and estimates are added. A value evicted from one list is
-- missing there, so its sum is too low by at most its count in that list.
function hotlists.merge(...)
	local merged = {}
	for _, profile in ipairs { ... } do
		for list in hotlists.each(profile) do
			local have = merged[list.kind] and merged[list.kind][place(list)]
			if not have then
				have = { kind = list.kind, pc = list.pc, version = list.version,
					vtot = 0, thld = 1, nv = 0 }
				put(merged, have)
			end
			add(have, list)
		end
	end
	for list in hotlists.each(merged) do
		table.sort(list, function(x, y)
			if x.estimate ~= y.estimate then
				return x.estimate > y.estimate
			end
			return math.ult(x.value, y.value)
		end)
		list.nv = #list
		for _, v in ipairs(list) do
			v.share = list.vtot > 0 and v.estimate / list.vtot or 0
		end
	end
	return merged
end

return hotlists
