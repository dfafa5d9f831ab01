"""Lines of `cyclops --json`: each an object with every key, by Python's reader, which takes no NaN
here.

    answers.py commands < FILE       names of the commands that `help commands` answered
    answers.py data WANTED < FILE    whether data is as each line of WANTED says: COMMAND | KEY
                                     KEY... | VALUE
    answers.py places < FILE         how many stops are at the place that `info status` names then
    answers.py squashes < FILE       how many squashes that the run stopped at cost what the story
                                     asked for next says
    answers.py told LIST < /dev/null        of each line FILE|COUNT|KEYS;KEYS...;|COMMAND of LIST:
                                            FILE has COUNT lines, well formed, the last about these
    answers.py each FILE... < /dev/null     the same of files named COUNT-COMMAND; prints what is
                                            wrong with which
"""
import json
import sys

KEYS = ["schema", "command", "ok", "error", "cycle", "text", "stop", "value", "data", "view",
    "stats", "instruction", "output"]
STOP = ["reason", "pc", "insts", "stop_point", "seq", "event", "exit_status", "hits"]
STORY = {
    "prediction": ["cycle", "taken", "next", "target_known", "by"],
    "decode": ["cycle", "next", "dropped"],
    "outcome": ["cycle", "taken", "next", "mispredicted"],
    "data": ["cycle", "latency", "level", "tlb_miss", "store"],
    "cost": ["cause", "cycle", "squashed", "unfetched", "goes_on"],
    "squashed_by": ["cause", "instruction"],
}
BRANCHES = ["beq", "bne", "blt", "bge", "bltu", "bgeu"]
PLACE = ["symbol", "offset", "file", "line"]
STATE = ["status", "pc", *PLACE, "insts", "newest", "exit_status", "signal", "reason"]
INSTRUCTION = ["pc", *PLACE, "bytes", "instruction", "current"]
# By the command's first words: members, or the array and the members of its rows.
DATA = {
    "info status": STATE,
    "info program": ["path", "entry", "digest", "args", "symbols", "config", "instrumented",
        "firmware", *STATE],
    "info registers": ("registers", ["reg", "value", "means"]),
    "info all-registers": ("registers", ["reg", "value", "means"]),
    "info float": ("registers", ["reg", "value", "means"]),
    "info symbol": ["address", *PLACE, "kind", "from", "size"],
    "info line": ["file", "line", "from", "to"],
    "info source": ["file", "line", "text", "pc", "folder", "language", "producer"],
    "info functions": ("functions", ["symbol", "address", "size"]),
    "info variables": ("variables", ["symbol", "address", "size"]),
    "info memory": ("regions", ["from", "to", "read", "write", "execute", "machine", "name"]),
    "frame": ["frame", "pc", *PLACE],
    "up": ["frame", "pc", *PLACE],
    "thread": ["thread", "name", "state", "pc", *PLACE],
    "checkpoint": ["checkpoint"],
    "complete": ("completions", ["completion"]),
    "info checkpoints": ("checkpoints", ["checkpoint", "cycle", "where"]),
    "break": ["stop_point", "what", "condition", "pc", *PLACE],
    "tbreak": ["stop_point", "what", "condition", "pc", *PLACE],
    "catch": ["stop_point", "what", "condition"],
    "watch": ["stop_point", "what", "condition"],
    "rwatch": ["stop_point", "what", "condition"],
    "print": ["expression", "text", "type"],
    "ask": ["name", "question", "answer"],
    "expect": ["holds", "got", "of"],
    "ptype": ["type"],
    "whatis": ["type"],
    "list": ("lines", ["file", "line", "text", "current"]),
    "x/i": ("instructions", INSTRUCTION),
    "x/s": ("texts", ["address", "text"]),
    "x/x": ("values", ["address", "size", "value", "text"]),
    "disassemble": ("instructions", INSTRUCTION),
}
# Members that are never null.
ALWAYS = ["status", "pc", "insts", "newest", "path", "entry", "digest", "args", "symbols", "config",
    "reg", "value", "address", "kind",
          "from", "to", "size", "stop_point", "what", "expression", "frame", "bytes", "instruction",
              "current", "read", "write"]
NUMBERS = ["line", "offset", "insts", "newest", "exit_status", "signal", "symbols", "size", "frame",
    "thread", "stop_point", "got", "of"]
TEXTS = ["pc", "address", "from", "to", "entry", "value"]
HIT = ["stop_point", "kind", "what", "pc", "seq", "old", "new", "first_byte", "last_byte", "left",
    "event"]


