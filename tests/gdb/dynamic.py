# A dynamically linked program without a file in gdb: it reads program and libraries through the
# stub.
import subprocess
import sys
import tempfile

sys.path.insert(0, "tests/gdb")
from kit import *

connect("build/tests/gdb/guest-dynamic", "fault")
has("the program's file came over", run("info files"), r"guest-dynamic")
has("the interpreter", run("info sharedlibrary"), r"ld-linux-riscv64")
run("break main")
go("continue", "main begins")
has("its library", run("info sharedlibrary"), r"target:/lib/libc\.so\.6")
run("tbreak malloc")
run("continue")
has("stopped in a library", run("bt"), r"(?s)malloc .*libc\.so.*list .*main ")
run("finish")
equal("back from it", gdb.selected_frame().name(), "list")
run("tbreak list")
run("reverse-continue")
equal("and before it", gdb.selected_frame().name(), "list")
run("delete")
run("continue")
equal("a fault", (here(), stop_kind()), ("fault", "SIGSEGV"))
go("reverse-next", "fault")
run("next")
equal("the fault again", stop_kind(), "SIGSEGV")
alone = subprocess.run([os.environ["CYCLOPS"], "run", "build/tests/gdb/guest-dynamic", "fault"],
    capture_output=True, text=True, stdin=subprocess.DEVNULL)
has("its cycle is that of a run which nobody watched", alone.stderr,
    r"cycle %d, instruction %d\b" % (value("$cycle"), value("$instret")))
with tempfile.NamedTemporaryFile() as copy:
    run("remote get /tests/gdb/guest.c " + copy.name)
    with open("tests/gdb/guest.c", "rb") as original:
        check("a file of the program's tree", copy.read() == original.read() != b"")
has("none outside", run("remote get /../../etc/passwd /dev/null"), r"error")
has("none is written", run("remote put /etc/hostname /written"), r"error.*[Rr]ead-only")
has("none is deleted", run("remote delete /tests/gdb/guest.c"), r"error.*[Rr]ead-only")
finish()
