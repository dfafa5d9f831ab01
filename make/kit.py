#!/usr/bin/env python3
"""Writes the lecturer's kit: a page to print for each lab, with usual mistakes and oral questions,
and the slides, each a file of Markdown; `cyclops manual --to` makes sheets of HTML of them.

    make/kit.py FOLDER      prints the names of the pages, labs first, then slides
"""
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
LABS = TREE / "tests" / "labs"


def sections(path):
    """The text below each heading of the second level, by heading."""
    parts = re.split(r"^## (.+)\n", path.read_text(encoding="utf-8"), flags=re.M)[1:]
    return dict(zip(parts[::2], (text.strip() for text in parts[1::2])))


def mistakes(name):
    """Wrong answers, a line each: the row that is lost, and what was changed for it."""
    lines = (LABS / "wrong" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    yield "| row that is lost | solution | mistake |"
    yield "| --- | --- | --- |"
    for line in lines:
        if line.startswith("#") or not line.strip():
            continue
        row, old, new = (part.strip(" ") for part in line.split("::"))

        def code(text):
            text = " ".join(text.replace("\\n", "; ").replace("\\t", " ").split()).strip("; ")
            return f"`{text}`".replace("|", "\\|") if text else "(left out)"

        yield f"| {row} | {code(old)} | {code(new)} |"


def lab_page(folder, oral):
    page = (folder / "page.md").read_text(encoding="utf-8").rstrip()
    return "\n".join([page, "", "## Usual mistakes", "", *mistakes(folder.name), "",
        "## Oral questions", "", oral[folder.name], ""])


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    oral = sections(LABS / "lecturer" / "oral.md")
    for folder in sorted((TREE / "demos" / "labs").glob("*-*")):
        path = out / f"{folder.name}.md"
        path.write_text(lab_page(folder, oral), encoding="utf-8")
        print(path)
    for number, (title, text) in enumerate(sections(TREE / "docs" / "slides.md").items(), 1):
        path = out / f"slide-{number:02}.md"
        path.write_text(f"# {title}\n\n{text}\n".replace("(../demos/", "(demos/"),
            encoding="utf-8")
        print(path)
    if not (out / "demos").is_symlink():
        (out / "demos").symlink_to(TREE / "demos")


main()
