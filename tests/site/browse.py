#!/usr/bin/env python3
"""browse.py SITE HOME: has a browser open SITE/driver.html, and prints what that page sends back,
then what was written to the browser's console."""
import functools
import http.server
import re
import subprocess
import sys
import threading

site, home = sys.argv[1:3]
told, over = [], threading.Event()


class Site(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        told.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self.send_response(204)
        self.end_headers()
        over.set()

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Site, directory=site))
threading.Thread(target=server.serve_forever, daemon=True).start()
with open(home + "/browser.err", "wb") as err:
    browser = subprocess.Popen(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
        "--disable-dev-shm-usage", "--user-data-dir=" + home + "/chromium",
                                "--window-size=1300,800", "--enable-logging=stderr",
                                    "--remote-debugging-port=0",
                                f"http://127.0.0.1:{server.server_port}/driver.html"],
                                    stdout=subprocess.DEVNULL, stderr=err,
                                    env={"HOME": home, "PATH": "/usr/bin:/bin"})
    over.wait(300)
    browser.terminate()
    browser.wait()
print(*told, sep="\n")
for line in open(home + "/browser.err", errors="replace"):
    if ":CONSOLE" in line:
        print("not ok console: " + re.sub(r"^.*CONSOLE\S*\s*", "", line.strip()))
