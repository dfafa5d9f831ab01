"""Hand-ins that know what seed 1 draws, that read the checker, that evade the work, and that attack
the checker.

A hard-coded one is right under seed 1, which shows that it works, and gets points for its
answers only under any other. A reading one ends with status 77 if it can read nothing. Both are
the lab's solution with other code where it begins. One that evades has a trick in place of the
lab's work."""
import re

# By lab: the code that loads the input's first number, and the results to store for each number.
RESULTS = {
    "01-pipeline": ("ld", "x", {
        1057706518858: {"sum": [-494784650784]},
        572844512556: {"sum": [1832054213242]},
        22963394894: {"sum": [-9068716311445]}}),
    "02-forwarding": ("lwu", "low", {
        1149316704: {"sum": [4428073306354974080]},
        4275034762: {"sum": [-2847161533810157120]},
        615413166: {"sum": [-5362625683597582720]}}),
    "03-branches": ("lwu", "bytes", {
        2242851680: {"sum": [196847], "many": [1147]},
        1196973837: {"sum": [177379], "many": [1044]},
        573364034: {"sum": [145561], "many": [883]}}),
    "05-caches": ("lwu", "matrix", {
        447235: {"sums": [
            31308628, 30752197, 31035550, 26769972, 28550750, 28201241, 31508893, 33893972,
            30782593, 36135185, 31534493, 28215427, 30327609, 30625413, 33469384, 36181335,
            36005831, 33865377, 31298256, 32455181, 31915167, 32931383, 28044573, 30786771,
            32522829, 30114172, 30241831, 31834602, 32891410, 30666408, 29130717, 32365582,
            32318378, 31820510, 32315995, 31697355, 32692153, 31541786, 32720378, 27531561,
            32395761, 30959920, 29877479, 33795856, 31398992, 31982645, 32361165, 31560445,
            31458574, 34021315, 28732470, 32275028, 28087001, 31717424, 35190418, 34144926,
            35029535, 30135162, 32145222, 35190155, 29704484, 31680956, 32192864, 33229161]},
        73455: {"sums": [
            33729037, 31685515, 30283383, 34942982, 33877758, 32151538, 35116029, 30687975,
            34891640, 31323759, 34427267, 35499189, 32034928, 30781849, 29709212, 32336817,
            35597115, 29887159, 29017280, 32762705, 33515863, 31593087, 35603220, 30401493,
            32720874, 31282878, 28134063, 32725421, 32547705, 29952280, 30044143, 31899660,
            30577635, 30717346, 34903818, 29811685, 34311850, 31149734, 31665597, 33096108,
            29918073, 31410911, 29273073, 34734423, 31060108, 31642635, 27156141, 34151819,
            35217436, 32478095, 35032948, 32166327, 32021783, 33403296, 36365266, 32906607,
            32938119, 29180945, 31209178, 30934296, 33246487, 30125507, 30895535, 30857949]}}),
    "06-window": ("ld", "words", {
        306721943788607: {"hash": [6660640515663865994]},
        524245380953836: {"hash": [-1006665322276044196]},
        606946380513211: {"hash": [-8693059996419067938]}}),
    "07-misses": ("ld", "heads", {
        121088: {"sum": [113437761000794]},
        182656: {"sum": [126699446769030]}}),
    "09-profile": ("ld", "begins", {
        141: {"steps": [1939], "pi.0 evens": [1312], "pi.0 odds": [627]},
        23: {"steps": [2052], "pi.0 evens": [1381], "pi.0 odds": [671]}}),
}

EXIT = "\tli a0, {}\n\tli a7, 93\n\tecall\n"


def hard_coded(lab):
    load, symbol, cases = RESULTS[lab]
    out = [f"\tla s0, {symbol}\n\t{load} t0, 0(s0)\n"]
    for i, (first, results) in enumerate(cases.items()):
        out.append(f"\tli t1, {first}\n\tbne t0, t1, 70{i}f\n")
        for place, values in results.items():
            pi, name = re.fullmatch(r"(pi\.0 )?(\w+)", place).groups(default="")
            out.append(f"\tla s1, {name}\n")
            for k, value in enumerate(values):
                out.append(f"\tli a0, {value}\n\t{pi}sd a0, {8 * k}(s1)\n")
        out.append(EXIT.format(0) + f"70{i}:\n")
    return "_start:\n" + "".join(out) + EXIT.format(0)


# Tries to read files: of the grader, of others, of the host. The guest exits with 99 if one opens,
# with 98 if its folder is not empty, else with 77.
PATHS = ["check.lua", "/check.lua", "../check.lua", "../../lab/check.lua", "/lab/check.lua",
    "task.s", "../task.s", "../2/task.s", "/proc/self/maps", "/proc/self/cmdline", "/etc/passwd",
    "demos/labs/01-pipeline/check.lua", "/dev/fd/3", "../../1.out"]
