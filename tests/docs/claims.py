#!/usr/bin/env python3
"""Figures of demos/papers/claims.md are on the pages that its rows name.

A figure with a decimal point in the column "here" stands in one of the Markdown pages that are
linked beside it, there possibly with more decimals. A reason that was tried has rows in reasons.md,
and what goes of a difference without the cause is in one of them.
"""
import os
import re
import sys

PAGES = "demos/papers"
NUMBER = r"(?<![\w.])\d[\d,]*\.\d+(?![\w.])"


def numbers(text):
    return [n.replace(",", "") for n in re.findall(NUMBER, text)]


def is_on(figure, page):
    decimals = len(figure.partition(".")[2])
    return any(len(n.partition(".")[2]) >= decimals and
               abs(float(n) - float(figure)) <= 0.5 * 10 ** -decimals + 1e-9 for n in page)


tried = {}  # by claim: the last column
for line in open(f"{PAGES}/reasons.md", encoding="utf-8"):
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    if re.fullmatch(r"[a-z]+-\d+", cells[0]):
        tried.setdefault(cells[0], []).append(cells[-1])
pages, missing, paper = {}, [], None
for line in open(f"{PAGES}/claims.md", encoding="utf-8"):
    paper = line[3:].split(",")[0].split(" ")[0].lower() if line.startswith("## ") else paper
    if not re.match(r"\| +\d+ \|", line):
        continue
    number, claim, _, _, here, _, reason = [cell.strip() for cell in
        line.strip().strip("|").split("|")][:7]
    goes = tried.get(f"{paper}-{number}", []) if "(reasons.md)" in reason else [None]
    if not goes:
        missing.append(f"no row {paper}-{number} ({claim}) in reasons.md")
    for part in re.findall(r"((?:\d+ and )?\d+) % of the difference", reason):
        for percent in part.split(" and ") if goes != [None] else ():
            if f"{percent} %" not in goes:
                missing.append(f"{percent} % ({claim}) in reasons.md")
    links = re.findall(r"\]\(([^)#]+\.md)[^)]*\)", here)
    for link in set(links) - set(pages):
        with open(os.path.join(PAGES, link), encoding="utf-8") as page:
            pages[link] = numbers(page.read())
    for figure in numbers(re.sub(r"\(\[[^]]*\]\([^)]*\)\)", "", here)) if links else ():
        if not any(is_on(figure, pages[link]) for link in links):
            missing.append(f"{figure} ({claim}) in {', '.join(links)}")
print("; ".join(missing))
sys.exit(len(missing) > 0)
