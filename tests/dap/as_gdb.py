# An editor and gdb take the same random steps through a program, every second seed with breakpoints
# on random lines: after each step both are at the same instruction. To be run inside gdb-multiarch,
# with the seeds in SEEDS and the program in PROGRAM.
import importlib.util
import os
import random
import re


def load(path):
    spec = importlib.util.spec_from_file_location(path.replace("/", "_")[:-3], path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


gdb_kit, dap_kit = load("tests/gdb/kit.py"), load("tests/dap/kit.py")
STEPS = {
    "next": ("next", {}),
    "step": ("stepIn", {}),
    "finish": ("stepOut", {}),
    "stepi": ("stepIn", {"granularity": "instruction"}),
    "nexti": ("next", {"granularity": "instruction"}),
    "reverse-stepi": ("stepBack", {"granularity": "instruction"}),
    "continue": ("continue", {}),
    "reverse-continue": ("reverseContinue", {}),
}
CHOICES = ["next"] * 6 + ["step"] * 4 + ["finish", "stepi", "nexti", "reverse-stepi"]
# With breakpoints
CONTINUES = ["continue"] * 3 + ["reverse-continue"]


def set_breakpoints(r, client):
    """Replaces all breakpoints, in both, by some on random lines of main's file."""
    path = gdb_kit.gdb.lookup_global_symbol("main").symtab.fullname()
    with open(path, encoding="utf-8") as text:
        count = len(text.readlines())
    lines = sorted({r.randint(1, count) for _ in range(r.randint(1, 6))})
    gdb_kit.run("delete")
    told = [gdb_kit.run("break %s:%d" % (os.path.basename(path), n)) for n in lines]
    lines = [n for n, text in zip(lines, told) if text.startswith("Breakpoint")]
    client.body("setBreakpoints", source={"path": path}, breakpoints=[{"line": n} for n in lines])
    return "breakpoints on %s" % lines


def short_name(name):
    """As gdb's: without parameters and the compiler's suffixes."""
    name = re.sub(r".*\{lambda\(.*\)#\d+\}::", "", name)
    return re.sub(r"(?<!operator)\((?!anonymous).*|\.constprop\.\d+", "", name)


def is_load_reserved():
    """gdb steps over a sequence that begins with lr as over one instruction."""
    word = gdb_kit.gdb.selected_inferior().read_memory(gdb_kit.pc(), 4).tobytes()
    word = int.from_bytes(word, "little")
    return word & 0x7f == 0x2f and word >> 27 == 2


def side_by_side(program, seed):
    r = random.Random(seed)
    gdb_kit.connect(program)
    gdb_kit.run("file " + program)
    gdb_kit.run("delete")  # the breakpoints of the seed before
    gdb_kit.run("tbreak main")
    gdb_kit.run("continue")
    client = dap_kit.Client()
    client.launch(program=program, stopOnEntry=True)
    client.stopped()
    trace = []
    breaks = seed % 2 == 0
    for number in range(60 if breaks else 150):
        if breaks and number % 15 == 0:
            trace.append(set_breakpoints(r, client))
        command = r.choice(CHOICES + CONTINUES if breaks else CHOICES)
        frame = gdb_kit.gdb.selected_frame()
        if frame.name() == "main" and command == "finish" or not frame.find_sal().line and command \
                not in ("continue", "stepi"):
            continue
        trace.append((frame.name(), frame.find_sal().line, command))
        reserved = is_load_reserved()
        gdb_kit.run(command)
        try:
            client.go(STEPS[command][0], **STEPS[command][1])
        except dap_kit.Gone:
            dap_kit.check("seed %d: gdb is at the end, too" % seed,
                not gdb_kit.gdb.selected_inferior().pid, trace[-3:])
            break
        top = client.frames(levels=1)[0]
        if not gdb_kit.gdb.selected_inferior().pid:
            # gdb loses a longjmp in optimised code, and runs on; Cyclops does not.
            dap_kit.check("seed %d: we are at the end, too" % seed, trace[-1][0] == "jumps",
                (trace[-3:], top))
            break
        frame = gdb_kit.gdb.selected_frame()
        # Aliases of code without lines.
        named = frame.find_sal().line and frame.name()
        ours = named and short_name(top["name"]), top["line"], int(
            top["instructionPointerReference"], 16)
        theirs = named, frame.find_sal().line, gdb_kit.pc()
        if ours != theirs and (trace[-1][0] == "jumps" or reserved and command.endswith("i")):
            break
        if ours != theirs:
            dap_kit.check("seed %d: the same place" % seed, False, (trace[-3:], [
                t for t in trace if isinstance(t, str)][-1:], ours, theirs))
            break
    else:
        dap_kit.check("seed %d" % seed, True)
    client.close()
    gdb_kit.run("kill")


for one in os.environ["SEEDS"].split():
    side_by_side(os.environ["PROGRAM"], int(one))
print("%d passed, %d failed" % (dap_kit.passed, dap_kit.failed))
