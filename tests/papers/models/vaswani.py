#!/usr/bin/env python3
# A model of Vaswani and others' runtime (III.B, III.C, VI.B, table V), from the paper: the flag is
# what the last setpf or resetpf, or the poppf of the saved one, has left, and the runtime makes one
# of the other during windows. vaswani.lua has a run's events and Cyclops's accuracies.
#
#   vaswani.py FOLDER
#
# All blocks, always profiled, are counted exactly. Sampled profiles depend on the place of the
# windows, which are at sixteen here: Cyclops's accuracy is within their range, one point wider, for
# the sampled program is faster than the one whose events these are.
import sys
from collections import Counter
from statistics import mean, stdev

sys.path[:0] = ["tests"]
from checks import check, finish

PHASES = 16


def sampled(events, on):
    flag, saved, counts = False, [], Counter()
    for cycle, kind, block in events:
        if kind == "set":
            flag = on(cycle)
        elif kind == "push":
            saved.append(flag)
        elif kind == "pop":
            flag = saved.pop() if saved else False
        elif flag:
            counts[block] += 1
    return counts


# VI.B: half of the Manhattan distance of the vectors of shares, from 1.
def accuracy(a, b):
    sum_a, sum_b = sum(a.values()) or 1, sum(b.values())
    return 100 * (1 - sum(abs(a[k] / sum_a - b[k] / sum_b) for k in a | b) / 2)


folder = sys.argv[1]
events = []
for line in open(f"{folder}/events"):
    cycle, kind, *block = line.split()
    events.append((int(cycle), kind, block[0] if block else None))
full = sampled(events, lambda cycle: True)
theirs = Counter({block: int(n) for block, n in map(str.split, open(f"{folder}/profile"))
    if int(n)})
check(f"all blocks: {sum(theirs.values())} executions, the model's {sum(full.values())}",
    full == theirs, [k for k in full | theirs if full[k] != theirs[k]][:5])
means = []
for line in open(f"{folder}/accuracies"):
    percent, period, got = (float(word) for word in line.split())
    if not 0 < percent < 100:
        continue
    length = period * percent / 100
    model = [accuracy(sampled(events, lambda cycle: (cycle - period * phase / PHASES) % period
        < length), full) for phase in range(PHASES)]
    print(f"{percent:.0f} %: {got:.2f}, the model's {mean(model):.2f}, {min(model):.2f} to "
        f"{max(model):.2f}, deviation {stdev(model):.2f}")
    check(f"at {percent:.0f} %: outside", min(model) - 1 <= got <= max(model) + 1)
    means.append(mean(model))
check("the model is more accurate in longer windows", means == sorted(means), means)
finish()
