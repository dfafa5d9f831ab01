# What gdb knows of all variables of all calls from begin() to end(), $EACH instructions apart: compare.py compares it with `info args` and
# `info locals`. "STOP pc", "FRAME level function", "ARG name = value", "LOCAL name = value", "SKIP name".
set pagination off
set width 0
set height 0
set print elements 200
set print repeats 10
set print symbol on
set confirm off
python
import gdb, os

def variables(frame):
    """Of the frame's function: (argument?, name, value) of each symbol, innermost block first, as lists do."""
    block, found = frame.block(), []
    while block is not None:
        for symbol in block:
            if symbol.is_argument or symbol.is_variable:
                found.append((symbol.is_argument, symbol))
        if block.function is not None:
            break
        block = block.superblock
    return found

def text(frame, symbol):
    try:
        value = symbol.value(frame)
    except gdb.error as e:
        return "<error: %s>" % e
    try:
        return value.format_string()
    except gdb.error as e:
        return "<error: %s>" % e

def behind_prologue(function):
    block = gdb.block_for_pc(function.value().address)
    while block.function is None or block.superblock.function is not None:
        block = block.superblock
    pcs = sorted({e.pc for e in function.symtab.linetable() if block.start <= e.pc < block.end})
    return pcs[1] if len(pcs) > 1 else block.start

def tell():
    frame, level = gdb.newest_frame(), 0
    print("STOP 0x%x" % frame.pc())
    # Where a function begins, its arguments are not where the debug information says.
    if frame.function() is None or frame.pc() < behind_prologue(frame.function()):
        return
    while frame is not None and frame.is_valid():
        inlined = frame.type() == gdb.INLINE_FRAME
        try:
            frame.block()
        except RuntimeError:
            break
        print("FRAME %d %s%s" % (level, frame.name(), " inlined" if inlined else ""))
        line = frame.find_sal().line
        for argument, symbol in variables(frame):
            # What stands further down has no value yet: whatever the stack holds.
            if not argument and symbol.line >= line:
                print("SKIP %s" % symbol.print_name)
                continue
            print("%s %s = %s" % ("ARG" if argument else "LOCAL", symbol.print_name, text(frame, symbol)))
        level += 1
        if frame.name() == "main":
            break
        frame = frame.older()

gdb.execute("tbreak *begin", to_string=True)
gdb.execute("continue", to_string=True)
print("SP 0x%x" % int(gdb.parse_and_eval("$sp")))
while gdb.newest_frame().older() is not None:
    tell()
    if gdb.newest_frame().name() == "end":
        break
    gdb.execute("stepi %s" % os.environ["EACH"], to_string=True)
print("END")
end
kill
