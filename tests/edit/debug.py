#!/usr/bin/env python3
"""Compares debug information of a program and of the same laid out again.

  debug.py OLD NEW

At each instruction, old and new, the source line and the unwind rule are the same: those that
objdump and readelf print of .debug_line, .eh_frame and .debug_frame. The new file has each
instruction's new place (.cyclops.map). Each function's debug information covers its new code."""
import bisect
import re
import struct
import subprocess
import sys

TOOLS = "riscv64-linux-gnu-"


def tool(*command):
    return subprocess.run([TOOLS + command[0], *command[1:]], capture_output=True, text=True,
        check=True).stdout.splitlines()


def read_map(path):
    """Pairs of addresses: old, new."""
    data = open(path, "rb").read()
    shoff, shnum, strndx = struct.unpack_from("<Q", data, 0x28)[0], *struct.unpack_from("<HH", data,
        0x3C)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, shoff + 64 * i) for i in range(shnum)]
    for name, _, _, _, offset, size, *_ in heads:
        at = heads[strndx][4] + name
        if data[at:data.index(0, at)] == b".cyclops.map":
            text = struct.unpack_from("<Q", data, offset)[0]
            words = struct.unpack_from(f"<{size // 4 - 2}I", data, offset + 8)
            return [(words[k + 1], text + words[k]) for k in range(0, len(words), 2)]
    sys.exit(f"{path} has no .cyclops.map")


class Ranges:
    """Values by range of addresses: a list of (begin, end, value)."""

    def __init__(self, ranges):
        self.all = sorted(ranges, key=lambda r: r[:2])
        self.begins = [r[0] for r in self.all]

    def at(self, addr):
        i = bisect.bisect_right(self.begins, addr) - 1
        return self.all[i][2] if i >= 0 and addr < self.all[i][1] else None


def lines(path):
    ranges, last = [], None
    for text in tool("objdump", "--dwarf=decodedline", path):
        m = re.match(r"(\S+)\s+(\d+|-)\s+0x([0-9a-f]+)", text)
        if not m:
            continue
        addr = int(m[3], 16)
        if last and addr > last[0]:
            ranges.append((last[0], addr, last[1]))
        last = None if m[2] == "-" else (addr, (m[1], m[2]))
    return Ranges(ranges)


def frames(path, section):
    """Rules by address: the CFA's and each register's."""
    ranges, rows, end, columns = [], [], 0, []

    def finish():
        for k, (addr, what) in enumerate(rows):
            upto = rows[k + 1][0] if k + 1 < len(rows) else end
            if upto > addr:
                ranges.append((addr, upto, what))

    for text in tool("readelf", "--debug-dump=frames-interp", path):
        if text.startswith("Contents of the "):
            wanted = section in text
        m = re.match(r"\S+ \S+ \S+ (CIE|FDE)(.*pc=([0-9a-f]+)\.\.([0-9a-f]+))?", text)
        if m:
            finish()
            rows, end = [], int(m[4], 16) if m[4] and wanted else 0
            if end:
                rows = [(int(m[3], 16), ("sp+0", ()))]
        elif text.lstrip().startswith("LOC"):
            columns = text.split()[2:]
        elif end and (m := re.match(r"([0-9a-f]{16}) (\S+)\s*(.*)", text)):
            rules = {c: r for c, r in zip(columns, m[3].split()) if r != "u"}
            rows.append((int(m[1], 16), (m[2], tuple(sorted(rules.items())))))
    finish()
    return Ranges(ranges)


def ranges_of_functions(path):
    """Name, begin and end of each function of the debug information."""
    out, name, low = {}, None, None
    inside = False
    for text in tool("readelf", "--debug-dump=info", "-W", path):
        if m := re.match(r" <\w+><\w+>: Abbrev Number: \d+ \((\w+)\)", text):
            inside, name, low = m[1] == "DW_TAG_subprogram", None, None
        elif not inside:
            continue
        elif m := re.search(r"DW_AT_name\s*:\s*(?:\(.*\): )?(\S+)", text):
            name = m[1]
        elif m := re.search(r"DW_AT_low_pc\s*: .*0x([0-9a-f]+)", text):
            low = int(m[1], 16)
        elif (m := re.search(r"DW_AT_high_pc\s*: .*0x([0-9a-f]+)", text)) and low is not None:
            size = int(m[1], 16)
            out[name, len([k for k in out if k[0] == name])] = (low, size if size > low else low
                + size)
    return out


def compare(what, old, new, pairs):
    known = wrong = 0
    for was, now in pairs:
        a, b = old.at(was), new.at(now)
        known += a is not None
        if a != b:
            wrong += 1
            if wrong <= 5:
                print(f"{what}: 0x{was:x} has {a}, but now, at 0x{now:x}, {b}")
    print(f"{what}: {known} of {len(pairs)} instructions have one, {wrong} another")
    return wrong == 0 and known > 0


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: debug.py OLD NEW")
    old, new = sys.argv[1:]
    pairs = sorted(read_map(new))
    was = [p[0] for p in pairs]
    ok = compare("lines", lines(old), lines(new), pairs)
    for section in (".eh_frame", ".debug_frame"):
        if any(f"the {section} section" in t for t in tool("readelf", "--debug-dump=frames-interp",
                old)):
            ok &= compare(section, frames(old, section), frames(new, section), pairs)
    a, b = ranges_of_functions(old), ranges_of_functions(new)
    for key, (begin, end) in a.items():
        inside = [p[1] for p in pairs[bisect.bisect_left(was, begin):bisect.bisect_left(was, end)]]
        if inside and not (key in b and b[key][0] <= min(inside) and max(inside) < b[key][1]):
            print(f"function {key[0]}: its new code is at 0x{min(inside):x} to "
                f"0x{max(inside):x}, not at", b.get(key))
            ok = False
    print(f"{len(a)} functions")
    sys.exit(0 if ok and a else 1)


main()
