#!/usr/bin/env python3
"""qemu-riscv64's stub on standard input and output, for `target remote |`: qemu itself listens at a
socket."""
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time


def forward(connection, child):
    while data := os.read(0, 65536):
        connection.sendall(data)
    child.kill()


with tempfile.TemporaryDirectory() as folder:
    path = folder + "/stub"
    qemu = subprocess.Popen(["qemu-riscv64", "-L", "/usr/riscv64-linux-gnu", "-g", path]
                            + sys.argv[1:], stdout=2, stdin=subprocess.DEVNULL)
    connection = socket.socket(socket.AF_UNIX)
    while connection.connect_ex(path):
        if qemu.poll() is not None:
            sys.exit(1)
        time.sleep(0.01)
    threading.Thread(target=forward, args=(connection, qemu), daemon=True).start()
    try:
        while data := connection.recv(65536):
            os.write(1, data)
    except OSError:
        pass
    qemu.wait()
