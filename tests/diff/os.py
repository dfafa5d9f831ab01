"""System calls through glibc: each part of tests/diff/os/guest.c prints the same and ends the same
under qemu-riscv64 and cyclops, functional and detailed, and leaves the same files behind."""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

sys.path[:0] = ["tests"]
from checks import check_fault, finish

TOP = os.getcwd()
CYCLOPS = os.path.join(TOP, os.environ.get("CYCLOPS", "build/cyclops"))
# small: without timing alone, and without the C library's parts
SCALE = os.environ.get("CYCLOPS_TEST_SCALE", "full")
GUESTS = TOP + "/build/tests/diff/os/"
POEM = b"Tyger Tyger, burning bright,\nIn the forests of the night;\n\nWhat immortal hand or eye"
# Parts that compute, without calls or signals that depend on time, run with timing at scale long
# alone.
QUICK = set("sorting searching regexes trees words locales converting calendars options streams identity".split() if SCALE != "long" else [])
# Linux's results that qemu-riscv64 7.2 or an older host lacks: several mappings moved at once,
# MAP_FIXED_NOREPLACE.
SPARSE_MOVES = [
    "mremap 0 'ab d' 0+4 to 4, 1, 0: 0;ab-d--------------------",
    "mremap 1 'ab d' 0+4 to 4, 3, 10: 10;----------ab-d----------",
    "mremap 2 'ab.d' 0+4 to 4, 3, 10: 10;----------ab.d----------",
    "mremap 3 'ab d' 0+4 to 4, 7, 10: 10;00-0------ab-d----------",
]
NOREPLACE = [
    "mmap 0 'ab d' 0+2, 100022: EEXIST;ab-d--------------------",
    "mmap 1 'ab d' 2+2, 100022: EEXIST;ab-d--------------------",
    "mmap 2 'ab d' 1+2, 100022: EEXIST;ab-d--------------------",
    "mmap 3 'ab d' 0+1, 100032: EEXIST;ab-d--------------------",
    "mmap 4 'a. d' 1+1, 100022: EEXIST;a.-d--------------------",
    "mmap 5 'ab d' -1+1, 100022: EINVAL;ab-d--------------------",
    "mmap 6 'ab d' 0+2, 104022: EEXIST;ab-d--------------------",
]
# Calls whose answer (tests/diff/os/refusals.c) differs from the host's, with reasons.
DIFFERS = [
    # Mechanisms that the machine lacks.
    r"signalfd4 ", r"mknodat ", r"renameat2 .*whiteout", r"openat .* tmpfile",
    r"openat .*(link|dangling|loop), path.nofollow",
    r"futex .*, 13, ", r"socketpair unix, dgram", r"mmap .*, rw, (shared|validate), rw",
    r"fallocate \w+, (punch|zero|2)", r"madvise .*, remove", r"timer_create -1,",
    r"clock_nanosleep -1,", r"fch(mod|own) (pipe|pipe-in|memfd|socket|event|timer|epoll),",
    # Limits: of locked memory, of a file's length; the name of the current directory.
    r"m(un)?lock .*, -page", r"f?truncate .*, max", r"getcwd page-end",
    # Kernels differ: 6.11 takes no path with AT_EMPTY_PATH, 6.10 counts eventfd's bytes and links
    # descriptors, epoll's order of checks, file systems with seals.
    r"(newfstatat|statx) \w+, (null|''), .*(empty|-1)", r"(read|write)v? (event|timer), ",
    r"linkat \w+, '', .*empty", r"epoll_pwait (closed|rw|path), ", r"ioctl epoll, ",
    r"fcntl .*, seals,", r"openat .*, dir.creat", r"mremap [^,]*, [^,]*, -page", r"mremap mapped, -page, page.1, maymove.fixed", r"flock .*, -1",
    r"lseek (ro|wo|rw|append), max, (set|cur)", r"lseek folder, ",
    # Set-ID bits stay off the host's files; the guest is root, and its pages are execute-only.
    r"fchmod(at)? .*, -1", r"fchmod folder, ", r"mprotect mapped, .*, x",
    # The kernel's choice of a place.
    r"mremap mapped, 1, page.1, maymove, ", r"mremap mapped, 1, [\w+]+, dontunmap",
    # Which of two bad arguments is reported.
    r"renameat2 .*(file/x|missing/x|long name|dir/\.).*, 0$", r"futex \w+, (requeue|cmp), -1",
]


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def place(work):
    """A fresh folder to work in, for the folder that it returns."""
    shutil.rmtree(work, ignore_errors=True)
    tree = work + "/tree"
    os.makedirs(tree)
    write(tree + "/poem.txt", POEM)
    os.symlink("poem.txt", tree + "/link")
    os.symlink("../secret", tree + "/escape")
    write(work + "/secret", b"secret\n")
    return tree


def files(folder):
    """{name below it: its kind, mode and contents}"""
    found = {}
    for path, folders, names in os.walk(folder):
        for name in [".", *folders, *names]:
            at = os.path.normpath(os.path.join(path, name))
            info = os.lstat(at)
            what = os.readlink(at) if stat.S_ISLNK(info.st_mode) else read(at) if stat.S_ISREG(
                info.st_mode) else None
            found[os.path.relpath(at, folder)] = (oct(info.st_mode), what)
    return found


