#!/usr/bin/env python3
"""Figures of demos/papers/claims.md are on the pages that its rows name.

A figure with a decimal point in the column "here" stands in one of the Markdown pages that are
linked beside it, there possibly with more decimals.
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


pages, missing = {}, []
for line in open(f"{PAGES}/claims.md", encoding="utf-8"):
    if not re.match(r"\| +\d+ \|", line):
        continue
    _, claim, _, _, here = [cell.strip() for cell in line.strip().strip("|").split("|")][:5]
    links = re.findall(r"\]\(([^)#]+\.md)[^)]*\)", here)
    for link in set(links) - set(pages):
        with open(os.path.join(PAGES, link), encoding="utf-8") as page:
            pages[link] = numbers(page.read())
    for figure in numbers(re.sub(r"\(\[[^]]*\]\([^)]*\)\)", "", here)) if links else ():
        if not any(is_on(figure, pages[link]) for link in links):
            missing.append(f"{figure} ({claim}) in {', '.join(links)}")
print("; ".join(missing))
sys.exit(len(missing) > 0)
