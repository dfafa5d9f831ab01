#!/usr/bin/env python3
"""Starts every command of an installed cyclops in a folder that others made, and reports the
kernel's accesses to the folder.

    folder.py CYCLOPS FOLDER HOME

CYCLOPS: the installed program; FOLDER: is filled with traps: no file of it may be executed, and
only files that a command line names may be read; HOME: an empty folder that is one's own. Each
command of the program's own list is started with each of the command lines below, in each of the
environments: by strace, which reports each file that is opened or executed. Whatever the folder's
files could do leaves a file PWNED, all texts that they could contribute have HOSTILE. A line for
each thing that is wrong, then "N tried, N wrong"."""
import concurrent.futures
import fcntl
import os
import pty
import re
import select
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import termios
import time

CYCLOPS, FOLDER, HOME = (os.path.abspath(word) for word in sys.argv[1:4])
SECONDS = 20  # for commands that wait for ever

TOUR = "# HOSTILE tour\n# program: hello\n\n# HOSTILE.\n\nshell touch PWNED-tour\nstepi\n"
LAB = ("# HOSTILE lab\n# hand-in: task.s\n# points: 20\n# steps: 1000000\n# program: hello\n#\n"
       "# HOSTILE.\n\nshell touch PWNED-lab\n")
CHECK = 'print("point\\t20\\t20\\tHOSTILE\\t")\nprint("done\\t20\\t20\\t")\n'
MODULE = 'io.open("PWNED-module", "w"):close()\nos.execute "touch PWNED-execute"\nreturn {}\n'
COMMANDS = "shell touch PWNED-commands\nprint \"HOSTILE\"\n"
PRESET = 'print "HOSTILE"\nreturn { description = "HOSTILE", ["pipe.rob_size"] = 7 }\n'
SCRIPT = '#!/bin/sh\n: >"PWNED-${0##*/}"\necho HOSTILE\n'
HELLO = ".globl _start\n_start:\n\tli a0, 0\n\tli a7, 93\n\tecall\n"

# ---- contents of the folder ----
PRESETS = ["default", "classic5", "inorder2", "medium", "hello", "textbook"]
TOURS = ["first", "hello", "fib", "hostile"]
LABS = ["01-pipeline", "03-branches", "3", "12-profiler"]
PROGRAMS = [
    "less", "more", "cat", "sh", "bash", "vi", "editor", "xdg-open", "gcc", "cc", "as", "ld", "cc1",
    "collect2", "cyclops", "uname", "parallel", "sbatch", "riscv64-linux-gnu-gcc",
    "riscv64-linux-gnu-g++", "riscv64-linux-gnu-as", "riscv64-linux-gnu-ld", "ccache", "gdb",
    "clang", "tput", "stty", "touch", "wrapper",
]
MODULES = [
    "cyclops", "cyclops/lab", "cyclops/arguments", "cyclops/bakeoff", "cyclops/bakeoff_command",
    "cyclops/instrument", "cyclops/instrument_command", "cyclops/values", "lab", "runs", "guest",
    "json", "init", "nosuch", "nosuch/init", "kept", "options", "values", "plugin",
]
# Each folder that could be taken for a course, or for the user's home.
ROOTS = ["", "share/cyclops", "course", "cyclops", ".local/share/cyclops/course",
         "usr/share/cyclops"]
HOMES = ["", ".config/", ".local/share/", ".local/state/", ".cache/"]
INITS = [
    ".cyclopsrc", ".cyclops/init", "cyclops/init", "init", ".gdbinit", "init.cyc",
    "cyclops.cyc", ".cyclops_history", ".inputrc", "inputrc",
]


def write(name, text, executable=False):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.isdir(path):
        return
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755 if executable else 0o644)


