"""prose.py PAGE TABLE: each number in the prose of docs/bakeoff.md stands in its table: those of demos/papers/bakeoff/results.md, or the console block that follows."""
import re
import sys

WORDS = {w: str(i + 1) for i, w in enumerate("one two three four five six seven eight nine ten "
    "eleven twelve".split())}
NUMBER = r"\d[\d,]*(?:\.\d+)?"


def rows(table):
    """{ question or "front": { profiler: { column: cell } } } of results.md."""
    found, name, head = {}, None, None
    for line in table.splitlines():
        title = re.match(r"\*\*(\w+)\*\*:", line)
        name = title[1] if title else "front" if line.startswith("### On the front") \
            else None if line.startswith("#") else name
        if not line.startswith("|"):
            head = None
        elif name:
            cells = [c.strip() for c in line.strip("|").split("|")]
            if head and not cells[0].startswith("-"):
                found.setdefault(name, {})[cells[0]] = dict(zip(head, cells))
            head = head or cells
    return found


def section(page, first, last):
    assert page.count(first) == 1 and page.count(last) == 1, (first, last)
    return page[page.index(first) + len(first):page.index(last)]


def digits(text):
    return re.sub(r"\b(" + "|".join(WORDS) + r")\b", lambda w: WORDS[w[0]], text)


def parts(cell):
    """"61.9 (3)": the mean, and of how many programs."""
    m = re.fullmatch(r"([\d.]+)(?: \((\d+)\))?|-?", cell)
    assert m, cell
    return m[1], m[2]


# Claims of the section: patterns, and the cells of their groups.
def claims(t, n, kinds):
    def mean(q, p, c):
        return parts(t[q][p][c])[0]

    def programs(q, p, c):
        return (parts(t[q][p][c])[1] or n) if parts(t[q][p][c])[0] else "0"

    costs = [float(t[q]["ammons"]["overhead %"]) for q in ("blocks", "edges", "calls")]
    flow = ("blocks", "edges", "calls")
    hardware = [(q, p) for q in t if q != "front" for p in t[q]
        if p in ("zilles", "burrows", "sastry", "random", "profileme")]
    met = [(q, p, c) for q, p in hardware for c in ("at 1 %", "at 3 %") if t[q][p][c] != "-"]
    assert {(p, c) for _, p, c in met} == {("profileme", "at 3 %")}, met
    assert {programs("blocks", p, "at 10 %") for p in ("sastry",)} == {n}
    for q in flow:  # better than all profilers that every program can keep
        others = [float(mean(q, p, "at 10 %")) for p in t[q] if p != "sastry" and
            programs(q, p, "at 10 %") == n]
        assert float(mean(q, "sastry", "at 10 %")) <= min(others, default=100), q
        assert float(t[q]["ammons"]["error %"]) == 0 and t[q]["zilles"]["at 10 %"] == "-", q
    yield r"2 million instructions are too short for budgets of 1 and 3 percent", []
    yield r"ProfileMe in (\d+) programs", [programs("blocks", "profileme", "at 3 %")]
    yield (r"For 10 percent the strata are ahead in blocks \((N) %\), edges \((N) %\) and calls "
        r"\((N) %\), in all (N) programs"), [mean(q, "sastry", "at 10 %") for q in flow] + [n]
    yield (r"loses (N) % of its branches and calls, meets it nowhere, and with values in (N) "
        r"programs"), [t["blocks"]["zilles"]["lost %"], programs("values", "zilles", "at 10 %")]
    yield (r"exact in blocks, edges and calls at (N) to (N) % of the cycles"), [
        f"{min(costs):.0f}", f"{max(costs):.0f}"]
    yield r"paths are (N) % wrong, where they are cut, and its contexts (N) %", [
        t["paths"]["ammons"]["error %"], t["contexts"]["ammons"]["error %"]]
    yield (r"blocks of (N) programs have counters in the program there, of (N) the co-processor, "
        r"of (N) the sampler of strata, of (N) random sampling"), [
        t["front"][p]["blocks"] for p in ("ammons", "zilles", "sastry", "random")]
    yield r"\[The page over (N) programs\]", [n]
    yield r", (N) workloads and (N) demos", [str(kinds.count(k)) for k in ("workload", "demo")]
    yield r"first 2 million instructions of each, 1 seed", []
    yield r"for an overhead of 10 %", []


def check_tables(page, table):
    t = rows(table)
    n = re.search(r"means over (\d+) programs", table)[1]
    text = digits(" ".join(section(page, "## All programs", "**Chance.**").split()) + " " + " ".join(
        section(page, "Error by overhead, for the blocks of gzip", "Convergence:").split()))
    left = re.sub(r"\(\.\./[^)]*\)", "", text)
    for pattern, cells in claims(t, n, re.findall(r"\| +(workload|demo) \|", table)):
        m = re.search(pattern.replace("(N)", f"({NUMBER})"), text)
        if not m:
            sys.exit(f"the page no longer says '{pattern}'")
        if list(m.groups()) != cells:
            sys.exit(f"'{m[0]}': the tables have {', '.join(map(str, cells))}")
        left = left.replace(m[0], "")
    other = re.findall(r"[^ ]* ?\d[^ ]*", left)
    if other:
        sys.exit(f"no table is compared with {other}")


def check_findings(page):
    """Each finding: its prose, and the block that shows it."""
    n = 0
    text = section(page, "## Three findings", "## All programs")
    for prose, block in re.findall(r"(.*?)```console\n(.*?)```", text, re.S):
        for number in re.findall(r"(\d+\.\d+) %", prose):
            n += 1
            if not re.search(rf"(?<![\d.]){re.escape(number)}(?![\d.])", block):
                sys.exit(f"{number} % is not in the table below '{prose.strip()[:60]}'")
    assert n > 8, n


page, table = (open(name).read() for name in sys.argv[1:3])
check_findings(page)
check_tables(page, table)