def no_constant(name):
    raise ValueError(name + " is not JSON")


def pairs(items):
    names = [name for name, _ in items]
    assert len(set(names)) == len(names), f"a key stands twice: {names}"
    return dict(items)


def empty(value):
    """True if "" or an empty list takes the place of null."""
    return value in ("", [])


def check_members(members):
    """True if a command's data have the types of `help json`."""
    for name, value in members.items():
        assert value != "" and (value is not None or name not in ALWAYS), (name, members)
        assert name not in NUMBERS or value is None or (isinstance(value, int) and value >= 0), (
            name, members)
        assert name not in TEXTS or value.startswith("0x"), (name, members)
        assert isinstance(value, bool) == (name in ("current", "read", "write", "execute",
            "machine", "holds")), (name, members)
    if members.get("symbol") and "offset" in members:
        assert members["offset"] is not None, members
    if "file" in members:
        assert (members["file"] is None) == (members["line"] is None), members
    if "status" in members:
        assert (members["status"] == "exited") == (members["exit_status"] is not None), members
        assert (members["status"] == "running") <= (members["reason"] is None), members


def check_data(answer):
    """A command of DATA has data whenever it succeeded, and others have none."""
    data, words = answer["data"], answer["command"].split()
    if words[:1] == ["x"]:
        words = ["x/x"]
    elif words and words[0].startswith("x/"):
        words = ["x/" + (words[0][-1] if words[0][-1] in "is" else "x")]
    elif words and words[0].startswith("print/"):
        words = ["print"]
    shape = DATA.get(" ".join(words[:2] if words[:1] == ["info"] else words[:1]))
    if not answer["ok"] or not shape:
        # A display's and a file's commands are part of the output.
        assert data is None or (answer["ok"] and (words[0] in ("source", "display")
            or words[1:] == ["frame"])), answer
    elif isinstance(shape, list):
        assert list(data) == shape, (list(data), shape)
        check_members(data)
    else:
        array, members = shape
        assert list(data) == [array] and all(list(row) == members for row in data[array]), data
        for row in data[array]:
            check_members(row)


def check_direction(instruction, story):
    """A conditional branch's predicted and actual way, by target; the prediction is that of its counter."""
    behind = int(instruction["pc"], 16) + instruction["len"]
    predicted, outcome = story["prediction"], story["outcome"]
    assert not outcome or outcome["taken"] == (int(outcome["next"], 16) != behind), instruction
    if predicted:
        went = int(predicted["next"], 16) != behind
        assert went == (predicted["taken"] and predicted["target_known"]), instruction
        counter = {"bimodal": "bimodal", "two-level": "two_level"}.get(predicted["by"])
        assert not counter or predicted["taken"] == (predicted[counter] >= 2), instruction


def check_squash(answers):
    """A story's cost of a misprediction equals that of the event that stopped before."""
    found = 0
    for stopped, why in zip(answers, answers[1:]):
        stop, told = stopped.get("stop"), why.get("instruction")
        if not stop or not stop["event"] or stop["event"]["name"] != "squash" or not told or told[
                "seq"] != stop["seq"]:
            continue
        cost = told["story"]["cost"]
        if cost["cause"] == "misprediction":
            assert (cost["squashed"], told["story"]["outcome"]["next"]) == (stop["event"]["count"],
                stop["event"]["next"]), why
            found += 1
    return found


def check_place(answers):
    """A stop is at the place that `info status` names after it."""
    found = 0
    for stopped, status in zip(answers, answers[1:]):
        stop, data = stopped.get("stop"), status.get("data")
        if stop and status["command"] == "info status":
            assert (stop["pc"], stop["insts"]) == (data["pc"], data["insts"]), stopped
            assert any("%s instructions" % format(stop["insts"], ",") in text
                for text in status["text"]), status
            found += 1
    return found


def check_inst_history(seq, story):
    """Relations between its parts."""
    data, cost, by = story["data"], story["cost"], story["squashed_by"]
    assert not data or (data["level"] == "forward") == (data["store"] is not None), story
    assert not cost or cost["goes_on"] is None or cost["goes_on"] > cost["cycle"], story
    assert not by or not by["instruction"] or by["instruction"]["seq"] < seq, story


