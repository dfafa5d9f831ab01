-- The compressors of section 5, by the paper's names, and further ones to compare with them.
local compressors = {}

-- The paper does not give ShouldEvict and ShouldReplace; tagged.lua shows their effect. With 32 and
-- 8 the tagged compressor has the paper's accuracy and overhead.
local TAGGED <const> = "T(2048, ways=2, tag=2, hit=8, evict=32, replace=8)"

compressors.text = {
	["R256"] = "R(256)",
	["P256"] = "P(256)",
	["H[P256]2048"] = "H(P(256), 2048)",
	["H[P512]2048"] = "H(P(512), 2048)",
	["T 2-bit"] = TAGGED,
	-- Figure 9
	["H[P256]512"] = "H(P(256), 512)",
	["H[P256]1024"] = "H(P(256), 1024)",
	["H[P256]4096"] = "H(P(256), 4096)",
	-- Figure 10
	["R256 A16"] = "R(256), A(16)",
	["H[P256]2048 A16"] = "H(P(256), 2048), A(16)",
	["T 2-bit A16"] = TAGGED .. ", A(16)",
	-- Ours
	["H[P256]2048 fold"] = "H(P(256), 2048, fold)",
	["H[P256]2048 modulo"] = "H(P(256), 2048, modulo)",
	["H[P512]2048 A16"] = "H(P(512), 2048), A(16)",
	["Rc256"] = "Rc(256)",
}

--- The compressors of figures 7 and 8, in the paper's order.
compressors.main = { "R256", "P256", "H[P256]2048", "H[P512]2048", "T 2-bit" }
compressors.sizes = { "H[P256]512", "H[P256]1024", "H[P256]2048", "H[P256]4096" }
compressors.hashes = { "H[P256]2048", "H[P256]2048 fold", "H[P256]2048 modulo" }

--- Tagged compressors compared by tagged.lua: { { name, text, what differs }, ... }.
compressors.tagged = {}
local function tagged(o)
	local name = ("T ways=%d tag=%d evict=%d replace=%d"):format(o.ways or 2, o.tag or 2,
		o.evict or 32, o.replace or 8)
	compressors.text[name] = ("T(2048, ways=%d, tag=%d, hit=8, evict=%d, replace=%d)"):format(
		o.ways or 2, o.tag or 2, o.evict or 32, o.replace or 8)
	compressors.tagged[#compressors.tagged + 1] = name
end
for _, evict in ipairs{ 8, 16, 32, 64, 128, 256 } do
	for _, replace in ipairs{ 2, 4, 8 } do
		tagged{ evict = evict, replace = replace }
	end
end
for _, tag in ipairs{ 1, 4, 8 } do
	tagged{ tag = tag }
end
for _, ways in ipairs{ 1, 4 } do
	tagged{ ways = ways }
end

--- compressors.stream() -> { NAME, ... }
-- Names of compressors that read all loads of a program. The tagged compressors above read only the
-- first TAGGED_EVENTS loads.
function compressors.stream()
	local names = {}
	for name in pairs(compressors.text) do
		if not name:find "^T ways" then
			names[#names + 1] = name
		end
	end
	table.sort(names)
	return names
end
compressors.TAGGED_EVENTS = 4000000

return compressors
