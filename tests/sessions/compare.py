#!/usr/bin/env python3
"""compare.py FOLDER prepare|compare|stub: output of gdb and cyclops for the same sessions.

prepare: writes commands for cyclops (FOLDER/commands): the sessions, without what gdb could
not do because a call has no caller.
compare: prints each difference that is not among the known ones, how many of these there were by
their reason, and totals.
stub: compares gdb's output on two stubs, FOLDER/theirs and FOLDER/stub."""
import json
import re
import struct
import sys

folder, what = sys.argv[1:3]
sessions = json.load(open(f"{folder}/sessions", encoding="utf-8"))
theirs = [json.loads(line) for line in open(f"{folder}/theirs", encoding="utf-8")]

MOVES = re.compile(r"(reverse-)?(next|step|finish|continue|until|advance|nexti|stepi)\b")
CALLS = re.compile(r"print \w+(::\S+)?\(-?\d+, ")
INLINED_OUT = "inlined"  # after reverse-finish
CALLED = "called"  # a function was called by hand before
UNSET = "unset"  # of_unset() compares
ENTRY_VALUES = "entry"  # of_callers() compares
LESS_FRAMES = "frames"  # without_tail_calls() compares
# Intended differences: a pattern of the command, gdb's output, cyclops's, and why.
# docs/expressions.md explains each.
KNOWN = [
    (r".", r"^(Initial frame selected|Bottom \(innermost\)|No frame at level|\"finish\" not "
        r"meaningful|Up level|The program is not being run)", r"", "gdb's frames end at main"),
    (r"\bvalues\b", r"No symbol \"values\"", r"", "a word of the inspector"),
    (r"&&|\|\||\?",
        r"^error: (value has been optimized out|Integer-only operation|Cannot access memory)", r"",
        "what need not be evaluated is not looked at"),
    (r"^print", r"^Python Exception <class 'gdb.error'>: value has been optimi[sz]ed out",
        r"optimised out", "a container that lacks something is told member by member"),
    (r"^set var", r"^{\"text\": \"\"", r"is optimised out here|no place that could be set",
        "what is optimised out can't be set, which gdb tells nobody"),
    (r"^print .*=", r"<optimi[sz]ed out>", r"is optimised out here|no place that could be set",
        "what is optimised out can't be set, which gdb tells nobody"),
    (r"^print", r"^\(.*&\) <optimi[sz]ed out>", r"^<optimised out>$",
        "of a reference that is optimised out no value is told"),
    (r"^print(/\w)? \*", r"^error: value has been optimi[sz]ed out", r"optimised out",
        "what is optimised out is told, and no error"),
    (r"^backtrace", r"'mul', 44, 'a=-?\d+, b=-?\d+'", r"'mul', 44, 'a=-?\d+, b=<optimised out>'",
        "a place that is an empty range of code, at a function's entry, is not read"),
    (r"^print", r"^error: No frame is currently executing in block", r"",
        "variables of a function are told whichever frame is selected"),
    (r"^print/[tod] this$", r"^[0-9]{11,}$", r"^[0-9]{11,}$",
        "where the stack is differs, and only hexadecimal addresses are moved"),
    (r"^print(/\w)? run::", r"<optimi[sz]ed out>", r"run isn't called here",
        "variables of a function are told whichever frame is selected"),
    (r"^print", r"^8[34]\d{5}$", r"^-\d{1,4}$",
        "a variable that has no value yet holds half an address of the stack"),
    (r"^(advance|until) .", r" here$", r"",
        "whether an inlined function that begins at the place is entered"),
    (r"^backtrace", r"", LESS_FRAMES, "calls that ended in a jump to the next have no frames"),
    (r"^backtrace", r"=<optimi[sz]ed out>", ENTRY_VALUES,
        "a value at the function's entry that the call's debug information has"),
    (r"^print [a-z]\w*$", r"^<optimi[sz]ed out>$", r"^-?\d+$",
        "a value at the function's entry that the call's debug information has"),
    (r"^print .*<int>$", r"^error: No symbol \"twice<int>\"", r"optimised out",
        "a function that is inlined everywhere is optimised out, not unknown"),
    (r"&&|\|\|", r"= true", r"optimised out here",
        "a reference that is optimised out is true to gdb"),
    (r".", r"^\['\?', 0\]|'pc': None", r"^exits nil", "a fault ends the program here"),
    (r"^(print|whatis)", r"<error reading variable: Cannot access memory",
        r"<error: Cannot access memory", "where a reference leads nowhere, its address is told"),
    (r"^print", r"Cannot access memory at address 0x10$|with -[0-9]+ elements", r"list = |deque",
        "a container that the program has not made yet is empty"),
    (r"^(print(/\w)?|whatis|ptype) &", r"<optimized out>|type = ",
        r"is optimised out here|has no address",
        "what has no address has none to show, nor its type"),
    (r"^return", r"Can not force return from an inlined", r"^Left ",
        "of a function with an inlined one inside, the frame can be selected and left"),
    (r"^(next|step)", r"Cannot find bounds of current function", r"",
        "where there are no lines, a step ends with the function"),
    (r"^(print|set)", r"", r"is in register \w+ of an outer frame|registers are set in the innermost",
        "registers of outer frames are not set"),
    (r"^(backtrace|print (a|b|s\.a|v\d|i\d|\*?p.*))$", r"", UNSET,
        "a variable that has no value yet holds what was on the stack"),
    (r"^(reverse-(next|nexti|step|finish)|print/x \$pc|advance .*)$", r"", CALLED,
        "a call by an expression is passed over as a change; gdb goes into what it executed"),
    (r"^print/x \$pc$", r"", INLINED_OUT,
        "reverse-finish out of an inlined function ends at its call, not at that line's beginning"),
    (r"^print \$sp - \$fp", r"", CALLED, "where the stack of a call by the debugger begins"),
    (r"^(print|whatis|x/)", r"has unknown type; cast it", r"",
        "a symbol without debug information is its address"),
]


