-- What the command lines of these scripts may say, and where results go.
package.path = "demos/papers/?.lua;" .. package.path -- what papers share

local options = {}

local USAGE <const> = [[
options: --small           fewer and shorter runs, in seconds
         --programs A,B    these alone
         --experiments N   of figure 4, for each length (2500; with --small 800)
         --events N        of each program at most (as programs.lua says)
         --out FOLDER      where results and pictures go (build/papers/sastry2001)
         --any-build       results of another build of cyclops are good enough]]

local function wrong(text, ...)
	io.stderr:write(text:format(...), "\n", USAGE, "\n")
	os.exit(2)
end
options.wrong = wrong

local function number(word, value, least, most)
	local n = math.tointeger(tonumber(value))
	if not n or n < least or n > most then
		wrong("%s %s: a whole number from %d to %d is needed", word, value, least, most)
	end
	return n
end

--- options.read(WORDS) -> o
-- o.small, o.only (names), o.experiments, o.events, o.out (which is there), o.any_build.
function options.read(words)
	local o, i = { out = "build/papers/sastry2001" }, 1
	local function value()
		i = i + 1
		return words[i] or wrong("%s needs a value", words[i - 1])
	end
	while words[i] do
		local word = words[i]
		if word == "--small" then
			o.small = true
		elseif word == "--any-build" then
			o.any_build = true
		elseif word == "--experiments" then
			o.experiments = number(word, value(), 2, 1000000)
		elseif word == "--events" then
			o.events = number(word, value(), 1000, 100000000)
		elseif word == "--out" then
			o.out = value()
			if o.out:find "'" then
				wrong("--out %s: a folder without a quote in its name is needed", o.out)
			end
		elseif word == "--programs" then
			o.only = {}
			for name in value():gmatch "[^,]+" do
				o.only[#o.only + 1] = name
			end
		else
			wrong("'%s' is not an option", word)
		end
		i = i + 1
	end
	if not os.execute(("mkdir -p '%s/input' '%s/records'"):format(o.out, o.out)) then
		wrong("--out %s: no folder can be made there", o.out)
	end
	return o
end

return options
