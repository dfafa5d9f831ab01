#!/usr/bin/env python3
"""Files that Cyclops reads, mangled: configurations, plug-ins, customisation modules,
microprograms, tours, scenarios, plans and records of sweeps, calling context trees, assembly.
Each is read, or refused with a message.

  mangled.py CYCLOPS TOP DIR SEED COUNT [KIND...]    COUNT of each kind; TOP is the tree, DIR a
                                                     folder for files

Prints a line for each that ends in another way, and keeps its file as DIR/found-KIND-NUMBER; then
how
many were tried, read and refused."""

import collections
import glob
import os
import random
import re
import resource
import shutil
import subprocess
import sys

# of processor time for one file; more is a finding
SECONDS = int(os.environ.get("MANGLED_SECONDS", "20"))
NUMBERS = [b"0", b"-1", b"1", b"255", b"65536", b"2147483647", b"-2147483648", b"4294967296",
    b"9223372036854775807", b"-9223372036854775808",
           b"18446744073709551616", b"1e308", b"-1e999", b"0x7fffffffffffffff", b"1/0", b"0/0",
               b"99999999999999999999999999", b"0.5", b"1e9"]
WORDS = [b"\0", b"\n", b"\r\n", b'"', b"'", b"\\", b"{", b"}", b"(", b")", b"[", b"]", b"[[", b"]]",
    b"--", b"--[[", b"%", b"%s%n", b"$", b"#", b";", b",", b"=",
         b"\xff", b"\xc3\x28", b"\xe2\x80\xae", b"\x1b[2J", b"\x1b]0;x\x07", b"\x9b31m",
             b"\xef\xbb\xbf", b"nil", b"{}", b"function() end", b"return",
         b"end", b"true", b"../../../etc/passwd", b"/dev/zero", b"/dev/stdin", b"\t", b"a" * 300]


def number(rng, text):
    """Puts another number in the place of one."""
    spots, at = [], 0
    while at < len(text):
        if 48 <= text[at] <= 57:
            end = at
            while end < len(text) and 48 <= text[end] <= 57:
                end += 1
            spots.append((at, end))
            at = end
        at += 1
    if not spots:
        return text + rng.choice(NUMBERS)
    at, end = rng.choice(spots)
    return text[:at] + rng.choice(NUMBERS) + text[end:]


def mangle_once(rng, text, others):
    what = rng.randrange(13)
    at = rng.randrange(len(text) + 1)
    lines = text.split(b"\n")
    k = rng.randrange(len(lines))
    if what == 0:  # a bit
        at = min(at, len(text) - 1)
        return text[:at] + bytes([text[at] ^ 1 << rng.randrange(8)]) + text[at
            + 1:] if text else b"\0"
    if what == 1:  # bytes
        return text[:at] + rng.randbytes(rng.choice([1, 2, 8, 64])) + text[at
            + rng.choice([0, 1, 8]):]
    if what == 2:
        return text[:at] + rng.choice(WORDS) + text[at:]
    if what in (3, 4):
        return number(rng, text)
    if what == 5:  # a line removed, doubled, repeated a thousand times, moved
        return b"\n".join(lines[:k] + lines[k + 1:])
    if what == 6:
        return b"\n".join(lines[:k] + [lines[k]] * rng.choice([2, 2, 2, 1000]) + lines[k + 1:])
    if what == 7:
        line = lines.pop(k)
        lines.insert(rng.randrange(len(lines) + 1), line)
        return b"\n".join(lines)
    if what == 8:
        return text[:at]
    if what == 9:  # a very long line, or very deep nesting
        return text[:at] + rng.choice([b"a", b" ", b"{", b"(", b"-", b"\0", b"\xff", b"9", b"\n",
            b"a,", b"a=", b'"']) * rng.choice([200, 70000, 1 << 20]) + text[at:]
    if what == 10:  # a part of another file
        other = rng.choice(others)
        begin = rng.randrange(len(other) + 1)
        return text[:at] + other[begin:begin + rng.choice([20, 200, 2000])] + text[at:]
    if what == 11:  # a word of the file at another place
        words = text.split()
        return text[:at] + rng.choice(words) + text[at:] if words else text
    words = text.split()
    return text.replace(rng.choice(words), rng.choice(words + WORDS), 1) if words else text


