#!/usr/bin/env python3
"""make/web/course.py OUT <LIST: puts the files of the course, named one a line, into
OUT/files.json, OUT/texts.data and OUT/files/. Small files share one file, so that a lab is one
request, and those that few read another; large ones, the demo programs above all, are fetched with
their first use."""
import hashlib
import json
import os
import shutil
import sys

FOLDER = "/usr/local/share/cyclops"
LARGE = 64 * 1024
RARE = "files/papers.data"
RARELY_READ = ("demos/papers/", "demos/screenshots/")


def main():
    out = sys.argv[1]
    shutil.rmtree(f"{out}/files", ignore_errors=True)
    os.makedirs(f"{out}/files")
    texts, rare, entries, digest = bytearray(), bytearray(), [], hashlib.sha256()
    for path in sorted(set(line.rstrip("\n") for line in sys.stdin)):
        data = open(path, "rb").read()
        mode = 0o755 if os.access(path, os.X_OK) else 0o644
        digest.update(path.encode() + b"\0" + data)
        if len(data) >= LARGE:
            where = "files/" + path.replace("/", ".")
            with open(f"{out}/{where}", "wb") as f:
                f.write(data)
        elif path.startswith(RARELY_READ):
            where = [RARE, len(rare)]
            rare += data
        else:
            where = len(texts)
            texts += data
        entries.append([f"{FOLDER}/{path}", len(data), mode, where])
    for name, data in (("texts.data", texts), (RARE, rare)):
        with open(f"{out}/{name}", "wb") as f:
            f.write(data)
    with open(f"{out}/files.json", "w", encoding="utf-8") as f:
        json.dump({"version": digest.hexdigest()[:16], "files": entries}, f, separators=(",", ":"))


main()
