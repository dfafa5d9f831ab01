-- Results stored as Lua files, named by a digest of all their dependencies.
local kept = {}
local unpack <const>, WORDS <const>, PRIME <const>, MOST <const> = string.unpack,
	"<i8i8i8i8i8i8i8i8", 0x100000001b3, 1 << 19

--- kept.digest(TEXT [, DIGEST]) -> NUMBER
-- A digest of bytes, to detect changes; of several texts, if DIGEST is that of the previous ones.
function kept.digest(text, h)
	h = h or 0x9e3779b97f4a7c15
	-- Longer texts are digested piece by piece.
	if #text > MOST then
		for i = 1, #text, MOST do
			h = kept.digest(text:sub(i, i + MOST - 1), h)
		end
		return h
	end
	local whole = #text // 64 * 64
	-- Programs are megabytes: eight words at a time.
	for i = 1, whole, 64 do
		local a, b, c, d, e, f, g, k = unpack(WORDS, text, i)
		h = (((h ~ a) * PRIME ~ b) * PRIME ~ c) * PRIME ~ d
		h = h ~ (h >> 29)
		h = (((h * PRIME ~ e) * PRIME ~ f) * PRIME ~ g) * PRIME ~ k
		h = (h ~ (h >> 29)) * PRIME
	end
	for i = whole + 1, #text do
		h = (h ~ text:byte(i)) * PRIME
		h = h ~ (h >> 29)
	end
	return h ~ (h >> 32)
end

local digests = {}

--- kept.digest_file(PATH) -> NUMBER, or nil if it is not there
function kept.digest_file(path)
	if not digests[path] then
		local f = io.open(path, "rb")
		if not f then
			return nil
		end
		local h
		for block in f:lines(1 << 16) do
			h = kept.digest(block, h)
		end
		f:close()
		digests[path] = h or kept.digest ""
	end
	return digests[path]
end

-- Writes numbers, texts and tables of them as Lua.
local function spell(value, indent)
	if type(value) ~= "table" then
		return ("%q"):format(value)
	end
	local keys, lines = {}, {}
	for key in pairs(value) do
		keys[#keys + 1] = key
	end
	table.sort(keys, function(a, b)
		if type(a) ~= type(b) then
			return type(a) == "number"
		end
		return a < b
	end)
	for i, key in ipairs(keys) do
		-- %q takes no long texts beside it
		lines[i] = ("%s\t[%q] = "):format(indent, key) ..
			spell(value[key], indent .. "\t") .. ",\n"
	end
	return "{\n" .. table.concat(lines) .. indent .. "}"
end

--- kept.write(PATH, RECORD)
-- All of the file or nothing.
function kept.write(path, record)
	local f = assert(io.open(path .. ".new", "w"))
	f:write("return ", spell(record, ""), "\n")
	f:close()
	assert(os.rename(path .. ".new", path))
end

--- kept.read(PATH, KEY [, BUILD]) -> RECORD or nil
-- What was written there, if it was under this key (and by this build of cyclops).
function kept.read(path, key, build)
	local f = loadfile(path, "t", {})
	local ok, record = pcall(f or error)
	return ok and type(record) == "table" and record.key == key
		and (not build or record.build == build) and record or nil
end

--- kept.record(o, NAME, PARTS, FILES, MAKE) -> RECORD
-- The kept result of MAKE(), a run; made again if one of the PARTS (texts and numbers
-- that it depends on) or FILES is not the same, or the build of cyclops, unless o.any_build. It is
-- kept in o.out (options.read()); runs are announced on stderr.
function kept.record(o, name, parts, files, make)
	local path = ("%s/records/%s%s.lua"):format(o.out, o.small and "small-" or "", name)
	parts = table.move(parts, 1, #parts, 1, {})
	for _, file in ipairs(files) do
		parts[#parts + 1] = kept.digest_file(file)
			or o.wrong("%s is not there: make demos papers-programs", file)
	end
	local key, build = ("%016x"):format(kept.digest(table.concat(parts, "|"))),
		kept.digest_file "/proc/self/exe"
	o.known = o.known or {}
	local record = o.known[path] or kept.read(path, key, not o.any_build and build)
	if not record then
		io.stderr:write((name:gsub("-", " ", 1)), "\n")
		record = make()
		record.key, record.build = key, build
		kept.write(path, record)
	end
	o.known[path] = record
	return record
end

return kept