def fill():
    for root in ROOTS:
        for name in TOURS:
            write(f"{root}/demos/tours/{name}.cyc".lstrip("/"), TOUR)
        for name in LABS:
            for file, text in [("lab.cyc", LAB), ("check.lua", CHECK), ("task.s", HELLO),
                               ("page.md", "# HOSTILE page\n")]:
                write(f"{root}/demos/labs/{name}/{file}".lstrip("/"), text)
        for file, text in [("demos/programs/list.txt", "hello||-|HOSTILE\nhostile||-|HOSTILE\n"),
                           ("build/cyclops", SCRIPT), ("build/release/cyclops", SCRIPT),
                           ("bin/cyclops", SCRIPT),
                           ("demos/scenarios/lab.lua", MODULE),
                           ("demos/plugins/gshare.lua", MODULE),
                           ("demos/papers/report.lua", MODULE), ("demos/papers/runs.lua", MODULE),
                           ("README.md", "# HOSTILE\n"), ("TEACHING.md", "# HOSTILE\n"),
                           ("docs/start.md", "# HOSTILE\n"), ("core/README.md", "# HOSTILE\n")]:
            write(f"{root}/{file}".lstrip("/"), text, text is SCRIPT)
        for name in PRESETS:
            write(f"{root}/demos/configs/{name}.lua".lstrip("/"), PRESET)
            write(f"{root}/configs/{name}.lua".lstrip("/"), PRESET)
    for name in PRESETS:
        write(f"{name}.lua", PRESET)
        write(f"presets/{name}.lua", PRESET)
    for name in LABS:
        write(f"{name}/lab.cyc", LAB)
        write(f"{name}/check.lua", CHECK)
        write(f"{name}/task.s", HELLO)
    for name in MODULES:
        write(f"{name}.lua", MODULE)
        write(f"{name}.so", "HOSTILE")
    for name in TOURS:
        write(f"tours/{name}.cyc", TOUR)
        write(f"{name}.tour", TOUR)
    for home in HOMES:
        for name in INITS:
            write(home + name, '"t": "shell touch PWNED-readline\\n"\n' if "inputrc" in name
                  else COMMANDS)
        write(f"{home}cyclops/last-session", f"{FOLDER}\ntour\n./demos/tours/hello.cyc\n")
        write(f"{home}cyclops/layouts", "HOSTILE")
        write(f"{home}cyclops/keys", "q shell touch PWNED-keys")
    for name in PROGRAMS:
        write(name, SCRIPT, True)
    for letter in "sxtl":  # terminfo: by letter
        for terminal in ["screen", "xterm", "xterm-256color", "tmux", "linux"]:
            if terminal.startswith(letter):
                write(f"terminfo/{letter}/{terminal}", "HOSTILE")
                write(f".terminfo/{letter}/{terminal}", "HOSTILE")
    write("rc.sh", "touch PWNED-rc\n")
    write("specs", "*link:\n--HOSTILE\n")
    write("libtinfo.so.6", "HOSTILE")
    write("libc.so.6", "HOSTILE")
    write("liblua5.4.so.0", "HOSTILE")
    write("plan.out/jobs/x.json", "{}")
    # Names that are options, and files of options.
    options = "-wrapper ./wrapper -fplugin=./evil.so plain.c"
    for name in ["-x", "+x", "@x", "--batch", "-e", "--course", "-o", "--help"]:
        write(name, options)
    for name in ["@prog.c", "-prog.c", "+prog.c", "plain.c"]:
        write(name, "int main(void) { return 0; }\n")
    write("prog.c", options)
    for name in ["@prog.s", "-prog.s", "student.s", "+prog.s"]:
        write(name, HELLO)
    write("x.s", options)
    write("scripts/script.lua", 'require "cyclops.lab"\nprint(pcall(require, "nosuch"))\n'
          'print(pcall(require, "json"))\nprint(pcall(require, "lab"))\n')
    write("plan.lua", 'return { programs = { one = { "prog" } }, out = "results" }\n')
    write("microprogram.mic", "HOSTILE")
    write("list.txt", "HOSTILE")
    subprocess.run([CYCLOPS, "asm", "student.s", "-o", "prog"], cwd=FOLDER, check=True,
                   env={"HOME": HOME, "PATH": "/usr/bin:/bin"}, stdin=subprocess.DEVNULL)
    copies = ["-prog", "@prog"] + [os.path.join(root, "build/demos", name) for root in ROOTS
                                   for name in ("hello", "hostile", "scenarios/forwarding")]
    for name in copies:
        path = os.path.join(FOLDER, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copy(os.path.join(FOLDER, "prog"), path)


# ---- command lines ----
# After each command's name; [] and --help too. Files that a word names may be read.
WORDS = [
    [], ["--help"], ["hello"], ["3"], ["start"], ["prog"], ["student.s"], ["@prog.c"],
    ["./-prog.c"], ["--", "-prog.c"], ["+prog.c"], ["@prog.s"], ["--", "-prog"], ["@prog"],
    ["scripts/script.lua"], ["plan.lua"], ["grade", "3", "student.s"], ["check", "3", "student.s"],
    ["page", "3"], ["--batch", "hello"], ["--batch", "3"], ["-c", "classic5", "prog"],
    ["default", "classic5", "--", "prog"], ["--batch", "-e", "lua require 'json'", "prog"],
    ["--batch", "-e", "shell true", "-e", "break _start", "-e", "list", "prog"],
    ["--instrument", "bb", "prog"], ["--values", "results", "prog"], ["scenarios/forwarding"],
]
# Commands that search folders: tried in the other environments, too.
LOOSE_WORDS = ["hello", "3", "prog", "@prog.c", "scripts/script.lua", "page"]
# The special needs of a few commands; a new command needs none.
MORE = [
    ["help", "presets"], ["help", "lua", "json"], ["complete", ""], ["complete", "tour", ""],
    ["complete", "demo", ""], ["complete", "run", "--config", ""], ["manual", "--browser"],
    ["lab", "hello"], ["lab", "page", "hello"], ["demo", "--batch", "-e", "print 1", "hello"],
    ["sweep", "plan.lua", "--list"], ["sweep", "plan.lua", "--emit", "parallel", "emitted"],
    ["help", "--markdown", "pages"], ["prog"], ["./@prog.c"], ["--version"],
    ["instrument", "--kind", "bb", "prog", "-o", "counted"],
]
# On a terminal, with these keys, and what is seen then: the start page, sessions, pagers, editors.
# \0 waits until that is seen.
SCREENS = [
    ([], "\x1bOB\r\r  q\x1b", "A first look"), ([], "\x1bOB\x1bOB\r\r", "1 pipeline"),
    ([], "\x1bOB\x1bOB\x1bOB\r\rq", "anagrams of phrases"), ([], "\r", "What shall it be"),
    (["prog"], ":tour hello\r\0  q:q\r", "smallest"),
    (["prog"], "\x10tour\r\0 q:q\r", "A first look"),
    (["tour", "hello"], "   q", "smallest"), (["lab", "3"], "q\r  q", "Lab 3"),
    (["demo", "hello"], "tq", "hello"), (["manual", "start"], "qq", "Get started"),
    (["lab", "edit", "3"], "q\x1b:q\r", "playground"), (["lab", "page", "3"], "q", "Lab 3"),
    (["lab", "edit", "10"], ":q!\r", "hand-in of this lab"),
    (["--no-screen", "prog"], "t\rshell\rexit\rquit\r", "shell"),
    (["student.s"], "q\x1b:q\r", "playground"), (["asm"], "q\x1b:q\r", "playground"),
]
PLAIN = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": HOME, "TERM": "xterm-256color",
         "LANG": "C.UTF-8"}
