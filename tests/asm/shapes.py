"""Prints all forms that GNU as takes: names from the instruction table, from
loader/asm/pseudo.def and from libopcodes, each with every sequence of up to three operands of nine
kinds, and the usual ones of four and five. tests/asm/shapes.txt is its output (a minute):

    python3 tests/asm/shapes.py FOLDER MARCH

It prints names that have the same operands, then these operands, indented ("-": none). FOLDER
receives forms.s and forms.o. Control and status registers are those whose names are in
GNU as itself."""
import itertools
import re
import subprocess
import sys
import textwrap

folder, march = sys.argv[1], sys.argv[2]
KINDS = ["a0", "fa0", "4", "8(a1)", "(a1)", "1b", "fcsr", "rne", "-1"]
MORE = ["a0,a1,a2,4", "fa0,fa1,fa2,fa3", "fa0,fa1,fa2,rne", "fa0,fa1,fa2,fa3,rne", "a0,a1,a2,a3",
    "a0,a1,4,4", "zero,a0", "a0,zero", "sp,sp,16", "sp,16", "zero", "ra", "a0,a0", "a0,a0,a1",
    "a0,a0,4", "a0,sp,4", "a0,4(sp)", "fa0,8(sp)", "a0,8(sp)", "iorw,iorw", "rw,w", "i,o",
    "a0,fcsr,a1", "sp,sp,32", "a0,%lo(1b)(a1)", "a0,%hi(1b)", "a0,a1,%lo(1b)", "a0,1b,a1",
    "a0,8(a1),zero", "a0,0x12345678", "a0,0x123456789abcdef0", "a0,a1,2047", "a0,0xfffff",
    "a0,a0,31", "a0,a1,63", "1b@plt", "a0,0(a1)", "a0,0,a1", "a0,mstatus", "mstatus,a0", "a0,1b+4",
    "a0,%tprel_hi(tv)", "a0,a1,%tprel_lo(tv)", "a0,%tprel_lo(tv)(a1)",
    "a0,a1,tp,%tprel_add(tv)", "a0,%pcrel_hi(1b)"]

# Forms that GNU as takes and the built-in assembler refuses.
REFUSED = {
    "c.j": "a jump without a target: GNU as takes it to the symbol '', which no linker finds",
    "j": "as above", "jal": "as above", "tail": "as above",
}
# Forms whose bytes depend on where the linker puts its offset table.
LOADED = {"la.tls.gd", "la.tls.ie", "lga"}


def text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def names():
    out = set(re.findall(r'^(?:OP|ALIAS)\(\w+, "([^" ]+)"', text("core/isa/rv64.def"), re.M))
    out |= set(re.findall(r'^PSEUDO\("([^"]+)"', text("loader/asm/pseudo.def"), re.M))
    tool = subprocess.run(["sh", "-c", "ldd $(command -v riscv64-linux-gnu-as)"],
        capture_output=True, text=True, check=True).stdout
    library = re.search(r"libopcodes\S* => (\S+)", tool)
    if library:
        with open(library.group(1), "rb") as f:
            out |= {n.decode() for n in re.findall(rb"\0([a-z][a-z0-9_.]{0,15})(?=\0)", f.read())}
    return sorted(out - LOADED)


def registers():
    """Names in the program that may be control and status registers."""
    tool = subprocess.run(["sh", "-c", "command -v riscv64-linux-gnu-as"], capture_output=True,
        text=True, check=True).stdout.strip()
    with open(tool, "rb") as f:
        found = re.findall(rb"\0([a-z][a-z0-9]{1,16})(?=\0)", f.read())
    # The linker merges names with equal ends: satp with vsatp.
    return sorted({n.decode()[i:] for n in found for i in range(3) if len(n) > i + 1} - {"x0"})


def forms():
    shapes = [""] + [",".join(s) for n in (1, 2, 3) for s in itertools.product(KINDS, repeat=n)]
    # A register in two places differs between them.
    for i in "21":
        shapes = [re.sub(r"(^|,)(f?)a0((?:,.*?)?,)\2a0(?=,|$)", rf"\1\2a0\3\2a{i}", s, count=1)
            for s in shapes]
    for name in names():
        for shape in shapes + MORE:
            yield f"{name} {shape}".rstrip()


def write(lines):
    with open(f"{folder}/forms.s", "w", encoding="utf-8") as f:
        f.write('.section .tdata,"awT"; tv: .word 0; .text; 1:\n')
        for line in lines:
            f.write(f".balign 32; 1: {line}\n")


def refused(lines):
    write(lines)
    out = subprocess.run(["riscv64-linux-gnu-as", f"-march={march}", "-mno-relax", "-o",
        f"{folder}/forms.o", f"{folder}/forms.s"], capture_output=True, text=True).stderr
    return {int(n) - 2 for n in re.findall(r"forms\.s:(\d+): (?:Error|Fatal|Warning: invalid CSR)", out)}


def unlinkable():
    """Forms whose target is no symbol of the file, or an impossible address: odd, or too far away.
    GNU as takes any word for a symbol, also a register's name or none."""
    out = subprocess.run(["riscv64-linux-gnu-objdump", "-r", f"{folder}/forms.o"],
        capture_output=True, text=True, check=True).stdout
    bad = set()
    for at, kind, symbol in re.findall(r"^([0-9a-f]{16}) (R_RISCV_\w+)\s+(\S+)", out, re.M):
        n = re.fullmatch(r"\*ABS\*(?:[+-]0x([0-9a-f]+))?", symbol)
        near = re.search("BRANCH|JAL|JUMP", kind)
        if not n and not re.match(r"\.L|1\b|\.text|tv", symbol) or n and near and (
                int(n.group(1) or "0", 16) % 2 or int(n.group(1) or "0", 16) > 0xfffff):
            bad.add(int(at, 16) // 32)
    return bad


kept = list(dict.fromkeys(forms())) + [f"csrr a0,{name}" for name in registers()]
linked = False
while True:
    bad = refused(kept)
    if not bad and not linked:
        bad, linked = unlinkable(), True
    if not bad:
        break
    kept = [line for i, line in enumerate(kept) if i not in bad]
shapes = {}
for line in kept:
    if line not in REFUSED:
        name, _, shape = line.partition(" ")
        shapes.setdefault(name, []).append(shape or "-")
alike = {}
for name, those in shapes.items():
    alike.setdefault(tuple(those), []).append(name)
for those, its_names in alike.items():
    for words, indent in ((its_names, ""), (those, "\t")):
        print(textwrap.fill(" ".join(words), 92, initial_indent=indent, subsequent_indent=indent,
            break_long_words=False, break_on_hyphens=False))
