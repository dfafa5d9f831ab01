#!/usr/bin/env python3
"""clang-tidy of sources whose text is new: what has passed once, here or in another clone, passes.

  make/tidy.py BUILD SOURCE... -- FLAGS...      FLAGS: the compiler's; BUILD has the sources' lists
                                                of headers (*.d)

A source's text is its own and that of each header of ours, .clang-tidy, FLAGS and clang-tidy's
version. A pass leaves an empty file of its sum's name in ${XDG_CACHE_HOME:-~/.cache}/cyclops/tidy;
a failure leaves none, and files unused for 30 days are removed. clang-tidy takes several sources
at a time, for most of a short run is its start. TIDY_CHECKS has checks beside those of .clang-tidy.
"""
import concurrent.futures
import hashlib
import os
import re
import subprocess
import sys
import time

AT_A_TIME = 10
KEPT = 30 * 24 * 3600  # seconds
CACHE = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"),
    "cyclops/tidy")


def read(path, known={}):
    if path not in known:
        with open(path, "rb") as file:
            known[path] = file.read()
    return known[path]


def headers_of(build, source):
    text = read(f"{build}/{os.path.splitext(source)[0]}.d").decode()
    return sorted({path for path in text.replace("\\\n", " ").split(":")[1].split()
        if not path.startswith("/") and path.endswith((".h", ".def", ".inc"))})


def sum_of(build, source, common):
    sha = hashlib.sha256(common)
    for path in [source, *headers_of(build, source)]:
        sha.update(path.encode() + b"\0" + hashlib.sha256(read(path)).digest())
    return sha.hexdigest()


def tidy(sources, flags, checks):
    """clang-tidy's findings: (the sources without any, the findings)."""
    command = ["clang-tidy", "--quiet", *checks, *sources, "--", *flags]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace")
    if result.returncode == 0:
        return sources, ""
    said = re.findall(r"^(\S+?):\d+:\d+: (?:error|warning): ", result.stdout, re.M)
    here = {os.path.relpath(path) for path in said}
    passed = [] if not here or here - set(sources) else [source for source in sources
        if source not in here]
    return passed, result.stdout


def main(arguments):
    at = arguments.index("--") if "--" in arguments else 0
    if at < 2:
        sys.exit(__doc__.strip())
    build, sources, flags = arguments[0], arguments[1:at], arguments[at + 1:]
    checks = [f"--checks={os.environ['TIDY_CHECKS']}"] if os.environ.get("TIDY_CHECKS") else []
    version = subprocess.run(["clang-tidy", "--version"], stdout=subprocess.PIPE, check=True).stdout
    common = b"\0".join([version, read(".clang-tidy"),
        *(word.encode() for word in [*checks, *flags])])
    sums = {source: sum_of(build, source, common) for source in sources}
    os.makedirs(CACHE, exist_ok=True)
    new = []
    for source, name in sums.items():
        try:
            os.utime(f"{CACHE}/{name}")
        except OSError:
            new.append(source)
    # Dealt out, so that the long ones of a room don't fall to one.
    count = -(-len(new) // AT_A_TIME)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda i: tidy(new[i::count], flags, checks), range(count)))
    passed = [source for batch, _ in found for source in batch]
    for source in passed:
        with open(f"{CACHE}/{sums[source]}", "w", encoding="utf-8"):
            pass
    for name in os.listdir(CACHE):
        if time.time() - os.stat(f"{CACHE}/{name}").st_mtime > KEPT:
            os.remove(f"{CACHE}/{name}")
    print("".join(text for _, text in found), end="")
    print(f"clang-tidy: {len(sources) - len(new)} sources as they were, {len(passed)} passed, "
        f"{len(new) - len(passed)} failed")
    return 0 if len(passed) == len(new) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
