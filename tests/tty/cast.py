#!/usr/bin/env python3
"""cast.py cells: what tmux has captured with colours, from stdin, as a terminal shows it.
cast.py film FILE.svg: its last picture is that, from stdin, which `cells` has printed.
cast.py FILE [output]: checks that FILE is an asciinema file of version 2, and prints its size,
number of events and last size; `output`: what a terminal is to be given, byte by byte."""
import ast
import json
import re
import sys
import xml.etree.ElementTree



def cells(text):
    """Each line as characters with their look, without invisible ones at its end; from what tmux
    captures with colours."""
    look = {}
    for line in text.split("\n"):
        row = []
        for code, char in re.findall(r"\033\[([0-9;]*)m|(.)", line):
            if char:
                row.append((char, tuple(sorted(look.items())) if char != " " or look.keys() - {"fg",
                    "1", "2"} else ()))
                continue
            numbers = [int(n or 0) for n in code.split(";")]
            while numbers:
                n = numbers.pop(0)
                if n == 0:
                    look = {}
                elif n in (38, 48):
                    look["fg" if n == 38 else "bg"] = numbers[1]
                    numbers = numbers[2:]
                elif n in (39, 49):
                    look.pop("fg" if n == 39 else "bg", None)
                elif 30 <= n < 38 or 90 <= n < 98:
                    look["fg"] = n % 10 + 8 * (n >= 90)
                elif 40 <= n < 48 or 100 <= n < 108:
                    look["bg"] = n % 10 + 8 * (n >= 100)
                else:
                    look[str(n)] = True
        while row and row[-1] == (" ", ()):
            row.pop()
        yield row


def film(path, wanted):
    """The last version of each row of a moving picture, without blanks and lines."""
    root = xml.etree.ElementTree.parse(path).getroot()
    name = "{http://www.w3.org/2000/svg}"
    style = root.find(name + "style").text
    last = set(re.findall(r"#(v\d+)\{animation-name:k\d+;visibility:visible\}", style))
    rows = {}
    for version in root.iter(name + "g"):
        if version.get("id") in last:
            y = float(version.get("transform").split()[1].rstrip(")"))
            rows[y] = "".join(text.text for text in version.iter(name + "text"))
    shown = ["".join(rows[y].split()) for y in sorted(rows)]
    lines = [ast.literal_eval(line.partition(" ")[2]) for line in wanted.splitlines()]
    wanted = [re.sub(r"[\s─│┌┐└┘├┤┬┴┼]", "", "".join(char for char, _ in line))
        for line in lines]
    assert shown[:len(wanted)] == wanted, [both for both in zip(shown, wanted)
        if both[0] != both[1]]


if sys.argv[1] == "film":
    film(sys.argv[2], sys.stdin.read())
    sys.exit()
if sys.argv[1] == "cells":
    for number, row in enumerate(cells(sys.stdin.read().rstrip("\n"))):
        print(number, row)
    sys.exit()
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
assert lines.pop() == "", "the last line ends"
head = json.loads(lines[0])
assert head["version"] == 2 and isinstance(head["width"], int) and isinstance(head["height"],
    int), head
size = f"{head['width']}x{head['height']}"
before, pictures = 0.0, 0
for line in lines[1:]:
    event = json.loads(line)
    assert isinstance(event, list) and len(event) == 3, event
    time, kind, text = event
    assert isinstance(time, float) and time >= before and isinstance(text, str), event
    before = time
    if kind == "o":
        pictures += 1
        if len(sys.argv) > 2:
            sys.stdout.buffer.write(text.encode())
    else:
        assert kind == "r" and re.fullmatch(r"\d+x\d+", text), event
        size = text
if len(sys.argv) < 3:
    print(f"{head['width']}x{head['height']} {size} {pictures}")
