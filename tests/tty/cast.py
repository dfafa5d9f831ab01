#!/usr/bin/env python3
"""cast.py cells: what tmux has captured with colours, from stdin, as a terminal shows it.
cast.py film FILE.svg: its last picture is that, from stdin, which `cells` has printed.
cast.py gif FILE.gif FILE.svg: the pictures of a GIF end as the last one of the SVG: there is ink in
the same cells, and both films are as long.
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


def unpack_lzw(data, bits):
    """The pixels' indices of a picture."""
    clear, pixels, at, width = 1 << bits, bytearray(), 0, bits + 1
    strings, last = [], b""
    bit_stream = int.from_bytes(data, "little")
    while True:
        code = bit_stream >> at & (1 << width) - 1
        at += width
        if code == clear:
            strings = [bytes([i]) for i in range(clear)] + [b"", b""]
            width, last = bits + 1, b""
            continue
        if code == clear + 1:
            return pixels
        now = strings[code] if code < len(strings) else last + last[:1]
        assert code <= len(strings), "a string that is not there yet"
        pixels += now
        if last and len(strings) < 4096:
            strings.append(last + now[:1])
        last = now
        width = min(12, max(width, len(strings).bit_length()))


def gif_pictures(path):
    """(hundredths, x, y, width, height, colours, indices) for each picture of a GIF, after its size
    in pixels."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:6] == b"GIF89a" and data[-1:] == b";", "begins and ends"
    yield int.from_bytes(data[6:8], "little"), int.from_bytes(data[8:10], "little")
    at, hundredths = 13, 0
    while data[at:at + 1] != b";":
        if data[at] == 0x21:
            if data[at + 1] == 0xf9:
                hundredths = int.from_bytes(data[at + 4:at + 6], "little")
            at += 2
        else:
            assert data[at] == 0x2c, (at, data[at])
            x, y, w, h = (int.from_bytes(data[at + i:at + i + 2], "little") for i in (1, 3, 5, 7))
            colours = 2 << (data[at + 9] & 7)
            table = data[at + 10:at + 10 + 3 * colours]
            at += 10 + 3 * colours
            bits, packed = data[at], b""
            at += 1
            while data[at]:
                packed += data[at + 1:at + 1 + data[at]]
                at += 1 + data[at]
            at += 1
            indices = unpack_lzw(packed, bits)
            assert len(indices) == w * h, (len(indices), w, h)
            yield hundredths, x, y, w, h, table, indices
            continue
        while data[at]:
            at += 1 + data[at]
        at += 1


def gif(path, svg):
    """Compares a GIF with the SVG beside it."""
    pictures = gif_pictures(path)
    width, height = next(pictures)
    shown, total = [[None] * width for _ in range(height)], 0
    for hundredths, x, y, w, h, table, indices in pictures:
        total += hundredths
        for row in range(h):
            shown[y + row][x:x + w] = [table[3 * i:3 * i + 3]
                for i in indices[row * w:(row + 1) * w]]
    assert not any(None in row for row in shown), "the first picture is all of the screen"
    inked = {(x // 9, y // 18) for y in range(height - 20) for x in range(width - 20)
        if shown[y + 10][x + 10] != shown[y - y % 18 + 10][x - x % 9 + 10]}
    name = "{http://www.w3.org/2000/svg}"
    root = xml.etree.ElementTree.parse(svg).getroot()
    style = root.find(name + "style").text
    seconds = float(re.search(r"animation:([\d.]+)s", style)[1])
    assert abs(total / 100 - seconds) < 0.1, (total, seconds)
    last = set(re.findall(r"#(v\d+)\{animation-name:k\d+;visibility:visible\}", style))
    wanted = set()
    for version in root.iter(name + "g"):
        if version.get("id") in last:
            y = float(version.get("transform").split()[1].rstrip(")"))
            for text in version.iter(name + "text"):
                x = round(float(text.get("x")) / 8.4)
                # A block fills its cell's corner with the ink, too.
                wanted |= {(x + i, round((y - 10) / 17)) for i, char in enumerate(text.text)
                    if not 0x2580 <= ord(char) < 0x2594}
    assert wanted and wanted <= inked, sorted(wanted - inked)[:20]


if sys.argv[1] == "gif":
    gif(*sys.argv[2:])
    sys.exit()
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