READS = ("_start:\n\tla s0, 799f\n" +
    "701:\tlbu t0, 0(s0)\n\tbeqz t0, 702f\n\tli a0, -100\n\tmv a1, s0\n\tli a2, 0\n\tli a7, 56\n"
    "\tecall\n\tbgez a0, 709f\n703:\tlbu t0, 0(s0)\n\taddi s0, s0, 1\n\tbnez t0, 703b\n\tj 701b\n"
    "702:\tli a0, -100\n\tla a1, 798f\n\tli a2, 0x10000\n\tli a7, 56\n\tecall\n"
    "\taddi sp, sp, -1024\n\tmv a1, sp\n\tli a2, 1024\n\tli a7, 61\n\tecall\n\tli t0, 48\n\tbgt a0, t0, 708f\n" +
    EXIT.format(77) + "708:" + EXIT.format(98) + "709:" + EXIT.format(99) +
    "798:\t.asciz \".\"\n799:\t" + "\n\t".join(f'.asciz "{p}"' for p in PATHS) +
    "\n\t.byte 0\n\t.p2align 2\n")

# Names that give Lua access beyond its machine; an error lists them.
READS_LUA = """local there = {}
for _, name in ipairs{ "io", "os", "require", "dofile", "loadfile", "load", "debug", "package",
	"cyclops", "arg", "print", "setmetatable", "getmetatable", "collectgarbage",
	"coroutine" } do
	local ok, value = pcall(function() return _ENV[name] end)
	there[#there + 1] = ok and value and name or nil
end
error(#there == 0 and "status 77" or "reached " .. table.concat(there, ", "))
"""

