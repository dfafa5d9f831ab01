"""A program by objdump and readelf: its instructions, their successors, its symbols."""

import collections
import re
import subprocess
import tempfile

PREFIX = "riscv64-linux-gnu-"
RA, T0 = "ra", "t0"


def output(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


def relocations(path):
    """{address of a word of 4 or 8 bytes: the target by its relocations}"""
    words = {}
    for line in output(PREFIX + "readelf", "-rW", path).splitlines():
        word = re.match(
            r"([0-9a-f]{16})\s+[0-9a-f]+\s+R_RISCV_(ADD32|32|64)\s+([0-9a-f]{16})\s.*\+ "
            r"([0-9a-f]+)$", line)
        if word:
            words[int(word[1], 16)] = 8 if word[2] == "64" else 4, int(word[3], 16) + int(word[4],
                16)
    return words


class Inst:
    __slots__ = ("next", "kind", "to")

    def __init__(self, following, kind, to):
        self.next, self.kind, self.to = following, kind, to


class Program:
    """kind of an instruction: '' goes on, branch, jump, call (to may be None), leap (through a
    register), return."""

    def __init__(self, path):
        labels = {}
        self.insts, self.starts, self.names = {}, {}, collections.defaultdict(set)
        self.text = {}  # at: operation, operands, the address that objdump computes
        words = relocations(path)
        for line in output(PREFIX + "readelf", "-sW", path).splitlines():
            word = line.split()
            if len(word) == 8 and word[3] == "NOTYPE" and word[6] not in ("UND",
                    "ABS") and word[7][0] not in ".$":
                labels.setdefault(int(word[1], 16), word[7])
            if len(word) == 8 and word[3] in ("FUNC", "IFUNC") and word[6] not in ("UND", "ABS"):
                self.starts[int(word[1], 16)] = word[7]
                self.names[int(word[1], 16)].add(word[7])
        self.home = {}
        function, lines = None, []
        # Without symbols: of a large program's objdump looks for the nearest one of each address
        # for minutes.
        with tempfile.NamedTemporaryFile() as bare:
            output(PREFIX + "strip", "-s", "-o", bare.name, path)
            lines_of_code = output(PREFIX + "objdump", "-d", "-M", "no-aliases",
                bare.name).splitlines()
        for line in lines_of_code:
            word = re.match(
                r"\s+([0-9a-f]+):\s+([0-9a-f]{4,8})\s+(\S+)(?:\s+([^#<]*))?(?:.*# ([0-9a-f]+))?",
                line)
            if not word:
                continue
            lines.append(word)
        for word in lines:
            # A call's target is a procedure, with or without a symbol.
            if word[3] == "jal" and (word[4] or "").startswith(("ra,", "t0,")):
                self.starts.setdefault(int(word[4].split(",")[1], 16),
                    "0x" + word[4].split(",")[1].strip())
        for at, name in self.starts.items():
            self.names[at].add(name)
            self.names[at] |= {labels[at]} if at in labels else set()
        for word in lines:
            at, size, op, operands = int(word[1], 16), len(word[2]) // 2, word[3], (word[4]
                or "").strip()
            function = at if at in self.starts else function
            self.insts[at] = self.decode(at, size, op.removeprefix("c."), operands.split(","))
            self.home[at] = function
            self.text[at] = op.removeprefix("c."), operands.split(","), int(word[5],
                16) if word[5] else None
        of = collections.defaultdict(list)
        for at, start in self.home.items():
            of[start].append(at)
        bases = {at: self.table_of(of[self.home[at]], at) for at, inst in self.insts.items()
            if inst.kind == "leap"}
        begins = set(bases.values())
        self.tables = {at: self.entries(words, base, begins) for at, base in bases.items()
            if base is not None}

    def set_by(self, body, before, reg):
        """Where reg is set last before body[before], in the order of the text; None if it isn't
        within 24 instructions."""
        for back in range(before - 1, max(before - 24, -1), -1):
            op, operands, _ = self.text[body[back]]
            if operands[0] == reg and not op.startswith(("b", "j", "sb", "sh ", "sw", "sd",
                    "fs")) and not (op == "sh" or self.insts[body[back]].kind):
                return back
        return None

    def table_of(self, body, jump):
        """The address of the table from which this jump's target is loaded; None: not found."""
        at, reg = body.index(jump), self.text[jump][1][-1].strip("()").split("(")[-1]
        for _ in range(3):
            at = self.set_by(body, at, reg)
            op, operands, _ = self.text[body[at]] if at is not None else ("", [], None)
            if op in ("lw", "ld", "lwu"):
                return self.base_of(body, at, operands[1].split("(")[1].rstrip(")"))
            if op != "add":
                return None
            # The sum of an entry and its base: the entry is the operand loaded last.
            sources = [(self.set_by(body, at, r), r) for r in (operands[1:] if len(operands) == 3
                else operands)]
            loaded = [s for s in sources if s[0] is not None and self.text[body[s[0]]][0] in ("lw",
                "lwu", "ld")]
            if not loaded:
                return None
            reg = max(loaded)[1]
        return None

    def base_of(self, body, at, reg, deep=3):
        """The address that objdump prints for reg or for the sum in it; of a register without a
        nearby assignment, the only address that the procedure ever puts there."""
        setter = self.set_by(body, at, reg)
        if setter is None:
            made = {self.text[k][2] for k in body if self.text[k][1][0] == reg
                and self.text[k][0].startswith("add") and self.text[k][2] is not None}
            return made.pop() if len(made) == 1 else None
        op, operands, made = self.text[body[setter]]
        if made is not None and op.startswith(("add", "auipc")):
            return made
        found = []
        if deep and op in ("add", "sh2add", "sh3add"):
            found = [self.base_of(body, setter, r, deep - 1)
                for r in (operands[1:] if len(operands) == 3 else operands)]
        return next((f for f in found if f is not None), None)

    @staticmethod
    def entries(words, at, begins):
        """Targets of the table's words, up to the next table."""
        to, first = set(), at
        while at in words and (at == first or at not in begins):
            to.add(words[at][1])
            at += words[at][0]
        return to

    @staticmethod
    def decode(at, size, op, operands):
        following = at + size
        if op in ("beq", "bne", "blt", "bge", "bltu", "bgeu", "beqz", "bnez"):
            return Inst(following, "branch", int(operands[-1], 16))
        if op == "j" or (op == "jal" and operands[0] == "zero"):
            return Inst(following, "jump", int(operands[-1], 16))
        if op == "jal":
            return Inst(following, "call", int(operands[-1], 16))
        if op in ("jr", "jalr"):
            link = operands[0] if op == "jalr" and len(
                operands) > 1 else RA if op == "jalr" else "zero"
            base = re.search(r"\(?(\w+)\)?$", operands[-1])[1]
            if link != "zero":
                return Inst(following, "call", None)
            return Inst(following, "return" if base in (RA, T0) else "leap", None)
        return Inst(following, "", None)