def of_callers(gdb, ours):
    """True if they differ only in arguments that only ours has: values at entry."""
    return re.fullmatch(re.escape(gdb).replace(re.escape("<optimised out>"), "[^']+"), ours)


def without_tail_calls(gdb, ours):
    """True if gdb has more calls, which it finds by the debug information of calls."""
    theirs = iter(re.findall(r"\['.*?'(?:\], |\]\])", gdb))
    mine = re.findall(r"\['.*?'(?:\], |\]\])", ours)
    return len(mine) > 0 and gdb.count("['") > len(mine) and all(m in theirs for m in mine)


def of_unset(said, gdb, ours):
    """True if they differ in the innermost call's arguments alone, where a step by instructions
    ended: perhaps before these are stored."""
    moves = [c for c in said if MOVES.match(c)]
    if not moves or not re.search("stepi|nexti|reverse-step", moves[-1]):
        return False
    first = re.compile(r"^(.*?\[[^\[\]]*\d+, )(\[.*?\]|'.*?'|\".*?\")")
    return said[-1] != "backtrace" or first.sub(r"\1", gdb, count=1) == first.sub(r"\1", ours, count=1)


def excuses(rule, said, gdb, ours):
    """True if the rule of KNOWN has this output of ours."""
    special = {ENTRY_VALUES: of_callers, LESS_FRAMES: without_tail_calls}.get(rule)
    if special:
        return special(gdb, ours)
    if rule is INLINED_OUT:
        moves = [c for c in said if MOVES.match(c)]
        return moves and moves[-1] == "reverse-finish"
    if rule is CALLED:
        return any(CALLS.match(c) for c in said)
    return of_unset(said, gdb, ours) if rule is UNSET else re.search(rule, ours)


def skipped(answer):
    return "error" in answer and re.match(
        r"Initial frame selected|Bottom \(innermost\)|No frame at level|\"finish\" not "
        r"meaningful|The program is not",
                                          answer["error"])


if what == "prepare":
    with open(f"{folder}/commands", "w", encoding="utf-8") as f:
        for commands, result in zip(sessions, theirs):
            f.write("SESSION\n")
            for i, (command, answer) in enumerate(zip(commands, result["answers"])):
                if not skipped(answer):
                    f.write(command + "\n")
                if i == 1:
                    f.write("SP\n")
    sys.exit()