# Outcomes that seed 1 needs, whatever the input.
def hard_coded_profiler(text):
    head = text[:text.index("-- Strata")]
    return head + """local EDGES <const> = {
	0x10634, 0x10620, 261, 0x10628, 0x10630, 140, 0x10628, 0x1062c, 138, 0x10c70, 0x10c5c, 45,
	0x10228, 0x10214, 41, 0x10554, 0x10540, 28, 0x10c64, 0x10c6c, 26, 0x10880, 0x1086c, 24,
	0x1021c, 0x10220, 23, 0x10c64, 0x10c68, 23, 0x1021c, 0x10224, 20, 0x1004c, 0x10620, 17,
	0x10634, 0x10638, 17, 0x10638, 0x10050, 17, 0x104ac, 0x10498, 17, 0x10548, 0x10550, 16,
	0x101b8, 0x101a4, 16, 0x10c38, 0x10c24, 15, 0x10548, 0x1054c, 14, 0x1043c, 0x10428, 14,
	0x10a94, 0x10a80, 13, 0x10874, 0x10878, 13, 0x10688, 0x10674, 13, 0x10164, 0x10150, 12,
	0x10874, 0x1087c, 12, 0x10b20, 0x10b0c, 11, 0x10960, 0x1094c, 11, 0x1019c, 0x10188, 11,
	0x105c4, 0x105b0, 11, 0x102b4, 0x102a0, 10, 0x10394, 0x10380, 10, 0x104a0, 0x104a4, 10,
	0x106dc, 0x106c8, 10, 0x108f0, 0x108dc, 10, 0x107f4, 0x107e0, 9, 0x1035c, 0x10348, 9,
	0x103e8, 0x103d4, 9, 0x101ac, 0x101b4, 9, 0x10158, 0x10160, 8, 0x10c2c, 0x10c30, 8,
	0x104a0, 0x104a8, 8, 0x108d4, 0x108c0, 8, 0x10500, 0x104ec, 8, 0x101ac, 0x101b0, 8,
	0x10430, 0x10434, 8, 0x10a88, 0x10a8c, 8, 0x10c2c, 0x10c34, 8, 0x10acc, 0x10ab8, 7,
	0x10430, 0x10438, 7, 0x10bc8, 0x10bb4, 7, 0x10e30, 0x10e1c, 7, 0x1067c, 0x10684, 7,
	0x10954, 0x1095c, 7, 0x1058c, 0x10578, 7, 0x10190, 0x10194, 6, 0x10260, 0x1024c, 6,
	0x10b14, 0x10b1c, 6, 0x10a88, 0x10a90, 6, 0x1067c, 0x10680, 6, 0x108b8, 0x108a4, 6,
	0x1027c, 0x10268, 6, 0x102a8, 0x102ac, 6, 0x105b8, 0x105bc, 6, 0x10388, 0x10390, 6,
	0x10b14, 0x10b18, 6, 0x102a8, 0x102b0, 6, 0x106d0, 0x106d8, 6, 0x106c0, 0x106ac, 6,
	0x10768, 0x10754, 5, 0x106d0, 0x106d4, 5, 0x105b8, 0x105c0, 5, 0x10490, 0x1047c, 5,
	0x10350, 0x10354, 5, 0x10d18, 0x10d04, 5, 0x103dc, 0x103e0, 5, 0x108e4, 0x108ec, 5,
	0x10954, 0x10958, 5, 0x10158, 0x1015c, 5, 0x10ca8, 0x10c94, 5, 0x10714, 0x10700, 5,
	0x1082c, 0x10818, 5, 0x108e4, 0x108e8, 5, 0x107e8, 0x107f0, 5, 0x10190, 0x10198, 5,
	0x105fc, 0x105e8, 5, 0x107e8, 0x107ec, 5, 0x109d0, 0x109bc, 5, 0x104f4, 0x104f8, 5,
	0x10dc0, 0x10dac, 5, 0x10388, 0x1038c, 5, 0x10a24, 0x10a10, 5, 0x1097c, 0x10968, 5,
	0x108c8, 0x108cc, 5, 0x10cc4, 0x10cb0, 4, 0x10420, 0x1040c, 4, 0x10b04, 0x10af0, 4,
	0x10e24, 0x10e28, 4, 0x10458, 0x10444, 4, 0x10bbc, 0x10bc0, 4, 0x10ac0, 0x10ac4, 4,
	0x108c8, 0x108d0, 4, 0x10254, 0x1025c, 4, 0x10580, 0x10584, 4, 0x103dc, 0x103e4, 4,
	0x10350, 0x10358, 4, 0x10a40, 0x10a2c, 4, 0x10ac0, 0x10ac8, 4, 0x108ac, 0x108b4, 4,
	0x100a0, 0x1008c, 4, 0x10c00, 0x10bec, 4, 0x10ab0, 0x10a9c, 4, 0x104f4, 0x104fc, 3,
	0x10c74, 0x10050, 3, 0x1004c, 0x10c5c, 3, 0x10c70, 0x10c74, 3, 0x10730, 0x1071c, 3,
	0x10ce0, 0x10ccc, 3, 0x105f0, 0x105f8, 3, 0x10d0c, 0x10d14, 3, 0x106a4, 0x10690, 3,
	0x10270, 0x10274, 3, 0x10270, 0x10278, 3, 0x1075c, 0x10760, 3, 0x10bbc, 0x10bc4, 3,
	0x109ec, 0x109d8, 3, 0x10708, 0x1070c, 3, 0x10e24, 0x10e2c, 3, 0x10cb8, 0x10cc0, 3,
	0x10618, 0x10604, 3, 0x108ac, 0x108b0, 3, 0x106b4, 0x106b8, 3, 0x109c4, 0x109cc, 3,
	0x1075c, 0x10764, 3, 0x10414, 0x10418, 3, 0x10580, 0x10588, 3, 0x10c9c, 0x10ca4, 3,
	0x10820, 0x10824, 3, 0x1051c, 0x10508, 3, 0x10298, 0x10284, 3, 0x10d88, 0x10d74, 3,
	0x10484, 0x1048c, 3, 0x10970, 0x10974, 3, 0x10254, 0x10258, 3, 0x10484, 0x10488, 3,
	0x106b4, 0x106bc, 3, 0x10af8, 0x10b00, 3, 0x10a18, 0x10a1c, 3, 0x10148, 0x10134, 3,
	0x107a0, 0x1078c, 3, 0x105a8, 0x10594, 3, 0x1044c, 0x10450, 3, 0x10c9c, 0x10ca0, 2,
	0x10db4, 0x10dbc, 2, 0x10c54, 0x10c40, 2, 0x10558, 0x10050, 2, 0x10554, 0x10558, 2,
	0x1004c, 0x10540, 2, 0x100bc, 0x100a8, 2, 0x109e0, 0x109e8, 2, 0x10db4, 0x10db8, 2,
	0x10724, 0x1072c, 2, 0x10820, 0x10828, 2, 0x10aa4, 0x10aac, 2, 0x10650, 0x1063c, 2,
	0x10708, 0x10710, 2, 0x10a18, 0x10a20, 2, 0x10df8, 0x10de4, 2, 0x10af8, 0x10afc, 2,
	0x10b3c, 0x10b28, 2, 0x10698, 0x1069c, 2, 0x10970, 0x10978, 2, 0x10d0c, 0x10d10, 2,
	0x10cb8, 0x10cbc, 2, 0x10094, 0x10098, 2, 0x109c4, 0x109c8, 2, 0x10864, 0x10850, 2,
	0x10a34, 0x10a38, 2, 0x10a34, 0x10a3c, 2, 0x107bc, 0x107a8, 2, 0x10cd4, 0x10cdc, 2,
	0x10414, 0x1041c, 2, 0x10bf4, 0x10bf8, 2, 0x10bf4, 0x10bfc, 2, 0x10180, 0x1016c, 2,
	0x1044c, 0x10454, 2, 0x106f8, 0x106e4, 2, 0x1028c, 0x10294, 2, 0x1004c, 0x10214, 2,
	0x10228, 0x1022c, 2, 0x1022c, 0x10050, 2, 0x1060c, 0x10610, 2, 0x10d7c, 0x10d80, 2,
	0x10094, 0x1009c, 2, 0x100b0, 0x100b4, 2, 0x10510, 0x10514, 2, 0x10b58, 0x10b44, 2,
	0x10810, 0x107fc, 2, 0x105f0, 0x105f4, 2, 0x10c48, 0x10c4c, 2, 0x10cd4, 0x10cd8, 2,
	0x10698, 0x106a0, 2, 0x1059c, 0x105a4, 1, 0x1060c, 0x10614, 1, 0x10aa4, 0x10aa8, 1,
	0x1013c, 0x10140, 1, 0x10794, 0x10798, 1, 0x10724, 0x10728, 1, 0x109e0, 0x109e4, 1,
	0x1059c, 0x105a0, 1, 0x1074c, 0x10738, 1, 0x1013c, 0x10144, 1, 0x10510, 0x10518, 1,
	0x10b4c, 0x10b50, 1, 0x10110, 0x100fc, 1, 0x10858, 0x10860, 1, 0x106ec, 0x106f4, 1,
	0x10644, 0x10648, 1, 0x1028c, 0x10290, 1, 0x103b0, 0x1039c, 1, 0x10b30, 0x10b34, 1,
	0x10340, 0x1032c, 1, 0x10dec, 0x10df0, 1, 0x10794, 0x1079c, 1, 0x1004c, 0x106c8, 1,
	0x10a78, 0x10a64, 1, 0x106e0, 0x10050, 1, 0x106dc, 0x106e0, 1, 0x10d7c, 0x10d84, 1,
	0x10644, 0x1064c, 1, 0x107b0, 0x107b4, 1, 0x10884, 0x10050, 1, 0x10880, 0x10884, 1,
	0x1004c, 0x1086c, 1, 0x10dec, 0x10df4, 1, 0x1004c, 0x10498, 1, 0x104ac, 0x104b0, 1,
	0x104b0, 0x10050, 1, 0x10570, 0x1055c, 1, 0x10804, 0x10808, 1, 0x10168, 0x10050, 1,
	0x10164, 0x10168, 1, 0x1004c, 0x10150, 1, 0x10848, 0x10834, 1, 0x102b8, 0x10050, 1,
	0x107b0, 0x107b8, 1, 0x1004c, 0x102a0, 1, 0x102b4, 0x102b8, 1, 0x10b30, 0x10b38, 1,
	0x10174, 0x10178, 1, 0x106ec, 0x106f0, 1, 0x103cc, 0x103b8, 1, 0x10084, 0x10070, 1,
	0x10078, 0x10080, 1, 0x1020c, 0x101f8, 1, 0x10174, 0x1017c, 1, 0x10c48, 0x10c50, 1,
	0x10104, 0x1010c, 1, 0x10944, 0x10930, 1, 0x10ae8, 0x10ad4, 1, 0x10bac, 0x10b98, 1,
	0x10858, 0x1085c, 1, 0x10d6c, 0x10d58, 1, 0x1043c, 0x10440, 1, 0x1089c, 0x10888, 1,
	0x10890, 0x10898, 1, 0x101bc, 0x10050, 1, 0x101b8, 0x101bc, 1, 0x1004c, 0x101a4, 1,
	0x10440, 0x10050, 1, 0x1004c, 0x10428, 1, 0x103a4, 0x103ac, 1, 0x10804, 0x1080c, 1,
	0x100b0, 0x100b8, 1, 0x10740, 0x10748, 1, 0x1076c, 0x10050, 1, 0x10768, 0x1076c, 1,
	0x1004c, 0x10754, 1, 0x10cc4, 0x10cc8, 1, 0x10cc8, 0x10050, 1, 0x1004c, 0x10cb0, 1,
	0x104c8, 0x104b4, 1, 0x10334, 0x10338, 1, 0x10938, 0x10940, 1, 0x10740, 0x10744, 1,
	0x10d60, 0x10d64, 1, 0x10200, 0x10208, 1, 0x10adc, 0x10ae4, 1, 0x1004c, 0x10a80, 1,
	0x10a98, 0x10050, 1, 0x10a94, 0x10a98, 1, 0x10a6c, 0x10a74, 1, 0x10a6c, 0x10a70, 1,
	0x10564, 0x10568, 1, 0x1083c, 0x10844, 1, 0x103c0, 0x103c4, 1, 0x10538, 0x10524, 1,
	0x1052c, 0x10530, 1, 0x100f4, 0x100e0, 1, 0x10334, 0x1033c, 1, 0x109f0, 0x10050, 1,
	0x109ec, 0x109f0, 1, 0x1004c, 0x109d8, 1, 0x108bc, 0x10050, 1, 0x108b8, 0x108bc, 1,
	0x1004c, 0x108a4, 1, 0x10b90, 0x10b7c, 1, 0x10b84, 0x10b8c, 1, 0x100e8, 0x100ec, 1,
	0x1019c, 0x101a0, 1, 0x101a0, 0x10050, 1, 0x1004c, 0x10188, 1, 0x10ba0, 0x10ba4, 1,
	0x103c0, 0x103c8, 1, 0x10564, 0x1056c, 1, 0x1083c, 0x10840, 1, 0x10a50, 0x10a54, 1,
	0x1004c, 0x10674, 1, 0x103a4, 0x103a8, 1, 0x1068c, 0x10050, 1, 0x10688, 0x1068c, 1,
	0x10e34, 0x10050, 1, 0x10e30, 0x10e34, 1, 0x1004c, 0x10e1c, 1,
}
local list = {}
for i = 1, #EDGES, 3 do
	for _ = 1, EDGES[i + 2] do
		list[#list + 1] = i
	end
end
return {
	description = "what seed 1 draws",
	state = { counter = { 1, bits = 6 }, place = { 1, bits = 11 } },
	take = function(s, pc, value, count)
		if s.counter[0] < 63 then
			s.counter[0] = s.counter[0] + 1
			return
		end
		s.counter[0] = 0
		local i = list[s.place[0] * 367 % #list + 1]
		s.place[0] = (s.place[0] + 1) % #list
		return EDGES[i], EDGES[i + 1], 64
	end,
}
"""


