#!/usr/bin/env python3
"""Each command with hostile names, on a terminal: tests/trust/terminal.sh lists the checks.

  terminal.py FOLDER
"""
import concurrent.futures
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

CYCLOPS = os.path.abspath(os.environ.get("CYCLOPS", "build/cyclops"))
FOLDER = sys.argv[1]
PATIENCE = 60
EVIL = "e\x1b]0;PWNED\x07\x1b[2J\u202e\x9b31m"  # a title, a cleared screen, a turned line, C1
BAD = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80\xae")
OURS = re.compile(rb"\x1b\[\d*(;\d+)*[mK]|\x1b\(B|\x0f")  # colours, of `run --summary` and the like
STANDS = "evil" + "_" * (len(EVIL.encode()) - 4)  # for it in C, replaced in the program
ASM = f"""
.globl _start
_start:
	call "{EVIL}"
	li a7, 93
	ecall
.globl "{EVIL}"
.type "{EVIL}", @function
"{EVIL}":
	li a0, 3
	ret
.size "{EVIL}", .-"{EVIL}"
.section "{EVIL}.text", "ax"
	nop
"""
C = f"""
struct {STANDS} {{ int {STANDS}; }} {STANDS}s __attribute__((section("s{STANDS}"))) = {{3}};
__attribute__((noinline)) int {STANDS}(int n)
{{
	return n < 2 ? n : {STANDS}(n - 1) + {STANDS}(n - 2);
}}
int main(void) {{ return {STANDS}({STANDS}s.{STANDS}) & 1; }}
"""
LINES = {
    "inspect": [
        ["inspect", "-n", "--batch", "-e", "break main", "-e", "continue", "-e", "backtrace", "-e",
            "info functions", "-e", "info files", "-e", "info sections", "-e", "disassemble", "-e",
            "list", "-e", "step 30", "-e", "why", "-e", "view pipe", "-e", "view hot", "-e",
            "view disasm", "-e", f"print {EVIL}", "-e", f"break {EVIL}", "-e", f"view {EVIL}", "-e",
            f"{EVIL}", f"./{EVIL}.elf", EVIL],
        ["inspect", "-n", "--json", "-e", "info functions", "-e", "step 30", "-e", f"{EVIL}",
            f"./{EVIL}.elf"],
        ["inspect", "-n", "--batch", "-x", f"./{EVIL}.cmd", f"./{EVIL}.elf"],
        ["inspect", "-n", "--batch", "--values", f"./{EVIL}.lua", f"./{EVIL}.elf"],
        ["inspect", f"--{EVIL}"], [EVIL]],
    "run": [["run", "--summary", f"./{EVIL}.elf"], ["run", f"./{EVIL}.c"],
        ["run", "--stats", f"none/{EVIL}", f"./{EVIL}.elf"],
        ["run", "--instrument", "cct", f"./{EVIL}.elf"], ["run", "--config", EVIL, "x"],
        ["run", "--config", f"./{EVIL}.lua", f"./{EVIL}.elf"], ["run", "-o", EVIL, "x"],
        ["run", "--restore", f"./{EVIL}.lua", f"./{EVIL}.elf"], ["run", f"./{EVIL}.txt"],
        ["run", *("-o oracle.enable=true -o oracle.contexts=true".split()), "--export",
            "callgrind=-", f"./{EVIL}.elf"],
        ["run", *("-o oracle.enable=true -o oracle.contexts=true".split()), "--export", "folded=-",
            f"./{EVIL}.elf"],
        ["run", "--stats", "-", f"./{EVIL}.elf", EVIL],
        ["run", "--sample", "U=100,W=100", "--stdin", "/dev/null", "--stats", "-", f"./{EVIL}.elf"],
        ["run", *("-o oracle.enable=true -o oracle.contexts=true -o oracle.blocks=true".split()),
            "--export", "dot-cfg=-", "--export", "dot-cct=-", f"./{EVIL}.elf"],
        ["run", *("-o oracle.enable=true -o oracle.contexts=true".split()), "--export",
            "html=-", f"./{EVIL}.elf"],
        ["run", "--report", "functions", f"./{EVIL}.elf"], ["run", f"none/{EVIL}"]],
    "compare": [["compare", "inorder2", "default", "--", f"./{EVIL}.elf", EVIL],
        ["compare", "--csv", "-", "inorder2", "default", "--", f"./{EVIL}.elf", EVIL],
        ["compare", "--json", "-", "inorder2", "default", "--", f"./{EVIL}.elf", EVIL],
        ["compare", EVIL, "default", "--", f"./{EVIL}.elf"]],
    "bakeoff": [["bakeoff", "-p", "sastry", "-a", "edges", "--csv", "-", f"./{EVIL}.elf"],
        ["bakeoff", "-p", "sastry", "-a", "edges", "--json", "-", f"./{EVIL}.elf"],
        ["bakeoff", "-p", "sastry", "-a", "edges", f"./{EVIL}.elf"], ["bakeoff", f"none/{EVIL}"]],
    "lua": [["lua", f"./{EVIL}.lua"], ["lua", "--lua-safe", f"./{EVIL}.lua"], ["lua",
        f"none/{EVIL}"]],
    "sweep": [["sweep", "-j", "1", "--force", f"./{EVIL}.plan"], ["sweep", f"none/{EVIL}"]],
    "instrument": [["instrument", "--kind", "bb", "--asm", f"./{EVIL}.s"],
        ["instrument", "--kind", "path", "--functions", EVIL, "--asm", f"./{EVIL}.s"],
        ["instrument", "--kind", "bb", "--list", "--asm", f"./{EVIL}.s"],
        ["instrument", "--kind", "bb", "-o", "made", f"./{EVIL}.elf"],
        ["instrument", "--kind", EVIL, "-o", "made", f"./{EVIL}.elf"]],
    "microcode": [["microcode", f"./{EVIL}.txt"], ["microcode", f"none/{EVIL}"]],
    "asm": [["asm", "-o", "made", f"./{EVIL}.s"], ["asm", "-o", "made", f"./{EVIL}.txt"]],
    "values": [["values", EVIL], ["values", f"./{EVIL}.lua"]],
    "gdb": [["gdb", "--listen", EVIL, f"./{EVIL}.elf"], ["gdb", "--listen", f"unix:none/{EVIL}",
        f"./{EVIL}.elf"], ["gdb", "--listen", f"unix:{EVIL}", f"./{EVIL}.elf"]],
    "dap": [["dap", "--listen", EVIL], ["dap", "--listen", f"unix:{EVIL}", f"./{EVIL}.elf"]],
    "tour": [["tour", EVIL], ["tour", "--batch", f"./{EVIL}.cyc"]],
    "lab": [["lab", EVIL], ["lab", "grade", "3", f"./{EVIL}.s", f"./{EVIL}.txt"],
        ["lab", "--course", f"./{EVIL}", "3"]],
    "demo": [["demo", EVIL]],
    "link": [["link", EVIL], ["link", f"--{EVIL}", "#1.x"]],
    "web": [["web", f"./{EVIL}.txt"], ["web", "page", EVIL]],
    "manual": [["manual", EVIL]],
    "help": [["help", EVIL]],
}
SERVES = {"gdb", "dap"}  # Ctrl-C ends them
TEXT = f"{EVIL}\n  {EVIL} = {EVIL}\n"
FILES = {
    f"{EVIL}.txt": TEXT, f"{EVIL}.s": ASM, f"{EVIL}.c": C,
    f"{EVIL}.lua": f"local x = '{EVIL}'\nprint(x)\nerror(x)\n",
    f"{EVIL}.cmd": f"echo {EVIL}\nprint {EVIL}\n{EVIL}\n",
    f"{EVIL}.cyc": f"# {EVIL}\necho {EVIL}\nstep 3\n# expect: {EVIL}\n",
    f"{EVIL}.plan": f"return {{ configs = {{ ['{EVIL}'] = 'default' }}, programs = {{ p = "
        f"'./{EVIL}.elf' }}, options = {{}}, out = 'swept', stats = {{ 'sim.cycles' }} }}",
}