def run(work, part, command, environment=None):
    """Its results: output, error output, status, files."""
    tree = place(work)
    with open(tree + "/poem.txt", "rb") as poem, open(work + "/out", "wb") as out, open(
            work + "/err", "wb") as err:
        options = {"cwd": tree, "stdout": out, "stderr": err, "env": environment or os.environ}
        if part == "input":  # in two pieces
            child = subprocess.Popen(command, stdin=subprocess.PIPE, **options)
            try:
                child.stdin.write(POEM)
                child.stdin.flush()
                time.sleep(0.1)
                child.stdin.write(b"\nend\n")
                child.stdin.close()
            except BrokenPipeError:
                pass
            status = child.wait()
        else:
            status = subprocess.run(command, stdin=poem, **options).returncode
    # Messages of the simulators: ours on calls and faults, qemu's on signals.
    said = [line for line in read(work + "/err").split(b"\n")
        if not line.startswith((b"cyclops: ", b"qemu: ", b"  "))]
    return {"output": read(work + "/out"), "error output": said, "status": status if status >= 0
        else 128 - status, "files": files(tree),
            "secret": read(work + "/secret")}


def difference(right, seen):
    for what in right:
        if what == "files" and right[what] != seen[what]:
            names = sorted(name for name in right[what].keys() | seen[what].keys()
                if right[what].get(name) != seen[what].get(name))
            return f"file {names[0]} differs: {right[what].get(names[0])!r:.300} under qemu-riscv64, {seen[what].get(names[0])!r:.300} here"
        if right[what] != seen[what]:
            return f"{what} differs: {right[what]!r:.600} under qemu-riscv64, {seen[what]!r:.600} here"
    return ""


def compare(work, program, part):
    """Under all three."""
    guest = GUESTS + program
    right = run(work, part, ["qemu-riscv64", guest, part], dict(os.environ, TEST_OS="given"))
    ours = [CYCLOPS, "run", "--rw", "--env", "TEST_OS=given"]
    check_fault(f"{program} {part} (functional)",
        difference(right, run(work, part, [*ours, "--functional", guest, part])))
    if SCALE != "small" and part not in QUICK:
        check_fault(f"{program} {part} (detailed)",
            difference(right, run(work, part, [*ours, guest, part])))


def fixed(work, program, part, *lines, options=()):
    """Intended differences: the output without --rw."""
    for how in [["--functional"]] + [[]] * (SCALE != "small" and program == "memory"):
        seen = run(work, part, [CYCLOPS, "run", *how, *options, GUESTS + program,
            part])["output"].decode().splitlines()
        check_fault(f"{program} {part}", seen != list(lines) and f"{seen}, not {list(lines)}")


def answers(command, folder, **options):
    """Each call's answer in an empty folder, by call and arguments."""
    place_of_calls = folder + "/calls"
    shutil.rmtree(place_of_calls, ignore_errors=True)
    os.mkdir(place_of_calls)
    os.chmod(folder, 0o755)
    if options:
        os.chown(place_of_calls, options["user"], options["group"])
    done = subprocess.run(command, cwd=place_of_calls, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, **options)
    check_fault(f"{command[0]} ends", done.returncode and f"status {done.returncode}")
    return dict(line.rpartition(": ")[::2] for line in done.stdout.splitlines())


def refusals(folder):
    """Every combination of good and bad arguments of 110 calls, and the effects of those that
    succeed, against the host's Linux."""
    other_user = {"user": 1000, "group": 1000, "extra_groups": []} if os.getuid() == 0 else {}
    linux = answers([GUESTS + "refusals.host"], folder, **other_user)
    ours = answers([CYCLOPS, "run", "--rw", "--functional", GUESTS + "refusals"], folder)
    check_fault("the same calls are made", linux.keys() != ours.keys() and "other ones")
    check_fault("and many", len(linux) < 30000 and len(linux))
    differs = re.compile("|".join(DIFFERS))
    for call, answer in linux.items():
        if ours.get(call) != answer and not differs.match(call):
            check_fault(call, f"{ours.get(call)}, Linux: {answer}")
    check_fault("most calls are compared", sum(not differs.match(call) for call in linux) < 25000)


def main():
    os.umask(0o022)  # qemu's guests have the person's, ours have this one
    os.environ.pop("TEST_OS", None)
    with tempfile.TemporaryDirectory() as folder:
        work = folder + "/work"
        for part in "input seek_input files tree memory clocks self signals redirect database devices abort assert".split():
            compare(work, "guest", part)
        if SCALE != "small":
            for part in (
                "formats sorting searching regexes trees words locales converting calendars "
                "mathematics jumping contexts "
                         "handlers options memory alone streams descriptors identity").split():
                compare(work, "libc", part)
        for part in "moves maps sparse files".split():
            compare(work, "memory", part)
        fixed(work, "memory", "sparse_moves", *SPARSE_MOVES)
        fixed(work, "memory", "noreplace", *NOREPLACE)
        fixed(work, "memory", "overcommit", "15 MiB", "read: -1", "zero: 0", "3",
            options=["-o", "sim.memory=16M"])
        for part in "nested patch lr.w lr.d amo.w amo.d".split():
            compare(work, "stack", part)
        # Nothing outside the folder exists, which is the root, and it is read-only.
        fixed(work, "guest", "walls", "0 0 2", "0 0 2", "1 1 0", "0 0 2", "0 0 2", "1 1 0", "/",
            "30")
        # One process with one thread.
        fixed(work, "libc", "refusals", "0", "fork: Function not implemented", "ENOSYS",
            "system: 32512",
              "wait: No child processes", "popen: 0")
    if SCALE != "small":
        with tempfile.TemporaryDirectory() as folder:
            refusals(folder)
    finish()


main()