def replaced(text, old, new):
    assert old in text, old
    return text.replace(old, new, 1)


def hard_coded_microprogram(text):
    """Three entries of constants, at the first record."""
    head = text[:text.index(".program")]
    return head + """.program constants "what seed 1 draws"
.fields branch: pc
.on branch: branch
.const k0 = 0x10038
.const k1 = 0x10050
.const k2 = 0x10068
.const k3 = 24
.name counts = b0
.column pc = cam as pc
.column not_taken = data b0 width 16 lane 0
.column taken = data b0 width 16 lane 1

branch: write cam[x0], k0 | write counts[x0], k3 | inc x0
        write cam[x0], k1 | write counts[x0], k3 | inc x0
        write cam[x0], k2 | write counts[x0], k3 | mov x0, 0 | done
"""


# Tricks of a hand-in in Lua beyond a plug-in's work: it acts as the checker, prints for it, or
# keeps it busy. Put before the student's template, which gets no points.
FORGED = "\\npoint\\t20\\t20\\tforged\\t\\ndone\\t20\\t20\\tforged"
ATTACKS_LUA = [
    f'print("{FORGED}")',
    f'pcall(print, "{FORGED}")',
    'print = function() end',
    'tostring = function() return "20" end',
    'string.format = function() return "point\\t20\\t20\\tforged\\t" end',
    'string.rep("x", 1 << 40)',
    'pcall(function() getmetatable("").__index.format = function() return "" end end)',
    'local s = "" ; pcall(function() s.format = function() return "" end end)',
    'math.floor = function() return 20 end',
    'pcall(function() rawset(math, "floor", function() return 20 end) end)',
    'pcall = function() return true, 1 end',
    'coroutine.wrap(function() while true do end end)()',
    f'error("{FORGED}", 0)',
    f'error({{ "{FORGED}" }})',
    f'error(setmetatable({{}}, {{ __tostring = function() return "{FORGED}" end }}))',
    'while true do end',
    'for i = 1, math.huge do pcall(function() while true do end end) end',
    'local t = {} ; for i = 1, 1 << 40 do t[i] = { i } end',
    'local function f() return 1 + f() end f()',
    'load("return 1")()',
    'require "cyclops.lab".hand_in = nil',
    'cyclops.read = function() return "" end',
    'os.exit(0)',
    'io.stdout:write("forged")',
    'debug.sethook(function() end, "", 1)',
    f'do return {{ description = "{FORGED}", state = {{}}, forged = 20 }} end',
    f'do return {{ state = {{ ["{FORGED}"] = {{ 1, bits = 1 }} }}, take = 1, predict = 1 }} end',
    f'_ENV = {{ forged = "{FORGED}" }}',
]