def mangle_words(rng, data):
    """Another word, or a few, in the place of one of 64 bits: of the file, a little more or less, a
    bit, or any."""
    words = [data[i:i + 8] for i in range(0, len(data) - 7, 8)]
    for _ in range(rng.choice([1, 1, 2, 5])):
        k = rng.randrange(len(words))
        value = int.from_bytes(words[k], "little")
        value = rng.choice([0, 1, value + 1, value - 8, value ^ 1 << rng.randrange(64),
            int.from_bytes(rng.choice(words), "little"), 1 << 63, rng.getrandbits(64)])
        words[k] = (value & (1 << 64) - 1).to_bytes(8, "little")
    return b"".join(words) + data[len(words) * 8:]


def mangle(rng, text, others):
    if b"\0\0\0\0" in text and rng.randrange(8):  # no text
        return mangle_words(rng, text)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        text = mangle_once(rng, text, others)[:4 << 20]
    return text


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Attack:
    def __init__(self, cyclops, top, folder):
        self.cyclops, self.folder, self.demos = cyclops, folder, os.path.join(top, "build", "demos")
        hello = os.path.join(self.demos, "hello")
        run = ["run", "--max-cycles", "20000"]
        self.tree = os.path.join(folder, "tree.cct")
        counted = os.path.join(folder, "counted")
        subprocess.run([cyclops, "instrument", "--kind", "cct", "--cct", "tree.cct", "-o", counted,
            hello], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        subprocess.run([cyclops, "run", "--functional", "--rw", counted], cwd=folder, check=True,
            stdout=subprocess.DEVNULL)
        plan = b'return { out = "res", configs = { base = "vaswani2003" }, programs = { it = { "%s" } }, vary = { ["l1d.ways"] = { 2, 4 } } }\n' % hello.encode()
        self.plan = os.path.join(folder, "plan.lua")
        with open(self.plan, "wb") as f:
            f.write(plan)
        subprocess.run([cyclops, "sweep", "-j", "1", "plan.lua"], cwd=folder, check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.record = sorted(glob.glob(os.path.join(folder, "res", "jobs", "*.json")))[0]
        subprocess.run([cyclops, "microcode", os.path.join(top, "demos/microcode/first.mic"), "-o",
            "words.h"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        assembly = os.path.join(folder, "seed.s")
        subprocess.run(["riscv64-linux-gnu-gcc", "-O1", "-S", "-o", assembly,
            os.path.join(top, "demos/programs/small/fib.c")], check=True)

        def files(pattern):
            return [read(path) for path in sorted(glob.glob(os.path.join(top, pattern)))]

        shutil.copyfile(os.path.join(top, "demos/scenarios/lab.lua"),
            os.path.join(folder, "lab.lua"))
        shutil.copytree(os.path.join(self.demos, "scenarios"),
            os.path.join(folder, "build/demos/scenarios"))
        # Those of short programs, which they name without a folder.
        tours = [text.replace(b"\n# program: ", b"\n# program: " + self.demos.encode() + b"/")
            for text in files("demos/tours/*.cyc") if re.search(rb"\n# program: (hello|fib|hash)\n",
            text)]

        # The originals of each kind, the file's name, and the commands that read it.
        self.kinds = {
            "config": (files("demos/configs/*.lua"), "it.lua", [run + ["-c", "it.lua", hello]]),
            "plug-in": (files("demos/plugins/*.lua"), "it.lua",
                [run + ["--plugin", "it.lua", hello], run + ["--plugin", "l1d.replacement=it.lua",
                hello]]),
            "values": (files("scripting/lua/values/*.lua"), "it.lua",
                [["values", "it.lua"], run + ["-o", "vsample.enable=true", "--values", "it.lua",
                hello]]),
            "microprogram": (files("demos/microcode/*.mic"), "it.mic",
                [["microcode", "it.mic"], run + ["-o", "cop.enable=true", "--cop", "it.mic",
                hello]]),
            "words": ([read(os.path.join(folder, "words.h"))], "it.h",
                [["microcode", "-d", "it.h"]]),
            "tour": (tours, "it.cyc", [["tour", "--batch", "it.cyc"]]),
            "scenario": (files("demos/scenarios/*.lua"), "it.lua",
                [["lua", "--lua-safe", "it.lua"]]),
            "plan": ([plan] + [text.replace(b"build/demos", self.demos.encode())
                for text in files("demos/sweeps/*.lua")], "it.lua",
                [["sweep", "--dry-run", "--out", "none", "it.lua"], ["sweep", "--emit", "parallel",
                "emitted", "--out", "none", "it.lua"]]),
            "record": ([read(self.record)], self.record, [["sweep", "--status", "plan.lua"],
                ["sweep", "--collect", "plan.lua"]]),
            "tree": ([read(self.tree)], "it.cct",
                [["inspect", "--no-init", "--batch", "-e", "view cct of it.cct", counted]]),
            "assembly": ([read(assembly)], "it.s",
                [["instrument", "--blocks", "--calls", "--asm", "it.s", "-o", "new.s"]]),
            "source": (files("demos/programs/small/hello.c"), "hello.c",
                [["inspect", "--no-init", "--batch", "-e", "break main", "-e", "continue", "-e",
                "list", "-e", "list 1", "-e", "view source", hello]]),
            "startup": ([b"break main\ncontinue\nalias x step\nset sim.memory 64M\nwatch sim.insts\ndisplay sim.cycles\n"], "it", [["inspect", "--no-init", "--batch", "-x", "it", hello]]),
            "breakpoints": ([b"break main\ntbreak hello.c:21\nwatch a0\ncatch store if addr == 4\nignore 1 3\ncondition 1 a0 == 4\n"], "it", [["inspect", "--no-init", "--batch", "-e", "source it", "-e", "step", hello]]),
        }

    def limits(self):
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def run(self, command):
        """The error, or None; and whether it was read."""
        try:
            done = subprocess.run([self.cyclops] + command, cwd=self.folder,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                timeout=30 * SECONDS,
                                  check=False, preexec_fn=self.limits)
        except subprocess.TimeoutExpired:
            return "it does not end", False
        said = self.said = done.stderr
        if done.returncode < 0 or b"Sanitizer" in said or done.returncode in (132, 152, 134, 139):
            return f"status {done.returncode}: {said[-600:]!r}", False
        if len(said) > 1 << 16:
            return f"{len(said)} bytes of messages: {said[:200]!r}", False
        # Programs' own output is not checked.
        strange = [c for c in said.decode("utf-8", "surrogateescape")
            if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0
            or c in "\u202e\u200b\ufeff" or "\udc80" <= c <= "\udcff"]
        if strange:
            return f"characters that a terminal acts on: {said[-400:]!r}", False
        if done.returncode == 125 and not said.strip():
            return "refused without a word", False
        return None, done.returncode in (0, 124)

    def whole(self, name, text, command):
        with open(os.path.join(self.folder, name), "wb") as f:
            f.write(text)
        return self.run(command)[1]

    def attack(self, kind, seed, count):
        texts, name, commands = self.kinds[kind]
        sums, wrong = collections.Counter(), 0
        if not texts:
            return 1, f"{kind}: there are no files to begin with"
        keep = read(os.path.join(self.folder, name)) if os.path.exists(os.path.join(self.folder,
            name)) else None
        for command in commands:  # some originals are read, or the commands are wrong
            if not any(self.whole(name, text, command) for text in texts):
                return 1, f"{kind}: {' '.join(command)} reads none of its files as they are: {self.said}"
        for k in range(count):
            rng = random.Random(f"{seed} {kind} {k}")
            text = mangle(rng, rng.choice(texts), texts)
            with open(os.path.join(self.folder, name), "wb") as f:
                f.write(text)
            for command in commands:
                said, well = self.run(command)
                if said:
                    wrong += 1
                    found = os.path.join(self.folder, f"found-{kind}-{k}")
                    shutil.copyfile(os.path.join(self.folder, name), found)
                    print(f"{kind} {k}: {' '.join(command)}: {said}", flush=True)
                if os.environ.get("MANGLED_SAY"):
                    print(f"  {kind} {k}: {well} {self.said[-200:]!r}")
                sums["read" if well else "refused"] += 1
        if keep is not None:
            with open(os.path.join(self.folder, name), "wb") as f:
                f.write(keep)
        return wrong, f"{kind}: {count} tried, {sums['read']} times read, {sums['refused']} times refused or ended otherwise"


def main():
    cyclops, top, folder, seed, count = os.path.abspath(sys.argv[1]), os.path.abspath(
        sys.argv[2]), os.path.abspath(sys.argv[3]), int(sys.argv[4]), int(sys.argv[5])
    os.environ.update(HOME=folder, LC_ALL="C.UTF-8", TERM="dumb")
    a = Attack(cyclops, top, folder)
    wrong = 0
    for kind in sys.argv[6:] or a.kinds:
        n, said = a.attack(kind, seed, count)
        wrong += n
        print(said, flush=True)
    sys.exit(wrong != 0)


main()
