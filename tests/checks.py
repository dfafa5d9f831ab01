# Checks of a test in Python, and their counts in the form that run.sh reads.
import os
import sys

counts = {True: 0, False: 0}
ENOUGH = int(os.environ.get("ENOUGH", 100000))  # failures that end the test


def check(what, good, seen=""):
    counts[bool(good)] += 1
    if not good:
        print(f"FAIL: {what}" + (f": {str(seen)[:2000]}" if seen != "" else ""))
        if counts[False] == ENOUGH:
            finish()


def check_fault(what, fault):
    """Fails if there is a FAULT, which it prints."""
    check(what, not fault, fault)


def finish():
    print(f"{counts[True]} passed, {counts[False]} failed")
    sys.exit(counts[False] != 0)