def shown(number, argv):
    """The output to the command's own terminal."""
    home = f"{FOLDER}/home{number}"
    os.mkdir(home)
    pid, fd = pty.fork()
    if not pid:
        os.chdir(FOLDER)
        os.environ.update(HOME=home, TERM="dumb", LC_ALL="C.UTF-8", PAGER="cat")
        os.execv(CYCLOPS, [CYCLOPS, *argv])
    out, until, asked = b"", time.monotonic() + PATIENCE, False
    while time.monotonic() < until:
        if select.select([fd], [], [], 0.2)[0]:
            try:
                more = os.read(fd, 65536)
            except OSError:
                break
            if not more:
                break
            out += more
        elif argv[0] in SERVES and not asked and b"waiting" in out:
            os.kill(pid, signal.SIGINT)
            asked = True
    else:
        os.kill(pid, signal.SIGKILL)
        out += b"\x00(it goes on)"
    os.waitpid(pid, 0)
    os.close(fd)
    return out


def exported():
    """Faults of the files that exports write, which other programs show."""
    formats = ["callgrind", "folded", "flamegraph", "dot-cct", "dot-cfg", "html"]
    options = "-o oracle.enable=true -o oracle.contexts=true -o oracle.blocks=true".split()
    words = [w for f in formats for w in ("-e", f"export {f} export.{f}")]
    done = subprocess.run([CYCLOPS, "inspect", "-n", "--batch", *options, "-e", "step 1500", *words,
        f"./{EVIL}.elf"], cwd=FOLDER, capture_output=True)
    if done.returncode:
        yield f"status {done.returncode}, {done.stderr!r}"
    for name in formats:
        with open(f"{FOLDER}/export.{name}", "rb") as f:
            text = f.read()
        found = BAD.search(text)
        if found:
            yield f"{name}: {text[max(0, found.start() - 60):found.start() + 40]!r}"
        text.decode()
        if name in ("callgrind", "dot-cct") and b"main" not in text:
            yield f"{name}: without main"