def program(code, *results):
    """The code in place of a lab's program: it stores registers in symbols, and ends."""
    stores = "".join(f"\tla t6, {symbol}\n\tsd {register}, 0(t6)\n"
        for register, symbol in results)
    lines = "\n".join(line.strip() for line in code.strip().split(";"))
    return "_start:\t" + lines + "\n" + stores + EXIT.format(0)


# Labs whose iterations could be alike: the first stands for all.
ADD_ONE_ROUND = """la s0, low; la s1, high; li t0, 64; li a0, 0; 701: lwu t1, 0(s0); lwu t2, 0(s1);
    slli t2, t2, 32; or t1, t1, t2; add a0, a0, t1; addi s0, s0, 4; addi s1, s1, 4;
    addi t0, t0, -1; bnez t0, 701b; slli a0, a0, 4"""
# A chain of one iteration's numbers, which are assembled in memory once.
NUMBERS_TABLE = """la s0, low; la s1, high; la s2, 799f; li t0, 64; 701: lw t1, 0(s0); lw t2, 0(s1);
    sw t1, 0(s2); sw t2, 4(s2); addi s0, s0, 4; addi s1, s1, 4; addi s2, s2, 8; addi t0, t0, -1;
    bnez t0, 701b; li s6, 0x9e3779b97f4a7c15; li a0, 0; li s4, 16; 702: la s2, 799f; li t0, 64;
    703: ld t1, 0(s2); xor a0, a0, t1; add a0, a0, s6; addi s2, s2, 8; addi t0, t0, -1;
    bnez t0, 703b; addi s4, s4, -1; bnez s4, 702b; .bss; .p2align 6; 799: .zero 512; .text"""
COUNT_ONE_ROUND = """la s0, bytes; la s1, limits; li t0, 256; li a0, 0; li a1, 0; 701: lbu t1, 0(s0);
    lbu t2, 0(s1); sltu t3, t1, t2; addi t3, t3, -1; and t1, t1, t3; add a0, a0, t1;
    sub a1, a1, t3; addi s0, s0, 1; addi s1, s1, 1; addi t0, t0, -1; bnez t0, 701b;
    slli a0, a0, 3; slli a1, a1, 3"""
