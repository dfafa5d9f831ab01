# A web page in chromium against the ports of `cyclops gdb` and `cyclops dap`: nothing that it sends
# is acted on, neither server ends or is kept from its debuggers, while it goes on. The page comes
# from the very port at which gdb's server listens afterwards, as one does whose name is bound anew.
# Beside them listens a socket that only takes notes: the page does send what would do harm.
import http.server
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

sys.path[:0] = ["tests", "tests/dap"]
from checks import check, finish
from kit import Client
from listener import CYCLOPS, PATIENCE, Listener

CYCLOPS = os.path.abspath(CYCLOPS)


def packet(payload):
    return "$%s#%02x" % (payload, sum(payload.encode()) & 255)


def message(command, **arguments):
    body = json.dumps({"seq": 1, "type": "request", "command": command, "arguments": arguments})
    return "Content-Length: %d\r\n\r\n%s" % (len(body), body)


# Harmful requests: write a file, run the machine, end the session.
GDB = "".join(map(packet, ("k", "vFile:open:%s,601,1b6" % b"harm".hex(), "vFile:pwrite:1,0,x",
    "qRcmd," + b"continue".hex(), "c")))
DAP = message("evaluate", expression="shell touch harm", context="repl") + message("evaluate",
    expression="goto 5000", context="repl") + message("disconnect", terminateDebuggee=True)


class Notes:
    """Listens, and keeps all received bytes."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.socket.getsockname()[1]
        self.taken = b""
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        while True:
            try:
                peer = self.socket.accept()[0]
                threading.Thread(target=self.take, args=(peer,), daemon=True).start()
            except OSError:
                return

    def take(self, peer):
        peer.settimeout(2)
        try:
            # Answer a preflight, so that its request follows.
            while more := peer.recv(65536):
                self.taken += more
                if more.startswith(b"OPTIONS"):
                    peer.sendall(b"HTTP/1.1 204 No Content\r\nAccess-Control-Allow-Origin: *\r\n"
                        b"Access-Control-Allow-Methods: *\r\nAccess-Control-Allow-Headers: *\r\n\r\n")
        except OSError:
            pass
        peer.close()


class Said:
    """A server's standard error, as it comes."""

    def __init__(self, server):
        self.text = b""
        threading.Thread(target=self.take, args=(server.process.stderr,), daemon=True).start()

    def take(self, stream):
        for line in stream:
            self.text += line

    def wait(self, *words):
        for _ in range(PATIENCE * 10):
            if all(w in self.text for w in words):
                return True
            time.sleep(0.1)
        return False


def serve_page(page):
    """The page at a port that is free again once it has been loaded."""
    ready = threading.Event()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            if self.path == "/":
                self.wfile.write(page(server.server_port).encode())
            if self.path == "/ready":
                ready.set()

        def log_message(self, *words):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, ready


def by_gdb(folder, port, *lines):
    lines = ("target remote 127.0.0.1:%d" % port, *lines, "detach")
    words = [w for line in lines for w in ("-ex", line)]
    return subprocess.run(["gdb-multiarch", "-nx", "-batch", *words, folder + "/guest"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE,
        cwd=folder).stdout


def main(folder):
    shutil.copy("build/tests/gdb/guest", folder)
    with open("tests/reach/page.html", encoding="ascii") as file:
        text = file.read()
    notes = Notes()
    os.chdir(folder)
    dap = Listener("dap", b"waiting for an editor", "--rw", "--listen", "0", "guest")
    dap_port = int(re.search(rb"127\.0\.0\.1:(\d+)", dap.said)[1])
    said_dap = Said(dap)

    def page(port):
        return text.replace("CONFIGURATION", json.dumps({"ports": [port, dap_port, notes.port],
            "gdb": GDB, "dap": DAP}))

    web, ready = serve_page(page)
    port = web.server_port
    browser = subprocess.Popen(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
        "--disable-dev-shm-usage", "--user-data-dir=" + folder + "/profile",
        "--remote-debugging-port=0", "http://127.0.0.1:%d/" % port], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    gdb = None
    try:
        check("the page was loaded", ready.wait(PATIENCE))
        web.shutdown()
        web.server_close()
        gdb = Listener("gdb", b"waiting for gdb", "--rw", "--listen", str(port), "guest")
        check("gdb's server takes the page's port", b"waiting" in gdb.said, gdb.said)
        said_gdb = Said(gdb)
        check("gdb's server refuses pages", said_gdb.wait(b'began with "POST /',
            b'began with "$k#6b / HTTP/1.1'), said_gdb.text)
        check("so does the editors'", said_dap.wait(b'began with "POST /', b'began with "GET /'),
            said_dap.text)
        said = by_gdb(folder, port, "monitor info history", "break main", "continue")
        check("gdb is served meanwhile, and nothing had moved", "cycles 0 to 0, now at 0" in said
            and "Breakpoint 1, main" in said, said)
        for _ in range(3):
            said = by_gdb(folder, port, "stepi", "info registers pc")
            check("and again", "<main+" in said, said)
        for _ in range(3):
            editor = Client(where=("127.0.0.1", dap_port))
            editor.body("attach")
            editor.body("configurationDone")
            text = editor.body("evaluate", expression="info history", context="repl")["result"]
            check("an editor is served meanwhile, and nothing had moved", "cycles 0 to 0" in text
                or "cycle 0" in text, text)
            editor.socket.close()
        for _ in range(PATIENCE * 10):
            if b"$k#6b" in notes.taken and b"Content-Length: " in notes.taken:
                break
            time.sleep(0.1)
        check("the page does send packets", b"\r\n\r\n" + GDB.encode() in notes.taken, notes.taken)
    finally:
        os.killpg(browser.pid, signal.SIGKILL)
        browser.wait()
    check("both servers are still there", gdb.process.poll() is None and dap.process.poll() is None)
    for server in (gdb, dap):
        server.process.send_signal(signal.SIGINT)
        check("and end by Ctrl-C", server.process.wait(PATIENCE) == 0)
    check("nothing was written", not os.path.exists("harm"), os.listdir("."))
    os.chdir("/")


with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
    main(folder)
finish()
