"""Lines of `cyclops --json`: each an object with every key, by Python's reader, which takes no NaN here.

    answers.py commands < FILE       names of the commands that `help commands` answered
    answers.py check COUNT < FILE    COUNT lines, well formed; prints what the last was about
"""
import json
import sys

KEYS = ["schema", "command", "ok", "error", "cycle", "text", "stop", "value", "view", "stats", "instruction", "output"]
STOP = ["reason", "pc", "insts", "stop_point", "seq", "event", "exit_status", "hits"]
STORY = {
    "prediction": ["cycle", "taken", "next", "target_known", "by"],
    "decode": ["cycle", "next", "dropped"],
    "outcome": ["cycle", "taken", "next", "mispredicted"],
    "data": ["cycle", "latency", "level", "tlb_miss", "store"],
    "cost": ["cause", "cycle", "squashed", "unfetched", "goes_on"],
    "squashed_by": ["cause", "instruction"],
}
HIT = ["stop_point", "kind", "what", "pc", "seq", "old", "new", "event"]


def no_constant(name):
    raise ValueError(name + " is not JSON")


def pairs(items):
    names = [name for name, _ in items]
    assert len(set(names)) == len(names), f"a key stands twice: {names}"
    return dict(items)


def empty(value):
    """Whether "" or an empty list stands where null should."""
    return value in ("", [])


def check(line):
    answer = json.loads(line, parse_constant=no_constant, object_pairs_hook=pairs)
    if answer["command"] is None:
        assert list(answer) == ["schema", "command", "text", "output"] and (answer["output"] or answer["text"]), line
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
        assert all(list(hit) == HIT and not any(empty(value) for value in hit.values()) for hit in stop["hits"] or [])
        if stop["hits"]:
            first, numbers = stop["hits"][0], [hit["stop_point"] for hit in stop["hits"]]
            assert all(first[key] == stop[key] for key in ("stop_point", "seq", "event")), line
            assert numbers == sorted(set(numbers)), line
            assert all((hit["old"] != hit["new"]) == (hit["kind"] == "watch") for hit in stop["hits"]), line
    if answer["instruction"] and answer["instruction"]["story"]:
        story = answer["instruction"]["story"]
        assert list(story) == list(STORY), line
        for part, keys in STORY.items():
            assert story[part] is None or list(story[part])[: len(keys)] == keys, (part, line)
        if story["prediction"] and story["outcome"]:
            assert story["prediction"]["cycle"] < story["outcome"]["cycle"], line
            if not story["decode"] and answer["instruction"].get("op", "").startswith("b"):
                wrong = story["prediction"]["next"] != story["outcome"]["next"]
                assert story["outcome"]["mispredicted"] == wrong, line
    if answer["view"]:
        assert answer["view"]["schema"] == 1
        for row in answer["view"]["rows"]:
            assert "" not in row.values(), row
        assert not any(empty(column["unit"]) for column in answer["view"]["columns"])
        assert not empty(answer["view"]["summary"])
    for part in answer["output"] or []:
        assert list(part) == ["fd", "text"] and part["text"], part
    return answer


def main():
    lines = sys.stdin.read().splitlines()
    answers = [check(line) for line in lines]
    if sys.argv[1] == "commands":
        print(*(text.split()[0] for text in answers[0]["text"] if text.startswith("  ")), sep="\n")
        return
    assert len(answers) == int(sys.argv[2]), f"{len(answers)} lines"
    print(*(key for key in KEYS[5:] if answers[-1].get(key) is not None))


main()