def unquoted(text):
    return re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), text)


def on_stack(text, sp):
    """Numbers near the stack pointer, from there on."""
    return re.sub(r"\b(0x[0-9a-f]{9,}|\d{12,})\b", lambda m: f"sp{int(m.group(0), 0) - sp:+}"
        if abs(int(m.group(0), 0) - sp) < 1 << 20 else m.group(0), text)


if what == "stub":
    checked = wrong = 0
    stubs = [json.loads(line) for line in open(f"{folder}/stub", encoding="utf-8")]
    for number, (commands, result, have) in enumerate(zip(sessions, theirs, stubs)):
        for i, (command, a, b) in enumerate(zip(commands, result["answers"], have["answers"])):
            if "begin" in a:
                break
            checked += 1
            a, b = on_stack(json.dumps(a), result["sp"] or 0), on_stack(json.dumps(b), have["sp"] or 0)
            if a == b or (command.startswith(("print", "backtrace")) and
                    of_unset(commands[:i + 1], a, b)):
                continue
            wrong += 1
            print(f"session {number}: {'; '.join(commands[:i + 1])}\n    record: {a}\n    "
                f"cyclops: {b}")
            break
    print(f"{len(sessions)} sessions, {checked} answers, {wrong} differences")
    sys.exit()

ours = []
for line in open(f"{folder}/ours", encoding="latin-1"):
    kind, _, rest = line.rstrip("\n").partition(" ")
    if kind == "SESSION":
        ours.append({"sp": None, "answers": []})
    elif kind == "SP":
        ours[-1]["sp"] = int(rest)
    elif kind in ("OK", "ERROR"):
        ours[-1]["answers"].append({"ok": kind == "OK", "text": unquoted(rest)})
    elif kind == "STOP":
        reason, pc, _ = rest.split()
        ours[-1]["answers"][-1]["stop"] = (reason, int(pc))
    elif kind == "AT":
        ours[-1]["answers"][-1]["at"] = unquoted(rest)
    elif kind == "OVER":
        ours[-1]["answers"][-1]["over"] = rest


def plain(text, sp, shift):
    """Addresses of the stack from one place on; the messages of each for failures."""
    def address(m):
        v = int(m.group(0), 0)
        return hex(v + shift) if abs(v - sp) < 1 << 20 else hex(v)
    text = text.replace("optimized out", "optimised out").replace("<synthetic pointer>",
        "<optimised out>")
    text = re.sub(r"0x[0-9a-f]{9,}", address, text)
    text = re.sub(r"^\d{12,}$", lambda m: str(int(address(m), 16)), text)
    # The system chooses the heap's beginning.
    text = re.sub(r"get\(\) = 0x[1-9a-f][0-9a-f]*", "get() = 0xHEAP", text)
    # Of one place with two symbols, either.
    text = re.sub(r"<(\w+)\.\d+(\+\d+)?>", r"<\1\2>", text)
    return re.sub(r"warning: .*\n", "", text).strip()


def value_of(command, text, is_gdb):
    text = re.sub(r"^warning: .*\n", "", text)
    if command.startswith(("print", "set")):
        text = text.removeprefix(re.sub(r"^print(/\w| -elements \d+ --)? *", "", command) + " = ")
        text = re.sub(r"^(Later cycles of the recording are dropped\n)?\$\d+ = ", "", text)
        # Ours shows machine words in both bases.
        return text if is_gdb else re.sub(r" \(0x[0-9a-f]+\)$", "", text.split("\n  #")[0])
    if command.startswith("x/"):
        return re.sub(r"^(0x[0-9a-f]+)( <[^>]*>)?:", r"\1:", text, flags=re.M)
    return text


def short(function):
    # gdb prints a lambda's function without its enclosing scope.
    return re.sub(r"\.(constprop|isra|part|cold)\.\d+|^.*::\{lambda.*\}::", "", function)


# A function's name; arguments of templates have spaces, too.
NAME = r"((?:[^ <]|<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)+?|.+?)"


def place(text):
    m = re.search(r"0x[0-9a-f]+ " + NAME + r"(\+0x[0-9a-f]+)?( \(.*\))?( at \S+:(\d+))?\\?$",
        text.split("\n")[0])
    return [short(m.group(1)), int(m.group(5) or 0)] if m else text


