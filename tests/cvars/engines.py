#!/usr/bin/env python3
"""engines.py PROGRAM LINE FOLDER: one table of expressions, each of which every engine computes:
gdb, print, output, printf, display, set, break if, watch, Lua's m:eval and an editor's evaluate.
All answers must be the same, and gdb's.

LINE is where the program stops, in the third call of push(). CYCLOPS is the program. Files are
written into FOLDER."""
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, "tests/dap")
import kit

program, line = os.path.abspath(sys.argv[1]), sys.argv[2]
cyclops = os.environ["CYCLOPS"]

# Scalars, which any engine takes.
SCALARS = """v
v + w
v * w - k
-v / 2
v % 2
v << 3
1 << 20
w >> 1
~v
!v
!!v
v == 2
v > 1 && w > 3
v > 5 || w == 4
v > 5 ? v : w
5/2
5/2.0
-7 % 3
6 & 3 == 2
(6 & 3) == 2
7 ^ 2 | 8
0x10 + 010
'a'
'a' + 1
(char)65
(short)70000
(unsigned char)-1
(unsigned)-1
(long)-1
(int)2.9
(double)v / 4
sizeof(struct node)
sizeof table / sizeof table[0]
sizeof(int *)
sizeof "abc"
table[v]
table[1] + table[2]
*table
*(table + 3)
matrix[1][2]
bytes[0]
bytes[0] + 1
head->at.x
head->next->at.y
(*head).at.y
head->colour
head->next->colour
head->next->colour == GREEN
BLUE + 1
head->bit
head->next->flag
head->u.i
head->next->u.f
head->c
head->next->d
head->d * 2
head == &two
head->next != &one
!head->next->next
total
'engines.c'::total
push::k
big
big >> 38
small
small + half
half / 3
yes
many
many + 1
text[1]
*text
&table[3] - table
(long)&table[2] - (long)table
*(short *)&many
!head->next->next || *(int *)head->next->next
{int}&table[4]
$_streq(head->name, "two")
$_streq(head->name, head->next->name)
$_streq(text, "hello") + 1
$_streq(text, "hello!")
$_strlen(head->next->name)
$_strlen("four")
$_memeq(&table[0], table, 8)
$_memeq(&table[0], &table[1], 8)
$_memeq(table,table+0,100)
rob.count >= 0
$a0 == $a0
main::argc""".split("\n")
# Our words, and registers: their comparisons give true, not 1.
OURS = {"rob.count >= 0", "$a0 == $a0"}
# Whole values, for engines that print values.
WHOLES = """*head
head
head->name
head->next->name
*head->next
table
*table@3
table[1]@2
table[0]@v+1
matrix
matrix[1]
text
bytes
&table
&table[1]
&head->at
&main
main
call
*call
head->at
head->u
(struct point *)&head->at
{struct point}&head->at
(enum colour)5
(enum colour)3
&matrix
"abc"
(char *)text
&text
&many""".split("\n")
WHOLES += ["/x " + e for e in ("v", "table", "*head", "head->c", "-1", "(short)-1", "half")]
WHOLES += ["/d 'a'", "/t 10", "/o 8", "/c 65", "/u -1", "/a &main", "/z v", "/f half",
    "/x bytes"]


# Commands with gdb's whole answer.
COMMANDS = r"""ptype/o struct node
ptype/o struct point
ptype/o int
ptype struct node
whatis "abc"
whatis *(int *)0 && table[0]
printf "%d %s|%5d|%-4d|%x|%c|%lu|%p|%%\n", v, head->name, v, w, 255, 65, 10, head
printf "%s %s %f %g %.2e %5.1f\n", text, "lit", half, half, half, 1.25
printf "%lld %#x %05d %+d %u\n", big, v, v, v, -1
printf "no end of a line"
printf "%c%c\n", 'a', text[0]
echo a\tb \"c\"\n
call v + w
call (void)0
x/tw table
x/2tb bytes
x/2fw &small
x/f &half
x/4zw table
x/3c text
x/4c bytes
x/3dw table
output $__
output (long)$_ - (long)table
print -repeats 1 -- table
print -union off -- *head
print -union off -- head->u
info address main
info address table""".split("\n")


def gdb_answers(folder):
    commands = ["set width 0", "set print address on", "file " + program,
        "target remote | %s gdb -o pipe.commit_width=1 - %s" % (cyclops, program),
        "tbreak engines.c:%s if v == 2" % line, "continue"]
    script = "\n".join(commands) + "\npython\nimport json\nout = []\n"
    values = [e for e in SCALARS if e not in OURS] + WHOLES
    script += "for e in json.loads(%r):\n" % json.dumps(
        ["output" + ("" if e[0] == "/" else " ") + e for e in values] + COMMANDS)
    script += ("    try:\n"
        "        out.append(gdb.execute(e, to_string=True))\n"
        "    except gdb.error as err:\n        out.append('ERROR ' + str(err))\n"
        "print('JSON' + json.dumps(out))\nend\n")
    with open(folder + "/asks.gdb", "w", encoding="utf-8") as out:
        out.write(script)
    said = subprocess.run(["gdb-multiarch", "-nx", "-batch", "-x", folder + "/asks.gdb"],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300)
    found = re.search(r"^JSON(.*)$", said.stdout, re.M)
    if not found:
        kit.check("gdb", False, said.stdout + said.stderr)
        kit.finish()
    return dict(zip(values + COMMANDS, json.loads(found[1])))


def number(text):
    """A scalar as gdb writes it: 65 'A', GREEN, true, 1.5, -3. None: it has no plain number."""
    names = {"RED": 0, "GREEN": 5, "BLUE": 6, "true": 1, "false": 0}
    text = re.sub(r" '.*'$", "", text)
    return names[text] if text in names else float(text)


