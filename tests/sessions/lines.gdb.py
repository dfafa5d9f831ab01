# gdb's places of `break FILE:LINE` for each line of SOURCE in PROGRAM: writes
# FOLDER/lines-theirs, of each line where its breakpoints are: "twice<int>(int)+12 3 | ...".
import os
import re

import gdb

source = os.environ["SOURCE"]
gdb.execute("set breakpoint pending off")
gdb.execute("file " + os.environ["PROGRAM"])
with open(source, encoding="utf-8") as text:
    count = len(text.readlines())
with open(os.environ["FOLDER"] + "/lines-theirs", "w", encoding="utf-8") as out:
    for line in range(1, count + 1):
        places = []
        try:
            gdb.execute("break %s:%d" % (os.path.basename(source), line), to_string=True)
            told = gdb.execute("info breakpoints", to_string=True)
            for addr in set(re.findall(r"0x[0-9a-f]{16}", told)):
                symbol = gdb.execute("info symbol " + addr, to_string=True)
                name = re.sub(r" \[clone [^]]*\]", "", symbol.split(" in section")[0])
                at = gdb.find_pc_line(int(addr, 16)).line
                places.append("%s %d" % (name.replace(" + ", "+"), at))
            gdb.execute("delete")
        except gdb.error:
            pass
        out.write(" | ".join(sorted(places)) + "\n")
