#!/usr/bin/env python3
"""Paths and calling contexts of a program, by their definitions alone: from the instructions that
are executed of the program as it was (tracer.c), its disassembly by objdump and its symbols.
Compared with what the instrumented program counts, path by path and context by context.

  traced.py CYCLOPS TRACER DIR PROGRAM INPUT [ARGS...]    DIR is for files

A path (Ball and Larus) goes from where its procedure is entered, or from where a back edge leads,
to where a back edge begins or the procedure is left; a back edge is one whose target dominates
where it comes from. Jumps through registers that lead to a common place meet in a vertex before
their places: those that were seen, and those of the jump's table, which relocations of the words at
its address give. A context (Ammons, Ball and Larus, section 4) is a procedure called in a context.
A procedure that is active in the context already leads back to its first call, and a tail call
makes a callee of the caller's caller. Functions of `report untouched` are not compared, nor are
procedures whose graph can't be reduced, because their back edges are ambiguous. Prints how many
were the same."""

import array
import collections
import json
import os
import re
import shutil
import subprocess
import sys

from traced_program import Program

# read the program's headers, which are others
OF_HEADERS = {"_dlfo_process_initial", "_dlfo_sort_mappings.part.0"}
LONGEST = 30  # blocks of a path that are compared: reports cut long ones


def trace(tracer, path, directory, program, stdin, arguments):
    """Executed instructions, as runs between jumps: [(first, last, first of the next)]."""
    file = os.path.join(directory, "trace")
    with open(stdin, "rb") as source:
        subprocess.run([tracer, file, path, *arguments], stdin=source, check=True)
    all = array.array("I")
    with open(file, "rb") as f:
        all.frombytes(f.read())
    insts, runs, first = program.insts, [], all[0]
    for at, then in zip(all, all[1:]):
        inst = insts[at]
        if inst.kind or inst.next != then:
            runs.append((first, at, then))
            first = then
    runs.append((first, all[-1], None))
    return runs


class Procedure:
    """Its blocks and its graph: direct edges, and observed ones of jumps through registers."""

    def __init__(self, program, start, leaps, entered):
        insts = program.insts
        at, self.body = start, []
        while at in insts and program.home[at] == start:
            self.body.append(at)
            at = insts[at].next
        inside = set(self.body)
        self.start, self.leaders = start, {start}
        for at in self.body:
            inst = insts[at]
            if inst.kind in ("branch", "jump") and inst.to in inside:
                self.leaders.add(inst.to)
            if inst.kind and inst.next in inside:
                self.leaders.add(inst.next)
        places = {j: (leaps[j] | program.tables.get(j, set())) & inside for j in self.body
            if insts[j].kind == "leap"}
        places = {j: to for j, to in places.items() if to}
        self.leaders |= set().union(*places.values()) if places else set()
        self.roots = {start} | (entered & inside)
        self.leaders |= self.roots
        self.leaders -= self.in_sequences(program)
        self.meeting = self.meet(places)
        edges = collections.defaultdict(set)
        block = None
        for at in self.body:
            block = at if at in self.leaders else block
            inst = insts[at]
            if inst.kind in ("branch", "jump") and inst.to in inside:
                edges[block].add(inst.to)
            if inst.kind not in ("jump", "leap", "return") and inst.next in self.leaders:
                edges[block].add(inst.next)
            if at in self.meeting:
                edges[block].add(self.meeting[at])
                edges[self.meeting[at]] |= places[at]
        self.block_of = {}
        for at in self.body:
            block = at if at in self.leaders else block
            self.block_of[at] = block
        self.find_back_edges(edges)

    def in_sequences(self, program):
        """Instructions between a load-reserved and its store-conditional, which is one block."""
        found, since = set(), []
        for at in self.body:
            op = program.text[at][0]
            since = [at] if op.startswith("lr.") else since + [at] if since else []
            if op.startswith("sc."):
                found.update(since[1:])
            since = [] if op.startswith("sc.") or len(since) > 32 else since
        return found

    @staticmethod
    def meet(places):
        """{jump: vertex, below 0} of jumps with places in common."""
        sets = []
        for jump, to in places.items():
            same = [s for s in sets if s[1] & to]
            sets = [s for s in sets if not s[1] & to]
            sets.append(([jump] + [j for s in same for j in s[0]],
                set(to).union(*(s[1] for s in same))))
        return {jump: -1 - k for k, s in enumerate(sets) for jump in s[0]}

    def find_back_edges(self, edges):
        root = 0
        edges[root] = set(self.roots)
        order, state, stack, retreating = [], {root: 1}, [(root, iter(sorted(edges[root])))], set()
        while stack:
            v, rest = stack[-1]
            for w in rest:
                if w not in state:
                    state[w] = 1
                    stack.append((w, iter(sorted(edges[w]))))
                    break
                if state[w] == 1:
                    retreating.add((v, w))
            else:
                state[v] = 2
                order.append(v)
                stack.pop()
        number = {v: n for n, v in enumerate(order)}
        before = collections.defaultdict(list)
        for v, to in edges.items():
            for w in to:
                if v in number:
                    before[w].append(v)
        dominator = {root: root}
        changed = True
        while changed:
            changed = False
            for v in reversed(order[:-1]):
                new = None
                for p in before[v]:
                    if p not in dominator:
                        continue
                    a, b = p, new
                    while b is not None and a != b:
                        if number[a] < number[b]:
                            a = dominator[a]
                        else:
                            b = dominator[b]
                    new = a
                changed |= dominator.get(v) != new
                dominator[v] = new

        def dominates(w, v):
            while v != root and v != w:
                v = dominator[v]
            return v == w

        self.back = {(v, w) for v, w in retreating if dominates(w, v)}
        self.reducible = len(self.back) == len(retreating)