def check(line):
    answer = json.loads(line, parse_constant=no_constant, object_pairs_hook=pairs)
    if answer["command"] is None:
        assert list(answer) == ["schema", "command", "text", "output"] and (answer["output"]
            or answer["text"]), line
        return answer
    assert list(answer) == KEYS, list(answer)
    assert answer["schema"] == 1
    assert isinstance(answer["ok"], bool) and (answer["error"] is None) == answer["ok"], line
    assert isinstance(answer["cycle"], int)
    assert not any(empty(value) for value in answer.values()), line
    assert all("\n" not in text for text in answer["text"] or []), line
    if answer["stop"]:
        stop = answer["stop"]
        assert list(stop) == STOP
        assert (stop["hits"] is None) == (stop["stop_point"] is None)
        assert all(list(hit) == HIT and not any(empty(value) for value in hit.values())
            for hit in stop["hits"] or [])
        if stop["hits"]:
            first, numbers = stop["hits"][0], [hit["stop_point"] for hit in stop["hits"]]
            assert all(first[key] == stop[key] for key in ("stop_point", "seq", "event")), line
            assert numbers == sorted(set(numbers)), line
            assert all((hit["old"] != hit["new"]) == (hit["kind"] == "watch")
                for hit in stop["hits"]), line
    if answer["instruction"] and answer["instruction"]["story"]:
        story = answer["instruction"]["story"]
        assert list(story) == list(STORY), line
        check_inst_history(answer["instruction"]["seq"], story)
        if answer["instruction"].get("op") in BRANCHES:
            check_direction(answer["instruction"], story)
        for part, keys in STORY.items():
            assert story[part] is None or list(story[part])[: len(keys)] == keys, (part, line)
        if story["prediction"] and story["outcome"]:
            assert story["prediction"]["cycle"] < story["outcome"]["cycle"], line
            if not story["decode"] and answer["instruction"].get("op", "").startswith("b"):
                wrong = story["prediction"]["next"] != story["outcome"]["next"]
                assert story["outcome"]["mispredicted"] == wrong, line
    check_data(answer)
    if answer["view"]:
        assert answer["view"]["schema"] == 1
        for row in answer["view"]["rows"]:
            assert "" not in row.values(), row
        assert not any(empty(column["unit"]) for column in answer["view"]["columns"])
        assert not empty(answer["view"]["summary"])
    for part in answer["output"] or []:
        assert list(part) == ["fd", "text"] and part["text"], part
    return answer


def check_each(files):
    """Checks each file's number of lines, with which its name begins, and their form. The exit status is the number of errors."""
    wrong = 0
    for path in files:
        try:
            with open(path, encoding="utf-8") as file:
                answers = [check(line) for line in file.read().splitlines()]
            assert len(answers) == int(path.rsplit("/", 1)[-1].split(
                "-")[0]), f"{len(answers)} lines"
        except (AssertionError, ValueError) as error:
            print(f"{path}: {error}")
            wrong += 1
    sys.exit(min(wrong, 100))


def check_told(path):
    """Prints the errors, then the number of files. The exit status is the number of errors."""
    wrong = 0
    with open(path, encoding="utf-8") as file:
        rows = [row.rstrip("\n").split("|", 3) for row in file if row.startswith("told/")]
    for name, count, keys, command in rows:
        wanted = keys.split(";")[:-1]
        try:
            with open(name, encoding="utf-8") as file:
                answers = [check(line) for line in file.read().splitlines()]
            found = [" ".join(key for key in KEYS[5:] if answer.get(key) is not None)
                for answer in answers[-len(wanted):]]
            assert len(answers) == int(count), f"{len(answers)} lines, not {count}"
            assert found == wanted, f"{found}, not {wanted}"
        except (AssertionError, ValueError) as error:
            print(f"{command}: {error}")
            wrong += 1
    print(len(rows))
    sys.exit(min(wrong, 100))


def main():
    if sys.argv[1] == "told":
        check_told(sys.argv[2])
    if sys.argv[1] == "each":
        check_each(sys.argv[2:])
    lines = sys.stdin.read().splitlines()
    answers = [check(line) for line in lines]
    if sys.argv[1] == "commands":
        print(*(text.split()[0] for text in answers[0]["text"] if text.startswith("  ")), sep="\n")
        return
    if sys.argv[1] == "squashes":
        print(check_squash(answers))
        return
    if sys.argv[1] == "places":
        print(check_place(answers))
        return
    if sys.argv[1] == "data":
        told = {answer["command"]: answer["data"] for answer in answers}
        with open(sys.argv[2], encoding="utf-8") as wanted:
            for line in wanted:
                command, keys, value = line.rstrip("\n").split(" | ")
                found = told[command]
                for key in keys.split():
                    found = found[int(key) if isinstance(found, list) else key]
                assert found == json.loads(value), f"{line}: {found}"
        return


main()
