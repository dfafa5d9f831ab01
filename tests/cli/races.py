#!/usr/bin/env python3
"""Another process of the same person's, which does one thing without end, until it is killed.

races.py file NAME OUTSIDE    NAME is a link to the file OUTSIDE, a second name of it, a file, and
                              nothing, by turns
races.py folder NAME OUTSIDE  NAME is a folder, nothing, and a link to the folder OUTSIDE, by turns
races.py watch NAME A B       reads NAME, which has to be what A or B has; the first that is neither
                              is kept as NAME.torn
"""

import os
import sys
import time


def pause(seconds=0.0005):
    time.sleep(seconds)


def swap_file(name, outside):
    other = name + ".other"
    while True:
        os.symlink(os.path.relpath(outside, os.path.dirname(name)), other)
        os.rename(other, name)
        pause()
        os.link(outside, other)
        os.rename(other, name)
        pause()
        with open(other, "w"):
            pass
        os.rename(other, name)
        pause()
        try:
            os.unlink(name)
        except FileNotFoundError:
            pass


def swap_folder(name, outside):
    other = name + ".other"
    while True:
        os.rename(name, other)
        os.symlink(os.path.relpath(outside, os.path.dirname(name)), name)
        pause()
        os.unlink(name)
        os.rename(other, name)
        pause()


def watch(name, *wholes):
    texts = []
    for whole in wholes:
        with open(whole, "rb") as f:
            texts.append(f.read())
    while True:
        with open(name, "rb") as f:
            text = f.read()
        pause(0.004)
        if text not in texts:
            with open(name + ".torn", "wb") as f:
                f.write(text)
            return


if __name__ == "__main__":
    {"file": swap_file, "folder": swap_folder, "watch": watch}[sys.argv[1]](*sys.argv[2:])
