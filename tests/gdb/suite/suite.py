"""gdb's own test suite on Cyclops's stub, and on qemu's.

    suite.py FOLDER [--qemu | --beside] [--keep] [--old] NAME...

NAME: gdb.base, gdb.base/callfuncs.exp, or `short`.

FOLDER has gdb's sources (make/gdb_suite.sh). Each file of tests is run by dejagnu, in a folder of
its own. expected.txt lists the failures that are expected, with their reasons; a failure that it
lacks fails here, and so does one that it lists and that passes. --qemu runs the files on qemu's
stub, too, --beside those that have failures on ours; both print qemu's figures, the failures of
ours that pass there, with their reasons, and files with more passes there. --keep writes the list
anew, with the old reasons. --old runs only files that have not run yet, so that a group can be run
in pieces. short: the files of short.txt."""
import concurrent.futures
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
LIMIT = 1800  # seconds for a file, on a loaded computer
CLOCK_HZ = 2000000  # timers of a second take as many cycles
SITE = """set srcdir %(source)s
set target_triplet riscv64-unknown-linux-gnu
set host_triplet x86_64-pc-linux-gnu
set build_triplet x86_64-pc-linux-gnu
set target_alias riscv64-linux-gnu
set enable_libctf no
set tool gdb
set objdir %(folder)s
lappend boards_dir %(boards)s %(source)s/boards
set INTERNAL_GDBFLAGS {-nw -nx -iex "set height 0" -iex "set width 0"}
set GDB gdb-multiarch
"""
STUBS = {"cyclops": os.environ.get("CYCLOPS", "build/cyclops"), "qemu": HERE + "/qemu_stub.py"}


def run_file(root, board, name):
    """Runs a file in its folder."""
    folder = os.path.join(root, "out", board, name.replace("/", "_"))
    subprocess.run(["rm", "-rf", folder], check=True)
    for part in ("outputs", "temp", "cache"):
        os.makedirs(os.path.join(folder, part))
    open(folder + "/Makefile", "w", encoding="ascii").close()  # as make would leave in its folder
    with open(folder + "/site.exp", "w", encoding="ascii") as f:
        f.write(SITE % {"source": root + "/gdb/gdb/testsuite", "folder": folder,
                        "boards": HERE + "/boards"})
    stub = os.path.abspath(STUBS[board])
    if board == "cyclops":
        stub += " gdb -o sim.clock_hz=%d -" % CLOCK_HZ
    with open(folder + "/log", "wb") as log:
        subprocess.run(["timeout", str(LIMIT), "runtest", "--tool", "gdb", "--srcdir",
                        root + "/gdb/gdb/testsuite", "--target=riscv64-unknown-linux-gnu",
                        "--target_board=" + board, name],
                       cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=False,
                       env=dict(os.environ, STUB=stub, DEJAGNU=folder + "/site.exp"))


def results_of(root, board, name, old):
    """Runs a file, or takes its `old` results; returns {test: result}."""
    folder = os.path.join(root, "out", board, name.replace("/", "_"))
    if not old or not os.path.exists(folder + "/gdb.sum"):
        run_file(root, board, name)
    results = {}
    try:
        with open(folder + "/gdb.sum", encoding="utf-8", errors="replace") as f:
            for line in f:
                line = line.replace(root + "/", "")
                found = re.match(r"(PASS|FAIL|UNRESOLVED): (.*)", line.rstrip())
                if found and results.get(found[2]) != "FAIL":
                    results[found[2]] = "PASS" if found[1] == "PASS" else "FAIL"
    except FileNotFoundError:
        results[name + ": it runs"] = "FAIL"
    return results


def files_of(root, names):
    source = root + "/gdb/gdb/testsuite/"
    for name in names:
        if name == "short":
            with open(HERE + "/short.txt", encoding="ascii") as f:
                yield from files_of(root, f.read().split())
        elif name.endswith(".exp"):
            yield name
        else:
            yield from sorted(os.path.relpath(os.path.join(at, file), source)
                              for at, _, files in os.walk(source + name)
                              for file in files if file.endswith(".exp"))


def run_all(root, board, names, old):
    jobs = int(os.environ.get("JOBS", len(os.sched_getaffinity(0))))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        all_results = pool.map(lambda name: results_of(root, board, name, old), names)
        return dict(zip(names, all_results))


def group_counts(results):
    counts = {}
    for name, tests in results.items():
        row = counts.setdefault(name.split("/")[0], [0, 0])
        for result in tests.values():
            row[result == "FAIL"] += 1
    return counts


def read_expected():
    expected = {}
    with open(HERE + "/expected.txt", encoding="utf-8") as f:
        for line in f:
            if line.strip() and not line.startswith("#"):
                test, reason = line.rstrip("\n").split("\t")
                expected[test] = reason
    return expected


def main():
    arguments = sys.argv[1:]
    qemu, beside, keep, old = (flag in arguments
                               for flag in ("--qemu", "--beside", "--keep", "--old"))
    root, *names = [a for a in arguments if not a.startswith("--")]
    root = os.path.abspath(root)
    names = list(dict.fromkeys(files_of(root, names)))
    ours = run_all(root, "cyclops", names, old)
    compared = [n for n in names if qemu or (beside and "FAIL" in ours[n].values())]
    theirs = run_all(root, "qemu", compared, old)
    expected = read_expected()
    passed = failed = 0
    fails = {}
    for tests in ours.values():
        for test, result in tests.items():
            if result == "FAIL":
                fails[test] = expected.get(test, "?")
            if test.split(":")[0] + ": *" in expected or (result == "FAIL") == (test in expected):
                passed += 1
            else:
                failed += 1
                print("FAIL: %s %s" % (test, "fails" if result == "FAIL" else
                                       "passes, but expected.txt lists it"))
    for name, tests in theirs.items():
        good, better = (list(of.values()).count("PASS") for of in (ours[name], tests))
        if good < better:
            print("%s: %d passes, %d on qemu" % (name, good, better))
        for test, result in tests.items():
            if result == "PASS" and ours[name].get(test) == "FAIL":
                print("passes on qemu: %s\t%s" % (test, expected.get(
                    test, expected.get(name + ": *", "?"))))
    their_counts = group_counts(theirs)
    print("%-14s %8s %8s %8s %8s" % ("group", "passes", "failures", "qemu's", "failures"))
    for group, (good, bad) in group_counts(ours).items():
        print("%-14s %8d %8d %8s %8s" % (group, good, bad, *their_counts.get(group, ("", ""))))
    if keep:
        whole = {t for t in expected if t.endswith(": *")}
        ran = set(names)
        kept = {t: r for t, r in expected.items() if t in whole or t.split(":")[0] not in ran}
        fails = {t: r for t, r in fails.items() if t.split(":")[0] + ": *" not in whole}
        with open(HERE + "/expected.txt", encoding="utf-8") as f:
            head = [line for line in f if line.startswith("#")]
        with open(HERE + "/expected.txt", "w", encoding="utf-8") as f:
            f.writelines(head)
            f.writelines("%s\t%s\n" % row for row in sorted((kept | fails).items()))
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


main()
