#!/usr/bin/env python3
# A model of Zilles and Sohi's slots (4.2 and the appendix, sensitivity), from the paper: a load has
# a slot with the number of its samples; one without gets the next slot if a random number of 0 to
# 255 is greater than that slot's samples, which are lost then, and the next slot is the one after
# it; else the sample is dropped. zilles.lua has the loads in the order in which they come.
#
#   zilles.py FOLDER
#
# Samples that slots hold at the end of the first turn, and the slots that hold any: within 1 % or
# four deviations of five models, whose random numbers are their own. Twice the slots hold twice as
# many loads while there are as many (the rate of capture is linear).
import random
import sys
from statistics import mean, stdev

sys.path[:0] = ["tests"]
from checks import check, finish


def captured(loads, slots, seed):
    rng, total, place, next_ = random.Random(seed), [0] * slots, {}, 0
    owner = [None] * slots
    for pc in loads:
        slot = place.get(pc)
        if slot is not None:
            total[slot] += 1
        elif rng.randint(0, 255) > total[next_] or not total[next_]:
            place.pop(owner[next_], None)
            place[pc], owner[next_], total[next_] = next_, pc, 1
            next_ = (next_ + 1) % slots
    return sum(total), sum(n > 0 for n in total)


held = {}
for line in open(f"{sys.argv[1]}/captured"):
    slots, samples, used, seen = map(int, line.split())
    loads = open(f"{sys.argv[1]}/records-{slots}").read().split()
    turn = loads.index("turn")
    # a few are on their way when the turn's end is noted
    check(f"{slots} slots: {seen} loads seen, {turn} came", 0 <= seen - turn <= 16)
    loads = [pc for pc in loads if pc != "turn"][:seen]
    held[slots] = used
    models = [captured(loads, slots, seed) for seed in range(5)]
    print(f"{slots} slots: {samples} samples of {used} loads among {len(set(loads))}, the model's "
        f"{models}")
    for got, part, name in (samples, 0, "samples"), (used, 1, "slots"):
        values = [model[part] for model in models]
        bound = max(0.01 * mean(values), 4 * stdev(values))
        check(f"{slots} slots: {got} {name}, the model's {mean(values):.0f} +- {bound:.0f}",
            abs(got - mean(values)) <= bound)
few, more, most = sorted(held)
check("loads in slots", held[more] == 2 * held[few] == 2 * few, held)
check("more slots than loads", held[most] < most, held)
finish()
