"""Whether an instrumented program has a load, a store or a profile instruction in a
load-reserved/store-conditional sequence: on a way from the load to its store-conditional, or from
there back to the load.

    atomics.py PROGRAM [NAME...]     but for those of functions NAME; prints how many sequences
"""
import re
import subprocess
import sys

FAR = 40
ENDS = re.compile(r"(ret|jr|jalr|jal|ecall|ebreak|mret)$")
ACCESS = re.compile(r"([ls][bhwd]u?|f[ls][hwdq]|amo\S*|\.\S*|c\.slli)$")

code, at, others, here = [], {}, set(), ""
listing = subprocess.run(["riscv64-linux-gnu-objdump", "-d", "-j", ".text", "-M", "no-aliases",
    "--no-show-raw-insn", sys.argv[1]], capture_output=True, text=True, check=True).stdout
for line in listing.splitlines():
    name = re.match(r"[0-9a-f]+ <([^.]\S*)>:", line)
    here = name[1] if name else here
    found = re.match(r"\s*([0-9a-f]+):\s+(\S+)\s*([^#]*)", line)
    if found:
        if here in sys.argv[2:]:
            others.add(len(code))
        at[int(found[1], 16)] = len(code)
        code.append((int(found[1], 16), found[2].removeprefix("c."), found[3]))


def leads(k):
    """Successors of instruction k, except of calls and exits."""
    _, op, words = code[k]
    target = re.search(r"([0-9a-f]+) <", words)
    to = [at[int(target[1], 16)]] if target and int(target[1], 16) in at else []
    if op in ("j", "jal") and (op == "j" or words.startswith("zero,")):
        return to
    if ENDS.match(op):
        return []
    return (to if op.startswith("b") else []) + [k + 1]


def ways(first, until, not_over):
    """Instructions on ways from `first` to one that `until` holds for."""
    on, work = set(), [(first, ())]
    while work:
        k, way = work.pop()
        if k >= len(code) or len(way) > FAR:
            continue
        if until(k):
            on.update(way)
        elif not not_over(k):
            work += [(n, way + (k,)) for n in leads(k)]
    return on


def repeated(k, load):
    """Instructions from a store-conditional at k back to its load, by the first branch after it and
    straight on from there."""
    way = []
    while (k := k + 1) < len(code) and len(way) < FAR and not leads(k)[1:]:
        way.append(k)
    k = leads(k)[0] if k < len(code) and leads(k) else load
    while k != load and len(way) < FAR and len(leads(k)) == 1:
        way.append(k)
        k = leads(k)[0]
    return way if k == load else []


def is_load(k):
    return code[k][1].startswith("lr.")


def is_store(k):
    return code[k][1].startswith("sc.")


sequences = 0
for i in range(len(code)):
    if not is_load(i) or i in others:
        continue
    between = ways(i + 1, is_store, is_load)
    stores = [k for k in range(i, min(i + FAR, len(code))) if is_store(k)]
    again = repeated(stores[0], i) if stores else []
    sequences += bool(between)
    for k in between.union(again):
        if ACCESS.match(code[k][1]):
            sys.exit(f"{sys.argv[1]}: {code[k][1]} {code[k][2]} at 0x{code[k][0]:x} is in the sequence of "
                f"the load-reserved at 0x{code[i][0]:x}")
print(sequences)
