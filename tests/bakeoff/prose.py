"""prose.py PAGE TABLE: each number in the prose of docs/bakeoff.md stands in its table: those of demos/papers/bakeoff/results.md, bakeoff.csv beside it, or the console block that follows."""
import csv
import os
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


HARDWARE = ("zilles", "burrows", "sastry", "random", "profileme")


def least(runs, question):
    """Of how many programs each hardware profiler has the smallest error for ten percent."""
    errors = {}
    for r in runs:
        if r["question"] == question and r["for"] == "10%" and r["error"] and (
                r["profiler"] in HARDWARE):
            errors.setdefault(r["program"], {})[r["profiler"]] = float(r["error"])
    best = [min(e, key=e.get) for e in errors.values()]
    return {p: best.count(p) for p in HARDWARE}


# Claims of the section: patterns, and the cells of their groups.
def claims(t, n, kinds, runs):
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
    assert {p for q in t if q != "front" for p in t[q] if programs(q, p, "at 10 %") == n} == {
        "profileme"}
    for q in flow:
        assert float(t[q]["ammons"]["error %"]) == 0 and t[q]["zilles"]["at 10 %"] == "-", q
        assert float(mean(q, "sastry", "at 10 %")) < float(mean(q, "random", "at 10 %")), q
    assert t["edges"]["ammons"]["at 10 %"] == t["paths"]["ammons"]["at 10 %"] == "-"
    assert mean("calls", "ammons", "at 10 %") == "0.0"
    best = {q: least(runs, q) for q in flow}
    yield r"2 million instructions are too short for budgets of 1 and 3 percent", []
    yield r"ProfileMe in (\d+) programs", [programs("blocks", "profileme", "at 3 %")]
    yield r"For 10 percent:", []
    met_by = {p: {programs(q, p, "at 10 %") for q in flow} for p in ("sastry", "random")}
    assert all(len(v) == 1 for v in met_by.values()), met_by
    yield (r"strata meet the budget in (N) of (N) programs, with errors of (N) % in blocks, (N) % in edges "
        r"and (N) % in calls; random sampling in (N), with (N) %, (N) % and (N) %"), [
        *met_by["sastry"], n, *(mean(q, "sastry", "at 10 %") for q in flow),
        *met_by["random"], *(mean(q, "random", "at 10 %") for q in flow)]
    yield (r"smallest error in (N), (N) and (N) programs, and random sampling in (N), (N) and (N)"), [
        str(best[q][p]) for p in ("sastry", "random") for q in flow]
    yield r"ProfileMe alone meets the budget in all programs, and its blocks are (N) % wrong", [
        mean("blocks", "profileme", "at 10 %")]
    yield (r"loses (N) % of its branches and calls\. It meets the budget with values in (N) program "
        r"and with nothing else\. The strata meet it with values in (N) programs, with an error of "
        r"(N) %"), [
        t["blocks"]["zilles"]["lost %"], programs("values", "zilles", "at 10 %"),
        programs("values", "sastry", "at 10 %"), mean("values", "sastry", "at 10 %")]
    yield r"exact in blocks, edges and calls, and costs (N) to (N) % of the cycles", [
        f"{min(costs):.0f}", f"{max(costs):.0f}"]
    yield (r"budget with blocks in (N) program, with edges in none, and with calls, which are "
        r"cheaper, in (N)\. "), [programs(q, "ammons", "at 10 %") for q in ("blocks", "calls")]
    yield (r"paths are (N) % wrong, where they are cut, and never meet the budget; its contexts are "
        r"(N) % wrong, and meet it in (N) programs"), [t["paths"]["ammons"]["error %"],
        t["contexts"]["ammons"]["error %"], programs("contexts", "ammons", "at 10 %")]
    yield (r"blocks of (N) programs have counters in the program there, of (N) the sampler of "
        r"strata, of (N) the co-processor, of (N) random sampling"), [
        t["front"][p]["blocks"] for p in ("ammons", "sastry", "zilles", "random")]
    yield r"\[The page over (N) programs\]", [n]
    yield r", (N) workloads and (N) demos", [str(kinds.count(k)) for k in ("workload", "demo")]
    yield r"first 2 million instructions of each, 1 seed", []


def check_tables(page, table, runs):
    t = rows(table)
    n = re.search(r"means over (\d+) programs", table)[1]
    text = digits(" ".join(section(page, "## All programs", "**Chance.**").split()) + " " + " ".join(
        section(page, "Error by overhead, for the blocks of gzip", "Convergence:").split()))
    left = re.sub(r"\(\.\./[^)]*\)", "", text)
    for pattern, cells in claims(t, n, re.findall(r"\| +(workload|demo) \|", table), runs):
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
with open(os.path.join(os.path.dirname(sys.argv[2]), "bakeoff.csv"), newline="") as f:
    runs = list(csv.DictReader(f))
check_findings(page)
check_tables(page, table, runs)