LUA = """
local program, asked = ...
local m = cyclops.machine{program = program, config = {["pipe.commit_width"] = 1}}
m:cmd "tbreak engines.c:LINE if v == 2"
m:cmd "continue"
local function say(kind, e, ok, text)
	text = (ok and "" or "ERROR ") .. tostring(text):gsub("\\n*$", "")
	print(kind .. "\\t" .. e .. "\\t" .. text)
end
for line in io.lines(asked) do
	local scalar, e = line:match "^(.)(.*)$"
	if scalar == "C" then
		local ok, text = pcall(m.cmd, m, e)
		say("command", e, ok, text)
		goto next
	end
	local with = e:sub(1, 1) == "/" and e or " " .. e
	local plain = e:gsub("^/. ", "")
	for _, kind in ipairs{"print", "output", "display"} do
		local ok, text = pcall(m.cmd, m, kind .. with)
		say(kind, e, ok, text)
	end
	m:cmd "undisplay"
	m:cmd("set $r = " .. (scalar == "S" and e or "0"))
	if scalar == "S" then
		local kinds = {
			set = "output $r", printf = 'printf "%.17g", ' .. e,
		}
		for kind, command in pairs(kinds) do
			local ok, text = pcall(m.cmd, m, command)
			say(kind, e, ok, text)
		end
		local ok, value = pcall(m.eval, m, e)
		say("eval", e, ok, math.type(value) == "float" and ("%.17g"):format(value) or value)
	end
	::next::
end
"""
CONDITION = """
local program, asked = ...
-- `break if` and `watch` compute the same where the value is what it should be, and nowhere else:
-- mark becomes 2 where it was 1.
for line in io.lines(asked) do
	local e, value = line:match "^(.-)\\t(.*)$"
	local m = cyclops.machine{program = program, config = {["pipe.commit_width"] = 1}}
	m:cmd("break engines.c:LINE if v == 2 && (" .. e .. ") == " .. value)
	m:cmd "continue"
	print("break\\t" .. e .. "\\t" .. tostring(m.status == "running" and m:eval "v" == 2))
	m = cyclops.machine{program = program, config = {["pipe.commit_width"] = 1}}
	m:cmd "tbreak engines.c:LINE if v == 2"
	m:cmd "continue"
	m:cmd("watch ((" .. e .. ") == " .. value .. ") * mark")
	print("watch\\t" .. e .. "\\t" .. tostring(m:cmd "continue":match " 1 %-> 2," ~= nil))
end
"""


def lua(script, asked, name):
    for path, text in ((name + ".lua", script.replace("LINE", line)), (name + ".asked", asked)):
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
    said = subprocess.run([cyclops, "lua", name + ".lua", program, name + ".asked"],
        capture_output=True, text=True, timeout=600)
    kit.check("Lua", said.returncode == 0, said.stderr)
    rows = {}
    for row in re.findall(r"^(\w+)\t([^\t\n]*)\t((?:(?!^\w+\t).*\n?)*)", said.stdout, re.M):
        rows[row[0], row[1]] = row[2].rstrip("\n")
    return rows


def main(folder):
    gdb = gdb_answers(folder)
    asked = "".join("S%s\n" % e for e in SCALARS) + "".join("W%s\n" % e for e in WHOLES)
    asked += "".join("C%s\n" % e for e in COMMANDS)
    ours = lua(LUA, asked, folder + "/values")
    for e in SCALARS + WHOLES:
        shown = ours["output", e]
        if e not in OURS:
            kit.equal("output %s is gdb's" % e, shown, gdb[e])
            kit.equal("print %s" % e, re.sub(r"\n  #.*", "", ours["print", e]).split(" = ", 1)[-1],
                shown)
            kit.equal("display %s" % e, re.sub(r"\n  #.*", "", ours["display", e]),
                "%s: %s = %s" % (ours["display", e].split(":")[0], e, shown))
    for e in SCALARS:
        value = 1.0 if e in OURS else number(ours["output", e])
        kit.equal("printf %s" % e, float(ours["printf", e]), value)
        said = {"true": 1.0, "false": 0.0}.get(ours["eval", e])
        kit.equal("m:eval %s" % e, float(ours["eval", e]) if said is None else said, value)
        kit.equal("set $r = %s" % e, number(ours["set", e]), value)
    for e in COMMANDS:
        kit.equal(e, re.sub(r"(?m)^\$\d+ = ", "", ours["command", e]),
            re.sub(r"(?m)^\$\d+ = ", "", gdb[e].rstrip("\n")))
    conditions = "".join("%s\t%s\n" % (e, ours["printf", e]) for e in SCALARS)
    wrong = "".join("%s\t(%s) + 1\n" % (e, ours["printf", e]) for e in SCALARS)
    right, other = lua(CONDITION, conditions, folder + "/right"), lua(CONDITION, wrong,
        folder + "/wrong")
    for e in SCALARS:
        kit.equal("break if (%s) == %s" % (e, ours["printf", e]), right["break", e], "true")
        kit.equal("and not if it is one more", other["break", e], "false")
        kit.equal("watch (%s) == %s" % (e, ours["printf", e]), right["watch", e], "true")
        kit.equal("and not of one more", other["watch", e], "false")
    client = kit.Client()
    client.launch(program=program, before=lambda c: c.body("setBreakpoints",
        source={"path": os.path.abspath("tests/cvars/engines.c")},
        breakpoints=[{"line": int(line), "condition": "v == 2"}]))
    client.stop = client.event("stopped")
    for e in SCALARS + [e for e in WHOLES if e[0] != "/"]:
        if e not in OURS:
            kit.equal("an editor's %s" % e, client.value(e), gdb[e])
    client.close()


main(sys.argv[3])
kit.finish()