def frames(text):
    found = []
    for line in text.strip().split("\n"):
        m = re.match(r"[ =>]*#\d+ +0x[0-9a-f]+ " + NAME + r"(\+0x[0-9a-f]+)?( \((.*)\))?"
            r"( at \S+:(\d+))?$", line)
        if not m:
            found.append(line)
            continue
        found.append([short(m.group(1)), int(m.group(6) or 0), m.group(4) or ""])
        if m.group(1) == "main":
            break
    return found


def differs(command, a, b, theirs_sp, ours_sp):
    """None, or (gdb's output, cyclops's output)."""
    shift = ours_sp - theirs_sp if ours_sp and theirs_sp else 0
    if "over" in a:
        return None if str(a["over"]) == b.get("over") else (f"exits {a['over']}", str(b))
    if "over" in b:
        return str(a), f"exits {b['over']}"
    if "error" in a:
        return None if not b["ok"] else ("error: " + a["error"], b["text"].strip())
    if not b["ok"] and re.match(r"Function \".*\" not defined\.$|No line \d+ in",
            a.get("text", "")):
        return None
    if not b["ok"] and command.startswith("x/") and "Cannot access memory" in a.get("text", ""):
        return None
    if not b["ok"]:
        return json.dumps(a), "error: " + b["text"]
    if "at" in a:
        want, got = [short(a["at"][0]), a["at"][1]], place(b.get("at", ""))
        # Aliases of code without lines.
        if want != got and (want[1] or got[1:2] != [0]):
            same = f" {a.get('place', 0):#x} " in b.get("at", "")
            return str(want) + " here" * same, str(got)
        if a.get("pc") and "stop" in b and b["stop"][0] == "stop point" and a["pc"] != b["stop"][1]:
            return f"stops at {a['pc']:x}", f"stops at {b['stop'][1]:x}"
        return None
    if "calls" in a:
        want = [[short(f), line, plain(", ".join(args), theirs_sp or 0, shift)] for f, line,
            args in a["calls"] if line]
        got = [f if isinstance(f, str) else [f[0], f[1], plain(f[2], 0, 0)]
            for f in frames(b["text"]) if isinstance(f, str) or f[1]]
        return None if want == got else (str(want), str(got))
    if command.startswith(("break", "tbreak", "delete", "set", "return")):
        return None
    if "<error: Cannot access memory" in a["text"] and command.startswith("x/"):
        return ("cannot read", b["text"]) if "Cannot access memory" not in b["text"] else None
    want = plain(value_of(command, a["text"], True), theirs_sp or 0, shift)
    got = plain(value_of(command, b["text"], False), 0, 0)
    return None if want == got else (want, got)


checked = wrong = 0
known = {}
for number, (commands, result, have) in enumerate(zip(sessions, theirs, ours)):
    mine = iter(have["answers"])
    said = []
    for command, a in zip(commands, result["answers"]):
        said.append(command)
        if skipped(a):
            continue
        if "begin" in a:
            break
        b = next(mine, None)
        if b is None:
            break
        checked += 1
        d = differs(command, a, b, result["sp"], have["sp"])
        if d is None:
            if "over" in a:
                break
            continue
        reason = next((why for c, w, g, why in KNOWN if re.search(c, command)
            and re.search(w, d[0]) and excuses(g, said, *d)), None)
        if reason:
            known[reason] = known.get(reason, 0) + 1
            if reason == "a word of the inspector" or re.search("address|selected", reason):
                break  # the histories differ
        else:
            wrong += 1
            if wrong <= 40:
                print(f"session {number}: {'; '.join(said)}\n    gdb:     {d[0][:300]}\n    "
                    f"cyclops: {d[1][:300]}")
        # At different places the following answers cannot be compared.
        if "at" in a or command == "print/x $pc" or "over" in a or "over" in b:
            break
for reason, n in sorted(known.items()):
    print(f"{n} known: {reason}")
print(f"{len(sessions)} sessions, {checked} answers, {sum(known.values())} known differences, "
    f"{wrong} differences")
