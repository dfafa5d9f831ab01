"""Runs FOLDER/sessions in gdb on qemu's gdbstub, and appends what gdb says of each command to
FOLDER/theirs, a line of JSON for each session. Begins behind those that are there.

With STUB=record gdb goes back in the record of record.py; with STUB=cyclops the stub is that of
`cyclops gdb`, and the file FOLDER/stub."""
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
STUB = os.environ.get("STUB", "qemu")
program, folder = os.environ["PROGRAM"], os.environ["FOLDER"]
hit = False
begin = None  # address of the record's first place
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
        "host-charset ASCII", "remotetimeout 60", "target-charset ASCII", "sysroot /"):
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


class ByHand(Exception):
    """The place before cannot be looked at."""


def to_line(command, start):
    """From the beginning of a row of the line table to that of its line, where it is executed in one
    go, as gdb 15 does; gdb 13 stops at each row.
    start: the frame in which the command began, which ends at its caller."""
    while not hit:
        frame, at = gdb.newest_frame(), gdb.newest_frame().find_sal()
        if frame.pc() != at.pc or not at.line:
            return
        file = at.symtab.filename
        gdb.execute("reverse-stepi", to_string=True)
        if gdb.newest_frame().pc() == begin:
            return
        before = gdb.newest_frame().find_sal()
        # After a call that ended the row before, the line goes on.
        returned = gdb.newest_frame().older() == frame
        if gdb.newest_frame() != frame or before.line != at.line or before.symtab.filename != file:
            gdb.execute("stepi", to_string=True)
            if gdb.newest_frame().pc() != at.pc:
                raise ByHand  # a change by hand led here, not an instruction
            row = gdb.find_pc_line(at.pc - 1)
            if returned and row.symtab and (row.line, row.symtab.filename) == (at.line, file):
                gdb.execute(command, to_string=True)
                continue
            return
        entry = frame.function() and frame.function().symtab and frame.block().start
        if frame != start and before.pc == entry:
            while gdb.newest_frame().pc() != entry:
                gdb.execute("reverse-nexti", to_string=True)
        elif gdb.newest_frame().pc() != before.pc:
            gdb.execute(command, to_string=True)


def ask(command):
    global hit
    hit = False
    start = gdb.newest_frame() if over is None and gdb.selected_thread() else None
    word = command.split()[0]
    moves = word.removeprefix("reverse-") in ("next", "step", "finish", "continue", "until",
        "advance", "stepi", "nexti")
    try:
        text = gdb.execute(command, to_string=True)
    except gdb.error as e:
        return {"error": str(e)}
    if over is not None:
        return {"over": over}
    if word in ("reverse-next", "reverse-step"):
        was = hit
        try:
            to_line(command, start)
        except ByHand:
            return {"begin": True}
        hit = was
    if word.startswith("reverse") and gdb.newest_frame().pc() == begin:
        return {"begin": True}
    if moves:
        pc = gdb.newest_frame().pc()
        return {"at": here(), "pc": pc if hit else None, "place": pc}
    if word in ("up", "down", "frame"):
        return {"at": here()}
    if word == "backtrace":
        return {"calls": calls()}
    return {"text": text}


def connect():
    """Connects to a new run of the program; returns the process of qemu, or None."""
    socket = f"{folder}/socket"
    if STUB == "cyclops":
        gdb.execute(f"target remote | {os.environ['CYCLOPS']} gdb - {program}", to_string=True)
        return None
    if os.path.exists(socket):
        os.remove(socket)
    qemu = subprocess.Popen(["qemu-riscv64", "-g", socket, program], stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)
    while True:
        try:
            gdb.execute("target remote " + (socket if STUB == "qemu" else
                f"| python3 tests/sessions/record.py {socket}"), to_string=True)
            return qemu
        except gdb.error:
            # It does not listen yet.
            if qemu.poll() is not None:
                raise
            time.sleep(0.005)


def run(commands):
    global over, begin
    over = begin = None
    qemu = connect()
    answers, sp = [], None
    for command in commands:
        answers.append(ask(command))
        # Steps where there are no lines execute each instruction to the program's end.
        lost = WALK and answers[-1].get("at", ["", 1])[1] == 0
        if over is not None or "begin" in answers[-1] or lost:
            break
        if command == "continue" and sp is None:
            sp = int(gdb.parse_and_eval("$sp"))
            begin = gdb.newest_frame().pc() if STUB != "qemu" else None
    if over is None:
        gdb.execute("kill", to_string=True)
    gdb.execute("delete", to_string=True)
    if qemu:
        qemu.kill()
        qemu.wait()
    if os.path.exists(f"{folder}/socket"):
        os.remove(f"{folder}/socket")
    return {"sp": sp, "answers": answers}


gdb.execute("file " + program, to_string=True)
sessions = json.load(open(f"{folder}/sessions", encoding="utf-8"))
with open(folder + ("/stub" if STUB == "cyclops" else "/theirs"), "a+", encoding="utf-8") as out:
    out.seek(0)
    for s in sessions[len(out.readlines()):]:
        # History and variables are a session's.
        if not WALK:
            gdb.execute("file " + program, to_string=True)
        gdb.execute("set $i = 0", to_string=True)
        gdb.execute("set $j = 0", to_string=True)
        out.write(json.dumps(run(s)) + "\n")
        out.flush()