# Others' folders everywhere; shells and people have such things by accident.
LOOSE = {"PATH": ":/usr/local/bin::/usr/bin:.:/bin:", "HOME": ".", "TERM": "xterm-256color",
         "XDG_DATA_HOME": ".local/share", "XDG_CONFIG_HOME": ".config", "XDG_STATE_HOME": ".",
         "XDG_CACHE_HOME": "cache", "TMPDIR": ".", "TERMINFO": "terminfo", "INPUTRC": ".inputrc",
         "TERMINFO_DIRS": ":terminfo:", "SHELL": "sh", "COMPILER_PATH": ".", "CPATH": ":",
         "LIBRARY_PATH": ":", "LANG": "C.UTF-8", "ENV": "./rc.sh", "BASH_ENV": "rc.sh",
         "GCC_ROOT": ".", "DEPENDENCIES_OUTPUT": "PWNED-made", "SUNPRO_DEPENDENCIES": "PWNED-sun",
         "LUA_PATH": "?.lua;./?.lua;;", "LUA_CPATH": "./?.so;;", "GCC_EXEC_PREFIX": "./"}
# With a home, which most programs need.
LOOSE_AT_HOME = dict(LOOSE, HOME=HOME, XDG_DATA_HOME=HOME + "/data",
                     XDG_CACHE_HOME=HOME + "/cache")


def commands():
    """The first words of the program's own list."""
    out = subprocess.run([CYCLOPS, "--help"], env=PLAIN, capture_output=True, text=True,
                         check=True).stdout
    names = re.findall(r"^  cyclops \[?([a-z]+)", out, re.M)
    assert len(names) > 10, out
    return names


# ---- the kernel's record ----
CALL = re.compile(r'^(?:\d+ +)?(openat2?|open|execve|execveat|creat)\((.*)\) += (-?\d+)')
TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"')


def decoded(text):
    """A text as strace writes it."""
    return text.encode().decode("unicode_escape")


