#!/usr/bin/env python3
"""Words and shapes of sentences that have to be read twice: in comments, messages, help and pages.

make/words.txt lists how many each file has left. The check fails where a folder has more than its
rows add up to, and where it has fewer: then `--lower` writes the list anew. Files of a folder may
exchange sentences; a folder's count only falls.

    make/check-words.py              the check, a part of `make lint`
    make/check-words.py FILE...      prints every place in these files
    make/check-words.py --rooms      prints counts by room and kind
    make/check-words.py --lower      writes the counts that have fallen
"""
import bisect
import collections
import os
import re
import subprocess
import sys

LIST = "make/words.txt"
NAMES = ["*.c", "*.h", "*.inc", "*.S", "*.def", "*.lua", "*.md", "*.sh", "*.py", "*.mk", "*.cyc",
    "Makefile", "ui/*.txt", ":!demos/programs/input", ":!make/check-words.py"]

# kind, what to write, what not
KINDS = [(kind, better, re.compile(pattern)) for kind, better, pattern in (
    ("who", "name the caller, stage, thread or device",
        r"\b(?:[Ww]ho|[Ww]hom|[Ww]hoever|[Nn]obody|[Ss]omebody)\b"),
    ("behind", "`after` for time and order", r"\b[Bb]ehind\b"),
    ("tell", "code reports, prints, notifies", r"\b(?:[Tt]ells?|[Tt]old|[Hh]ears?|[Hh]eard)\b"),
    ("say", "code reports, prints, shows", r"\b(?:[Ss]ays?|[Ss]aid)\b"),
    ("want", "code has, reads, needs, requests", r"\b(?:[Kk]nows|[Kk]new|[Mm]inds?|[Ww]ants?|"
        r"[Ww]anted|[Aa]sks|[Aa]sked)\b"),
    ("lap", "iteration", r"\b[Ll]aps?\b"),
    ("right", "expected ...", r"\bright: |\bwould be right\b|; right is\b"),
    ("subject", "a noun as the subject", r"(?:^|(?<=[.!?] ))(?:What(?!-if)|Who|Whoever|Nobody|Somebody|"
        r"That which|One that|One who|Those that|Whichever)\b(?![^.!?]*\?)"),
)]

QUOTED = r'"(?:[^"\\\n]|\\.)*"'
HASHED = r"(?:(?<!\S)#[^\n]*\n[ \t]*)*(?<!\S)#[^\n]*"
TEXTS = {end: re.compile(pattern, re.S) for end, pattern in {
    "c": rf"/\*.*?\*/|//[^\n]*|{QUOTED}(?:\s*{QUOTED})*|'(?:[^'\\\n]|\\.)+'",
    "lua": r"--\[(=*)\[.*?\]\1\]|(?:--[^\n]*\n[ \t]*)*--[^\n]*|(?<!\w)\[(=*)\[.*?\]\2\]|"
        rf"{QUOTED}|'(?:[^'\\\n]|\\.)*'",
    "sh": HASHED,
    "py": HASHED + r'|(?<=\n)[ \t]*""".*?"""',
    "md": r"(?:[^\n]*\S[^\n]*\n?)+",
}.items()}
ENDS = {"h": "c", "inc": "c", "S": "c", "def": "c", "mk": "sh", "Makefile": "sh", "txt": "md",
    "cyc": "md"}
BEGINS = re.compile(r"^[ \t]*(?:/?\*+/?|//+|--+|#+:?|[->]|\"+|[0-9]+\.)?[ \t]*", re.M)