class Frame:
    __slots__ = ("function", "back", "path", "round", "last", "parent", "node")

    def __init__(self, function, back, parent):
        self.function, self.back, self.parent = function, back, parent
        self.path, self.round, self.last, self.node = [], False, None, None


class Tree:
    def __init__(self, alone):
        self.alone, self.calls, self.above, self.of, self.child = alone, [0], [None], [None], {}

    def enter(self, frame):
        up = frame.parent
        if frame.function in self.alone:
            return
        while up and self.of[up] != frame.function:
            up = self.above[up]
        if not up:
            key = frame.parent, frame.function
            if key not in self.child:
                self.child[key] = len(self.of)
                self.of.append(frame.function)
                self.above.append(frame.parent)
                self.calls.append(0)
            up = self.child[key]
        self.calls[up] += 1
        frame.node = up

    def stacks(self, name):
        """{names from the outermost to the innermost: calls}"""
        out = collections.Counter()
        for k in range(1, len(self.of)):
            stack, up = [], k
            while up:
                stack.append(name(self.of[up]))
                up = self.above[up]
            out[tuple(reversed(stack))] += self.calls[k]
        return out


def walk(program, runs, alone):
    """Paths {(procedure, whether a round, blocks, whether it ends with a back edge): count},
    procedures, the tree."""
    insts, home = program.insts, program.home
    leaps, entered = collections.defaultdict(set), set()
    for _, last, then in runs:
        if insts[last].kind == "leap" and then in insts and home[then] == home[last]:
            leaps[last].add(then)
        elif then in insts and insts[last].kind not in ("call",
                "return") and home[then] != home[last] and then not in program.starts:
            entered.add(then)
    procedures, paths, tree = {}, collections.Counter(), Tree(alone)
    odd = set()  # procedures that were entered in the middle, or left by a return to elsewhere

    def procedure(start):
        if start not in procedures:
            procedures[start] = Procedure(program, start, leaps, entered)
        return procedures[start]

    def end(frame, back):
        if frame.path:
            paths[frame.function, frame.round, tuple(frame.path), back] += 1
        frame.path, frame.round = [], back

    def begin(function, back, parent):
        frame = Frame(function, back, parent)
        tree.enter(frame)
        return frame

    stack = [begin(home[runs[0][0]], None, 0)]
    frame = stack[0]
    for first, last, then in runs:
        p = procedure(frame.function)
        at = first
        while True:
            if at in p.leaders:
                if frame.last is not None:
                    source = p.meeting.get(frame.last)
                    if source is not None:
                        if (p.block_of[frame.last], source) in p.back:
                            end(frame, True)
                        if (source, at) in p.back:
                            end(frame, True)
                    elif (p.block_of.get(frame.last), at) in p.back:
                        end(frame, True)
                frame.path.append(at)
            frame.last = at
            if at == last:
                break
            at = insts[at].next
        if then is None:
            break
        kind = insts[last].kind
        if kind == "call":
            stack.append(begin(home[then], insts[last].next, frame.node if frame.node is not None
                else frame.parent))
            if then not in program.starts:
                odd.add(home[then])
        elif kind == "return":
            end(frame, False)
            depth = len(stack) - 1
            while depth and stack[depth].back != then:
                depth -= 1
            if not depth:  # longjmp(): after a call that has come back already
                depth = max(k for k, f in enumerate(stack) if f.function == home[then]) + 1
                caller = stack[depth - 1]
                odd.add(caller.function)
                caller.path, caller.round, caller.last = [], False, None
            for gone in stack[depth + 1:]:
                odd.add(gone.function)
            del stack[depth:]
        elif home[then] != frame.function:
            end(frame, False)
            if then in program.starts:
                stack[-1] = begin(home[then], frame.back, frame.parent)
            else:
                odd |= {home[then], frame.function}
                stack[-1].function = home[then]
                stack[-1].last = None
        frame = stack[-1]
    return paths, procedures, tree, odd, {f.function for f in stack}


