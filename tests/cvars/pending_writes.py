"""What `print` says that an instruction in flight will make of a variable is there when that
instruction has committed.

coming.py CYCLOPS PROGRAM ROUNDS; prints how many values came as they were announced, and what did
not."""
import json
import re
import subprocess
import sys

GLOBALS = ["total", "b", "b.value", "word", "word[2]", "a.next", "bits", "pieces[5]"]
# A complete writer has all of these in the window, an incomplete one none.
SCALARS = ["sum", "i", "d", "f", "half", "k", "x"]


class Inspector:
    def __init__(self, cyclops, program):
        self.process = subprocess.Popen([cyclops, "--no-init", "--batch", "--json", program],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True)

    def ask(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


def variables(inspector):
    """name: (value, text about its writer or None, what that makes of it or None) of globals and of
    what is in scope."""
    found = {}
    for name in GLOBALS:
        answer = inspector.ask("print " + name)
        data = answer["data"]
        found[name] = data["text"], answer["text"][1].strip() if data["writer"] else None, data[
            "coming"]
    for row in inspector.ask("view locals")["view"]["rows"]:
        if not row["kind"] == "outer":
            found[row["name"]] = row["value"], row["writer"], row["coming"]
    return found


def writers_differ(inspector, places):
    """Number of globals whose writer is not the youngest store in the load/store queue that overlaps them."""
    rows = inspector.ask("view lsq")["view"]["rows"]
    stores = [(r["seq"], int(r["address"], 16), r["bytes"]) for r in rows
              if re.match(r"f?s[bhwd] ", r["instruction"]) and r["address"].startswith("0x")]
    differ = 0
    for name, (address, size) in places.items():
        seqs = [seq for seq, at, n in stores if at < address + size and address < at + n]
        differ += inspector.ask("print " + name)["data"]["writer"] != (max(seqs) if seqs else None)
    return differ


def announced(inspector):
    """(name, seq, value) of each that an instruction on the right path writes; value None: not
    known yet."""
    for name, (_, writer, coming) in variables(inspector).items():
        number = re.match(r"#(\d+)(\??)", writer or "")
        if number and not number[2]:
            yield name, int(number[1]), coming


def main():
    inspector = Inspector(sys.argv[1], sys.argv[2])
    # past the misses of a loop's first round
    for command in ("break main", "continue", "delete", "step 3000"):
        inspector.ask(command)
    places = {}
    for name in GLOBALS:
        pointer, size = inspector.ask("print &" + name), inspector.ask(f"print sizeof({name})")
        if pointer["ok"] and size["ok"]:
            places[name] = int(re.search("0x[0-9a-f]+", pointer["data"]["text"])[0], 16), int(
                size["data"]["text"])
    came, wrong, early, unknown, names = 0, 0, 0, 0, set()
    for i in range(int(sys.argv[3])):
        inspector.ask(f"step {i % 13 + 9}")
        early += writers_differ(inspector, places)
        early += sum(bool(c) != (w or "").endswith(", done") for n,
            (_, w, c) in variables(inspector).items() if n in SCALARS)
        found = list(announced(inspector))
        unknown += sum(value is None for _, _, value in found)
        found = [f for f in found if f[2] is not None]
        if not found:
            continue
        name, seq, value = found[i % len(found)]
        inspector.ask(f"catch commit if seq >= {seq}")
        stop = inspector.ask("continue")["stop"]
        inspector.ask("delete")
        if not stop or stop["seq"] != seq:
            continue  # squashed
        is_there = variables(inspector).get(name, [None])[0]
        if is_there is None:
            continue  # its call has ended
        if is_there == value:
            came += 1
            names.add(name)
        else:
            wrong += 1
            print(f"{name}: #{seq} was to make it {value}; it is {is_there}")
    print(f"{came} came, {wrong} wrong, {early} not as their writers are, {unknown} not known yet, "
        f"of {len(names)} names")


main()
