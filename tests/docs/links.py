#!/usr/bin/env python3
"""Follows the links of all pages of the tree, and of the reference in a folder.

  tests/docs/links.py REFERENCE    a line for each page: "ok PAGE", or "dead PAGE: LINK ..."
  tests/docs/links.py --folders    folders with sources that have no README.md
"""
import os
import re
import subprocess
import sys


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns],
        stdout=subprocess.PIPE, text=True)
    return [path for path in listed.stdout.splitlines() if os.path.exists(path)]


def anchors(path):
    """The anchors of a page's headings, as GitHub makes them."""
    found, fence = set(), False
    with open(path, encoding="utf-8") as page:
        for line in page:
            fence ^= line.startswith("```")
            heading = re.match(r"#+ (.*)", line)
            if heading and not fence:
                text = re.sub(r"\[([^]]*)\]\([^)]*\)|`", r"\1", heading[1]).strip().lower()
                found.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return found


def dead_links(path):
    with open(path, encoding="utf-8") as page:
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read(), flags=re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", link):
            continue
        target, _, anchor = link.partition("#")
        file = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
        if not os.path.exists(file) or (anchor and file.endswith(".md")
                and anchor not in anchors(file)):
            yield link


def main(argument):
    if argument == "--folders":
        folders = {os.path.dirname(path) for path in tracked("core", "loader", "hwviews",
            "scripting", "ui") if path.endswith((".c", ".lua"))}
        print(*sorted(f for f in folders if not os.path.exists(f + "/README.md")
            and f != "scripting/lua/values"))
        return
    pages = tracked("*.md") + [os.path.join(argument, name) for name in sorted(os.listdir(argument))
        if name.endswith(".md")]
    for path in pages:
        dead = list(dead_links(path))
        print("dead" if dead else "ok", path + (": " + " ".join(dead) if dead else ""))


main(sys.argv[1])