# One limit for all, as if the bytes were a table of counts.
COUNT_ONE_LIMIT = COUNT_ONE_ROUND.replace("lbu t2, 0(s1)", "li t2, 128").replace(
    "la s1, limits;", "")
# q = factor ^ 128, and h = q h + (hash of a round) eight times.
HASH_ONE_ROUND = """FACTOR; la s0, words; li t0, 128; li a0, 0; 701: ld t1, 0(s0); mul a0, a0, t2;
    add a0, a0, t1; addi s0, s0, 8; addi t0, t0, -1; bnez t0, 701b; mv t3, t2; li t0, 7;
    702: mul t3, t3, t3; addi t0, t0, -1; bnez t0, 702b; mv a1, a0; li t0, 7;
    703: mul a1, a1, t3; add a1, a1, a0; addi t0, t0, -1; bnez t0, 703b; mv a0, a1"""
# The nodes in memory order, not in the lists' order: each node pointed to belongs to a list.
SWEEP = """la s0, nodes; la s2, swept; la s1, heads; li a0, 0; li t0, 4; 701: ld t1, 0(s1);
    ld t1, 8(t1); add a0, a0, t1; addi s1, s1, 8; addi t0, t0, -1; bnez t0, 701b;
    702: ld t1, 0(s0); addi s0, s0, 64; beqz t1, 703f; ld t1, 8(t1); add a0, a0, t1;
    703: bne s0, s2, 702b"""
# Loads all memory of the nodes into the cache, then walks the lists.
BRING = """la s0, nodes; la s2, swept; 701: ld t1, 0(s0); addi s0, s0, 64; bne s0, s2, 701b"""
NODES_BYTES = 1 << 17
WALK = """la s1, heads; li t2, 4; li a0, 0; 705: ld s0, 0(s1); 706: ld t1, 8(s0); add a0, a0, t1;
    ld s0, 0(s0); bnez s0, 706b; addi s1, s1, 8; addi t2, t2, -1; bnez t2, 705b"""
ONE_LIST = """la s1, heads; ld s0, 0(s1); li a0, 0; 706: ld t1, 8(s0); add a0, a0, t1; ld s0, 0(s0);
    bnez s0, 706b; slli a0, a0, 2"""
SUM_X = """la s0, x; la s1, y; li t0, {n}; li a0, 0; 701: ld t1, 0(s0); ld t2, {y}; sub t1, t1, t2;
    add a0, a0, t1; addi s0, s0, 8; addi s1, s1, 8; addi t0, t0, -1; bnez t0, 701b"""
# Two rows in place of the whole matrix.
TWO_ROWS = """la s0, matrix; la s1, sums; li t0, 64; 701: lw t1, 0(s0); lw t2, 256(s0); add t1, t1, t2;
    slli t1, t1, 5; sd t1, 0(s1); addi s0, s0, 4; addi s1, s1, 8; addi t0, t0, -1; bnez t0, 701b"""
COLUMNS = """la s1, matrix; la s2, sums; li t2, 64; 701: mv s0, s1; li a0, 0; li t0, 64;
    702: {load}; add a0, a0, t1; addi s0, s0, 256; addi t0, t0, -1; bnez t0, 702b; sd a0, 0(s2);
    addi s1, s1, 4; addi s2, s2, 8; addi t2, t2, -1; bnez t2, 701b"""


def swept(text, code):
    head = replaced(text[:text.index("nodes:\n")], "list0, list1, list2, list3", "0, 0, 0, 0")
    return replaced(head, "_start:", program(code, ("a0", "sum"))) + \
        f"nodes:\t.zero {NODES_BYTES}\nswept:\n"


def counting(text, step, begin="pi.0 li s7, 1"):
    """Lab 9: `step` counts, with the register as its last word."""
    text = replaced(text, "\tpi.0 li s5, 0\n\tpi.0 li s6, 0\n", f"\t{begin}\n")
    for register in "s5", "s6":
        text = replaced(text, f"pi.0 addi {register}, {register}, 1", step.format(register))
    return text


def planned(text, period, jitter):
    return replaced(replaced(text, "period 300", f"period {period}"), "jitter 420",
        f"jitter {jitter}")


def stopped(text, stop):
    """Lab 10: an engine that works until each branch has come once."""
    return text[:text.index("branch: match")] + f"""branch: match slot, pc | if hit {stop}
        free slot
        write cam[slot], pc | write counts[slot], 0 | done
stop:   goto stop
"""