def seen(log, allowed):
    """Files of the folder that were executed or read without permission."""
    wrong = set()
    with open(log, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            match = CALL.match(line)
            text = match and TEXT.search(re.sub(r"^(?:AT_FDCWD|\d+)<.*?>, (?=\")", "", match[2]))
            if not text or int(match[3]) < 0:
                continue
            call, arguments = match[1], match[2]
            # -y: of a relative name, the folder that it is relative to.
            at = re.match(r"(?:AT_FDCWD|\d+)<(.*?)>, \"", arguments)
            path = os.path.normpath(os.path.join(decoded(at[1]) if at else FOLDER, decoded(text[1])))
            if path != FOLDER and not path.startswith(FOLDER + "/"):
                continue
            if "O_WRONLY" in arguments or "O_RDWR" in arguments or "O_PATH" in arguments:
                continue
            rest = os.path.relpath(path, FOLDER)
            if call.startswith("open") and (rest in allowed or rest.startswith("results")):
                continue
            wrong.add(f"{call} {rest}")
    return wrong


def named(words):
    """Files that the words of a command line allow to be read."""
    allowed = {os.path.normpath(word) for word in words}
    if "plan.lua" in allowed:
        allowed |= {"prog", "emitted", "results"}
    if "prog" in allowed:
        allowed.add("student.s")  # its source, by its debug information, to be shown
    # An editor lists the folder that it is in.
    return allowed | {"."}


def traced(log, words):
    return ["strace", "-f", "-y", "--seccomp-bpf", "-o", log, "-e",
            "trace=open,openat,openat2,creat,execve,execveat", CYCLOPS, *words]


def run(words, environment, log):
    """Without a terminal; its output."""
    process = subprocess.Popen(traced(log, words), cwd=FOLDER, env=environment,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True)
    out, end = b"", time.monotonic() + SECONDS
    while time.monotonic() < end and b"waiting for" not in out:
        if select.select([process.stdout], [], [], 0.1)[0]:
            got = os.read(process.stdout.fileno(), 65536)
            if not got:
                break
            out += got
    try:  # a server, or what a shell has begun
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    process.stdout.close()
    process.wait()
    return out


def plain(out):
    """The text, without its looks."""
    return re.sub(rb"\x1b(\[[0-9;?]*[a-zA-Z]|[()][A-Z0-9]|.)", b"", out)


def run_screen(words, keys, environment, log, shown):
    """On a terminal of its own; each key when the one before has had its effect. A key without an
    effect is waited for two seconds, and so is the text before the last key."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(FOLDER)
        os.execve("/usr/bin/strace", traced(log, words), environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    out, keys = b"", re.findall(r"\x1bO.|.", keys, re.S)
    end, silences, wrote = time.monotonic() + 3 * SECONDS, 0, False
    while time.monotonic() < end:
        try:
            if select.select([terminal], [], [], 0.15)[0]:
                got = os.read(terminal, 65536)
                if not got:
                    break
                out, silences, wrote = out + got, 0, True
            elif keys and keys[0] == "\0":
                if shown in plain(out):
                    keys.pop(0)
            elif keys and silences < (0 if wrote and (len(keys) > 1 or shown in plain(out))
                                      else 13):
                silences += 1
            elif keys:
                os.write(terminal, keys.pop(0).encode())
                silences, wrote = 0, False
            elif shown in plain(out):
                break
        except OSError:
            break
    for sent in (signal.SIGHUP, signal.SIGKILL):
        try:
            os.killpg(pid, sent)
        except ProcessLookupError:
            pass
        time.sleep(0.05)
    os.close(terminal)
    os.waitpid(pid, 0)
    return out


def attempt(case):
    words, keys, environment, shown = case
    with tempfile.NamedTemporaryFile() as log:
        out = (run(words, environment, log.name) if keys is None
               else run_screen(words, keys, environment, log.name, shown.encode()))
        wrong = seen(log.name, named(words))
    wrong |= {"it says HOSTILE"} if b"HOSTILE" in out else set()
    wrong |= {f"it does not show '{shown}'"} if shown.encode() not in plain(out) else set()
    return words, keys, environment, wrong


def main():
    fill()
    both = (PLAIN, LOOSE_AT_HOME)
    # First, for they take longest.
    cases = [(*screen[:2], environment, screen[2]) for screen in SCREENS for environment in both]
    for name in commands() + ["complete"]:
        for words in WORDS:
            cases.append(([name, *words], None, PLAIN, ""))
            if not words or words[0] in LOOSE_WORDS:
                cases.append(([name, *words], None, LOOSE, ""))
                cases.append(([name, *words], None, LOOSE_AT_HOME, ""))
    cases += [(words, None, environment, "") for words in MORE for environment in both]
    names = {id(PLAIN): "", id(LOOSE): " (relative folders everywhere)",
             id(LOOSE_AT_HOME): " (relative PATH)"}
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        for words, keys, environment, wrong in pool.map(attempt, cases):
            bad += bool(wrong)
            for what in sorted(wrong):
                print(f"cyclops {' '.join(words)}{' on a terminal' if keys is not None else ''}"
                      f"{names[id(environment)]}: {what}")
    for top in (FOLDER, HOME):
        for folder, _, files in os.walk(top):
            for file in files:
                if file.startswith("PWNED"):
                    bad += 1
                    print(f"executed: {os.path.join(folder, file)}")
    print(f"{len(cases)} tried, {bad} wrong")
    return bad != 0


sys.exit(main())
