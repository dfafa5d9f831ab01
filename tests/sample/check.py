#!/usr/bin/env python3
"""Computes a sample's JSON again: the places of its units and pairs from the seeds of its
strata, CPI and IPC from its units alone and by other means, neighbours and pairs in closed sums,
Student's quantile by integrating the density. Arguments: the file, and the known truth:
full=STATS.json of a run with all detail."""
import json
import math
import sys


def density(t, n):
    return math.exp(math.lgamma((n + 1) / 2) - math.lgamma(n / 2)) / math.sqrt(n * math.pi) * (
        1 + t * t / n) ** (-(n + 1) / 2)


def below(t, n, steps=20000):
    """Simpson's rule from 0 to t."""
    h = t / steps
    total = density(0, n) + density(t, n)
    total += sum((4 if i % 2 else 2) * density(i * h, n) for i in range(1, steps))
    return 0.5 + total * h / 3


def quantile(p, n):
    low, high = 0.0, 50.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle, n, 2000) < p else (low, middle)
    return high


def near(what, is_, should, tolerance=1e-6):
    if abs(is_ - should) > tolerance * abs(should):
        sys.exit(f'{what} is {is_:.12g}, and should be {should:.12g}')


MASK = 2 ** 64 - 1


def mix(h, w):
    h = (h ^ w) * 0xff51afd7ed558ccd & MASK
    return h ^ h >> 32


def splitmix(h):
    z = h + 0x9e3779b97f4a7c15 & MASK
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
    z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
    return z ^ z >> 31


def draw(seed, least, size, k):
    """A number of [k * size, (k + 1) * size): that of one of the halves, down to `least`."""
    def random(size, k):
        return splitmix(mix(mix(mix(0x9e3779b97f4a7c15, seed), size), k))
    if size <= least:
        return k * size + random(size, k) % size
    return draw(seed, least, size // 2, 2 * k + random(size, k) % 2)


with open(sys.argv[1], encoding='utf-8') as f:
    run = json.load(f)
units = run['units']
n = len(units)
assert n == run['sample']['units'], 'units are counted'
strata, passes, insts = run['sample']['strata'], [], run['exact']['sim.insts']
pair_units = []
for number, s in enumerate(strata):
    of = units[sum(map(len, passes)):][:s['units']]
    assert s['seed'] == splitmix(4 * run['sample']['seed'] + number), 'each pass has its own seed'
    for k, u in enumerate(of):
        place = draw(s['seed'], s['finest'], s['every'], k)
        assert k * s['every'] <= place < (k + 1) * s['every'], 'one unit in each stratum'
        assert place <= u[0] < place + 64, f'unit {k} lies at {u[0]}, and should at {place}'
        stratum = place // s['finest']
        if draw(~s['seed'] & MASK, 10, s['pair_every'], stratum // s['pair_every']) == stratum:
            pair_units.append(sum(map(len, passes)) + k)
    last = draw(s['seed'], s['finest'], s['every'], len(of)) + run['sample']['U'] + 64
    assert last + 64 > insts, f'pass {number} reaches the end of the program'
    before = sum(map(len, passes))
    if 100 <= before and number < 3:
        assert len(of) < 2.02 * before, f'pass {number} of {len(of)} units, after {before}'
    passes.append(of)
assert sum(map(len, passes)) == n, 'each unit is of a pass'
if run['sample']['check'] > run['sample']['W']:
    assert pair_units == [p[0] for p in run['pairs']], 'pairs are drawn by the seed'
insts, cycles = sum(u[1] for u in units), sum(u[2] for u in units)
cpi = run['estimated']['sim.cpi']
pairs = run['pairs'] if len(run['pairs']) >= 5 else []
as_all = [units[p[0]] for p in pairs]


def ratio(rows, left_out=None):
    """Cycles by instructions, of all rows but one."""
    rows = [r for i, r in enumerate(rows) if i != left_out]
    return sum(r[2] for r in rows) / sum(r[1] for r in rows)


bias = ratio(pairs) - ratio(as_all) if pairs else 0
near('the CPI', cpi['value'], cycles / insts + bias)
# A pass's units form a ring. A single unit has no neighbour; these samples have no such pass.
assert all(len(of) > 1 for of in passes)
left_out = [[(cycles - u[2]) / (insts - u[1]) for u in of] for of in passes]
of_units = ((n - 1) / n) ** 2 * math.fsum((a - b) ** 2
    for ring in left_out for a, b in zip(ring, ring[1:] + ring[:1])) / 2
cubes = math.fsum((2 * b - a - c) ** 3 for ring in left_out
    for a, b, c in zip(ring[-1:] + ring, ring, ring[1:] + ring[:1])) / 6
of_pairs, m = 0, len(pairs)
free = n * 2 / 3
if pairs:
    without = [ratio(pairs, k) - ratio(as_all, k) for k in range(m)]
    of_pairs = (m - 1) / m * math.fsum((v - math.fsum(without) / m) ** 2 for v in without)
    free = (of_units + of_pairs) ** 2 / (of_units ** 2 / free + of_pairs ** 2 / (m - 1))
t = quantile(1 - (1 - run['sample']['confidence']) / 2, max(1, math.floor(free + 0.5)))
skewness = abs(cubes) / n / (of_units * n / (n - 1) ** 2) ** 1.5 if of_units else 0
skew = 1 + skewness * (2 * t * t + 1) / (6 * t * math.sqrt(n))
half = t * math.sqrt(skew ** 2 * of_units + of_pairs)
assert half > 0 and all(e['low'] is None or e['low'] < e['high']
    for e in run['estimated'].values()), 'no interval has the width 0'
near('what may be unseen', (1 - run['sample']['unseen']) ** n, 1 - run['sample']['confidence'])
near('half the interval of the CPI', cpi['high'] - cpi['value'], half, 1e-4)
near('its lower half', cpi['value'] - cpi['low'], half, 1e-4)
near('the precision reached', run['sample']['reached'], half / cpi['value'], 1e-4)
assert run['sample']['met'] == (
    run['sample']['reached'] <= run['sample']['target']), 'whether the target is met'
ipc = run['estimated']['sim.ipc']
near('the IPC', ipc['value'], 1 / cpi['value'])
near('its lower bound', ipc['low'], 1 / cpi['high'])
near('its upper bound', ipc['high'], 1 / cpi['low'])
total = run['estimated']['sim.cycles']
near('all cycles', total['value'], cpi['value'] * run['exact']['sim.insts'])
stack = sum(v['value'] for k, v in run['estimated'].items() if k.startswith('cpi.'))
width = next((int(a[6:]) for a in sys.argv[2:] if a.startswith('width=')), 4)
near('the CPI stack', stack, width * total['value'], 1e-9)
for name in sys.argv[2:]:
    if not name.startswith('full='):
        continue
    with open(name[5:], encoding='utf-8') as f:
        full = json.load(f)
    assert run['exact']['sim.insts'] == full['sim.insts'], 'instructions are exact'
    assert run['exact']['sim.syscalls'] == full['sim.syscalls'], 'system calls are exact'
    truth = full['sim.cycles'] / full['sim.insts']
    assert cpi['low'] <= truth <= cpi[
        'high'], f'the truth, {truth:.6f}, lies in [{cpi["low"]:.6f}, {cpi["high"]:.6f}]'
    for name, e in run['estimated'].items():
        assert name in full, name