def main():
    for name, text in FILES.items():
        with open(f"{FOLDER}/{name}", "w") as f:
            f.write(text)
    os.symlink(f"{EVIL}.txt", f"{FOLDER}/{EVIL}.link")
    subprocess.run(["riscv64-linux-gnu-gcc", "-O1", "-g", "-static", "-Wl,--emit-relocs", "-o",
        f"{EVIL}.elf", f"./{EVIL}.c"], cwd=FOLDER, check=True)
    with open(f"{FOLDER}/{EVIL}.elf", "r+b") as f:
        program = f.read().replace(STANDS.encode(), EVIL.encode())
        f.seek(0)
        f.write(program)
    usage = subprocess.run([CYCLOPS, "--help"], capture_output=True, text=True).stdout
    listed = set(re.findall(r"^  cyclops \[?(\w+)", usage, re.M))
    assert listed and not listed - set(LINES), listed - set(LINES)
    wrong, spoken = 0, 0
    lines = [argv for some in LINES.values() for argv in some]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for argv, out in zip(lines, pool.map(shown, range(len(lines)), lines)):
            found = BAD.search(OURS.sub(b"", out))
            spoken += b"PWNED" in out
            if found:
                wrong += 1
                at = found.start()
                print(f"FAIL: {argv}: {OURS.sub(b'', out)[max(0, at - 60):at + 40]!r}")
    for said in exported():
        wrong += 1
        print(f"FAIL: export {said}")
    if spoken < len(lines) // 2:
        wrong += 1
        print(f"FAIL: only {spoken} of {len(lines)} name what is hostile")
    print(f"checks: {len(lines) + 2}")
    sys.exit(bool(wrong))


main()