def texts(path):
    """(offset, text) of each comment, message and paragraph; text in backticks is code."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = file.read()
    end = os.path.basename(path).rpartition(".")[2]
    end = ENDS.get(end, end)
    if path.endswith(".md"):  # without blocks of code and headings
        text = re.sub(r"^```.*?^```|^#[^\n]*", lambda m: re.sub(r"[^\n]", " ", m[0]), text,
            flags=re.S | re.M)
    lines = [m.start() for m in re.finditer("\n", text)]
    found = []
    for match in TEXTS[end].finditer(text):
        piece = match[0]
        string = end in ("c", "lua") and piece[0] in "\"'["
        # Strings of one word are names; those of tests are data, or what messages of the tree are.
        if string and (" " not in piece or path.startswith("tests/")):
            continue
        if string:
            piece = re.sub(r'"(\s*)"|\\[nt]', lambda m: " " * len(m[0]), piece).replace("\n", " ")
        if end == "md" and piece.lstrip().startswith("|"):
            piece = piece.replace("|", "\n")
        found.append((match.start(), piece))
    return lines, found


def places(path):
    """(line, kind, sentence's part) of each place."""
    lines, found = texts(path)
    for start, piece in found:
        flat = BEGINS.sub(lambda m: " " * len(m[0]), piece)
        flat = re.sub(r"`[^`]*`", lambda m: "`" + " " * (len(m[0]) - 2) + "`", flat)
        flat = re.sub(r"\s", " ", flat)
        at = [i for i, c in enumerate(flat) if c != " " or i and flat[i - 1] != " "]
        flat = "".join(flat[i] for i in at)
        skip = len(flat) - len(flat.lstrip())
        for kind, _, pattern in KINDS:
            for match in pattern.finditer(flat, skip):
                where = start + at[match.start()]
                yield bisect.bisect_left(lines, where) + 1, kind, \
                    flat[max(0, match.start() - 30):match.end() + 40].strip()


def counts():
    names = subprocess.check_output(["git", "ls-files"] + NAMES, text=True).split("\n")
    return {name: found for name in filter(os.path.exists, names)
        if (found := collections.Counter(kind for _, kind, _ in places(name)))}


def listed():
    rows = {}
    if os.path.exists(LIST):
        with open(LIST, encoding="utf-8") as file:
            for line in file:
                name, *words = line.split("#")[0].split() or [""]
                if name:
                    rows[name] = collections.Counter({kind: int(n) for kind, n
                        in (word.split("=") for word in words)})
    return rows


def by_folder(rows):
    sums = collections.defaultdict(collections.Counter)
    for name, found in rows.items():
        sums[os.path.dirname(name)].update(found)
    return sums


def check(lower):
    now, before = counts(), listed()
    sums, allowed = by_folder(now), by_folder(before)
    bad = fewer = 0
    for folder in sorted(set(sums) | set(allowed)):
        for kind, better, _ in KINDS:
            more = sums[folder][kind] - allowed[folder][kind]
            fewer += more < 0
            if more <= 0:
                continue
            bad += 1
            print(f"{folder or '.'}: {more} more of '{kind}' than {LIST} allows: {better}")
            for name in sorted(now):
                if os.path.dirname(name) == folder and now[name][kind] > before.get(name,
                        collections.Counter())[kind]:
                    for line, of, text in places(name):
                        if of == kind:
                            print(f"    {name}:{line}: {text}")
    if fewer and not lower:
        print(f"{LIST}: fewer are left than it lists; make/check-words.py --lower")
    if lower and (not bad or not before):
        with open(LIST, "w", encoding="utf-8") as file:
            file.write("# Places left by file and kind (make/check-words.py); a folder's sums only "
                "fall.\n")
            for name, found in sorted(now.items()):
                row = " ".join(f"{kind}={found[kind]}" for kind, _, _ in KINDS if found[kind])
                file.write(f"{name} {row}\n")
        return 0
    return bool(bad or fewer)


def rooms():
    sums = collections.defaultdict(collections.Counter)
    for name, found in counts().items():
        parts = name.split("/")
        sums["/".join(parts[:2 if parts[0] == "demos" else 1])].update(found)
    print(f"{'':<20}" + "".join(f"{kind:>9}" for kind, _, _ in KINDS) + "      sum")
    total = collections.Counter()
    for room, found in sorted(sums.items()) + [("all", total)]:
        total.update(found if room != "all" else {})
        print(f"{room:<20}" + "".join(f"{found[kind]:9}" for kind, _, _ in KINDS)
            + f"{sum(found.values()):9}")
    return 0


def main():
    if sys.argv[1:] == ["--rooms"]:
        return rooms()
    if sys.argv[1:] and sys.argv[1] != "--lower":
        for name in sys.argv[1:]:
            for line, kind, text in sorted(places(name)):
                print(f"{name}:{line}: {kind}: {text}")
        return 0
    return check(sys.argv[1:] == ["--lower"])


sys.exit(main())
