#!/usr/bin/env python3
"""Holds sampled runs of the workloads against full ones: coverage of the stated interval, error and
bias of the CPI, processor time.

    demos/workloads/truth.py [--programs A,B] [--configs default,wide6] [--seeds N] [--first K]
    [--sample SPEC] [--table]

Runs what has no result yet below build/workloads/truth/, one after the other, and prints the table
of what is there; --table runs nothing."""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys

top = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
files = os.path.join(top, 'build', 'workloads', 'files')
results = os.path.join(top, 'build', 'workloads', 'truth')
cyclops = os.environ.get('CYCLOPS', os.path.join(top, 'build', 'cyclops'))

parser = argparse.ArgumentParser(description=__doc__,
    formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument('--programs',
    help='of build/workloads/commands and of the long demos; "demos" is all of those; all of both '
    'if nothing is said')
parser.add_argument('--configs', default='default')
parser.add_argument('--seeds', type=int, default=20)
parser.add_argument('--first', type=int, default=1,
    help='the first seed that is run; the table has all from 1 to --seeds')
parser.add_argument('--sample', default='',
    help='what --sample is given beside the seed, check=15000')
parser.add_argument('--table', action='store_true', help='run nothing')
args = parser.parse_args()
if not 1 <= args.first <= max(args.seeds, 1):
    parser.error(f'--first {args.first}: a seed from 1 to --seeds is needed')


def commands():
    """Names, folders, standard input, and words of what can be run; the demos are those that take
    arguments."""
    # without `make workloads`: the demos alone
    made = os.path.join(top, 'build', 'workloads', 'commands')
    with open(made if os.path.exists(made) else os.devnull, encoding='utf-8') as f:
        for line in f:
            name, _, source, *rest = line.split()
            yield name, files, source, ['../../debian/' + name, *rest]
    with open(os.path.join(top, 'demos', 'programs', 'list.txt'), encoding='utf-8') as f:
        for line in f:
            name, words, source, *_ = line.rstrip('\n').split('|') + ['', '']
            if words and not line.startswith('#'):
                yield 'demo:' + name, top, '/dev/null' if source == '-' else source, ['build/demos/'
                    + name, *words.split()]


def run(folder, source, words, config, options, out):
    """Processor seconds of a run; its statistics go to out + .json."""
    if os.path.exists(out + '.json') and os.path.exists(out + '.time'):
        return
    if args.table:
        return
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(os.path.join(folder, source), 'rb') as stdin:
        subprocess.run([cyclops, 'run', '--config', config, *options, '--stats', out + '.json',
            *words],
                       cwd=folder, stdin=stdin, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(out + '.time', 'w', encoding='utf-8') as f:
        print(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, file=f)


def load(out):
    try:
        with open(out + '.json', encoding='utf-8') as f, open(out + '.time', encoding='utf-8') as t:
            return json.load(f), float(t.read().split()[0])
    except (OSError, ValueError, IndexError):
        return None


os.makedirs(results, exist_ok=True)
wanted = args.programs.split(',') if args.programs else None
tag = args.sample.replace(',', '_').replace('%', '') or 'auto'
chosen = [c for c in commands() if not wanted or c[0] in wanted
    or (c[0].startswith('demo:') and 'demos' in wanted)]
for seed in [0, *range(args.first, args.seeds + 1)]:
    for config in args.configs.split(','):
        for name, folder, source, words in chosen:
            if seed == 0:
                run(folder, source, words, config, [], f'{results}/{config}.{name}.full')
            else:
                spec = f'seed={seed}' + (',' + args.sample if args.sample else '')
                run(folder, source, words, config, ['--sample=' + spec],
                    f'{results}/{config}.{name}.{tag}.{seed}')

print('| program | machine | M insts | CPI | runs | units | ± stated | covered | mean error | bias '
    '| worst | times faster |')
print('| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |')
errors, covered, runs = [], 0, 0
for config in args.configs.split(','):
    for name, *_ in chosen:
        full = load(f'{results}/{config}.{name}.full')
        got = [r for r in (load(f'{results}/{config}.{name}.{tag}.{k}')
            for k in range(1, args.seeds + 1)) if r]
        if not full or not got:
            continue
        truth = full[0]['sim.cycles'] / full[0]['sim.insts']
        cpi = [r[0]['estimated']['sim.cpi'] for r in got]
        error = [c['value'] / truth - 1 for c in cpi]
        inside = sum(c['low'] <= truth <= c['high'] for c in cpi)
        errors += error
        covered += inside
        runs += len(got)
        print('| %s | %s | %.0f | %.3f | %d | %.0f | %.2f %% | %d of %d | %.2f %% | %+.2f %% | %.2f %% | %.1f |' % (
            name, config, full[0]['sim.insts'] / 1e6, truth, len(got),
                statistics.mean(r[0]['sample']['units'] for r in got),
            100 * statistics.mean(r[0]['sample']['reached'] for r in got), inside, len(got),
            100 * statistics.mean(map(abs, error)), 100 * statistics.mean(error),
                100 * max(map(abs, error)),
            full[1] / statistics.mean(r[1] for r in got)))
if runs:
    print('| **all** | | | | %d | | | %d of %d | %.2f %% | %+.2f %% | %.2f %% | |' % (
        runs, covered, runs, 100 * statistics.mean(map(abs, errors)), 100 * statistics.mean(errors),
            100 * max(map(abs, errors))))
sys.exit(0)
