"""Runs the sessions of the file SESSIONS in gdb on qemu's gdbstub, and appends what gdb says of
each command to FOLDER/theirs, a line of JSON for each session. Begins behind those that are there."""
import json
import os
import re
import subprocess
import sys
import time

import gdb

# The installed compiler's; libraries for RISC-V have their own, loaded when they are mapped.
sys.path.insert(0, "/usr/share/gcc/python")
try:
    from libstdcxx.v6.printers import register_libstdcxx_printers
    register_libstdcxx_printers(None)
except ImportError:
    pass

WALK = os.environ.get("WALK")
program, folder = os.environ["PROGRAM"], os.environ["FOLDER"]
hit = False
over = None


def stopped(event):
    global hit
    hit = isinstance(event, gdb.BreakpointEvent)


def exited(event):
    global over
    over = event.exit_code if hasattr(event, "exit_code") else -1


gdb.events.stop.connect(stopped)
gdb.events.exited.connect(exited)
for setting in ("pagination off", "width 0", "height 0", "confirm off", "print address on",
        "host-charset ASCII", "target-charset ASCII", "sysroot /"):
    gdb.execute("set " + setting, to_string=True)
for printer in gdb.type_printers:
    printer.enabled = False


def here():
    """[function, line] of the selected frame."""
    frame = gdb.selected_frame()
    return [frame.name() or "?", frame.find_sal().line]


def calls():
    found, frame = [], gdb.newest_frame()
    while frame is not None:
        arguments = []
        block = None
        try:
            block = frame.block()
            while block is not None and block.function is None:
                block = block.superblock
        except RuntimeError:
            pass
        for symbol in block or []:
            if symbol.is_argument:
                value = symbol.value(frame)
                code = value.type.strip_typedefs().code
                whole = code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION, gdb.TYPE_CODE_ARRAY)
                if code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
                    target = value.type.target().strip_typedefs()
                    whole = target.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION,
                        gdb.TYPE_CODE_ARRAY) or "basic_string<char," in target.name.split(
                        "std::char_traits")[0]
                text = value.format_string(deref_refs=True)
                if not whole:
                    text = "..." if re.search("= [^<{]", text) else "<optimized out>"
                arguments.append(f"{symbol.print_name}={text}")
        found.append([frame.name() or "?", frame.find_sal().line, arguments])
        if frame.name() == "main":
            break
        frame = frame.older()
    return found


def ask(command):
    global hit
    hit = False
    word = command.split()[0]
    moves = word.removeprefix("reverse-") in ("next", "step", "finish", "continue", "until",
        "advance", "stepi", "nexti")
    try:
        text = gdb.execute(command, to_string=True)
    except gdb.error as e:
        return {"error": str(e)}
    if over is not None:
        return {"over": over}
    if moves:
        pc = gdb.newest_frame().pc()
        return {"at": here(), "pc": pc if hit else None, "place": pc}
    if word in ("up", "down", "frame"):
        return {"at": here()}
    if word == "backtrace":
        return {"calls": calls()}
    return {"text": text}


def run(commands):
    global over
    over = None
    socket = f"{folder}/socket"
    qemu = subprocess.Popen(["qemu-riscv64", "-g", socket, program], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    while True:
        try:
            gdb.execute("target remote " + socket, to_string=True)
            break
        except gdb.error:
            # It does not listen yet.
            if qemu.poll() is not None:
                raise
            time.sleep(0.005)
    answers, sp = [], None
    for command in commands:
        answers.append(ask(command))
        # Steps where there are no lines execute each instruction to the program's end.
        if over is not None or (WALK and answers[-1].get("at", ["", 1])[1] == 0):
            break
        if command == "continue" and sp is None:
            sp = int(gdb.parse_and_eval("$sp"))
    if over is None:
        gdb.execute("kill", to_string=True)
    gdb.execute("delete", to_string=True)
    qemu.kill()
    qemu.wait()
    if os.path.exists(socket):
        os.remove(socket)
    return {"sp": sp, "answers": answers}


gdb.execute("file " + program, to_string=True)
sessions = json.load(open(f"{folder}/sessions", encoding="utf-8"))
with open(f"{folder}/theirs", "a+", encoding="utf-8") as out:
    out.seek(0)
    for s in sessions[len(out.readlines()):]:
        # History and variables are a session's.
        if not WALK:
            gdb.execute("file " + program, to_string=True)
        gdb.execute("set $i = 0", to_string=True)
        gdb.execute("set $j = 0", to_string=True)
        out.write(json.dumps(run(s)) + "\n")
        out.flush()
