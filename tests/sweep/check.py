"""What tests/sweep/run.sh asks of files, by others' parsers: csv, json, xml.

    check.py csv FILE COLUMN=VALUE...      the rows that have these values, as JSON, a row a line
    check.py same STATS.json RESULTS.json CONFIG PROGRAM [PARAMETER=VALUE...]
                                           the job's statistics are exactly those of a run of its
                                           own
    check.py agree RESULTS.csv RESULTS.json  both say the same
    check.py tty COLUMNS COMMAND...        on a terminal so wide it draws one line, which fits,
                                           again and again, and takes it
                                           away at the end
    check.py svg FILE BARS MARKS HOLES     it is a picture with so many bars, marks of lines and
                                           places without a result
"""
import csv
import fcntl
import json
import os
import pty
import struct
import sys
import termios
import xml.dom.minidom


def fail(text):
    print(text)
    sys.exit(1)


def rows(path, wanted):
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            if None in row or None in row.values():
                fail(f"a row of another length: {row}")
            if all(row[w.split("=", 1)[0]] == w.split("=", 1)[1] for w in wanted):
                yield row


def find_job(results, config, program, varied):
    jobs = [j for j in json.load(open(results))["jobs"]
            if j["config"] == config and j["program"] == program and j["vary"] == varied]
    if len(jobs) != 1:
        fail(f"{len(jobs)} jobs of {config} {program} {varied}")
    return jobs[0]


def same(stats, results, config, program, *varied):
    job = find_job(results, config, program, dict(v.split("=", 1) for v in varied))
    alone = json.load(open(stats))
    if not alone or job["stats"] != alone:
        fail(f"{config} {program}: {[(k, v, job['stats'].get(k)) for k, v in alone.items() if job['stats'].get(k) != v][:5]}")


def agree(table, results):
    jobs = json.load(open(results))["jobs"]
    lines = list(rows(table, []))
    if len(jobs) != len(lines) or not jobs:
        fail(f"{len(jobs)} jobs, {len(lines)} rows")
    for job, row in zip(jobs, lines):
        for name, text in row.items():
            good = job["status"] in ("ok", "limit")
            value = job["vary"].get(name, job.get(name, job.get("stats", {}).get(name, "") if good
                else ""))
            if name == "reason":
                value = job.get("reason", "")
            if text != str(value) and (not text or float(text) != value):
                fail(f"{name}: {text} in the table, {value} in JSON")


def svg(path, bars, marks, holes):
    document = xml.dom.minidom.parse(path)
    classes = [e.getAttribute("class") for e in document.getElementsByTagName("*")]
    found = (sum(c.endswith(" bar") for c in classes),
             sum(c[:1] == "s" and c[1:].isdigit() for c in classes), classes.count("hole"))
    if document.documentElement.tagName != "svg" or found != (int(bars), int(marks), int(holes)):
        fail(f"{path}: bars, marks, holes: {found}")


def tty(columns, *command):
    # The child must not begin before its terminal has a size.
    ready, go = os.pipe()
    pid, terminal = pty.fork()
    if pid == 0:
        os.read(ready, 1)
        os.execv(command[0], command)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(columns), 0, 0))
    os.write(go, b"x")
    seen = b""
    try:
        while True:
            seen += os.read(terminal, 4096)
    except OSError:
        pass
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    drawn = seen.decode().split("A & B")[0].split("\r")
    lines = [line.removesuffix("\x1b[K") for line in drawn]
    if status or len(lines) < 3 or lines[-1] or any(len(line) >= int(columns) or "\n" in line
            for line in lines):
        fail(f"status {status}, {lines}")
    if not any(line.startswith("0 of 8 done, 0 failed") for line in lines):
        fail(f"no progress: {lines}")


if sys.argv[1] == "csv":
    for r in rows(sys.argv[2], sys.argv[3:]):
        print(json.dumps(r))
else:
    {"same": same, "agree": agree, "tty": tty, "svg": svg}[sys.argv[1]](*sys.argv[2:])