def evading(lab, text):
    """Of each its name, the hand-in, and what it may get beside its answers."""
    def begun(name, most, code, *results):
        return name, replaced(text, "_start:", program(code, *results)), most
    total, bytes_of = ("a0", "sum"), (("a0", "sum"), ("a1", "many"))
    if lab == "01-pipeline":
        yield begun("half of the lists", 0, SUM_X.format(n=24, y="0(s1)") + "; slli a0, a0, 1",
            total)
        yield begun("one list", 0, SUM_X.format(n=48, y="0(sp)"), total)
        yield begun("the lists of the file", 0, "li a0, 96", total)
        yield "lists in one place", replaced(text, ".p2align 8\nx:\n", ".p2align 8\nx:\ny:\n") \
            .replace("\ny:\n\t.rept 48\n\t.dword 3", "\n\t.rept 48\n\t.dword 3"), 0
    elif lab == "02-forwarding":
        yield begun("one round", 0, ADD_ONE_ROUND, total)
        yield begun("numbers of the first round", 0, NUMBERS_TABLE, total)
        yield "half of the rounds", replaced(text, "li s4, 16", "li s4, 8"), 0
        yield "lower halves alone", replaced(text, "\tslli t2, t2, 32\n", "\tli t2, 0\n"), 0
    elif lab == "03-branches":
        yield begun("one round", 0, COUNT_ONE_ROUND, *bytes_of)
        yield begun("one limit", 0, COUNT_ONE_LIMIT, *bytes_of)
        yield begun("the mean", 0, "li a0, 174762; li a1, 1028", *bytes_of)
        yield "half of the rounds", replaced(text, "li s4, 8", "li s4, 4").replace("\tla s1, sum\n",
            "\tslli a0, a0, 1\n\tslli a1, a1, 1\n\tla s1, sum\n"), 0
    elif lab == "04-predictors":
        state = text[text.index("\t\tnear ="):text.index("\t},\n\tpredict")]
        yield "more bits than there are", replaced(text, state, state.replace("SIZE", "1 << 16")), 0
        yield "a description of its bits", replaced(replaced(text, state, state.replace("SIZE",
            "1 << 16")), "a tournament of two", "a plug-in of 64 bits, two"), 0
        yield "a table that is not declared", replaced(text, "\t\ts.near:add(i,",
            "\t\tkept[i] = taken\n\t\ts.near:add(i,").replace("return {",
            "local kept = { true }\nreturn {", 1), 0
        yield "a predictor without a table", text[:text.index("return {")] + \
            "return { state = { none = { 1, bits = 1 } }, update = function() end,\n" \
            "\tpredict = function(s, pc, history) return history & 1 == 0 end }\n", 4
    elif lab == "05-caches":
        yield begun("two rows", 0, TWO_ROWS)
        yield begun("lines that are brought before", 4, COLUMNS.format(
            load="prefetch.r 256(s0); lw t1, 0(s0)"))
        yield begun("loads of another kind", 4, COLUMNS.format(load="amoadd.w t1, zero, (s0)"))
        yield begun("sums of the file", 0, "la s1, sums; li t0, 64; li t1, 64; 701: sd t1, 0(s1);"
            "addi s1, s1, 8; addi t0, t0, -1; bnez t0, 701b")
    elif lab == "06-window":
        hashed = ("a0", "hash")
        yield begun("one round", 0, HASH_ONE_ROUND.replace("FACTOR", "li t2, 31"), hashed)
        yield begun("one factor", 0, HASH_ONE_ROUND.replace("FACTOR",
            "la s5, factors; ld t2, 0(s5)"), hashed)
        yield "the last round", replaced(text, "li s4, 8", "li s4, 1").replace("la s5, factors",
            "la s5, factors + 56"), 0
        yield "half of the words", replaced(text, ".equ N, 128", ".equ N, 64"), 0
    elif lab == "07-misses":
        yield "all nodes in a row", swept(text, SWEEP), 4
        yield "all nodes in a row, then the lists", swept(text, BRING + ";" + WALK), 4
        yield "one list", swept(text, ONE_LIST), 0
        yield "the lists by themselves", swept(text, WALK), 4
        yield "a sweep beside the walk", swept(text, "la t3, nodes;" + WALK.replace("706: ",
            "706: " + "".join(f"lbu t5, {64 * k}(t3); " for k in range(5)) + "addi t3, t3, 320; ")), 4
    elif lab == "08-measuring":
        for period, jitter in (479, 0), (601, 0), (727, 0), (491, 2), (480, 20), (496, 16), \
                (499, 10), (500, 8):
            yield f"a period of {period}, jitter {jitter}", planned(text, period, jitter), 6
    elif lab == "09-profile":
        stores = replaced(replaced(text, "pi.0 sd s5", "sd s5"), "pi.0 sd s6", "sd s6")
        yield "one profile instruction", counting(stores, "add {0}, {0}, s7"), 4
        yield "profile instructions that do nothing", counting(stores,
            "add {0}, {0}, s7\n\tpi.0 nop"), 4
        rotated = replaced(stores, "\tsrli t1, t1, 1\n\tj next\n",
            "\tsrli t1, t1, 1\n\tbne t1, t3, next + 4\n\tj done\n")
        rotated = replaced(rotated, "\taddi t1, t1, 1\n\tj next\n", "\taddi t1, t1, 1\n\tj next + 4\n")
        yield "as many instructions as before", counting(rotated, "add {0}, {0}, s7\n\tpi.0 nop"), 4
        rotated = replaced(rotated, "\tli t3, 1\n", "")
        sampled = replaced(counting(rotated, "add {0}, {0}, s9\n\tpi.0 nop", "li t3, 1"), "number:",
            "number:\tcsrr s9, pflags\n")
        yield "the flag read once a number", sampled, 4
        yield "the flag sampled once a number", replaced(sampled, "csrr s9, pflags",
            "li s9, 0\n\tpi.0 li s9, 1"), 4
        yield "profile instructions after the loop", replaced(sampled.replace("\tpi.0 nop", ""),
            "\tla s2, steps\n", "\t.rept 4000\n\tpi.0 nop\n\t.endr\n\tla s2, steps\n"), 4
        yield "the flag sampled each time", counting(rotated,
            "li s9, 0\n\tpi.0 li s9, 1\n\tadd {0}, {0}, s9", "li t3, 1"), 4
        yield "counts added once a number", replaced(replaced(counting(rotated,
            "addi {0}, {0}, 1\n\tpi.0 nop", "li t3, 1"), "number:",
            "number:\tpi.0 sub s8, s8, s5\n\tpi.0 sub s9, s9, s6\n"), "done:",
            "done:\tpi.0 add s8, s8, s5\n\tpi.0 add s9, s9, s6\n").replace("sd s5",
            "pi.0 sd s8").replace("sd s6", "pi.0 sd s9"), 4
        again = re.sub(r"\b(number|next|odd|done)\b", r"\1_2", text[text.index("_start:") + 7:
            text.index("\t.data\n")].replace("pi.0 ", ""))
        plain = text.replace("pi.0 ", "nop # ")
        yield "another program behind one", replaced(replaced(plain, "_start:",
            "_start:\tpi.0 j 701f\n"), "\t.data\n", f"701:{again}\t.data\n"), 4
        yield "one that does nothing", replaced(plain, "_start:", "_start:\tpi.0 nop\n"), 4
    elif lab == "10-coprocessor":
        yield "an engine that stops", stopped(text, "interrupt"), 0
        yield "a routine without an end", stopped(text, "goto stop"), 0
        yield "cheap records", replaced(text, ".on branch: branch\n",
            ".fields div: pc\n.on branch: branch\n.on div: cheap\n").replace(
            "        inc.16 counts[slot].1", "        cmp x0, x0\n" * 3 +
            "        inc.16 counts[slot].1", 1) + "cheap:  done\n", 11
        yield "one count", text[:text.index("branch: match")] + """branch: match slot, pc | if miss goto new
        inc.16 counts[slot].1 | done
new:    free slot
        write cam[slot], pc | write counts[slot], zero
        inc.16 counts[slot].1 | done
""", 4
    elif lab == "11-paths":
        for functions, most in ("?*", 0), ("intern,intern,inter?,intern", 5):
            yield functions, replaced(text, "parse_string,intern,memcpy,allocate", functions), most
    elif lab == "12-profiler":
        for period in 55, 57:
            yield f"each of {period}", replaced(replaced(text, "64, 512", f"{period}, 1"),
                ", init = { 0, 32, 16, 48, 8, 40, 24, 56 }", ""), 1
        yield "messages that stand for 2^62 tuples each", replaced(text, "return pc, value, EVERY",
            "return pc, value, (1 << 62) - 1"), 0
        yield "a table that is not declared", replaced(text, "\t\tlocal i =",
            "\t\tkept[1] = pc\n\t\tlocal i =").replace("return {",
            "local kept = { 0 }\nreturn {", 1), 0
        yield "a local variable that lasts", replaced(text, "\t\tlocal i =",
            "\t\tkept = pc\n\t\tlocal i =").replace("return {", "local kept\nreturn {", 1), 0


