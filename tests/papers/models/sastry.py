#!/usr/bin/env python3
# A model of Sastry, Bodik and Smith's compressors (sections 3 and 5.3, figures 7 to 10), from the
# paper: samplers, strata, associative counters, and the error of a profile. sastry.lua has the
# stream and what Cyclops reports of it.
#
#   sastry.py FOLDER
#
# Without chance all is equal: P, A and P before A, messages and errors after each step. Strata
# depend on the hash function, and R on its random numbers: with five of the model's own each.
# Bounds: messages within 1 %, or six deviations of the model's; errors within six deviations
# (of a mean of n values: divided by its root), and 0.3 points.
import random
import sys
from collections import Counter, OrderedDict
from statistics import mean, stdev

sys.path[:0] = ["tests"]
from checks import check, finish

SEEDS = 4


class P:
    def __init__(self, rate):
        self.rate, self.count = rate, 0

    def take(self, t, n=1):
        self.count += 1
        if self.count == self.rate:
            self.count = 0
            yield t, self.rate


class R:
    def __init__(self, rate, rng):
        self.rate, self.rng = rate, rng

    def take(self, t, n=1):
        if self.rng.random() < 1 / self.rate:
            yield t, self.rate


class H:
    def __init__(self, rate, strata, rng):
        self.of, self.strata, self.rng = {}, [P(rate) for _ in range(strata)], rng

    def take(self, t, n=1):
        if t not in self.of:  # a function of the tuple as good as random
            self.of[t] = self.rng.choice(self.strata)
        yield from self.of[t].take(t)


class A:
    def __init__(self, entries, most=255):
        self.entries, self.most, self.at = entries, most, OrderedDict()

    def take(self, t, n=1):
        if t in self.at:
            times, weight = self.at.pop(t)
            if times + 1 == self.most:  # its byte is full
                yield t, weight + n
            else:
                self.at[t] = times + 1, weight + n
            return
        if len(self.at) == self.entries:
            least, (_, weight) = self.at.popitem(last=False)
            yield least, weight
        self.at[t] = 1, n


def stage(text, rng):
    number = [int(n) for n in "".join(c if c.isdigit() else " " for c in text).split()]
    if text[0] == "H":
        return H(number[0], number[1], rng)
    return R(number[0], rng) if text[0] == "R" else {"P": P, "A": A}[text[0]](number[0])


def chain(text, rng):
    parts = text.replace("),A", ")|A").split("|")
    return [stage(part, rng) for part in parts]


def through(stages, t, n=1):
    if not stages:
        yield t, n
        return
    for message in stages[0].take(t, n):
        yield from through(stages[1:], *message)


# 5.3.1: loads of 1,000 executions, of which 40 % have values of at least 10 % each.
def error(ideal, estimate):
    of_ideal, of_estimate, values = Counter(), Counter(), {}
    for (pc, value), n in ideal.items():
        of_ideal[pc] += n
        values.setdefault(pc, []).append((value, n))
    for (pc, _), n in estimate.items():
        of_estimate[pc] += n
    total = weighted = 0
    for pc, executed in of_ideal.items():
        invariant = [(v, n) for v, n in values[pc] if n >= 0.1 * executed]
        if executed < 1000 or sum(n for _, n in invariant) < 0.4 * executed:
            continue
        for value, n in invariant:
            seen = of_estimate[pc]
            share = estimate[pc, value] / seen if seen else 0
            total += n
            weighted += n * abs(n / executed - share)
    return weighted / total if total else -1


def curve(text, stream, step, seed):
    stages, ideal, estimate, messages, rows = chain(text, random.Random(seed)), Counter(), \
        Counter(), 0, []
    for i, t in enumerate(stream, 1):
        ideal[t] += 1
        for tuple_, n in through(stages, t):
            messages += 1
            estimate[tuple_] += n
        if i % step == 0:
            rows.append((messages, error(ideal, estimate)))
    return rows


folder = sys.argv[1]
stream = [tuple(map(int, line.split())) for line in open(f"{folder}/stream")]
theirs = {}
for line in open(f"{folder}/curves"):
    text, seed, events, messages, err = line.split()
    theirs.setdefault(text, {}).setdefault(int(seed), []).append((int(messages), float(err)))
step = len(stream) // len(next(iter(theirs["P(256)"].values())))
ours = {}
for text, runs in theirs.items():
    by_chance = text[0] in "RH"
    models = [curve(text, stream, step, seed) for seed in range(SEEDS if by_chance else 1)]
    ours[text] = models
    for place in range(len(models[0])):
        where = f"{text} after {(place + 1) * step} tuples"
        got = [run[place] for run in runs.values()]
        want = [model[place] for model in models]
        if not by_chance:
            check(f"{where}: {got[0][0]} messages, not {want[0][0]}", got[0][0] == want[0][0])
            check(f"{where}: error {got[0][1]}, not {want[0][1]}",
                abs(got[0][1] - want[0][1]) < 1e-9)
            continue
        for part, name, least in (0, "messages", None), (1, "error", 0.003):
            a, b = [g[part] for g in got], [w[part] for w in want]
            spread = stdev(b) * (1 / SEEDS + 1 / len(a)) ** 0.5
            bound = 6 * spread + (0.01 * mean(b) if least is None else least)
            check(f"{where}: {name} {mean(a):.5g}, the model's {mean(b):.5g} +- {bound:.2g}",
                abs(mean(a) - mean(b)) <= bound)

# Figures 7 and 9: what the paper's curves show, of the model and of Cyclops alike.
for side, curves in ("the model", ours), ("Cyclops", {t: list(r.values()) for t, r in
        theirs.items()}):
    last = {text: mean(run[-1][1] for run in runs) for text, runs in curves.items()}
    sent = {text: mean(run[-1][0] for run in runs) for text, runs in curves.items()}
    check(f"{side}: strata err more at the end than R(256)",
        last["H(P(256),2048)"] <= last["R(256)"], last)
    check(f"{side}: 4,096 strata send more messages at first than 512",
        sent["H(P(256),4096)"] < sent["H(P(256),512)"])
    check(f"{side}: strata send more messages than R(256)",
        sent["H(P(256),2048)"] <= sent["R(256)"] * 1.02
        and sent["H(P(512),2048)"] < 0.6 * sent["R(256)"])
    check(f"{side}: A(16) sends more messages than come",
        sent["H(P(256),2048),A(16)"] <= sent["H(P(256),2048)"])
finish()
