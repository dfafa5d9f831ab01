#!/usr/bin/env python3
"""Samples programs whose CPI is periodic, with periods from 0.4 to 2.5 times the length of a
stratum, and prints how often the stated interval of the CPI has the exact value: the table of
docs/sampled.md.

    tests/sample/periods.py [--units 333] [--every 60000] [--seeds 20] [--periods F,F]
                            [--programs NAME,NAME] [--config default] [--least 0.99]

Fails if fewer than `least` of all runs are covered."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

# bodies of tests/sample/periodic.c, and the percentage of a period that each has
PROGRAMS = {
    'halves': 'mul 50 wide 50',
    'quarter': 'mul 25 wide 75',
    'tenth': 'mul 10 wide 90',
    'most': 'mul 90 wide 10',
    'mild': 'div 50 chain 50',
    'hits': 'load 50 store 50',
    'misses': 'miss 30 wide 70',
    'branches': 'branch 50 wide 50',
    'thirds': 'mul 33 chain 33 wide 34',
    'twice': 'mul 25 wide 25 mul 20 wide 30',
    'steps': 'wide 20 store 20 branch 20 chain 20 load 20',
    'uneven': 'load 5 wide 15 mul 30 chain 10 wide 40',
}
PERIODS = (0.4, 0.5, 0.6, 2 / 3, 0.75, 0.9, 0.97, 1, 1.03, 1.1, 1.25, 1.5, 1.75, 2, 2.25, 2.5)

top = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
cyclops = os.environ.get('CYCLOPS', os.path.join(top, 'build', 'cyclops'))
guest = os.path.join(top, 'build', 'tests', 'sample', 'periodic')

parser = argparse.ArgumentParser(description=__doc__,
    formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--units', type=int, default=333)
parser.add_argument('--every', type=int, default=60000)
parser.add_argument('--seeds', type=int, default=20)
parser.add_argument('--periods', default=','.join(map(str, PERIODS)))
parser.add_argument('--programs', default=','.join(PROGRAMS))
parser.add_argument('--config', default='default')
parser.add_argument('--least', type=float, default=0.99)
args = parser.parse_args()


def run(options, words, folder):
    out = os.path.join(folder, 'stats.json')
    subprocess.run([cyclops, 'run', '--config', args.config, *options, '--stats', out, guest,
        *words], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    with open(out, encoding='utf-8') as f:
        return json.load(f)


print('| program | bodies, percent of a period | CPI | runs | ± stated | covered | mean error | bias '
    '| worst | periodic |')
print('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
runs = covered = 0
for name in args.programs.split(','):
    cpis, errors, stated, noticed = [], [], [], 0
    inside = 0
    with tempfile.TemporaryDirectory() as folder:
        for factor in map(float, args.periods.split(',')):
            periods = round(args.units / factor)
            words = [str(round(args.units * args.every / periods)), str(periods),
                *PROGRAMS[name].split()]
            full = run([], words, folder)
            truth = full['sim.cycles'] / full['sim.insts']
            cpis.append(truth)
            for seed in range(1, args.seeds + 1):
                got = run([f'--sample=n={args.units},seed={seed}'], words, folder)
                cpi = got['estimated']['sim.cpi']
                errors.append(cpi['value'] / truth - 1)
                stated.append(got['sample']['reached'])
                inside += cpi['low'] <= truth <= cpi['high']
                noticed += got['sample']['periodic'] > 0 and factor == 1
    runs += len(errors)
    covered += inside
    print('| %s | %s | %.2f | %d | %.1f %% | %d of %d | %.1f %% | %+.1f %% | %.1f %% | %d of %d |' % (
        name, PROGRAMS[name], statistics.mean(cpis), len(errors), 100 * statistics.mean(stated),
        inside, len(errors), 100 * statistics.mean(map(abs, errors)),
        100 * statistics.mean(errors), 100 * max(map(abs, errors)), noticed, args.seeds),
        flush=True)
print('| **all** | | | %d | | %d of %d, %.2f %% | | | | |' % (
    runs, covered, runs, 100 * covered / runs))
sys.exit(covered < args.least * runs)
