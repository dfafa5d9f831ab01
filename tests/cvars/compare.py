#!/usr/bin/env python3
"""compare.py CYCLOPS PROGRAM GDB_OUTPUT EACH: all variables of all calls, as gdb had them and as
cyclops has them at the same instructions, EACH instructions apart.

Prints the first differences and, last, how many there were.
"""
import re
import struct
import subprocess
import sys

cyclops, program, gdb_output, each = sys.argv[1:5]


def read_gdb(path):
    """[(pc, {level: [(name, value)]})] and sp where comparing begins."""
    stops = []
    level = None
    for line in open(path, encoding="latin-1"):
        line = line.rstrip("\n")
        if line.startswith("STOP "):
            stops.append((int(line[5:], 16), {}))
        elif line.startswith("SP "):
            sp = int(line[3:], 16)
        elif line.startswith("FRAME "):
            level = int(line.split()[1])
        elif line.startswith("SKIP "):
            stops[-1][1].setdefault(level, []).append((line[5:], None))
        elif line.startswith(("ARG ", "LOCAL ")):
            name, value = line.split(" ", 1)[1].split(" = ", 1)
            stops[-1][1].setdefault(level, []).append((name, value))
    return stops, sp


def read_cyclops(stops):
    commands = ["tbreak *begin", "continue", "p/x sp"]
    for _, frames in stops:
        commands.append("echo STOP")
        commands.append("p/x pc")
        for level in sorted(frames):
            commands += [f"echo FRAME {level}", f"frame {level}", "info args", "info locals"]
        commands += ["echo MOVE", f"stepi {each}"]
    got = subprocess.run([cyclops, "--no-init", "--batch", "-x",
        "/dev/stdin", program],
                         input="\n".join(commands), capture_output=True, encoding="latin-1",
                             check=False)
    if got.returncode:
        sys.exit("cyclops: " + got.stderr)
    result, level = [], None
    for line in got.stdout.split("\n"):
        if line == "STOP":
            result.append([None, {}])
            level = None
        elif line == "MOVE":
            level = None
        elif line.startswith("FRAME "):
            level = int(line[6:])
        elif line.startswith("sp = "):
            sp = int(line[5:], 16)
        elif line.startswith("pc = "):
            result[-1][0] = int(line[5:], 16)
        elif level is not None and re.match(r"^\w+ = ", line):
            name, value = line.split(" = ", 1)
            result[-1][1].setdefault(level, []).append(
                (name, value.replace("  (hidden by an inner one)", "")))
    return result, sp


def told(text, so_far=[0]):
    so_far[0] += 1
    if so_far[0] <= 12:
        print(text)


def number(text):
    """A double unchanged; a number with the digits of a float rounded to one, since gdb prints
    floats with more digits than they have."""
    v = float(text)
    if len(re.sub(r"e.*|[^0-9]", "", repr(v)).lstrip("0")) > 9 or abs(v) > 3e38:
        return repr(v)
    return "%.9g" % struct.unpack("f", struct.pack("f", v))[0]


def plain(value, shift):
    """The common meaning: addresses of the stack from one place on, floating point as numbers, and
    how
    a string's end is shown."""
    def address(m):
        v = int(m.group(0), 16)
        return hex(v + shift) if abs(v - their_sp) < 1 << 20 else hex(v)
    value = value.replace("optimized", "optimised").replace("<synthetic pointer>",
        "<optimised out>")
    value = re.sub(r"<error: Cannot access memory.*?>", "<not mapped>", value)
    value = re.sub(r"(0x[0-9a-f]+) <not mapped>", r"\1", value)
    value = re.sub(r"^\(.*\) <optimised out>$", "<optimised out>", value)
    value = re.sub(r"\", '\\000' <repeats \d+ times>", '"', value)
    value = re.sub(r"'\\000' <repeats \d+ times>", '""', value)
    value = re.sub(r'(\\000)+"', '"', value)
    value = re.sub(r"0x[0-9a-f]{9,}", address, value)
    value = re.sub(r"(?<!\w)-?(\d+\.\d+(e[+-]?\d+)?|\d+e[+-]?\d+)(?!\w)",
        lambda m: number(m.group(0)), value)
    return value if re.search(r"[^{}, ]", re.sub(r"<optimised out>|<repeats \d+ times>|\w+ =", "",
        value)) else "<optimised out>"


theirs, their_sp = read_gdb(gdb_output)
ours, our_sp = read_cyclops(theirs)
values = gone = wrong = more = 0
# Distance of the two stacks.
shift = our_sp - their_sp
for (pc, frames), (at, have) in zip(theirs, ours):
    if pc != at:
        sys.exit(f"not at the same place: gdb {pc:x}, cyclops {at:x}")
    for level, expected in frames.items():
        left = {}
        for name, value in have.get(level, []):
            left.setdefault(name, []).append(value)
        for name, value in expected:
            mine = left.get(name, [])
            got = mine.pop(0) if mine else "<optimised out>"
            if value is None:
                continue
            theirs, got = plain(value, shift), plain(got, 0)
            # gdb has its own errors for variables without a value yet.
            if theirs.startswith(("<error", "<not mapped>")):
                continue
            values += 1
            gone += theirs == "<optimised out>"
            if theirs != got:
                wrong += 1
                at = next((i for i, (a, b) in enumerate(zip(theirs, got)) if a != b), 0)
                at = max(0, at - 20)
                told(f"0x{pc:x} #{level} {name}: gdb: {theirs[at:at + 90]}; cyclops: "
                    f"{got[at:at + 90]}")
        for name, rest in left.items():
            for value in rest:
                more += plain(value, 0) != "<optimised out>"
print(f"{len(ours)} stops, {values} values, {gone} optimised out, {more} that gdb doesn't list, "
    f"{wrong} differences")