def names_of(program):
    """One name for all that share a name or an address."""
    same = {}

    def root(x):
        while same.setdefault(x, x) != x:
            x = same[x]
        return x

    for at, names in program.names.items():
        for name in names:
            same[root(name)] = root(at)
    return root


def main():
    cyclops, tracer, directory, path, stdin, arguments = *sys.argv[1:6], sys.argv[6:]
    program = Program(path)
    old = os.path.join(directory, "traced.old")  # programs read their names: all have one length
    shutil.copyfile(path, old)

    why_left = collections.defaultdict(list)

    def report(kind, *options):
        new, rows = os.path.join(directory, "traced.new"), os.path.join(directory, "traced.json")
        subprocess.run([cyclops, "instrument", "-q", "--kind", *kind.split(), "-o", new, path],
            check=True)
        for file in (rows, rows + ".left.json"):
            if os.path.exists(file):
                os.unlink(file)
        with open(stdin, "rb") as source:
            subprocess.run([cyclops, "run", "--functional",
                *(o.replace("ROWS", rows) for o in options), "--report",
                f"untouched={rows}.left.json", new, *arguments],
                           stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               check=False)
        why_left.clear()
        for row in json.load(open(rows + ".left.json"))["rows"]:
            why_left[row["was"] if isinstance(row["was"], int) else int(row["was"], 16)].append(
                row["why"])
        left = {row["was"] if isinstance(row["was"], int) else int(row["was"], 16): row
            for row in json.load(open(rows + ".left.json"))["rows"]}
        return rows, left

    rows, left = report("cct", "--export", "folded=ROWS")
    alone = {at for at, row in left.items() if row["what"] == "left alone"}
    paths, procedures, tree, odd, active = walk(program, trace(tracer, old, directory, program,
        stdin, arguments), alone)

    # Contexts.
    root = names_of(program)
    ours = collections.Counter()
    for line in open(rows):
        stack, n = line.rsplit(" ", 1)
        ours[tuple(root(name) for name in stack.split(";"))] += int(n)
    right = tree.stacks(root)
    wrong = [k for k in ours.keys() | right.keys() if ours[k] != right[k]]
    for k in wrong[:5]:
        print("context", " ".join(str(program.starts.get(x, x)) for x in k), ": counted", ours[k],
            "right", right[k])

    # Paths, with labels on the cheapest edges, and on all.
    rows, left = report("path", "--report", "hot-paths all=ROWS")
    table = json.load(open(rows))["rows"]
    rows, _ = report("path --labels simple", "--report", "hot-paths all=ROWS")
    numbers = [sorted((row["was"], row["number"], row["count"]) for row in t)
        for t in (table, json.load(open(rows))["rows"])]
    if numbers[0] != numbers[1]:
        sys.exit("labels on all edges give other numbers")
    counted, entered = collections.Counter(), collections.defaultdict(collections.Counter)
    for row in table:
        start = row["was"] if isinstance(row["was"], int) else int(row["was"], 16)
        text = row["offsets"]
        whole = len(text) < 500 and "..." not in text
        blocks = [start + int(x, 16) for x in re.findall(r"\+(0x[0-9a-f]+)", text)]
        if start in procedures:
            blocks = [b for b in blocks if b in procedures[start].leaders]
        for b in blocks if whole else [None]:
            entered[start][b] += row["count"]
        short = tuple(blocks[:LONGEST]) if not whole or len(blocks) > LONGEST else tuple(blocks)
        ends = text.endswith(" back") if whole and len(blocks) <= LONGEST else None
        counted[start, text.startswith("round"), short, ends] += row["count"]
    expected = collections.Counter()
    for (start, again, blocks, back), n in paths.items():
        expected[start, again, blocks[:LONGEST], back if len(blocks) <= LONGEST else None] += n
    skipped = {s for s in procedures if not procedures[s].reducible
        or program.starts[s] in OF_HEADERS} | odd | left.keys()
    same, executions, bad, other = 0, 0, [], 0
    for key in counted.keys() | expected.keys():
        if key[0] in skipped or key[0] not in procedures:
            other += expected[key]
            continue
        if counted[key] == expected[key]:
            same += 1
            executions += counted[key]
        else:
            bad.append(key)
    # Where a loop has several entrances no definition fixes which edges end paths; with any choice
    # paths together execute each block as often as the program, unless the program ends within one.
    by_blocks = 0
    for s in {k[0] for k in expected}:
        if s not in procedures or procedures[s].reducible or s in odd | active or program.starts[
            s] in OF_HEADERS or None in entered[s] or \
                any("more than one entrance" not in w for w in why_left.get(s, ())):
            continue
        right_blocks = collections.Counter()
        for (start, _, blocks, _), n in paths.items():
            for b in blocks if start == s else ():
                right_blocks[b] += n
        by_blocks += 1
        for b in right_blocks.keys() | entered[s].keys():
            if right_blocks[b] != entered[s][b]:
                print(program.starts.get(s), "has a loop with several entrances: block", hex(b),
                    "is counted", entered[s][b], "times by its paths, right", right_blocks[b])
                bad.append((s, False, (), None))
    # It lists procedures whose back edges are ambiguous, also those where it finds more targets of
    # jumps through registers.
    taste = {s for s in {k[0] for k in expected} if s in procedures and not procedures[s].reducible}
    told = {s for s, whys in why_left.items() if any("more than one entrance" in w
        for w in whys)} & {k[0] for k in expected}
    leap = {program.home[at] for at, inst in program.insts.items() if inst.kind == "leap"}
    for s in taste - told | told - taste - leap:
        print(program.starts.get(s), "has loops with several entrances" if s in taste
            else "has none", ", and is said to have", "none" if s in taste else "some")
        bad.append((s, False, (), None))
    for start, again, blocks, back in sorted(bad, key=lambda k: k[0])[:8]:
        print(program.starts.get(start), "round" if again else "", *(hex(b) for b in blocks[:14]),
            "back" if back else "", ": counted", counted[start, again, blocks, back],
              "right", expected[start, again, blocks, back])
    print(f"{len(right)} contexts, {len(wrong)} wrong; {same} paths of "
        f"{len({k[0] for k in expected} - skipped)} procedures, executed {executions} times, "
        f"{len(bad)} wrong; "
          f"{by_blocks} with loops of several entrances block by block; "
          f"{other} executions in {len({k[0] for k in expected} & skipped)} procedures not compared path by path: " + " ".join(sorted(f"{program.starts.get(s, '?')}{'' if procedures[s].reducible else ' (irreducible)'}{' (cut)' if s in left else ''}" for s in {k[0] for k in expected} & skipped)))
    sys.exit(bool(wrong or bad) or not right or same < 20)


main()
