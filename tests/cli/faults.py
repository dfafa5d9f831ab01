#!/usr/bin/env python3
"""Selects the system calls of a session that are to fail, from a log of strace -f -o LOG: lines "CALL N ERROR", some of each call, spread over all. (Not brk, which gives no errors.)

faults.py [--from TEXT] LOG COUNT [CALL...]
                               COUNT lines in all, about; what comes before `fcntl(0, F_GETFD)`, the
                               first thing that main() does, is the loader's, and with --from, all
                               before a call that has this text. A number counts what one process
                               does.
"""

import re
import sys

ERRORS = {
    "openat": ["EIO", "EMFILE", "EINTR"],
    "read": ["EIO"],
    "pread64": ["EIO"],
    "write": ["EIO", "ENOSPC"],
    "fsync": ["EIO"],
    "renameat": ["EIO", "EXDEV"],
    "linkat": ["EIO", "ENOENT", "EOPNOTSUPP"],
    "unlinkat": ["EIO"],
    "fchmod": ["EPERM"],
    "close": ["EIO"],
    "newfstatat": ["EIO"],
    "faccessat2": ["EIO"],
    "flock": ["ENOLCK"],
    "fcntl": ["EMFILE"],
    "mmap": ["ENOMEM"],
    "getrandom": ["EAGAIN"],
    "mkdir": ["EIO"],
    "readlink": ["EIO"],
    "access": ["EIO"],
    "ftruncate": ["EIO"],
    "clone3": ["EAGAIN"],
    "vfork": ["EAGAIN"],
    "pipe2": ["EMFILE"],
    "execve": ["EIO"],
    "poll": ["EINTR"],
    "wait4": ["EINTR"],
    "ioctl": ["EIO"],
    "rt_sigaction": ["EINVAL"],
    "pselect6": ["EINTR"],
    "fstatfs": ["EIO"],
    "pwrite64": ["ENOSPC", "EIO", "EFBIG", "EDQUOT"],
    "mkdirat": ["ENOSPC", "EIO"],
    "symlinkat": ["ENOSPC", "EIO"],
    "readlinkat": ["EIO"],
    "renameat2": ["EIO", "ENOSPC"],
    "chmod": ["EIO"],
    "fchmodat": ["EIO"],
    "utimensat": ["EIO", "ESTALE"],
    "getdents64": ["EIO"],
}


def main():
    begin = "fcntl(0, F_GETFD"
    if sys.argv[1] == "--from":
        begin = sys.argv[2]
        del sys.argv[1:3]
    log, count = sys.argv[1], int(sys.argv[2])
    wanted = sys.argv[3:] or list(ERRORS)
    seen, first, last, begun = {}, {}, {}, set()
    with open(log, encoding="utf-8", errors="replace") as f:
        for line in f:
            m = re.match(r"(\d+) +(\w+)\((.*)", line)
            if not m:
                continue
            pid, call, rest = m.groups()
            if begin in line:
                begun.add(pid)
            n = seen[pid, call] = seen.get((pid, call), 0) + 1
            if pid in begun and call in wanted:
                first[call] = min(n, first.get(call, n))
                last[call] = max(n, last.get(call, n))
    calls = [c for c in wanted if c in first]
    each = max(1, count // max(1, len(calls)))
    left = count
    for call in sorted(calls[:count], key=lambda c: last[c] - first[c]):
        span = last[call] - first[call] + 1
        take = min(span, each)
        left -= take
        for i in range(take):
            n = first[call] + (i * (span - 1) // (take - 1) if take > 1 else 0)
            print(call, n, ERRORS[call][i % len(ERRORS[call])])
        calls.remove(call)
        each = max(1, left // max(1, len(calls))) if calls else each


if __name__ == "__main__":
    main()