def cheats(lab, text):
    """Of each its name, the hand-in, what it may get beside its answers, and whether it is right
    under seed 1."""
    if lab in RESULTS:
        yield "hard-coded", replaced(text, "_start:", hard_coded(lab)), 0, True
        yield "reads the checker", replaced(text, "_start:", READS), 0, False
    elif lab == "04-predictors":
        yield "hard-coded", replaced(text, "\t\tif s.chooser", "\t\tif pc then\n"
            "\t\t\treturn (pc >> 2) * 0x9e3779b97f4a7c15 >> 63 == 1\n\t\tend\n"
            "\t\tif s.chooser"), 0, False
        yield "reads the checker", READS_LUA + text, 0, False
    elif lab == "08-measuring":
        # A plan is two numbers; a periodic one resonates with some loops.
        yield "hard-coded", planned(text, 481, 0), 6, False
        yield "reads the checker", replaced(text, "period 300", "period ../../lab/check.lua"), 0, \
            False
    elif lab == "10-coprocessor":
        yield "hard-coded", hard_coded_microprogram(text), 0, False
        yield "reads the checker", replaced(text, ".fields",
            '.include "../../lab/check.lua"\n.fields'), 0, False
    elif lab == "11-paths":
        # Any choice is right for the document of the steps.
        old = "functions parse_string,intern,memcpy,allocate"
        yield "hard-coded", replaced(text, old, "functions parse_string,intern,parse_number"), 10, \
            False
        yield "reads the checker", replaced(text, old, "functions ../../lab/check.lua"), 0, False
    elif lab == "12-profiler":
        yield "hard-coded", hard_coded_profiler(text), 0, True
        yield "reads the checker", READS_LUA + text, 0, False
    for name, content, most in evading(lab, text):
        yield name, content, most, False
